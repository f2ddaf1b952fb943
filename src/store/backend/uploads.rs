//! Access to uploads and to the activity of sensors.

use futures_util::future::BoxFuture;

use crate::domain::{AccountName, Arrivals, SensorId, Timestamp, Upload};
use crate::store::error::StoreError;
use crate::store::rows::Activity;

/// An upload to be stored.
pub(crate) struct Append {
    /// The account that the sensor must belong to, authorized; `None` for any account.
    pub(crate) account: Option<AccountName>,
    pub(crate) upload: Upload,
    pub(crate) arrival: Timestamp,
}

/// Stores uploads, and knows when they came. Every change is durable once the call returns.
pub(crate) trait UploadsBackend: Send + Sync {
    /// Stores an upload, all its readings or none, and returns their number.
    ///
    /// A reading without a time gets the time of arrival. If that is taken, it gets the next
    /// millisecond without a reading of the sensor, after all times assigned earlier. The upload
    /// counts as an arrival of the sensor.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`] if the sensor is not the account's, or not authorized, by the
    /// time it is stored; [`StoreError::NotForNow`] if a later try may succeed; another
    /// [`StoreError`] if nothing can be stored.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<usize, StoreError>>;

    /// A sensor's activity; `None` if it never uploaded. A look-up that takes equally long for any
    /// history. Blocks.
    ///
    /// # Errors
    /// [`StoreError`] if it cannot be read.
    fn activity(&self, sensor: &SensorId) -> Result<Option<Activity>, StoreError>;

    /// [`Self::activity`] of many sensors, in their order. Blocks.
    ///
    /// # Errors
    /// As [`Self::activity`].
    fn activities(&self, sensors: &[&SensorId]) -> Result<Vec<Option<Activity>>, StoreError> {
        sensors.iter().map(|sensor| self.activity(sensor)).collect()
    }

    /// The newest arrival of any sensor. From memory.
    fn newest_arrival(&self) -> Option<Timestamp>;

    /// Counts the sensors with an arrival, or an assigned time, after `time`. Blocks.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be read.
    fn count_arrivals_after(&self, time: Timestamp) -> Result<usize, StoreError>;

    /// Forgets all arrivals and assigned times after `time`. Returns the number of affected
    /// sensors.
    ///
    /// # Errors
    /// [`StoreError`] if nothing can be stored.
    fn forget_arrivals_after(&self, time: Timestamp) -> BoxFuture<'_, Result<usize, StoreError>>;

    /// Replaces a sensor's arrivals, and the last time assigned to one of its readings. Its newest
    /// power stays. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`]; another [`StoreError`] if nothing can be stored.
    fn put_arrivals(
        &self,
        sensor: &SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Result<(), StoreError>;
}
