//! The JSON records of a backup; separate from those of the store, so that each can change.
//!
//! Default settings of a sensor and the role of the grid are omitted. Times are milliseconds since
//! 1970; keys, tokens and passwords are hashes. docs/FORMATS.md describes each field.

use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::domain::{
    AccountName, ApiId, Arrivals, Between, Credential, KeyHash, Meter, MeterKind, PasswordHash,
    PowerLimit, Role, Rollover, Scope, Sensor, SensorId, SentParts, Sign, SilentAfter, Timestamp,
};
use crate::ledger::Correction;
use crate::ledger::contract::Contract;
use crate::ledger::notice::{KnownNotice, NoticeKey};
use crate::store::records::record::optional;
use crate::store::registry::contract_records::encode_contract;
use crate::store::registry::correction_records::{CorrectionRecord, MadeRecord};
use crate::store::registry::edit::MAX_TEXT_BYTES;
use crate::store::registry::notice_records::NoticeRecord;
use crate::store::registry::records::sign_of;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupAdministrator {
    password_hash: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupCredential {
    id: String,
    account: String,
    scope: Scope,
    label: String,
    key_hash: KeyHash,
    created: i64,
    #[serde(default, skip_serializing_if = "is_default")]
    last_used: Option<i64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupSensor {
    id: String,
    account: String,
    name: String,
    authorized: bool,
    created: i64,
    #[serde(default = "unnamed_role", skip_serializing_if = "is_unnamed_role")]
    role: Role,
    #[serde(default, skip_serializing_if = "is_default")]
    register: MeterKind,
    /// In watts.
    #[serde(default, skip_serializing_if = "is_default")]
    plausible: PowerLimit,
    #[serde(default, skip_serializing_if = "is_default")]
    inverted: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    power_sign: Option<Sign>,
    #[serde(default, skip_serializing_if = "is_default")]
    between: Between,
    /// In millionths of a watt-hour.
    #[serde(default, skip_serializing_if = "is_default")]
    rollover: Option<Rollover>,
    #[serde(default, skip_serializing_if = "is_default")]
    part_of: Option<String>,
    /// In minutes.
    #[serde(default, skip_serializing_if = "is_default")]
    silent_after: Option<SilentAfter>,
    #[serde(default, skip_serializing_if = "is_default")]
    unannounced: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    sent_parts: SentParts,
}

/// The role of a sensor whose record has none, as in the first backups.
const fn unnamed_role() -> Role {
    Role::Grid
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference"
)]
fn is_unnamed_role(role: &Role) -> bool {
    *role == unnamed_role()
}

pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A correction with its revocation, as the store keeps them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupCorrection {
    account: String,
    number: u32,
    correction: CorrectionRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked: Option<MadeRecord>,
}

/// A contract, as JSON of its own (docs/MONEY.md).
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupContract {
    account: String,
    contract: Box<RawValue>,
}

/// A notice, as the store keeps it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupNotice {
    /// `None` for the service's own.
    account: Option<String>,
    notice: NoticeRecord,
}

/// A sensor's uploads. Its newest power is not here: it follows from the readings.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupArrivals {
    sensor: String,
    /// `None` if readings were only imported.
    arrivals: Option<ArrivalTimes>,
    last_assigned: Option<i64>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArrivalTimes {
    previous: Option<i64>,
    last: i64,
    last_upload: i64,
}

impl From<&PasswordHash> for BackupAdministrator {
    fn from(password: &PasswordHash) -> Self {
        Self {
            password_hash: password.as_str().to_owned(),
        }
    }
}

impl BackupCredential {
    pub(crate) fn new(credential: &Credential, last_used: Option<Timestamp>) -> Self {
        Self {
            id: credential.api_id.as_str().to_owned(),
            account: credential.account.as_str().to_owned(),
            scope: credential.scope,
            label: credential.label.clone(),
            key_hash: credential.key_hash,
            created: credential.created.millis(),
            last_used: last_used.map(Timestamp::millis),
        }
    }
}

impl From<&Sensor> for BackupSensor {
    fn from(sensor: &Sensor) -> Self {
        let (power_sign, register_sign) = (sensor.meter.power_sign, sensor.meter.register_sign);
        Self {
            id: sensor.id.as_str().to_owned(),
            account: sensor.account.as_str().to_owned(),
            name: sensor.name.clone(),
            authorized: sensor.authorized,
            created: sensor.created.millis(),
            role: sensor.role,
            register: sensor.meter.kind,
            plausible: sensor.meter.limit,
            inverted: register_sign.is_inverted(),
            power_sign: (power_sign != register_sign).then_some(power_sign),
            between: sensor.meter.between,
            rollover: sensor.meter.rollover,
            part_of: sensor.part_of.as_ref().map(SensorId::to_string),
            silent_after: sensor.silent_after,
            unannounced: !sensor.is_announced,
            sent_parts: sensor.sent_parts,
        }
    }
}

impl BackupCorrection {
    pub(crate) fn new(account: &AccountName, correction: &Correction) -> Self {
        Self {
            account: account.to_string(),
            number: correction.number(),
            correction: correction.into(),
            revoked: correction.revoked().map(MadeRecord::from),
        }
    }
}

