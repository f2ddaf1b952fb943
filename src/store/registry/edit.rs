//! Changes of the registry: each checks its preconditions, changes a copy in memory, and collects
//! the records to write. The backend writes them in one transaction, and publishes the copy.

use crate::domain::{Account, AccountName, ApiId, Credential, Sensor, SensorId};
use crate::ledger::contract::{ContractChange, Contracts};
use crate::store::error::StoreError;
use crate::store::records::{RecordChanges, RecordKind, RecordsView};
use crate::store::registry::account_records::encode_account;
use crate::store::registry::records::{encode_credential, encode_sensor};
use crate::store::registry::registered::Registry;

/// The maximum length of a sensor's name or a credential's label, in bytes: records have a maximum
/// length. Commands and pages accept up to 128 bytes.
pub(crate) const MAX_TEXT_BYTES: usize = 1_024;

/// A change of the registry under way.
pub struct RegistryEdit<'a> {
    /// The records before the change.
    pub(crate) view: &'a dyn RecordsView,
    /// The registry after the change.
    pub(crate) registry: Registry,
    /// The records to write.
    pub(crate) changes: RecordChanges,
    /// The removed credentials.
    pub(crate) removed: Vec<ApiId>,
}

impl<'a> RegistryEdit<'a> {
    pub(crate) fn new(view: &'a dyn RecordsView, registry: Registry) -> Self {
        Self {
            view,
            registry,
            changes: RecordChanges::default(),
            removed: Vec::new(),
        }
    }

    /// Adds an account, or replaces the one with its name.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if it cannot be encoded.
    pub fn put_account(&mut self, account: Account) -> Result<(), StoreError> {
        let accounts = self.changes.of(RecordKind::Accounts);
        accounts.insert(account.name.as_str(), encode_account(&account)?);
        self.registry.accounts.insert(account.name.clone(), account);
        Ok(())
    }

    /// Adds an account, unless there is one with its name; returns whether it was added.
    pub(crate) fn add_account(&mut self, account: Account) -> Result<bool, StoreError> {
        let is_new = !self.registry.accounts.contains_key(&account.name);
        if is_new {
            self.put_account(account)?;
        }
        Ok(is_new)
    }

    /// Changes an account with `update`.
    pub(crate) fn update_account(
        &mut self,
        name: &AccountName,
        update: impl FnOnce(&mut Account),
    ) -> Result<Account, StoreError> {
        let known = self.registry.accounts.get(name).cloned();
        let mut account =
            known.ok_or_else(|| StoreError::UnknownAccount(name.as_str().to_owned()))?;
        update(&mut account);
        self.put_account(account.clone())?;
        Ok(account)
    }

    /// Removes an account, its contracts, entries, day lists, credentials and wall tablets, and
    /// people's rights to it. It must have neither sensors nor prices.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::AccountHasSensors`],
    /// [`StoreError::AccountHasPrices`] while it has any.
    pub fn remove_account(&mut self, name: &AccountName) -> Result<(), StoreError> {
        self.check_account(name)?;
        let is_its = |sensor: &Sensor| sensor.account == *name;
        if self.registry.sensors.values().any(is_its) {
            return Err(StoreError::AccountHasSensors(name.as_str().to_owned()));
        }
        if self.registry.series.contains_key(name) {
            return Err(StoreError::AccountHasPrices(name.as_str().to_owned()));
        }
        self.change_contracts(name, ContractChange::Replace(Contracts::default()))?;
        self.remove_entries(name)?;
        self.remove_day_lists(name);
        self.registry.accounts.remove(name);
        self.changes.of(RecordKind::Accounts).remove(name.as_str());
        self.remove_credentials(|credential| credential.account == *name);
        self.remove_notices(name, None);
        self.forget_reports(name)?;
        self.forget_account(name)
    }

    /// Adds a credential, or replaces the one with its id.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TextTooLong`].
    pub fn put_credential(&mut self, credential: Credential) -> Result<(), StoreError> {
        check_text("a credential's label", &credential.label)?;
        self.check_account(&credential.account)?;
        let credentials = self.changes.of(RecordKind::Credentials);
        credentials.insert(credential.api_id.as_str(), encode_credential(&credential)?);
        self.registry
            .credentials
            .insert(credential.api_id.clone(), credential);
        Ok(())
    }

    /// Adds a credential, unless there is one with its id; returns whether it was added.
    pub(crate) fn add_credential(&mut self, credential: Credential) -> Result<bool, StoreError> {
        let is_new = !self.registry.credentials.contains_key(&credential.api_id);
        if is_new {
            self.put_credential(credential)?;
        }
        Ok(is_new)
    }

