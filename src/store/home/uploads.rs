//! Where uploads go, and what is known of them.

use futures_util::future::BoxFuture;

use crate::domain::{AccountName, Arrivals, SensorId, Timestamp, Upload};
use crate::store::error::StoreError;
use crate::store::rows::Activity;

/// An upload to be stored.
pub(crate) struct Append {
    /// Whose sensor it must be, authorized; `None` for any account's.
    pub(crate) account: Option<AccountName>,
    pub(crate) upload: Upload,
    pub(crate) arrival: Timestamp,
}

/// Stores uploads, and knows when they came. What it changes is durable once it returns.
pub(crate) trait UploadsHome: Send + Sync {
    /// Stores an upload, all its readings or none, and returns their number.
    ///
    /// A reading without a time gets that of the arrival, or the next millisecond at which the sensor has no reading and which
    /// no earlier assignment passed. The upload counts as an arrival of the sensor.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`] if the sensor is not the account's, or not authorized, by the time it is stored;
    /// [`StoreError::NotForNow`] if a later try may succeed; another [`StoreError`] if nothing can be stored.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<usize, StoreError>>;

    /// What is known of a sensor's uploads; `None` if nothing is. A look-up, however long the history. Blocks.
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

    /// How many sensors have an arrival, or an assigned time, after `time`. Blocks.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be read.
    fn count_arrivals_after(&self, time: Timestamp) -> Result<usize, StoreError>;

    /// Forgets all arrivals and assigned times after `time`. Returns how many sensors had any.
    ///
    /// # Errors
    /// [`StoreError`] if nothing can be stored.
    fn forget_arrivals_after(&self, time: Timestamp) -> BoxFuture<'_, Result<usize, StoreError>>;

    /// Replaces what is known of a sensor's uploads, and the last time assigned to one of its readings. Its newest power stays.
    /// Blocks.
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
