//! Access to the readings of all sensors.

use crate::domain::SensorId;
use crate::store::backend::sensor::{ReadingsChange, ReadingsView};
use crate::store::error::StoreError;

/// Reads readings. Separate from [`ReadingsWriter`], because a running reader must not keep the
/// writer alive.
pub(crate) trait ReadingsBackend: Send + Sync {
    /// Returns the readings of `sensor` as of now. Drop it soon: it may hold up changes.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be reached.
    fn view<'a>(&'a self, sensor: &'a SensorId) -> Result<Box<dyn ReadingsView + 'a>, StoreError>;
}

/// A job that changes the history of a sensor, and returns how many readings it affected.
pub(crate) type SensorJob =
    Box<dyn FnOnce(&mut dyn ReadingsChange) -> Result<usize, StoreError> + Send>;

/// Changes readings.
pub(crate) trait ReadingsWriter: Send + Sync {
    /// Runs `job` while nobody else changes the readings of `sensor`, and returns its result once
    /// the change is durable. Counts as an edit of the history. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`] if the sensor is not registered; the error of `job`, after
    /// which a part of its changes may be stored; another [`StoreError`] if nothing can be stored.
    fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError>;
}
