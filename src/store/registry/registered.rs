//! Who and what is registered: the administrator with its sessions, accounts, credentials, sensors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::account::{
    Account, AccountName, ApiId, ApiKey, Credential, KeyHash, Plan, Scope,
};
use crate::domain::calendar::Zone;
use crate::domain::password::PasswordHash;
use crate::domain::price::Price;
use crate::domain::role::{RegisterKind, Role};
use crate::domain::sensor::{Sensor, SensorId};
use crate::domain::session::{Session, SessionId};
use crate::domain::time::Timestamp;
use crate::store::engine::record;
use crate::store::error::StoreError;
use crate::store::registry::administrator::AdministratorTrees;

/// What is registered, as of one moment. Kept in memory whole: a household has a handful of each.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    pub(crate) administrator: Option<PasswordHash>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) accounts: BTreeMap<AccountName, Account>,
    pub(crate) credentials: BTreeMap<ApiId, Credential>,
    pub(crate) sensors: BTreeMap<SensorId, Sensor>,
}

/// What proved credentials allow: on whose behalf, how far.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// The account.
    pub account: AccountName,
    /// Its plan.
    pub plan: Plan,
    /// What may be done.
    pub scope: Scope,
}

impl Registry {
    /// What the credentials allow; `None` for an unknown id or a wrong key, which take the same time.
    #[must_use]
    pub fn sign_in(&self, api_id: &ApiId, api_key: &ApiKey) -> Option<Grant> {
        let known = self.credentials.get(api_id);
        // Hashed for an unknown id too, so that time does not tell which ids exist.
        let hash = api_key.hash();
        let credential = known.filter(|credential| credential.key_hash.is(&hash))?;
        let account = self.accounts.get(&credential.account)?;
        Some(Grant {
            account: account.name.clone(),
            plan: account.plan,
            scope: credential.scope,
        })
    }

    /// What a key allows by itself, where it is long enough for that and only one credential has it; with that one's id.
    #[must_use]
    pub fn sign_in_by_key(&self, api_key: &ApiKey) -> Option<(&ApiId, Grant)> {
        /// A shorter key could be guessed by who need not know whose it is.
        const SHORTEST: usize = 20;
        let hash = api_key.hash();
        let is_its = |credential: &&Credential| credential.key_hash.is(&hash);
        let mut known = self.credentials.values().filter(is_its);
        let (Some(credential), None) = (known.next(), known.next()) else {
            return None;
        };
        let is_long_enough = api_key.reveal().len() >= SHORTEST;
        let grant = self
            .sign_in(&credential.api_id, api_key)
            .filter(|_| is_long_enough)?;
        Some((&credential.api_id, grant))
    }

    /// The sensor of that id, where it belongs to `account` and is authorized.
    #[must_use]
    pub fn authorized_sensor(&self, account: &AccountName, id: &SensorId) -> Option<&Sensor> {
        self.sensors
            .get(id)
            .filter(|sensor| sensor.authorized && sensor.account == *account)
    }

    /// The hash of the administrator's password; `None` where none was ever set.
    #[must_use]
    pub const fn administrator(&self) -> Option<&PasswordHash> {
        self.administrator.as_ref()
    }

    /// The session of that id that is not over at `now`.
    #[must_use]
    pub fn session(&self, id: &SessionId, now: Timestamp) -> Option<&Session> {
        self.sessions
            .get(id)
            .filter(|session| !session.is_over(now))
    }

    /// All accounts, by name.
    pub fn accounts(&self) -> impl Iterator<Item = &Account> {
        self.accounts.values()
    }

    /// The account of that name.
    #[must_use]
    pub fn account(&self, name: &AccountName) -> Option<&Account> {
        self.accounts.get(name)
    }

    /// All credentials, by id.
    pub fn credentials(&self) -> impl Iterator<Item = &Credential> {
        self.credentials.values()
    }

    /// The credential of that id.
    #[must_use]
    pub fn credential(&self, api_id: &ApiId) -> Option<&Credential> {
        self.credentials.get(api_id)
    }

    /// All sensors, by id.
    pub fn sensors(&self) -> impl Iterator<Item = &Sensor> {
        self.sensors.values()
    }

    /// The sensor of that id, whosever it is.
    #[must_use]
    pub fn sensor(&self, id: &SensorId) -> Option<&Sensor> {
        self.sensors.get(id)
    }
}