    /// Changes a credential with `update`.
    pub(crate) fn update_credential(
        &mut self,
        api_id: &ApiId,
        update: impl FnOnce(&mut Credential),
    ) -> Result<Credential, StoreError> {
        let known = self.registry.credentials.get(api_id).cloned();
        let mut credential =
            known.ok_or_else(|| StoreError::UnknownCredential(api_id.as_str().to_owned()))?;
        update(&mut credential);
        self.put_credential(credential.clone())?;
        Ok(credential)
    }

    /// Removes a credential.
    ///
    /// # Errors
    /// [`StoreError::UnknownCredential`].
    pub fn remove_credential(&mut self, api_id: &ApiId) -> Result<(), StoreError> {
        if !self.registry.credentials.contains_key(api_id) {
            return Err(StoreError::UnknownCredential(api_id.as_str().to_owned()));
        }
        self.remove_credentials(|credential| credential.api_id == *api_id);
        Ok(())
    }

    fn remove_credentials(&mut self, is_removed: impl Fn(&Credential) -> bool) {
        let credentials = self.registry.credentials.values();
        let gone = credentials.filter(|credential| is_removed(credential));
        let gone: Vec<ApiId> = gone.map(|it| it.api_id.clone()).collect();
        for api_id in gone {
            self.registry.credentials.remove(&api_id);
            // A later credential with the same id starts without a last use.
            for kind in [RecordKind::Credentials, RecordKind::LastUses] {
                self.changes.of(kind).remove(api_id.as_str());
            }
            self.removed.push(api_id);
        }
    }

    /// Adds a sensor, or replaces the one with its id if that belongs to the same account.
    pub(crate) fn put_sensor(&mut self, sensor: Sensor) -> Result<(), StoreError> {
        check_text("a sensor's name", &sensor.name)?;
        self.check_account(&sensor.account)?;
        // Readings must not pass from one account to another.
        let known = self.registry.sensors.get(&sensor.id);
        if known.is_some_and(|known| known.account != sensor.account) {
            return Err(StoreError::SensorTaken(sensor.id.as_str().to_owned()));
        }
        self.check_whole(&sensor)?;
        let sensors = self.changes.of(RecordKind::Sensors);
        sensors.insert(sensor.id.as_str(), encode_sensor(&sensor, false)?);
        self.registry.sensors.insert(sensor.id.clone(), sensor);
        Ok(())
    }

    /// Refuses a sensor that is part of a sensor of another account, or, through others, of itself.
    fn check_whole(&self, sensor: &Sensor) -> Result<(), StoreError> {
        let mut names = vec![sensor.id.as_str()];
        let mut next = sensor.part_of.as_ref();
        while let Some(id) = next {
            names.push(id.as_str());
            if *id == sensor.id {
                return Err(StoreError::PartOfItself(names.join(" > ")));
            }
            let whole = self.registry.sensors.get(id);
            let own = whole.filter(|whole| whole.account == sensor.account);
            let own = own.ok_or_else(|| StoreError::UnknownWhole(id.as_str().to_owned()))?;
            // Terminates: registered sensors form no circle, and this sensor would be seen again.
            next = own.part_of.as_ref();
        }
        Ok(())
    }

    /// Removes a sensor. Its record stays, marked as removed, until its readings are deleted. Its
    /// parts are no longer part of anything.
    pub(crate) fn remove_sensor(&mut self, id: &SensorId) -> Result<(), StoreError> {
        let Some(sensor) = self.registry.sensors.remove(id) else {
            return Err(StoreError::UnknownSensor(id.as_str().to_owned()));
        };
        let sensors = self.changes.of(RecordKind::Sensors);
        sensors.insert(id.as_str(), encode_sensor(&sensor, true)?);
        let all = self.registry.sensors.values();
        let parts = all.filter(|part| part.part_of.as_ref() == Some(id));
        for mut part in parts.cloned().collect::<Vec<_>>() {
            part.part_of = None;
            sensors.insert(part.id.as_str(), encode_sensor(&part, false)?);
            self.registry.sensors.insert(part.id.clone(), part);
        }
        self.remove_corrections(&sensor.account, id);
        self.remove_notices(&sensor.account, Some(id));
        Ok(())
    }

    pub(super) fn check_account(&self, name: &AccountName) -> Result<(), StoreError> {
        if self.registry.accounts.contains_key(name) {
            return Ok(());
        }
        Err(StoreError::UnknownAccount(name.as_str().to_owned()))
    }
}

fn check_text(what: &'static str, text: &str) -> Result<(), StoreError> {
    if text.len() <= MAX_TEXT_BYTES {
        return Ok(());
    }
    Err(StoreError::TextTooLong {
        what,
        longest: MAX_TEXT_BYTES,
    })
}
