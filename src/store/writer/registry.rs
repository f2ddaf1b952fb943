//! The committing thread's changes of what is registered: accounts, credentials, sensors.

use std::sync::Arc;

use sled::Transactional;

use crate::domain::account::{Account, AccountName, ApiId, Credential};
use crate::domain::sensor::{Arrivals, Sensor, SensorId};
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::blocks::tally::Turnover;
use crate::store::engine::keys;
use crate::store::engine::locks::{read, write};
use crate::store::error::StoreError;
use crate::store::registry::registered::Registry;
use crate::store::rows::activity;
use crate::store::rows::activity::{Activities, Activity};
use crate::store::state::Shared;
use crate::store::writer::commit::{Committer, transaction};

/// The longest name of a sensor or label of a credential, in bytes: sled writes a page that grows too long as a file of its
/// own (docs/STORAGE.md), and a record is read up to a length only.
pub(crate) const MAX_TEXT_BYTES: usize = 1_024;
/// The most rows that are deleted at once.
const DELETED_AT_ONCE: usize = 1_000;

impl Committer {
    /// Writes a change of the registry durably; then it holds.
    pub(crate) fn register(
        &mut self,
        registry: Registry,
        writing: impl FnOnce(&Shared) -> Result<(), StoreError>,
    ) -> Result<usize, StoreError> {
        self.write("writing the registry", writing)?;
        self.sync()?;
        *write(&self.shared.registry) = Arc::new(registry);
        Ok(0)
    }

    pub(crate) fn registry(&self) -> Registry {
        Registry::clone(&read(&self.shared.registry))
    }

    pub(crate) fn put_account(&mut self, account: &Account) -> Result<usize, StoreError> {
        let mut registry = self.registry();
        registry
            .accounts
            .insert(account.name.clone(), account.clone());
        self.register(registry, |shared| {
            shared.trees.registry.write_account(account)
        })
    }

    pub(crate) fn remove_account(&mut self, name: &AccountName) -> Result<usize, StoreError> {
        let mut registry = self.registry();
        if registry.accounts.remove(name).is_none() {
            return Err(StoreError::UnknownAccount(name.as_str().to_owned()));
        }
        if registry
            .sensors
            .values()
            .any(|sensor| sensor.account == *name)
        {
            return Err(StoreError::AccountHasSensors(name.as_str().to_owned()));
        }
        let of_account: Vec<ApiId> = registry
            .credentials
            .extract_if(.., |_, credential| credential.account == *name)
            .map(|(api_id, _)| api_id)
            .collect();
        self.register(registry, |shared| {
            for api_id in &of_account {
                shared.trees.uses.remove(api_id.as_str())?;
                shared.uses.forget(api_id);
            }
            let trees = (
                &shared.trees.registry.accounts,
                &shared.trees.registry.credentials,
            );
            transaction(trees.transaction(|(accounts, credentials)| {
                accounts.remove(name.as_str())?;
                for api_id in &of_account {
                    credentials.remove(api_id.as_str())?;
                }
                Ok(())
            }))
        })
    }

    pub(crate) fn put_credential(&mut self, credential: &Credential) -> Result<usize, StoreError> {
        check_text("a credential's label", &credential.label)?;
        let mut registry = self.registry();
        if !registry.accounts.contains_key(&credential.account) {
            return Err(StoreError::UnknownAccount(
                credential.account.as_str().to_owned(),
            ));
        }
        registry
            .credentials
            .insert(credential.api_id.clone(), credential.clone());
        self.register(registry, |shared| {
            shared.trees.registry.write_credential(credential)
        })
    }

    pub(crate) fn remove_credential(&mut self, api_id: &ApiId) -> Result<usize, StoreError> {
        let mut registry = self.registry();
        if registry.credentials.remove(api_id).is_none() {
            return Err(StoreError::UnknownCredential(api_id.as_str().to_owned()));
        }
        self.register(registry, |shared| {
            let credentials = &shared.trees.registry.credentials;
            credentials.remove(api_id.as_str())?;
            shared.trees.uses.remove(api_id.as_str())?;
            shared.uses.forget(api_id);
            Ok(())
        })
    }

