//! Rescue of the administrator, accounts, credentials and sensors, and stand-ins for those that are lost.

use crate::domain::{Account, AccountName, Plan, Sensor, SensorId, ServiceSettings, Zone};
use crate::ledger::contract::ContractChange;
use crate::store::embedded::care::salvage::rescue::Rescue;
use crate::store::embedded::care::salvage::rows::{Gap, TreeRow, TreeRows};
use crate::store::error::StoreError;
use crate::store::records::{KeyedRecord, RecordKind, pieces};
use crate::store::registry::bill_records::bill_of;
use crate::store::registry::contract_records::contract_of;
use crate::store::registry::correction_records::{
    correction_of_key, decode_correction, decode_revocation,
};
use crate::store::registry::notice_records::notice_of;
use crate::store::registry::records::{
    PASSWORD_KEY, account_of, credential_of, password_of, sensor_of,
};
use crate::store::registry::setting_records::settings_of;
use crate::store::rows::Activity;

/// The account for sensors of an unknown account, unless there is exactly one account.
const ACCOUNT: &str = "salvaged";

impl Rescue<'_, '_> {
    /// Rescues the registry and the sensors' arrivals.
    pub(crate) fn registered(&mut self) -> Result<(), StoreError> {
        self.settings()?;
        for (key, value) in self.records(RecordKind::Administrator, "administrator") {
            self.administrator(&key, &value)?;
        }
        for (key, value) in self.records(RecordKind::Accounts, "accounts") {
            self.account(&key, &value)?;
        }
        for (key, value) in self.records(RecordKind::Credentials, "credentials") {
            self.credential(&key, &value)?;
        }
        for (key, content) in pieces::joined(self.records(RecordKind::Contracts, "contracts")) {
            self.contract(&key, content.as_deref())?;
        }
        for (key, content) in pieces::joined(self.records(RecordKind::Bills, "bills")) {
            let Some((account, number, bill)) = bill_of(&key, content.as_deref()) else {
                self.lose_record("bill", &key);
                continue;
            };
            // As for contracts.
            self.make_account(&account)?;
            let store = self.import.store;
            store.put_bill_durably(&account, number, bill)?;
        }
        self.prices()?;
        let (mut unreadable, mut parts) = (Vec::new(), Vec::new());
        for (key, value) in self.records(RecordKind::Sensors, "sensors") {
            match sensor_of(&key, &value) {
                Some((mut sensor, false)) => {
                    // What it is part of may come later, or be lost.
                    parts.extend(
                        sensor
                            .part_of
                            .take()
                            .map(|whole| (sensor.id.clone(), whole)),
                    );
                    self.sensor(sensor)?;
                }
                // An interrupted removal is completed by leaving the sensor out.
                Some((sensor, true)) => drop(self.removed.insert(sensor.id)),
                None => unreadable.push(key),
            }
        }
        // Only now are all accounts known, one of which a stand-in gets.
        for key in unreadable {
            match sensor_id(&key) {
                Some(id) => self.register_if_unknown(&id)?,
                None => self.lose_record("sensor", &key),
            }
        }
        for (id, whole) in parts {
            self.part(&id, whole)?;
        }
        for (key, value) in self.records(RecordKind::Corrections, "corrections") {
            self.correction(&key, &value)?;
        }
        for (key, value) in self.records(RecordKind::Notices, "notices") {
            self.notice(&key, &value)?;
        }
        self.people()?;
        Ok(())
    }

    /// All records of a kind. Reports gaps; `what` says of what.
    pub(super) fn records(&mut self, kind: RecordKind, what: &str) -> Vec<KeyedRecord> {
        let mut records = Vec::new();
        for row in TreeRows::all(self.trees.records.of(kind), Vec::new()) {
            match row {
                TreeRow::Whole(key, value) => records.push((key.to_vec(), value.to_vec())),
                TreeRow::Gap(gap) => self.report.lose(format!("{what}{}", between(&gap))),
            }
        }
        records
    }

    pub(super) fn lose_record(&mut self, kind: &str, key: &[u8]) {
        let what = format!("the {kind} {}: invalid record", key.escape_ascii());
        self.report.lose(what);
    }

    fn settings(&mut self) -> Result<(), StoreError> {
        let mut settings = ServiceSettings::new();
        for (key, setting) in settings_of(self.records(RecordKind::Settings, "settings")) {
            match setting {
                Some((setting, value)) => drop(settings.insert(setting, value)),
                None => self.lose_record("setting", &key),
            }
        }
        self.import.store.put_settings_durably(settings)
    }

