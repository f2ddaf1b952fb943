//! Access to the registry and its records.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::domain::{ApiId, Sensor, SensorId, Timestamp};
use crate::store::error::StoreError;
use crate::store::records::RecordsView;
use crate::store::registry::{Registry, RegistryEdit};

/// A job that changes the registry.
pub(crate) type EditJob = Box<dyn FnOnce(&mut RegistryEdit<'_>) -> Result<(), StoreError> + Send>;

/// A job that makes a sensor from the one registered with this id, if there is one.
pub(crate) type SensorEdit = Box<dyn FnOnce(Option<Sensor>) -> Result<Sensor, StoreError> + Send>;

/// Keeps the registry. Every change is durable once the call returns, and visible from then on.
pub(crate) trait RegistryBackend: Send + Sync {
    /// The registry as of now. From memory.
    fn registry(&self) -> Arc<Registry>;

    /// Runs `job` while nobody else changes the registry, and stores its changes, all or none.
    /// Blocks.
    ///
    /// # Errors
    /// The error of `job`; another [`StoreError`] if nothing can be stored.
    fn edit(&self, job: EditJob) -> Result<(), StoreError>;

    /// [`Self::edit`] for a caller that may not block.
    ///
    /// # Errors
    /// As [`Self::edit`].
    fn edit_async(&self, job: EditJob) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Registers the sensor that `job` returns, and returns it. A sensor that was removed and is
    /// registered again has none of its old readings. Blocks.
    ///
    /// # Errors
    /// As [`Self::edit`], and the errors of [`RegistryEdit::put_sensor`].
    fn put_sensor(&self, id: &SensorId, job: SensorEdit) -> Result<Sensor, StoreError>;

    /// Removes a sensor, its readings and its activity. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`]; another [`StoreError`] if nothing can be stored.
    fn remove_sensor(&self, id: &SensorId) -> Result<(), StoreError>;

    /// Runs `job` on the records as of one moment. Keep it short: it may hold up changes. It may
    /// run again if it has to start over. Blocks.
    ///
    /// # Errors
    /// The error of `job`; another [`StoreError`] if the records cannot be reached.
    fn read_records(
        &self,
        job: &mut dyn FnMut(&dyn RecordsView) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Records in memory that a credential was used at `now`. Returns true, at most once an hour,
    /// when [`Self::write_last_uses`] is due.
    fn record_use(&self, api_id: &ApiId, now: Timestamp) -> bool;

    /// The time of a credential's last use, if known. From memory.
    fn last_use(&self, api_id: &ApiId) -> Option<Timestamp>;

    /// Writes the times of the credentials' last uses. Blocks.
    ///
    /// # Errors
    /// [`StoreError`] if nothing can be stored.
    fn write_last_uses(&self) -> Result<(), StoreError>;

    /// Whether this process does the jobs that only one process of a store may do, such as finding
    /// notices. Always true if there is no other process.
    fn is_leader(&self) -> bool;
}