/// The trees of the registry. A value is a version byte, then the record in bincode (standard configuration).
#[derive(Clone)]
pub(crate) struct RegistryTrees {
    pub(crate) administrator: AdministratorTrees,
    pub(crate) accounts: sled::Tree,
    pub(crate) credentials: sled::Tree,
    pub(crate) sensors: sled::Tree,
}

/// The version of each of these records.
const VERSION: u8 = 1;

#[derive(Serialize, Deserialize)]
struct AccountRecord {
    plan: Plan,
    zone: String,
    created_ms: i64,
    /// Millionths of the currency per kilowatt-hour, and the currency.
    price: Option<(u64, String)>,
}

#[derive(Serialize, Deserialize)]
struct CredentialRecord {
    account: String,
    scope: Scope,
    label: String,
    key_hash: KeyHash,
    created_ms: i64,
}

#[derive(Serialize, Deserialize)]
struct SensorRecord {
    account: String,
    name: String,
    authorized: bool,
    created_ms: i64,
    /// The sensor's readings are being deleted; its record goes last.
    removed: bool,
    role: Role,
    register: RegisterKind,
}

impl RegistryTrees {
    /// All that is registered, and the sensors whose removal was cut short.
    pub(crate) fn load(&self) -> Result<(Registry, Vec<SensorId>), StoreError> {
        let mut registry = Registry {
            administrator: self.administrator.password()?,
            sessions: self.administrator.sessions()?,
            ..Registry::default()
        };
        let mut removed = Vec::new();
        for row in &self.accounts {
            let (key, value) = row?;
            let account = account_of(&key, &value).ok_or_else(|| damaged("account", &key))?;
            registry.accounts.insert(account.name.clone(), account);
        }
        for row in &self.credentials {
            let (key, value) = row?;
            let credential =
                credential_of(&key, &value).ok_or_else(|| damaged("credential", &key))?;
            registry
                .credentials
                .insert(credential.api_id.clone(), credential);
        }
        for row in &self.sensors {
            let (key, value) = row?;
            let (sensor, is_removed) =
                sensor_of(&key, &value).ok_or_else(|| damaged("sensor", &key))?;
            if is_removed {
                removed.push(sensor.id);
            } else {
                registry.sensors.insert(sensor.id.clone(), sensor);
            }
        }
        Ok((registry, removed))
    }

    pub(crate) fn write_account(&self, account: &Account) -> Result<(), StoreError> {
        let price = account.price.as_ref();
        let record = AccountRecord {
            plan: account.plan,
            zone: account.zone.name().to_owned(),
            created_ms: account.created.millis(),
            price: price.map(|price| (price.millionths(), price.currency().to_owned())),
        };
        let value = record::encode(VERSION, &record)?;
        self.accounts.insert(account.name.as_str(), value)?;
        Ok(())
    }

    pub(crate) fn write_credential(&self, credential: &Credential) -> Result<(), StoreError> {
        let record = CredentialRecord {
            account: credential.account.as_str().to_owned(),
            scope: credential.scope,
            label: credential.label.clone(),
            key_hash: credential.key_hash,
            created_ms: credential.created.millis(),
        };
        self.credentials.insert(
            credential.api_id.as_str(),
            record::encode(VERSION, &record)?,
        )?;
        Ok(())
    }

    /// Writes a sensor's record; `removed` marks one whose readings are about to be deleted.
    pub(crate) fn write_sensor(&self, sensor: &Sensor, removed: bool) -> Result<(), StoreError> {
        let record = SensorRecord {
            account: sensor.account.as_str().to_owned(),
            name: sensor.name.clone(),
            authorized: sensor.authorized,
            created_ms: sensor.created.millis(),
            removed,
            role: sensor.role,
            register: sensor.register,
        };
        let value = record::encode(VERSION, &record)?;
        self.sensors.insert(sensor.id.as_str(), value)?;
        Ok(())
    }
}

pub(crate) fn damaged(what: &str, key: &[u8]) -> StoreError {
    StoreError::Damaged(format!(
        "the record of {what} {} is not one",
        key.escape_ascii()
    ))
}

