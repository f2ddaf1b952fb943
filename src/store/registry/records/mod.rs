//! The records of the registry.
//!
//! | kind | key | record |
//! | --- | --- | --- |
//! | `administrator` | `password` | the argon2id hash of the password as a PHC string |
//! | `sessions` | see `session_records.rs` | sessions |
//! | `people`, `tablets` | see `people_records.rs` | people and their rights; wall tablets |
//! | `accounts` | see `account_records.rs` | accounts |
//! | `credentials` | `api_id` | account, scope, label, hash of the key |
//! | `sensors` | sensor id | account, name, role, meter, the sensor that it is part of, whether authorized, whether being removed; in version 2, also the sign of its power, its power between two readings, and the sent parts of its register |
//! | `corrections` | see `correction_records.rs` | corrections of readings |
//! | `contracts` | see `contract_records.rs` | the prices of energy |
//! | `bills`, `formats`, `offers`, `purchases`, `tenancies` | see `entry.rs` | bills of the utility; described formats of files; contracts to compare with those in force; what a household bought; who pays for sub-meters |
//! | `series` | see `series_records.rs` | the names of price series |
//! | `days` | see `day_records.rs` | lists of announced days |
//! | `settings` | see `setting_records.rs` | settings of the service |
//! | `linked-users` | see `linked_user_records.rs` | users of Home Assistant who are signed in by their visits |
//! | `notices` | see `notice_records.rs` | notices for people |
//! | `uses` | `api_id` | when the credential was used last |
//!
//! A value is a version byte, then the record in bincode (standard configuration). `single` applies
//! records one by one.

mod single;

use serde::{Deserialize, Serialize};

use crate::domain::{
    AccountName, ApiId, Between, Credential, EntryKind, KeyHash, Meter, MeterKind, PasswordHash,
    PowerLimit, Role, Rollover, Scope, Sensor, SensorId, SentParts, Sign, SilentAfter, Timestamp,
};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, record};
use crate::store::registry::account_records::account_of;
use crate::store::registry::contract_records;
use crate::store::registry::correction_records;
use crate::store::registry::day_records;
use crate::store::registry::entry::KindEntries;
use crate::store::registry::linked_user_records;
use crate::store::registry::notice_records;
use crate::store::registry::people_records::{self, tablet_of};
use crate::store::registry::registered::Registry;
use crate::store::registry::series_records;
use crate::store::registry::session_records;
use crate::store::registry::setting_records;
use crate::store::registry::shared_map::SharedMap;

/// The key of the only record of the administrator.
pub(crate) const PASSWORD_KEY: &[u8] = b"password";

/// The version of each of these records.
const VERSION: u8 = 1;
/// The version of the record of a sensor with settings that version 1 lacks.
const SENSOR_VERSION: u8 = 2;

// bincode stores fields by position: a change of their order or number needs a new version.
#[derive(Serialize, Deserialize)]
struct CredentialRecord {
    account: String,
    scope: Scope,
    label: String,
    key_hash: KeyHash,
    created_ms: i64,
}

#[derive(Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "these bytes are on disk; in the domain they are parts of a sensor and its meter"
)]
struct SensorRecord {
    account: String,
    name: String,
    authorized: bool,
    created_ms: i64,
    /// The sensor's readings are being deleted; its record goes last.
    removed: bool,
    role: Role,
    register: MeterKind,
    plausible: PowerLimit,
    /// Whether the register is inverted; in version 1, whether both measures are.
    is_inverted: bool,
    rollover: Option<Rollover>,
    part_of: Option<String>,
    silent_after: Option<SilentAfter>,
    is_announced: bool,
}

/// The fields added by version 2.
#[derive(PartialEq, Serialize, Deserialize)]
struct AddedRecord {
    sign: Sign,
    between: Between,
    sent_parts: SentParts,
}

impl AddedRecord {
    /// Their values in version 1.
    const fn of_first(record: &SensorRecord) -> Self {
        Self {
            sign: sign_of(record.is_inverted),
            between: Between::Line,
            sent_parts: SentParts::NONE,
        }
    }
}

impl Registry {
    /// Loads the registry, and the sensors that an interrupted removal left.
    pub(crate) fn load(view: &dyn RecordsView) -> Result<(Self, Vec<SensorId>), StoreError> {
        let mut registry = Self::default();
        let mut removed = Vec::new();
        for kind in RecordKind::ALL {
            removed.extend(registry.reload(kind, view)?.into_iter().flatten());
        }
        Ok((registry, removed))
    }

