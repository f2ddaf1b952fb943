//! The way of an upload into the store: the credentials allow it, its times are possible, and then it is stored.

use std::fmt;
use std::sync::Arc;

use futures_util::future::join_all;

use super::batch::{BatchOutcome, Refusals, SensorBatch};
use super::error::IngestError;
use super::received::{IncomingMessage, Protocol, ReceivedCounts};
use super::times::{ArrivalClock, TimelyUpload};
use crate::domain::{Moment, SensorId, Timestamp, Upload};
use crate::store::{Grant, Store, StoreError};

/// The only way for readings into the store.
#[derive(Clone)]
pub struct Ingest {
    store: Arc<Store>,
    arrivals: ArrivalClock,
    received: Arc<ReceivedCounts>,
}

impl Ingest {
    /// The way into `store`.
    #[must_use]
    pub fn new(store: Arc<Store>) -> Self {
        Self {
            arrivals: ArrivalClock::new(Arc::clone(&store)),
            store,
            received: Arc::default(),
        }
    }

    /// Checks that no reading is more than [`AHEAD_AT_MOST`](super::AHEAD_AT_MOST) ahead of the clock.
    ///
    /// # Errors
    /// [`IngestError::AheadOfClock`] for the first that is.
    pub fn check_times(&self, upload: Upload, now: Moment) -> Result<TimelyUpload, IngestError> {
        self.arrivals.check_times(upload, now)
    }

    /// The time that counts at `now`, for uploads and queries: a clock that was set back a little does not hide the uploads of
    /// a moment ago.
    #[must_use]
    pub fn counted_time(&self, now: Timestamp) -> Timestamp {
        self.arrivals.counted_time(now)
    }

    /// Checks that an upload could be stored now.
    ///
    /// # Errors
    /// [`IngestError::ClockNotSet`].
    pub fn check_ready(&self, now: Moment) -> Result<(), IngestError> {
        self.arrivals.check_ready(now)
    }

    /// Stores an upload from `message` on behalf of `grant`; returns the number of its readings once they are durable.
    ///
    /// # Errors
    /// An [`IngestError`]; then nothing of the upload is stored.
    pub async fn submit(
        &self,
        grant: &Grant,
        TimelyUpload { upload, arrival }: TimelyUpload,
        message: IncomingMessage,
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
        let arrival = self.arrivals.settle(arrival).await?;
        let stored = self.store.append_durably(account, upload, arrival).await?;
        self.received.count(message, stored);
        Ok(stored)
    }

    /// Stores the acceptable readings of `batch`, from `message`, on behalf of `grant`, and returns once they are durable. After
    /// an error a part may have been stored; the same readings can be sent again.
    ///
    /// # Errors
    /// An [`IngestError`] that concerns the whole batch: [`IngestError::ScopeInsufficient`], [`IngestError::ClockNotSet`],
    /// [`IngestError::Store`].
    pub async fn submit_batch(
        &self,
        grant: &Grant,
        batch: SensorBatch,
        message: IncomingMessage,
        now: Moment,
    ) -> Result<BatchOutcome, IngestError> {
        if !grant.scope.may_write() {
            return Err(IngestError::ScopeInsufficient);
        }
        let mut stored = BatchOutcome {
            accepted: 0,
            unauthorized: Refusals::default(),
            ahead: Refusals::default(),
        };
        let arrival = self.arrivals.at(now);
        let registry = self.store.registry();
        let mut uploads = Vec::new();
        for (sensor, readings) in batch.sensors {
            let count = readings.len();
            if registry
                .authorized_sensor(&grant.account, &sensor)
                .is_none()
            {
                stored.unauthorized.add(count, Unauthorized(&sensor));
                continue;
            }
            let (ahead, readings): (Vec<_>, Vec<_>) = readings
                .into_iter()
                .partition(|reading| arrival.ahead(reading).is_some());
            if let Some(time) = ahead.first().and_then(|reading| reading.time) {
                let reason = format!(
                    "sensor {:?}: the time {time} is more than 24 hours ahead of the server's clock, {}",
                    sensor.as_str(),
                    now.time
                );
                stored.ahead.add(ahead.len(), reason);
            }
            uploads.extend(Upload::new(sensor, readings));
        }
        // Concurrently, so that they share a sync.
        let submitted = uploads
            .into_iter()
            .enumerate()
            .map(async |(index, upload)| {
                let (sensor, count) = (upload.sensor().clone(), upload.readings().len());
                let upload = TimelyUpload { upload, arrival };
                let message = IncomingMessage {
                    bytes: if index == 0 { message.bytes } else { 0 },
                    ..message
                };
                let outcome = self.submit(grant, upload, message).await;
                (sensor, count, outcome)
            });
        for (sensor, count, outcome) in join_all(submitted).await {
            match outcome {
                Ok(accepted) => stored.accepted += accepted,
                // It was removed or revoked a moment ago.
                Err(
                    IngestError::SensorNotAuthorized
                    | IngestError::Store(StoreError::UnknownSensor(_)),
                ) => stored.unauthorized.add(count, Unauthorized(&sensor)),
                Err(error) => return Err(error),
            }
        }
        Ok(stored)
    }

    /// The readings stored by a protocol since the start, and the bytes they came in.
    #[must_use]
    pub fn received(&self, protocol: Protocol) -> (u64, u64) {
        self.received.so_far(protocol)
    }

    /// The messages of a protocol, or parts of them, that could not be used since the start. Over HTTP the answer says so, and
    /// nothing is counted.
    #[must_use]
    pub fn unused(&self, protocol: Protocol) -> u64 {
        self.received.unused(protocol)
    }

    /// Counts a message, or a part of it, that cannot be used.
    pub fn count_unused(&self, protocol: Protocol) {
        self.received.count_unused(protocol);
    }
}

struct Unauthorized<'a>(&'a SensorId);

impl fmt::Display for Unauthorized<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sensor = self.0.as_str();
        write!(
            f,
            "sensor {sensor:?} does not exist or is not authorized for this account"
        )
    }
}
