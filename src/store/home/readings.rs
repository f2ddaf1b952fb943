//! Where the readings of all sensors live.

use crate::domain::SensorId;
use crate::store::error::StoreError;
use crate::store::home::sensor::{ReadingsChange, ReadingsView};

/// Where readings are read. Apart from [`ReadingsWriter`], because a reader that is under way must not keep the one alive that
/// writes.
pub(crate) trait ReadingsHome: Send + Sync {
    /// The readings of `sensor` as of now. To be dropped soon: it may hold up those who change them.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be reached.
    fn view<'a>(&'a self, sensor: &'a SensorId) -> Result<Box<dyn ReadingsView + 'a>, StoreError>;
}

/// Changes the history of a sensor, and returns how many readings that concerns.
pub(crate) type SensorJob =
    Box<dyn FnOnce(&mut dyn ReadingsChange) -> Result<usize, StoreError> + Send>;

/// Where readings are changed.
pub(crate) trait ReadingsWriter: Send + Sync {
    /// Runs `job` while nobody else changes the readings of `sensor`, and returns what it returns once that is durable.
    /// Counts as an edit of the history. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`] if the sensor is not registered; the error of `job`, of which a part may have been stored
    /// then; another [`StoreError`] if nothing can be stored.
    fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError>;
}