    /// Reloads the records of one kind. For sensors, returns those that an interrupted removal
    /// left.
    pub(crate) fn reload(
        &mut self,
        kind: RecordKind,
        view: &dyn RecordsView,
    ) -> Result<Option<Vec<SensorId>>, StoreError> {
        match kind {
            RecordKind::Administrator => {
                let password = view.get(kind, PASSWORD_KEY)?;
                self.administrator = record::optional(password, |value| password_of(&value))
                    .ok_or_else(|| damaged("administrator", PASSWORD_KEY))?;
            }
            RecordKind::Sessions => self.sessions = session_records::load(view)?,
            RecordKind::People => self.people = people_records::load(view)?,
            RecordKind::LinkedUsers => self.linked_users = linked_user_records::load(view)?,
            RecordKind::Tablets => {
                let tablets = all(view, kind, "wall tablet", tablet_of)?;
                let tablets = tablets.into_iter();
                self.tablets = tablets.map(|it| (it.name.clone(), it)).collect();
            }
            RecordKind::Accounts => {
                let accounts = all(view, kind, "account", account_of)?;
                let accounts = accounts.into_iter();
                self.accounts = accounts.map(|it| (it.name.clone(), it)).collect();
            }
            RecordKind::Credentials => {
                let credentials = all(view, kind, "credential", credential_of)?;
                let credentials = credentials.into_iter();
                self.credentials = credentials.map(|it| (it.api_id.clone(), it)).collect();
            }
            RecordKind::Sensors => return self.reload_sensors(view).map(Some),
            RecordKind::Corrections => self.corrections = correction_records::load(view)?,
            RecordKind::Contracts => self.contracts = contract_records::load(view)?,
            RecordKind::Bills => self.reload_entries(EntryKind::Bill, view)?,
            RecordKind::Series => self.series = series_records::load(view)?,
            RecordKind::Days => self.days = day_records::load(view)?,
            RecordKind::Formats => self.reload_entries(EntryKind::Format, view)?,
            RecordKind::Offers => self.reload_entries(EntryKind::Offer, view)?,
            RecordKind::Purchases => self.reload_entries(EntryKind::Purchase, view)?,
            RecordKind::Tenancies => self.reload_entries(EntryKind::Tenancy, view)?,
            RecordKind::HomeAssistants => self.reload_entries(EntryKind::HomeAssistant, view)?,
            RecordKind::Notices => self.notices = notice_records::load(view)?,
            RecordKind::Settings => self.settings = setting_records::load(view)?,
            // Too many to be kept in memory, and kept elsewhere.
            RecordKind::Prices | RecordKind::LastUses => {}
        }
        Ok(None)
    }

    fn reload_entries(
        &mut self,
        kind: EntryKind,
        view: &dyn RecordsView,
    ) -> Result<(), StoreError> {
        self.entries.insert(kind, KindEntries::load(kind, view)?);
        Ok(())
    }

    fn reload_sensors(&mut self, view: &dyn RecordsView) -> Result<Vec<SensorId>, StoreError> {
        self.sensors = SharedMap::default();
        let mut removed = Vec::new();
        for (sensor, is_removed) in all(view, RecordKind::Sensors, "sensor", sensor_of)? {
            // Unknown to everybody from now on, even if its readings still exist.
            if is_removed {
                removed.push(sensor.id);
            } else {
                self.sensors.insert(sensor.id.clone(), sensor);
            }
        }
        Ok(removed)
    }
}

pub(crate) fn encode_credential(credential: &Credential) -> Result<Vec<u8>, StoreError> {
    let record = CredentialRecord {
        account: credential.account.as_str().to_owned(),
        scope: credential.scope,
        label: credential.label.clone(),
        key_hash: credential.key_hash,
        created_ms: credential.created.millis(),
    };
    record::encode(VERSION, &record)
}

