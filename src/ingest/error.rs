//! Why an upload is refused.

use thiserror::Error;

use crate::domain::Timestamp;
use crate::store::StoreError;

/// Why an upload was not stored at all.
#[derive(Debug, Error)]
pub enum IngestError {
    /// A reading's time is too far ahead.
    #[error("reading {index}: its time is more than 24 hours ahead of the server's clock, {now}")]
    AheadOfClock {
        /// The index of the reading, from 0.
        index: usize,
        /// Its time.
        time: Timestamp,
        /// The server's clock.
        now: Timestamp,
    },
    /// The server's clock is before a stored arrival.
    #[error("the server's clock is at {now}, before the newest stored arrival at {newest_arrival}")]
    ClockNotSet {
        /// The server's clock.
        now: Timestamp,
        /// The newest arrival.
        newest_arrival: Timestamp,
    },
    /// The credentials allow no uploads.
    #[error("these credentials allow no uploads")]
    ScopeInsufficient,
    /// The sensor belongs to another account, is not authorized, or does not exist.
    #[error("the sensor is not authorized for this account")]
    SensorNotAuthorized,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
