//! The one door for readings, whatever protocol brought them: who may, are the times possible, then
//! the store.

mod batch;
pub mod emoncms;
pub mod influx;
mod quantity;
mod received;
mod times;

use std::sync::{Arc, Mutex};

use thiserror::Error;

pub use self::batch::{Batch, Refusals, Stored};
pub use self::quantity::{Quantity, QuantityError};
use self::received::Received;
pub use self::received::{Message, Protocol};
pub use self::times::{AHEAD_AT_MOST, TimelyUpload};

use crate::domain::clock::ClockWatch;
use crate::domain::time::Timestamp;
use crate::store::{Grant, Store, StoreError};

/// Why an upload was not stored. Nothing of it was.
#[derive(Debug, Error)]
pub enum IngestError {
    /// A reading's time lies too far ahead.
    #[error("reading {index}: its time is more than 24 hours ahead of the server's clock, {now}")]
    AheadOfClock {
        /// Which of the upload's readings, from 0.
        index: usize,
        /// Its time.
        time: Timestamp,
        /// The server's clock.
        now: Timestamp,
    },
    /// The server's clock lies before an arrival that is stored.
    #[error(
        "the server's clock says {now}, which is before the newest arrival stored, {newest_arrival}"
    )]
    ClockNotSet {
        /// The server's clock.
        now: Timestamp,
        /// The newest arrival.
        newest_arrival: Timestamp,
    },
    /// The credentials allow no uploads.
    #[error("these credentials allow no uploads")]
    ScopeInsufficient,
    /// The sensor is not the account's, not authorized, or does not exist.
    #[error("the sensor is not authorized for this account")]
    SensorNotAuthorized,
    /// The store could not keep it.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The door.
#[derive(Clone)]
pub struct Ingest {
    store: Arc<Store>,
    clock_watch: Arc<Mutex<ClockWatch>>,
    received: Arc<Received>,
}

impl Ingest {
    /// The door to `store`.
    #[must_use]
    pub fn new(store: Arc<Store>) -> Self {
        Self {
            store,
            clock_watch: Arc::default(),
            received: Arc::default(),
        }
    }

    /// Stores an upload that came in `message` on behalf of `grant`; returns the number of its readings once they are durable.
    ///
    /// # Errors
    /// An [`IngestError`]; then nothing of the upload is stored.
    pub async fn submit(
        &self,
        grant: &Grant,
        TimelyUpload { upload, arrival }: TimelyUpload,
        message: Message,
    ) -> Result<usize, IngestError> {
        if !grant.scope.may_write() {
            return Err(IngestError::ScopeInsufficient);
        }
        let (registry, account) = (self.store.registry(), &grant.account);
        if registry
            .authorized_sensor(account, upload.sensor())
            .is_none()
        {
            return Err(IngestError::SensorNotAuthorized);
        }
        let arrival = self.file_under(arrival).await?;
        let stored = self.store.append_durably(account, upload, arrival).await?;
        self.received.count(message, stored);
        Ok(stored)
    }

    /// How many readings were stored by a protocol since the start, and how many bytes brought them.
    #[must_use]
    pub fn received(&self, protocol: Protocol) -> (u64, u64) {
        self.received.so_far(protocol)
    }

    /// How many messages of a protocol, or parts of them, could not be used since the start. Those over HTTP are told of by
    /// their answers, and are not counted here.
    #[must_use]
    pub fn unused(&self, protocol: Protocol) -> u64 {
        self.received.unused(protocol)
    }

    /// Counts a message, or a part of it, that cannot be used.
    pub fn count_unused(&self, protocol: Protocol) {
        self.received.count_unused(protocol);
    }
}

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::{emoncms, influx};

    /// A body of InfluxDB's lines is read, or what is wrong with it is told.
    ///
    /// # Panics
    /// Where there are more readings than bytes, or one that is not finite.
    pub fn influx_lines(bytes: &[u8]) {
        influx::fuzz(bytes);
    }

    /// Inputs of Emoncms, in each of their forms, are read or refused.
    pub fn emoncms_input(bytes: &[u8]) {
        emoncms::fuzz(&String::from_utf8_lossy(bytes));
    }
}
