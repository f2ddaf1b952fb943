//! The one door for readings, whatever protocol brought them: who may, are the times possible, then
//! the store.

mod batch;
pub mod emoncms;
pub mod influx;
mod quantity;
mod received;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use thiserror::Error;

pub use self::batch::{Batch, Refusals, Stored};
pub use self::quantity::{Quantity, QuantityError};
use self::received::Received;
pub use self::received::{Message, Protocol};

use crate::domain::clock::{AGREE_WITHIN, ClockWatch, Moment};
use crate::domain::reading::Upload;
use crate::domain::time::Timestamp;
use crate::store::{Grant, Store, StoreError};

/// How far a reading's time may lie ahead of the server's clock.
pub const AHEAD_AT_MOST: Duration = Duration::from_hours(24);

/// Why an upload was not stored. Nothing of it was.
#[derive(Debug, Error)]
pub enum IngestError {
    /// A reading's time lies too far ahead.
    #[error("reading {index}: its time is more than 24 hours ahead of the server's clock, {now}")]
    AheadOfClock {
        /// Which of the upload's readings, from 0.
        index: usize,
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

    /// The time that counts at `now`: `now` itself, or, where the clock was set back a little since
    /// the newest arrival, the time of that.
    ///
    /// # Errors
    /// [`IngestError::ClockNotSet`] where `now` lies more than a minute before the newest arrival:
    /// the clock is not set, so no reading can be filed under it.
    pub fn check_clock(&self, now: Timestamp) -> Result<Timestamp, IngestError> {
        match self.store.newest_arrival() {
            Some(newest_arrival) if now.saturating_add(AGREE_WITHIN) < newest_arrival => {
                Err(IngestError::ClockNotSet {
                    now,
                    newest_arrival,
                })
            }
            Some(newest_arrival) => Ok(now.max(newest_arrival)),
            None => Ok(now),
        }
    }

    /// Checks that no reading lies more than [`AHEAD_AT_MOST`] ahead of `now`. With a clock that is not
    /// set nothing can be told of that, and nothing is refused for it: [`Self::submit`] will refuse.
    ///
    /// # Errors
    /// [`IngestError::AheadOfClock`] for the first that does.
    pub fn check_times(&self, upload: &Upload, now: Timestamp) -> Result<(), IngestError> {
        let Ok(now) = self.check_clock(now) else {
            return Ok(());
        };
        let limit = now.saturating_add(AHEAD_AT_MOST);
        let ahead = upload
            .readings()
            .iter()
            .position(|reading| reading.time.is_some_and(|time| time > limit));
        ahead.map_or(Ok(()), |index| {
            Err(IngestError::AheadOfClock { index, now })
        })
    }

    /// Whether an upload could be filed under the time that it is `now`.
    ///
    /// # Errors
    /// [`IngestError::ClockNotSet`].
    pub fn check_ready(&self, now: Moment) -> Result<(), IngestError> {
        let is_back = self.clock_is_back(now);
        match self.check_clock(now.time) {
            Err(_) if is_back => Ok(()),
            checked => checked.map(drop),
        }
    }

    /// Stores an upload that came in `message` on behalf of `grant`; returns the number of its readings once they are durable.
    ///
    /// # Errors
    /// An [`IngestError`]; then nothing of the upload is stored.
    pub async fn submit(
        &self,
        grant: &Grant,
        upload: Upload,
        message: Message,
        now: Moment,
    ) -> Result<usize, IngestError> {
        let is_back = self.clock_is_back(now);
        let now = now.time;
        self.check_times(&upload, now)?;
        if !grant.scope.may_write() {
            return Err(IngestError::ScopeInsufficient);
        }
        if self
            .store
            .registry()
            .authorized_sensor(&grant.account, upload.sensor())
            .is_none()
        {
            return Err(IngestError::SensorNotAuthorized);
        }
        let arrival = match self.check_clock(now) {
            Err(IngestError::ClockNotSet { newest_arrival, .. }) if is_back => {
                log::warn!(
                    "the clock ran ahead to {newest_arrival} and is back at {now}: what came under times after now counts \
                     as no arrival any more; its readings are still there"
                );
                self.store.forget_arrivals_after_durably(now).await?;
                self.check_times(&upload, now)?;
                now
            }
            checked => checked?,
        };
        let account = &grant.account;
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

    fn clock_is_back(&self, now: Moment) -> bool {
        // A panic of another holder leaves nothing half done in it.
        let watch = self.clock_watch.lock();
        watch.unwrap_or_else(PoisonError::into_inner).is_back(now)
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