/// The record of a sensor. `removed` marks a sensor while its readings are being deleted.
pub(crate) fn encode_sensor(sensor: &Sensor, removed: bool) -> Result<Vec<u8>, StoreError> {
    let record = SensorRecord {
        account: sensor.account.as_str().to_owned(),
        name: sensor.name.clone(),
        authorized: sensor.authorized,
        created_ms: sensor.created.millis(),
        removed,
        role: sensor.role,
        register: sensor.meter.kind,
        plausible: sensor.meter.limit,
        is_inverted: sensor.meter.register_sign.is_inverted(),
        rollover: sensor.meter.rollover,
        part_of: sensor.part_of.as_ref().map(SensorId::to_string),
        silent_after: sensor.silent_after,
        is_announced: sensor.is_announced,
    };
    let added = AddedRecord {
        sign: sensor.meter.power_sign,
        between: sensor.meter.between,
        sent_parts: sensor.sent_parts,
    };
    // Older builds read all sensors without these settings.
    if added == AddedRecord::of_first(&record) {
        return record::encode(VERSION, &record);
    }
    record::encode(SENSOR_VERSION, &(record, added))
}

pub(crate) fn encode_password(password: &PasswordHash) -> Result<Vec<u8>, StoreError> {
    record::encode(VERSION, &password.as_str())
}

pub(crate) fn encode_last_use(last_used: Timestamp) -> Result<Vec<u8>, StoreError> {
    record::encode(VERSION, &last_used.millis())
}

/// All records of a kind, decoded; `what` names one of them.
fn all<T>(
    view: &dyn RecordsView,
    kind: RecordKind,
    what: &str,
    decode: fn(&[u8], &[u8]) -> Option<T>,
) -> Result<Vec<T>, StoreError> {
    let records = view.all(kind)?.into_iter();
    let decoded =
        records.map(|(key, value)| decode(&key, &value).ok_or_else(|| damaged(what, &key)));
    decoded.collect()
}

fn damaged(what: &str, key: &[u8]) -> StoreError {
    StoreError::Damaged(format!(
        "the record of {what} {} is damaged",
        key.escape_ascii()
    ))
}

pub(crate) fn credential_of(key: &[u8], value: &[u8]) -> Option<Credential> {
    let record: CredentialRecord = record::decode(VERSION, value)?;
    Some(Credential {
        api_id: ApiId::new(std::str::from_utf8(key).ok()?).ok()?,
        account: AccountName::new(&record.account).ok()?,
        scope: record.scope,
        label: record.label,
        key_hash: record.key_hash,
        created: Timestamp::from_millis(record.created_ms)?,
    })
}

/// The sensor, and whether it is being removed.
pub(crate) fn sensor_of(key: &[u8], value: &[u8]) -> Option<(Sensor, bool)> {
    let (record, added): (SensorRecord, AddedRecord) = if value.first() == Some(&VERSION) {
        let record: SensorRecord = record::decode(VERSION, value)?;
        let added = AddedRecord::of_first(&record);
        (record, added)
    } else {
        record::decode(SENSOR_VERSION, value)?
    };
    let sensor = Sensor {
        id: SensorId::new(std::str::from_utf8(key).ok()?).ok()?,
        account: AccountName::new(&record.account).ok()?,
        name: record.name,
        authorized: record.authorized,
        role: record.role,
        meter: Meter {
            kind: record.register,
            limit: record.plausible,
            power_sign: added.sign,
            register_sign: sign_of(record.is_inverted),
            rollover: record.rollover,
            between: added.between,
        },
        part_of: record::optional(record.part_of, |id| SensorId::new(&id).ok())?,
        silent_after: record.silent_after,
        is_announced: record.is_announced,
        sent_parts: added.sent_parts,
        created: Timestamp::from_millis(record.created_ms)?,
    };
    Some((sensor, record.removed))
}

/// The sign for a flag of version 1.
pub(crate) const fn sign_of(is_inverted: bool) -> Sign {
    if is_inverted {
        Sign::Inverted
    } else {
        Sign::AsIs
    }
}

/// The password in a record.
pub(crate) fn password_of(value: &[u8]) -> Option<PasswordHash> {
    // Parsed, not only decoded: a hash that argon2id cannot read would refuse every password.
    let hash: String = record::decode(VERSION, value)?;
    PasswordHash::parse(&hash)
}

pub(super) fn last_use_of(key: &[u8], value: &[u8]) -> Option<(ApiId, Timestamp)> {
    let last_used_ms: i64 = record::decode(VERSION, value)?;
    let id = ApiId::new(std::str::from_utf8(key).ok()?).ok()?;
    Some((id, Timestamp::from_millis(last_used_ms)?))
}

#[cfg(test)]
mod tests;
