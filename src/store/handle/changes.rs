//! What can be changed in a store. Each change returns once it is durable, as the names say.

use std::sync::mpsc;

use crate::domain::{
    AccountName, Arrivals, Reading, Sensor, SensorId, TimeRange, Timestamp, Upload,
};
use crate::store::backend::{Append, wait};
use crate::store::change;
use crate::store::error::StoreError;
use crate::store::handle::store::Store;
use crate::store::registry::RegistryEdit;

impl Store {
    /// The most readings that one [`Self::import_durably`] takes.
    // Larger ones take fewer syncs; but if they are in order, uploads wait for the committing thread until all are stored.
    pub const IMPORT_CHUNK: usize = 32_768;

    /// Stores an upload of `account` that arrived at `arrival`, all its readings or none. Returns their number once they
    /// are durable.
    ///
    /// A reading without a time gets `arrival`, or the next millisecond at which the sensor has no reading and which no
    /// earlier assignment passed. The upload counts as an arrival of the sensor.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`] if the sensor is not the account's, or not authorized, by the time it is stored;
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub async fn append_durably(
        &self,
        account: &AccountName,
        upload: Upload,
        arrival: Timestamp,
    ) -> Result<usize, StoreError> {
        let append = Append {
            account: Some(account.clone()),
            upload,
            arrival,
        };
        self.backend.append(append).await
    }

    /// [`Self::append_durably`] for a sensor of any account, and for a caller that may block; an async worker may not.
    ///
    /// # Errors
    /// As [`Self::append_durably`].
    pub fn append_durably_blocking(
        &self,
        upload: Upload,
        arrival: Timestamp,
    ) -> Result<usize, StoreError> {
        let append = Append {
            account: None,
            upload,
            arrival,
        };
        wait(self.backend.append(append))
    }

    /// Waits until what stores changes answers, as a sign of life.
    ///
    /// # Errors
    /// The [`StoreError`] that keeps the store from taking changes.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.backend.ping().await
    }

    /// Stores up to [`Self::IMPORT_CHUNK`] readings of the past, in any order. Returns their number once they are durable. In
    /// slices, so that uploads go on meanwhile. Does not count as an arrival. Repeating it changes nothing. Blocks.
    ///
    /// # Errors
    /// As [`Self::append_durably`]. A part may have been stored then.
    pub fn import_durably(
        &self,
        sensor: &SensorId,
        readings: Vec<Reading>,
    ) -> Result<usize, StoreError> {
        change::import(&*self.backend, sensor, readings)
    }

    /// Deletes the readings of a sensor in `range`, both ends included, all or none. Returns their number once that is
    /// durable. Blocks.
    ///
    /// # Errors
    /// As [`Self::append_durably`].
    pub fn delete_durably(&self, sensor: &SensorId, range: TimeRange) -> Result<usize, StoreError> {
        change::delete(&*self.backend, sensor, range)
    }

    /// Writes when each credential was used last. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn write_last_uses_durably(&self) -> Result<(), StoreError> {
        self.backend.write_last_uses()
    }

    /// Adds a sensor, or replaces the one with its id. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::SensorTaken`] if it is another account's;
    /// [`StoreError::UnknownWhole`] and [`StoreError::PartOfItself`] for what it is part of;
    /// [`StoreError::TextTooLong`]; as [`Self::edit`].
    pub fn put_sensor_durably(&self, sensor: Sensor) -> Result<(), StoreError> {
        let id = sensor.id.clone();
        let put = self.backend.put_sensor(&id, Box::new(|_| Ok(sensor)));
        put.map(drop)
    }

    /// Adds a sensor. If its account has one with its id already, that one changes to what `update` makes of it. No other
    /// change comes in between. Blocks.
    ///
    /// # Errors
    /// As [`Self::put_sensor_durably`].
    pub fn add_sensor_durably(
        &self,
        sensor: Sensor,
        update: impl FnOnce(&mut Sensor) + Send + 'static,
    ) -> Result<Sensor, StoreError> {
        let id = sensor.id.clone();
        let add = move |known: Option<Sensor>| match known {
            Some(known) if known.account != sensor.account => {
                Err(StoreError::SensorTaken(sensor.id.to_string()))
            }
            Some(mut known) => {
                update(&mut known);
                Ok(known)
            }
            None => Ok(sensor),
        };
        self.backend.put_sensor(&id, Box::new(add))
    }

    /// Changes a sensor to what `update` makes of it, and returns that. No other change comes in between. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`]; as [`Self::put_sensor_durably`].
    pub fn update_sensor_durably(
        &self,
        id: &SensorId,
        update: impl FnOnce(&mut Sensor) + Send + 'static,
    ) -> Result<Sensor, StoreError> {
        let unknown = StoreError::UnknownSensor(id.as_str().to_owned());
        let update = move |known: Option<Sensor>| {
            let mut sensor = known.ok_or(unknown)?;
            update(&mut sensor);
            Ok(sensor)
        };
        self.backend.put_sensor(id, Box::new(update))
    }

    /// Removes a sensor and all its readings; those that are part of it are part of nothing then. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`]; as [`Self::edit`].
    pub fn remove_sensor_durably(&self, id: &SensorId) -> Result<(), StoreError> {
        let removed = self.backend.remove_sensor(id);
        self.forget_usual_spacing(id);
        removed
    }

    /// Replaces what is known of a sensor's uploads, and the last time assigned to one of its readings. For restoring.
    /// Blocks.
    pub(crate) fn put_arrivals_durably(
        &self,
        sensor: &SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.backend.put_arrivals(sensor, arrivals, last_assigned)
    }

    /// Forgets that anything arrived, or was assigned a time, after `time`, because the clock was wrong then. The readings
    /// stay. Returns how many sensors that concerns.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub async fn forget_arrivals_after_durably(
        &self,
        time: Timestamp,
    ) -> Result<usize, StoreError> {
        self.backend.forget_arrivals_after(time).await
    }

    /// [`Self::forget_arrivals_after_durably`] for a caller that may block.
    ///
    /// # Errors
    /// As there.
    pub fn forget_arrivals_after_durably_blocking(
        &self,
        time: Timestamp,
    ) -> Result<usize, StoreError> {
        wait(self.backend.forget_arrivals_after(time))
    }

    /// Changes what is registered, all or none of what `edit` does, and returns what it returns, once that is durable. No other
    /// change comes in between. Blocks.
    ///
    /// # Errors
    /// That of `edit`; [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn edit<T: Send + 'static>(
        &self,
        edit: impl FnOnce(&mut RegistryEdit<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = mpsc::channel();
        self.backend.edit(Box::new(move |registry| {
            // Kept for the caller until the edit is durable.
            drop(answer.send(edit(registry)?));
            Ok(())
        }))?;
        answered.recv().map_err(|_| StoreError::Closed)
    }

    /// [`Self::edit`] for a caller that may not block.
    ///
    /// # Errors
    /// As there.
    pub async fn edit_async(
        &self,
        edit: impl FnOnce(&mut RegistryEdit<'_>) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        self.backend.edit_async(Box::new(edit)).await
    }
}