    /// Sessions are not rescued: users sign in again.
    fn administrator(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        match password_of(value) {
            Some(password) if key == PASSWORD_KEY => {
                self.import.store.put_administrator_durably(password)
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
            // Recreated all the same: keys and sensors refer to it by name.
            Ok(Ok(name)) => self.make_account(&name),
            _ => Ok(()),
        }
    }

    /// Creates an account with default values unless the name exists.
    pub(super) fn make_account(&mut self, name: &AccountName) -> Result<(), StoreError> {
        if self.import.store.registry().account(name).is_some() {
            return Ok(());
        }
        self.report.mended.push(format!(
            "the account {name} was recreated with plan paid and zone UTC"
        ));
        self.import.store.put_account_durably(Account {
            name: name.clone(),
            // The plan without restrictions: nobody loses what was paid for.
            plan: Plan::Paid,
            zone: Zone::UTC,
            created: self.now,
        })
    }

    fn credential(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some(credential) = credential_of(key, value) else {
            self.lose_record("credential", key);
            return Ok(());
        };
        // The record of its account may be lost.
        self.make_account(&credential.account)?;
        match self.import.store.put_credential_durably(credential) {
            // The store never accepted such a label, so it is damage.
            Err(StoreError::TextTooLong { .. }) => self.lose_record("credential", key),
            stored => stored?,
        }
        Ok(())
    }

    fn sensor(&mut self, sensor: Sensor) -> Result<(), StoreError> {
        self.make_account(&sensor.account)?;
        let id = sensor.id.clone();
        match self.import.store.put_sensor_durably(sensor) {
            // Its name is damaged: give it a new one.
            Err(StoreError::TextTooLong { .. }) => self.register_if_unknown(&id),
            stored => stored,
        }
    }

    /// Puts a rescued sensor inside of another.
    fn part(&mut self, id: &SensorId, whole: SensorId) -> Result<(), StoreError> {
        let store = self.import.store;
        match store.update_sensor_durably(id, |sensor| sensor.part_of = Some(whole)) {
            // The other one is lost or another account's, or damage made a circle.
            Err(StoreError::UnknownWhole(_) | StoreError::PartOfItself(_)) => {
                self.report.lose_of(id, "what it is part of".into());
                Ok(())
            }
            stored => stored.map(drop),
        }
    }

    /// Registers a sensor again after its record was lost: under the only account, if there is exactly one.
    pub(crate) fn register_if_unknown(&mut self, id: &SensorId) -> Result<(), StoreError> {
        let registry = self.import.store.registry();
        if registry.sensor(id).is_some() {
            return Ok(());
        }
        let mut accounts = registry.accounts().map(|account| account.name.clone());
        let account = match (accounts.next(), accounts.next()) {
            (Some(only), None) => only,
            // With several accounts, a guess could show one household's readings to another.
            _ => AccountName::new(ACCOUNT).map_err(|error| StoreError::Io {
                what: "creating an account".into(),
                cause: error.to_string(),
            })?,
        };
        self.make_account(&account)?;
        self.report.lose_of(
            id,
            "its name, account, role, settings, and whether it is authorized".into(),
        );
        self.report.mended.push(format!(
            "the sensor {id} was registered again, authorized, under the account {account}"
        ));
        let sensor = Sensor::new(id.clone(), account, self.now);
        self.import.store.put_sensor_durably(sensor)
    }

    /// A correction, or its revocation, which comes after it.
    fn correction(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let store = self.import.store;
        let stored = match correction_of_key(key) {
            Some((account, number, true)) => decode_revocation(value).map(|by| {
                store
                    .revoke_correction_durably(&account, number, by)
                    .map(drop)
            }),
            Some((account, number, false)) => {
                let correction = decode_correction(number, value);
                // An interrupted removal is completed by leaving them out.
                if correction
                    .as_ref()
                    .is_some_and(|it| self.removed.contains(it.sensor()))
                {
                    return Ok(());
                }
                correction.map(|it| store.put_correction_durably(&account, it))
            }
            None => None,
        };
        match stored {
            // Its sensor is lost, or the correction that it revokes.
            None | Some(Err(StoreError::UnknownSensor(_) | StoreError::NotInEffect(..))) => {
                self.lose_record("correction", key);
                Ok(())
            }
            Some(stored) => stored,
        }
    }

    fn contract(&mut self, key: &[u8], content: Option<&[u8]>) -> Result<(), StoreError> {
        let Some((account, contract)) = contract_of(key, content) else {
            self.lose_record("contract", key);
            return Ok(());
        };
        // The record of its account may be lost.
        self.make_account(&account)?;
        let put = ContractChange::Put(Box::new(contract));
        let store = self.import.store;
        match store.change_contracts_durably(&account, put) {
            // It does not fit the others, which no change let pass.
            Err(StoreError::Contract(_)) => self.lose_record("contract", key),
            stored => drop(stored?),
        }
        Ok(())
    }

    /// A notice; one that is lost is opened again while its fact lasts.
    fn notice(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let found = notice_of(key, value);
        let sensor = found.as_ref().and_then(|(_, known)| known.notice.sensor());
        if sensor.is_some_and(|sensor| self.removed.contains(sensor)) {
            return Ok(());
        }
        let store = self.import.store;
        match found.map(|(key, known)| store.put_notice_durably(key, known)) {
            None | Some(Err(StoreError::UnknownNotice(_))) => {
                self.lose_record("notice", key);
                Ok(())
            }
            Some(stored) => stored,
        }
    }

    pub(crate) fn arrived(
        &mut self,
        sensor: &SensorId,
        activity: &Activity,
    ) -> Result<(), StoreError> {
        if self.removed.contains(sensor) {
            return Ok(());
        }
        self.register_if_unknown(sensor)?;
        // The newest power is left out: it follows from the readings.
        self.import
            .store
            .put_arrivals_durably(sensor, activity.arrivals, activity.last_assigned)
    }
}

fn sensor_id(key: &[u8]) -> Option<SensorId> {
    std::str::from_utf8(key)
        .ok()
        .and_then(|id| SensorId::new(id).ok())
}

/// Describes a gap in a tree that has names as keys.
fn between(gap: &Gap) -> String {
    let end = |word: &str, key: &Option<Vec<u8>>| {
        let named = |key: &Vec<u8>| format!(" {word} {}", key.escape_ascii());
        key.as_ref().map_or(String::new(), named)
    };
    let (after, before) = (end("after", &gap.after), end("before", &gap.before));
    format!("{after}{before}: {}", gap.why)
}