pub(crate) fn account_of(key: &[u8], value: &[u8]) -> Option<Account> {
    let record: AccountRecord = record::decode(VERSION, value)?;
    let price = match record.price {
        None => None,
        Some((millionths, currency)) => Some(Price::new(millionths, &currency).ok()?),
    };
    Some(Account {
        name: AccountName::new(std::str::from_utf8(key).ok()?).ok()?,
        plan: record.plan,
        zone: Zone::parse(&record.zone).ok()?,
        price,
        created: Timestamp::from_millis(record.created_ms)?,
    })
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
    let record: SensorRecord = record::decode(VERSION, value)?;
    let sensor = Sensor {
        id: SensorId::new(std::str::from_utf8(key).ok()?).ok()?,
        account: AccountName::new(&record.account).ok()?,
        name: record.name,
        authorized: record.authorized,
        role: record.role,
        register: record.register,
        created: Timestamp::from_millis(record.created_ms)?,
    };
    Some((sensor, record.removed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees(dir: &tempfile::TempDir) -> RegistryTrees {
        let db = sled::Config::new()
            .path(dir.path())
            .flush_every_ms(None)
            .open()
            .unwrap();
        let tree = |name| db.open_tree(name).unwrap();
        RegistryTrees {
            administrator: AdministratorTrees {
                administrator: tree("administrator"),
                sessions: tree("sessions"),
            },
            accounts: tree("accounts"),
            credentials: tree("credentials"),
            sensors: tree("sensors"),
        }
    }

    #[test]
    fn records_round_trip() {
        let dir = tempfile::tempdir().unwrap();
        let trees = trees(&dir);
        let created = Timestamp::from_millis(1_700_000_000_000).unwrap();
        let name = AccountName::new("home").unwrap();
        let zone = Zone::parse("Europe/Berlin").unwrap();
        let account = Account {
            name: name.clone(),
            plan: Plan::Paid,
            zone,
            price: Some(Price::parse("0.3215", "€").unwrap()),
            created,
        };
        let key = ApiKey::new("key").unwrap();
        let api_id = ApiId::new("id").unwrap();
        let credential = Credential {
            api_id: api_id.clone(),
            account: name.clone(),
            scope: Scope::Full,
            label: "hub".into(),
            key_hash: key.hash(),
            created,
        };
        let sensor = |id: &str| Sensor {
            id: SensorId::new(id).unwrap(),
            account: name.clone(),
            name: "House".into(),
            authorized: true,
            role: Role::SubMeter,
            register: RegisterKind::Counter,
            created,
        };
        trees.write_account(&account).unwrap();
        trees.write_credential(&credential).unwrap();
        trees.write_sensor(&sensor("kept"), false).unwrap();
        trees.write_sensor(&sensor("gone"), true).unwrap();

        let (registry, removed) = trees.load().unwrap();
        assert_eq!(registry.account(&name), Some(&account));
        assert_eq!(registry.sensors().collect::<Vec<_>>(), [&sensor("kept")]);
        assert_eq!(removed, [SensorId::new("gone").unwrap()]);
        let grant = registry.sign_in(&api_id, &key).unwrap();
        assert_eq!(
            grant,
            Grant {
                account: name,
                plan: Plan::Paid,
                scope: Scope::Full
            }
        );
        assert!(
            registry
                .sign_in(&api_id, &ApiKey::new("other").unwrap())
                .is_none()
        );
        assert!(
            registry
                .sign_in(&ApiId::new("other").unwrap(), &key)
                .is_none()
        );

        trees.accounts.insert("home", b"\x01rubbish").unwrap();
        assert!(
            matches!(trees.load(), Err(StoreError::Damaged(text)) if text.contains("account home"))
        );
    }

    /// The layout is what these bytes say.
    #[test]
    fn records_are_these_bytes() {
        let created = Timestamp::from_millis(5).unwrap();
        let account = account_of(b"home", b"\x01\x01\x03UTC\x0a\x00").unwrap();
        let expected = Account {
            name: AccountName::new("home").unwrap(),
            plan: Plan::Paid,
            zone: Zone::UTC,
            price: None,
            created,
        };
        assert_eq!(account, expected);
        let (sensor, removed) =
            sensor_of(b"house", b"\x01\x04home\x05House\x01\x0a\x00\x00\x00").unwrap();
        let expected = Sensor {
            id: SensorId::new("house").unwrap(),
            account: expected.name,
            name: "House".into(),
            authorized: true,
            role: Role::Grid,
            register: RegisterKind::Net,
            created,
        };
        assert_eq!((sensor, removed), (expected, false));
        assert!(sensor_of(b"house", b"\x02\x04home\x05House\x01\x0a\x00\x00\x00").is_none());
    }
}