impl BackupNotice {
    pub(crate) fn new(key: &NoticeKey, known: &KnownNotice) -> Self {
        Self {
            account: key.account.as_ref().map(AccountName::to_string),
            notice: known.into(),
        }
    }
}

impl BackupContract {
    pub(crate) fn new(account: &AccountName, contract: &Contract) -> io::Result<Self> {
        Ok(Self {
            account: account.to_string(),
            contract: RawValue::from_string(contract.to_string())?,
        })
    }
}

impl BackupArrivals {
    pub(crate) fn new(
        sensor: &SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Self {
        let times = arrivals.map(|arrivals| {
            let (previous, last, last_upload) = arrivals.parts();
            ArrivalTimes {
                previous: previous.map(Timestamp::millis),
                last: last.millis(),
                last_upload: last_upload.millis(),
            }
        });
        Self {
            sensor: sensor.as_str().to_owned(),
            arrivals: times,
            last_assigned: last_assigned.map(Timestamp::millis),
        }
    }
}

/// Parses a record; `None` if it is invalid.
pub(crate) fn parse<R: DeserializeOwned>(content: &[u8]) -> Option<R> {
    serde_json::from_slice(content).ok()
}

pub(crate) fn administrator(content: &[u8]) -> Option<PasswordHash> {
    let record: BackupAdministrator = parse(content)?;
    PasswordHash::parse(&record.password_hash)
}

pub(crate) fn credential(content: &[u8]) -> Option<(Credential, Option<Timestamp>)> {
    let record: BackupCredential = parse(content)?;
    // Refused during verification: the store would refuse it half way through a restore.
    (record.label.len() <= MAX_TEXT_BYTES).then_some(())?;
    let credential = Credential {
        api_id: ApiId::new(&record.id).ok()?,
        account: AccountName::new(&record.account).ok()?,
        scope: record.scope,
        label: record.label,
        key_hash: record.key_hash,
        created: Timestamp::from_millis(record.created)?,
    };
    let last_used = optional(record.last_used, Timestamp::from_millis)?;
    Some((credential, last_used))
}

pub(crate) fn sensor(content: &[u8]) -> Option<Sensor> {
    let record: BackupSensor = parse(content)?;
    // As for the label of a credential.
    (record.name.len() <= MAX_TEXT_BYTES).then_some(())?;
    let register_sign = sign_of(record.inverted);
    Some(Sensor {
        id: SensorId::new(&record.id).ok()?,
        account: AccountName::new(&record.account).ok()?,
        name: record.name,
        authorized: record.authorized,
        role: record.role,
        meter: Meter {
            kind: record.register,
            limit: record.plausible,
            power_sign: record.power_sign.unwrap_or(register_sign),
            register_sign,
            rollover: record.rollover,
            between: record.between,
        },
        part_of: optional(record.part_of, |id| SensorId::new(&id).ok())?,
        silent_after: record.silent_after,
        is_announced: !record.unannounced,
        sent_parts: record.sent_parts,
        created: Timestamp::from_millis(record.created)?,
    })
}

/// Reads a correction, and its account.
pub(crate) fn correction(content: &[u8]) -> Option<(AccountName, Correction)> {
    let record: BackupCorrection = parse(content)?;
    let correction = record.correction.parse(record.number)?;
    let correction = match record.revoked {
        None => correction,
        Some(by) => correction.revoked_by(by.parse()?),
    };
    Some((AccountName::new(&record.account).ok()?, correction))
}

/// Reads a contract, and its account.
pub(crate) fn contract(content: &[u8]) -> Option<(AccountName, Contract)> {
    let record: BackupContract = parse(content)?;
    let contract = Contract::parse(record.contract.get()).ok()?;
    // As for the label of a credential.
    encode_contract(&contract).ok()?;
    Some((AccountName::new(&record.account).ok()?, contract))
}

/// Reads a notice, and its key.
pub(crate) fn notice(content: &[u8]) -> Option<(NoticeKey, KnownNotice)> {
    let record: BackupNotice = parse(content)?;
    let account = match record.account {
        None => None,
        Some(name) => Some(AccountName::new(&name).ok()?),
    };
    let known = record.notice.parse()?;
    Some((NoticeKey::of(account, &known.notice), known))
}

/// Reads a sensor's arrivals, and the last time assigned to one of its readings.
pub(crate) fn arrivals(content: &[u8]) -> Option<(SensorId, Option<Arrivals>, Option<Timestamp>)> {
    let record: BackupArrivals = parse(content)?;
    let optional = |ms: Option<i64>| match ms {
        None => Some(None),
        Some(ms) => Timestamp::from_millis(ms).map(Some),
    };
    let arrivals = match record.arrivals {
        None => None,
        Some(times) => Some(Arrivals::from_parts(
            optional(times.previous)?,
            Timestamp::from_millis(times.last)?,
            Timestamp::from_millis(times.last_upload)?,
        )),
    };
    let sensor = SensorId::new(&record.sensor).ok()?;
    Some((sensor, arrivals, optional(record.last_assigned)?))
}
