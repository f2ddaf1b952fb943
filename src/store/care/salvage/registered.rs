//! The administrator, accounts, credentials and sensors of a damaged store, and what is made anew where they are gone.

use sled::IVec;

use crate::domain::account::{Account, AccountName, Plan};
use crate::domain::calendar::Zone;
use crate::domain::role::{RegisterKind, Role};
use crate::domain::sensor::{Sensor, SensorId};
use crate::domain::time::Timestamp;
use crate::store::care::salvage::Rescue;
use crate::store::care::salvage::rows::{Gap, Row, Rows};
use crate::store::engine::keys;
use crate::store::error::StoreError;
use crate::store::registry::records::{
    PASSWORD_KEY, account_of, credential_of, password_of, sensor_of,
};
use crate::store::rows::activity;
use crate::store::rows::activity::Activity;

/// The account that sensors get whose own is not known, where there is not exactly one account.
const ACCOUNT: &str = "salvaged";

impl Rescue<'_, '_> {
    /// Whoever and whatever is registered, and the sensors' arrivals.
    pub(crate) fn registered(&mut self) -> Result<(), StoreError> {
        let registry = self.trees.registry.clone();
        for (key, value) in self.records(&registry.administrator, "administrator") {
            self.administrator(&key, &value)?;
        }
        for (key, value) in self.records(&registry.accounts, "accounts") {
            self.account(&key, &value)?;
        }
        for (key, value) in self.records(&registry.credentials, "credentials") {
            self.credential(&key, &value)?;
        }
        let mut unreadable = Vec::new();
        for (key, value) in self.records(&registry.sensors, "sensors") {
            match sensor_of(&key, &value) {
                Some((sensor, false)) => self.sensor(sensor)?,
                Some((sensor, true)) => drop(self.removed.insert(sensor.id)),
                None => unreadable.push(key),
            }
        }
        // Once all accounts are there.
        for key in unreadable {
            match sensor_id(&key) {
                Some(id) => self.enrol_if_unknown(&id)?,
                None => self.lose_record("sensor", &key),
            }
        }
        let arrivals = self.trees.activity.clone();
        for (key, value) in self.records(&arrivals, "arrivals") {
            self.arrivals(&key, &value)?;
        }
        Ok(())
    }

    /// The records of a tree of few, those that can't be read being told.
    fn records(&mut self, tree: &sled::Tree, kind: &str) -> Vec<(IVec, IVec)> {
        let mut records = Vec::new();
        for row in Rows::all(tree, Vec::new()) {
            match row {
                Row::Whole(key, value) => records.push((key, value)),
                Row::Gap(gap) => self.report.lose(format!("{kind}{}", between(&gap))),
            }
        }
        records
    }

    fn lose_record(&mut self, kind: &str, key: &[u8]) {
        let what = format!("the {kind} {}: its record is not one", key.escape_ascii());
        self.report.lose(what);
    }

    /// Sessions are not rescued: who has one signs in again.
    fn administrator(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        match password_of(value) {
            Some(password) if key == PASSWORD_KEY => {
                self.import.store.put_administrator_durably(password, None)
            }
            _ => {
                self.report.lose(
                    "the administrator's password: set one with `wattkeeper password`".into(),
                );
                Ok(())
            }
        }
    }

    fn account(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        if let Some(account) = account_of(key, value) {
            return self.import.store.put_account_durably(account);
        }
        self.lose_record("account", key);
        match std::str::from_utf8(key).map(AccountName::new) {
            Ok(Ok(name)) => self.make_account(&name),
            _ => Ok(()),
        }
    }

    /// Makes an account where there is none of that name.
    fn make_account(&mut self, name: &AccountName) -> Result<(), StoreError> {
        if self.import.store.registry().account(name).is_some() {
            return Ok(());
        }
        self.report.mended.push(format!(
            "the account {name} was made anew, with the plan paid and the zone UTC"
        ));
        self.import.store.put_account_durably(Account {
            name: name.clone(),
            plan: Plan::Paid,
            zone: Zone::UTC,
            price: None,
            created: self.now,
        })
    }

    fn credential(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some(credential) = credential_of(key, value) else {
            self.lose_record("credential", key);
            return Ok(());
        };
        self.make_account(&credential.account)?;
        match self.import.store.put_credential_durably(credential) {
            Err(StoreError::TextTooLong { .. }) => self.lose_record("credential", key),
            stored => stored?,
        }
        Ok(())
    }

    fn sensor(&mut self, sensor: Sensor) -> Result<(), StoreError> {
        self.make_account(&sensor.account)?;
        let id = sensor.id.clone();
        match self.import.store.put_sensor_durably(sensor) {
            Err(StoreError::TextTooLong { .. }) => self.enrol_if_unknown(&id),
            stored => stored,
        }
    }

    /// Registers a sensor whose record is gone: under the only account, where there is one only.
    pub(crate) fn enrol_if_unknown(&mut self, id: &SensorId) -> Result<(), StoreError> {
        let registry = self.import.store.registry();
        if registry.sensor(id).is_some() {
            return Ok(());
        }
        let mut accounts = registry.accounts().map(|account| account.name.clone());
        let account = match (accounts.next(), accounts.next()) {
            (Some(only), None) => only,
            _ => AccountName::new(ACCOUNT).map_err(|error| StoreError::Io {
                what: "making an account".into(),
                cause: error.to_string(),
            })?,
        };
        self.make_account(&account)?;
        self.report.lose_of(
            id,
            "its name, its account, what it measures, and whether it is authorized".into(),
        );
        self.report.mended.push(format!(
            "the sensor {id} was registered anew, authorized, under the account {account}"
        ));
        self.import.store.put_sensor_durably(Sensor {
            id: id.clone(),
            account,
            name: id.as_str().to_owned(),
            authorized: true,
            role: Role::Grid,
            register: RegisterKind::Net,
            created: self.now,
        })
    }

    fn arrivals(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some(sensor) = sensor_id(key) else {
            self.lose_record("activity of", key);
            return Ok(());
        };
        if let Some(activity) = activity::decode(value) {
            self.arrived(sensor, &activity)
        } else {
            if !self.removed.contains(&sensor) {
                self.report.lose_of(&sensor, "when it uploaded last".into());
            }
            Ok(())
        }
    }

    pub(crate) fn arrived(
        &mut self,
        sensor: SensorId,
        activity: &Activity,
    ) -> Result<(), StoreError> {
        if self.removed.contains(&sensor) {
            return Ok(());
        }
        self.enrol_if_unknown(&sensor)?;
        // Its newest power follows from its readings.
        self.import
            .store
            .put_arrivals_durably(sensor, activity.arrivals, activity.last_assigned)
    }

    /// A key of each sensor before all of its others.
    pub(crate) fn hints(&self) -> Vec<Vec<u8>> {
        let registry = self.import.store.registry();
        let first = |sensor: &Sensor| keys::key(&sensor.id, Timestamp::MIN);
        registry.sensors().map(first).collect()
    }
}

fn sensor_id(key: &[u8]) -> Option<SensorId> {
    std::str::from_utf8(key)
        .ok()
        .and_then(|id| SensorId::new(id).ok())
}

/// Where in a tree of names a gap is, and why.
fn between(gap: &Gap) -> String {
    let end = |word: &str, key: &Option<Vec<u8>>| {
        let named = |key: &Vec<u8>| format!(" {word} {}", key.escape_ascii());
        key.as_ref().map_or(String::new(), named)
    };
    let (after, before) = (end("after", &gap.after), end("before", &gap.before));
    format!("{after}{before}: {}", gap.why)
}
