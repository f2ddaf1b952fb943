//! Where records live.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::domain::{ApiId, Sensor, SensorId, Timestamp};
use crate::store::error::StoreError;
use crate::store::records::RecordsView;
use crate::store::registry::{Registry, RegistryEdit};

/// Changes what is registered.
pub(crate) type EditJob = Box<dyn FnOnce(&mut RegistryEdit<'_>) -> Result<(), StoreError> + Send>;

/// Makes a sensor of the one that is registered by this id, if there is one.
pub(crate) type SensorEdit = Box<dyn FnOnce(Option<Sensor>) -> Result<Sensor, StoreError> + Send>;

/// Keeps who and what is registered. What it changes is durable once it returns, and seen from then on.
pub(crate) trait RegistryHome: Send + Sync {
    /// Who and what is registered, as of now. From memory.
    fn registry(&self) -> Arc<Registry>;

    /// Runs `job` while nobody else changes what is registered, and stores its changes, all or none. Blocks.
    ///
    /// # Errors
    /// That of `job`; another [`StoreError`] if nothing can be stored.
    fn edit(&self, job: EditJob) -> Result<(), StoreError>;

    /// [`Self::edit`] for a caller that may not block.
    ///
    /// # Errors
    /// As there.
    fn edit_async(&self, job: EditJob) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Registers what `job` makes of the sensor, and returns it. A sensor that was removed, and is registered anew, has none of
    /// its old readings. Blocks.
    ///
    /// # Errors
    /// As [`Self::edit`], and those of [`RegistryEdit::put_sensor`].
    fn put_sensor(&self, id: &SensorId, job: SensorEdit) -> Result<Sensor, StoreError>;

    /// Removes a sensor, its readings, and what is known of its uploads. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`]; another [`StoreError`] if nothing can be stored.
    fn remove_sensor(&self, id: &SensorId) -> Result<(), StoreError>;

    /// Runs `job` on the records as of one moment. To be short: it may hold up those who change them. May run it again if it
    /// has to begin anew. Blocks.
    ///
    /// # Errors
    /// That of `job`; another [`StoreError`] if the records cannot be reached.
    fn read_records(
        &self,
        job: &mut dyn FnMut(&dyn RecordsView) -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;

    /// Records in memory that a credential was used at `now`. Returns, at most once an hour, that it is time for
    /// [`Self::write_last_uses`].
    fn record_use(&self, api_id: &ApiId, now: Timestamp) -> bool;

    /// When a credential was used last, if known. From memory.
    fn last_use(&self, api_id: &ApiId) -> Option<Timestamp>;

    /// Writes when each credential was used last. Blocks.
    ///
    /// # Errors
    /// [`StoreError`] if nothing can be stored.
    fn write_last_uses(&self) -> Result<(), StoreError>;

    /// Whether this process does what only one process of a store may do, such as finding notices. It always does where
    /// there is no other.
    fn is_leader(&self) -> bool;
}
