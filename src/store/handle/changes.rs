//! Changes of a store. Each returns once it is durable, as the names say.

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
    /// The maximum number of readings for one [`Self::import_durably`].
    // Larger chunks need fewer syncs; but if they are in order, uploads wait until the committing
    // thread has stored all of them.
    pub const IMPORT_CHUNK: usize = 32_768;

    /// Stores an upload of `account` that arrived at `arrival`, all its readings or none. Returns
    /// their number once they are durable.
    ///
    /// A reading without a time gets `arrival`. If that is taken, it gets the next millisecond
    /// without a reading of the sensor, after all times assigned earlier. The upload counts as an
    /// arrival of the sensor.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`] if the sensor is not the account's, or not authorized, by the
    /// time it is stored; [`StoreError::Poisoned`], [`StoreError::Closed`].
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

    /// As [`Self::append_durably`], for a sensor of any account, and for a caller that may block;
    /// an async worker may not.
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

    /// Waits for a sign of life from the part that stores changes.
    ///
    /// # Errors
    /// The [`StoreError`] that stops the store from accepting changes.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.backend.ping().await
    }

    /// Stores up to [`Self::IMPORT_CHUNK`] readings of the past, in any order. Returns their number
    /// once they are durable. Works in slices, so that uploads go on meanwhile. Does not count as
    /// an arrival. Repeating it changes nothing. Blocks.
    ///
    /// # Errors
    /// As [`Self::append_durably`]. After an error a part may be stored.
    pub fn import_durably(
        &self,
        sensor: &SensorId,
        readings: Vec<Reading>,
    ) -> Result<usize, StoreError> {
        change::import(&*self.backend, sensor, readings)
    }

    /// Deletes the readings of a sensor in `range`, both ends included, all or none. Returns their
    /// number once that is durable. Blocks.
    ///
    /// # Errors
    /// As [`Self::append_durably`].
    pub fn delete_durably(&self, sensor: &SensorId, range: TimeRange) -> Result<usize, StoreError> {
        change::delete(&*self.backend, sensor, range)
    }

    /// Deletes those of up to [`Self::IMPORT_CHUNK`] readings, in any order, that are stored just
    /// as they are. Returns their number once that is durable. Works in slices, as an import does.
    /// Blocks.
    ///
    /// # Errors
    /// As [`Self::append_durably`]. After an error a part may be deleted.
    pub fn delete_equal_durably(
        &self,
        sensor: &SensorId,
        readings: Vec<Reading>,
    ) -> Result<usize, StoreError> {
        change::delete_equal(&*self.backend, sensor, readings)
    }

    /// Writes the times of the credentials' last uses. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn write_last_uses_durably(&self) -> Result<(), StoreError> {
        self.backend.write_last_uses()
    }

    /// Adds a sensor, or replaces the one with its id. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::SensorTaken`] if it belongs to another
    /// account; [`StoreError::UnknownWhole`] and [`StoreError::PartOfItself`] if the sensor that it
    /// is part of is not allowed; [`StoreError::TextTooLong`]; as [`Self::edit`].
    pub fn put_sensor_durably(&self, sensor: Sensor) -> Result<(), StoreError> {
        let id = sensor.id.clone();
        let put = self.backend.put_sensor(&id, Box::new(|_| Ok(sensor)));
        put.map(drop)
    }

    /// Adds a sensor. If its account already has one with its id, changes that one with `update`.
    /// No other change comes in between. Blocks.
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

    /// Changes a sensor with `update`, and returns it. No other change comes in between. Blocks.
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

    /// Removes a sensor and all its readings; its parts are no longer part of anything. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`]; as [`Self::edit`].
    pub fn remove_sensor_durably(&self, id: &SensorId) -> Result<(), StoreError> {
        let removed = self.backend.remove_sensor(id);
        self.forget_usual_spacing(id);
        removed
    }

    /// Replaces a sensor's arrivals, and the last time assigned to one of its readings. For
    /// restoring. Blocks.
    pub(crate) fn put_arrivals_durably(
        &self,
        sensor: &SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.backend.put_arrivals(sensor, arrivals, last_assigned)
    }

    /// Forgets all arrivals and assigned times after `time`, because the clock was wrong then. The
    /// readings stay. Returns the number of affected sensors.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub async fn forget_arrivals_after_durably(
        &self,
        time: Timestamp,
    ) -> Result<usize, StoreError> {
        self.backend.forget_arrivals_after(time).await
    }

    /// As [`Self::forget_arrivals_after_durably`], for a caller that may block.
    ///
    /// # Errors
    /// As [`Self::forget_arrivals_after_durably`].
    pub fn forget_arrivals_after_durably_blocking(
        &self,
        time: Timestamp,
    ) -> Result<usize, StoreError> {
        wait(self.backend.forget_arrivals_after(time))
    }

    /// Changes the registry with `edit`, all of its changes or none, and returns its result once
    /// they are durable. No other change comes in between. Blocks.
    ///
    /// # Errors
    /// The error of `edit`; [`StoreError::Poisoned`], [`StoreError::Closed`].
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

    /// As [`Self::edit`], for a caller that may not block.
    ///
    /// # Errors
    /// As [`Self::edit`].
    pub async fn edit_async(
        &self,
        edit: impl FnOnce(&mut RegistryEdit<'_>) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<(), StoreError> {
        self.backend.edit_async(Box::new(edit)).await
    }
}