    pub(crate) fn put_sensor(&mut self, sensor: &Sensor) -> Result<usize, StoreError> {
        check_text("a sensor's name", &sensor.name)?;
        let mut registry = self.registry();
        if !registry.accounts.contains_key(&sensor.account) {
            return Err(StoreError::UnknownAccount(
                sensor.account.as_str().to_owned(),
            ));
        }
        let replaced = registry.sensors.insert(sensor.id.clone(), sensor.clone());
        if replaced.is_some_and(|replaced| replaced.account != sensor.account) {
            return Err(StoreError::SensorTaken(sensor.id.as_str().to_owned()));
        }
        let is_new = self.registry().sensor(&sensor.id).is_none();
        if is_new
            && self
                .shared
                .trees
                .registry
                .sensors
                .contains_key(sensor.id.as_str())?
        {
            // Its removal failed half way: what is left must not come back to life.
            self.delete_readings_and_record(&sensor.id)?;
        }
        self.register(registry, |shared| {
            shared.trees.registry.write_sensor(sensor, false)
        })
    }

    /// Puts what was known of a sensor's uploads in the place of what is; its newest power stays that of its readings.
    pub(crate) fn put_arrivals(
        &mut self,
        sensor: &SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Result<usize, StoreError> {
        if self.registry().sensor(sensor).is_none() {
            return Err(StoreError::UnknownSensor(sensor.as_str().to_owned()));
        }
        let known = read(&self.shared.activity).get(sensor).copied();
        let activity = Activity {
            arrivals,
            last_assigned,
            ..known.unwrap_or_default()
        };
        let value = activity::encode(&activity)?;
        self.write("writing arrivals", |shared| {
            shared.trees.activity.insert(sensor.as_str(), value)?;
            Ok(())
        })?;
        self.sync()?;
        write(&self.shared.activity).insert(sensor.clone(), activity);
        Ok(0)
    }

    /// Forgets the arrivals after `time` and the times assigned after it, of all sensors in one transaction. Returns of how
    /// many there were any.
    pub(crate) fn forget_arrivals_after(&mut self, time: Timestamp) -> Result<usize, StoreError> {
        let forgetting: Activities = read(&self.shared.activity)
            .iter()
            .map(|(sensor, activity)| (sensor, activity, activity.forgetting_after(time)))
            .filter(|(_, known, left)| left != *known)
            .map(|(sensor, _, left)| (sensor.clone(), left))
            .collect();
        let mut batch = sled::Batch::default();
        for (sensor, activity) in &forgetting {
            batch.insert(sensor.as_str(), activity::encode(activity)?);
        }
        self.write("forgetting arrivals", |shared| {
            Ok(shared.trees.activity.apply_batch(batch)?)
        })?;
        self.sync()?;
        let count = forgetting.len();
        write(&self.shared.activity).extend(forgetting);
        Ok(count)
    }

    /// Marks the sensor as removed, deletes its readings, then its record: cut short, it is finished at the next start.
    pub(crate) fn remove_sensor(&mut self, id: &SensorId) -> Result<usize, StoreError> {
        let mut registry = self.registry();
        let Some(sensor) = registry.sensors.remove(id) else {
            return Err(StoreError::UnknownSensor(id.as_str().to_owned()));
        };
        self.register(registry, |shared| {
            shared.trees.registry.write_sensor(&sensor, true)
        })?;
        self.delete_readings_and_record(id)?;
        Ok(0)
    }

    pub(crate) fn delete_readings_and_record(&mut self, id: &SensorId) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        while let Some(keys) = some_keys(&shared.trees.hot.tree, id)? {
            let mut batch = sled::Batch::default();
            for key in keys {
                batch.remove(key);
            }
            self.write("deleting readings", |shared| {
                let _swapping = write(&shared.swap);
                Ok(shared.trees.hot.tree.apply_batch(batch)?)
            })?;
        }
        while let Some(keys) = some_keys(&shared.trees.sealed.summaries, id)? {
            let mut turnover = Turnover::default();
            for key in keys {
                turnover.remove(key.to_vec());
            }
            self.turn_over(turnover, &sled::Batch::default())?;
        }
        self.write("deleting a sensor", |shared| {
            let trees = (&shared.trees.activity, &shared.trees.registry.sensors);
            transaction(trees.transaction(|(activity, sensors)| {
                activity.remove(id.as_str())?;
                sensors.remove(id.as_str())?;
                Ok(())
            }))
        })?;
        self.sync()?;
        self.hot_rows.remove(id);
        self.seal_from.remove(id);
        self.not_sealed.remove(id);
        write(&self.shared.activity).remove(id);
        Ok(())
    }
}

/// Some keys of the readings of a sensor; none where there are none.
fn some_keys(tree: &sled::Tree, id: &SensorId) -> Result<Option<Vec<sled::IVec>>, StoreError> {
    let keys = tree.range(keys::keys(id, TimeRange::ALL)).keys();
    let keys: Vec<sled::IVec> = keys.take(DELETED_AT_ONCE).collect::<Result<_, _>>()?;
    Ok((!keys.is_empty()).then_some(keys))
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
