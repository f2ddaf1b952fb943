//! Brings an upload into the store: checks its permissions and times, then stores it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::join_all;

use super::batch::{BatchOutcome, SensorBatch};
use super::charges::Charges;
use super::error::IngestError;
use super::received::{IncomingMessage, Protocol, Received, ReceivedCounts};
use super::remarks::{Remark, Remarks, local_time};
use super::times::Arrival;
use crate::domain::clock::AGREE_WITHIN;
use crate::domain::{AccountName, ClockWatch, Moment, SensorId, StateOfCharge, Timestamp, Upload};
use crate::ledger::notice::{ClockFault, MisnamedField};
use crate::locks::lock;
use crate::store::{Grant, Store, StoreError};

/// The only way into the store for readings.
#[derive(Clone)]
pub struct Ingest {
    store: Arc<Store>,
    clock_watch: Arc<Mutex<ClockWatch>>,
    /// Whether the clock was not set at the last check, which was logged then.
    is_clock_unset: Arc<AtomicBool>,
    received: Arc<ReceivedCounts>,
    remarks: Arc<Remarks>,
    charges: Arc<Charges>,
}

impl Ingest {
    /// An entry to `store`.
    #[must_use]
    pub fn new(store: Arc<Store>) -> Self {
        Self {
            store,
            clock_watch: Arc::default(),
            is_clock_unset: Arc::default(),
            received: Arc::default(),
            remarks: Arc::default(),
            charges: Arc::default(),
        }
    }

    /// Returns the arrival at `now` of an upload, if none of its readings is more than
    /// [`AHEAD_AT_MOST`](super::times::AHEAD_AT_MOST) ahead of the clock.
    ///
    /// # Errors
    /// [`IngestError::AheadOfClock`] for the first reading that is.
    pub fn check_times(&self, upload: &Upload, now: Moment) -> Result<Arrival, IngestError> {
        let arrival = self.arrival(now);
        let mut readings = upload.readings().iter().enumerate();
        let ahead = readings.find_map(|(index, reading)| Some((index, arrival.ahead(reading)?)));
        match ahead {
            None => Ok(arrival),
            Some((index, time)) => Err(IngestError::AheadOfClock {
                index,
                time,
                // While the clock is not set nothing is ahead of it, so there is an arrival time
                // here.
                now: arrival.time().unwrap_or(now.time),
            }),
        }
    }

    /// The time that counts at `now`, for uploads and queries. It does not go back when the clock
    /// is set back a little, so recent uploads stay visible.
    #[must_use]
    pub fn counted_time(&self, now: Timestamp) -> Timestamp {
        self.check_clock(now).unwrap_or(now)
    }

    /// Checks that an upload could be stored now.
    ///
    /// # Errors
    /// [`IngestError::ClockNotSet`].
    pub fn check_ready(&self, now: Moment) -> Result<(), IngestError> {
        self.arrival(now).time().map(drop)
    }

    /// Stores an upload from `message` on behalf of `grant`, with the arrival from
    /// [`Self::check_times`]; returns the number of its readings once they are durable.
    ///
    /// # Errors
    /// An [`IngestError`]; then no reading of the upload is stored.
    pub async fn submit(
        &self,
        grant: &Grant,
        upload: Upload,
        arrival: Arrival,
        message: &IncomingMessage,
    ) -> Result<usize, IngestError> {
        if !grant.scope.may_write() {
            return Err(IngestError::ScopeInsufficient);
        }
        self.append(&grant.account, upload, arrival, message).await
    }

    /// Stores an upload of `account`, like [`Self::submit`].
    ///
    /// # Errors
    /// As [`Self::submit`].
    pub(super) async fn append(
        &self,
        account: &AccountName,
        upload: Upload,
        arrival: Arrival,
        message: &IncomingMessage,
    ) -> Result<usize, IngestError> {
        let arrival = self.settle(arrival, account, upload.sensor()).await?;
        let fault = local_time(&upload, arrival).map(|fault| (upload.sensor().clone(), fault));
        // The store checks the account of the sensor when it stores, so it is not checked before.
        let stored = self.store.append_durably(account, upload, arrival).await;
        let stored = stored.map_err(|error| match error {
            StoreError::UnknownSensor(_) => IngestError::SensorNotAuthorized,
            other => other.into(),
        })?;
        if let Some((sensor, fault)) = fault {
            self.remark_clock(&sensor, fault, arrival);
        }
        let counts = self.received.of(message.protocol);
        for (count, more) in [
            (&counts.uploads, 1),
            (&counts.readings, stored),
            (&counts.bytes, message.bytes.swap(0, Ordering::Relaxed)),
        ] {
            let more = u64::try_from(more).unwrap_or(u64::MAX);
            count.fetch_add(more, Ordering::Relaxed);
        }
        Ok(stored)
    }

    /// Stores the acceptable readings of `batch`, from `message`, on behalf of `grant`, and returns
    /// once they are durable. After an error, part of them may be stored; the same readings can be
    /// sent again.
    ///
    /// # Errors
    /// An [`IngestError`] about the whole batch: [`IngestError::ScopeInsufficient`],
    /// [`IngestError::ClockNotSet`], [`IngestError::Store`].
    pub async fn submit_batch(
        &self,
        grant: &Grant,
        batch: SensorBatch,
        message: &IncomingMessage,
        now: Moment,
    ) -> Result<BatchOutcome, IngestError> {
        if !grant.scope.may_write() {
            return Err(IngestError::ScopeInsufficient);
        }
        let mut stored = BatchOutcome::default();
        let arrival = self.arrival(now);
        let registry = self.store.registry();
        let mut uploads = Vec::new();
        for (sensor, readings) in batch.sensors {
            let count = readings.len();
            if registry
                .authorized_sensor(&grant.account, &sensor)
                .is_none()
            {
                stored.unauthorized.add(count, unauthorized(&sensor));
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
            // No upload is left if all its readings are ahead.
            uploads.extend(Upload::new(sensor, readings));
        }
        // Concurrently, so that they share a sync.
        let submitted = uploads.into_iter().map(async |upload| {
            let (sensor, count) = (upload.sensor().clone(), upload.readings().len());
            let outcome = self.append(&grant.account, upload, arrival, message).await;
            (sensor, count, outcome)
        });
        for (sensor, count, outcome) in join_all(submitted).await {
            match outcome {
                Ok(accepted) => stored.accepted += accepted,
                // The sensor was removed or revoked a moment ago.
                Err(IngestError::SensorNotAuthorized) => {
                    stored.unauthorized.add(count, unauthorized(&sensor));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(stored)
    }

    /// The counts of a protocol since the start.
    #[must_use]
    pub fn received(&self, protocol: Protocol) -> Received {
        let counts = self.received.of(protocol);
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Received {
            uploads: load(&counts.uploads),
            readings: load(&counts.readings),
            bytes: load(&counts.bytes),
            unused: load(&counts.unused),
        }
    }

    /// Counts messages, or parts of them, that are refused or unusable.
    pub fn count_unused(&self, protocol: Protocol, count: usize) {
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let counts = self.received.of(protocol);
        counts.unused.fetch_add(count, Ordering::Relaxed);
    }

    /// Notes at `now` that the clock of a sensor's device is wrong, for a notice. The sensor must
    /// belong to the account that uploads for it.
    pub(crate) fn remark_clock(&self, sensor: &SensorId, fault: ClockFault, now: Timestamp) {
        self.remarks.clock(sensor, fault, now);
    }

    /// Notes at `now` that a field is misnamed.
    pub(crate) fn remark_field(&self, sensor: &SensorId, field: &MisnamedField, now: Timestamp) {
        self.remarks.field(sensor, field, now);
    }

    /// Notes the state of charge of a sensor's battery at `time`. The sensor must belong to the
    /// account that uploads for it.
    pub(crate) fn note_charge(&self, sensor: &SensorId, charge: StateOfCharge, time: Timestamp) {
        self.charges.note(sensor, charge, time);
    }

    /// The last states of charge.
    pub(crate) fn charges(&self) -> Arc<Charges> {
        Arc::clone(&self.charges)
    }

    /// The remarks about uploads that came shortly before `now`.
    pub(crate) fn remarks(&self, now: Timestamp) -> Vec<Remark> {
        self.remarks.fresh(now)
    }

    /// The arrival of an upload at `now`.
    fn arrival(&self, now: Moment) -> Arrival {
        // Every request updates the watch, even refused ones, because it notices a jump only
        // between two updates.
        let is_back = lock(&self.clock_watch).is_back(now);
        let now = now.time;
        let arrival = match self.check_clock(now) {
            Ok(time) => Arrival::At(time),
            Err(newest_arrival) if is_back => Arrival::ClockIsBack {
                now,
                newest_arrival,
            },
            Err(newest_arrival) => Arrival::ClockNotSet {
                now,
                newest_arrival,
            },
        };
        let unset = arrival.time().err();
        let was_unset = self.is_clock_unset.swap(unset.is_some(), Ordering::Relaxed);
        // Once until the clock is set, because clients repeat their uploads, and supervisors ask
        // often.
        if let Some(error) = unset.filter(|_| !was_unset) {
            log::warn!(
                "uploads are refused: {error}. If the clock is right now and was wrong then, run `wattkeeper clock trust`"
            );
        }
        arrival
    }

    /// The time to store an upload under. The first upload after the clock is back removes the
    /// arrivals ahead of it.
    ///
    /// # Errors
    /// [`IngestError::SensorNotAuthorized`], [`IngestError::ClockNotSet`], [`IngestError::Store`].
    async fn settle(
        &self,
        arrival: Arrival,
        account: &AccountName,
        sensor: &SensorId,
    ) -> Result<Timestamp, IngestError> {
        if let Arrival::At(time) = arrival {
            return Ok(time);
        }
        // Only uploads of the account itself may decide which arrivals count.
        let registry = self.store.registry();
        if registry.authorized_sensor(account, sensor).is_none() {
            return Err(IngestError::SensorNotAuthorized);
        }
        drop(registry);
        if let Arrival::ClockIsBack {
            now,
            newest_arrival,
        } = arrival
            // Another upload may have removed them meanwhile.
            && self.check_clock(now).is_err()
        {
            log::warn!(
                "the clock ran ahead to {newest_arrival} and is back at {now}: uploads stored under later times no longer count \
                 as arrivals; their readings are kept"
            );
            self.store.forget_arrivals_after_durably(now).await?;
        }
        arrival.time()
    }

    /// `now`, or the newest arrival if the clock has since been set back by less than a minute. The
    /// error is the newest arrival: the clock is further behind, so it is not set.
    fn check_clock(&self, now: Timestamp) -> Result<Timestamp, Timestamp> {
        match self.store.newest_arrival() {
            Some(newest) if now.saturating_add(AGREE_WITHIN) < newest => Err(newest),
            Some(newest) => Ok(now.max(newest)),
            None => Ok(now),
        }
    }
}

fn unauthorized(sensor: &SensorId) -> String {
    let sensor = sensor.as_str();
    format!("sensor {sensor:?} does not exist or is not authorized for this account")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        Account, AccountName, Measures, Meter, MeterKind, Phases, Plan, Role, Scope, Sensor,
        SentParts, UploadedReading, Zone,
    };
    use crate::store::{OpenMode, StoreSettings};

    #[test]
    fn the_bytes_of_a_message_count_with_the_first_upload_that_is_stored() {
        let dir = tempfile::tempdir().unwrap();
        let settings = StoreSettings::default();
        let store = Store::open(dir.path(), settings, OpenMode::CreateIfMissing).unwrap();
        let time = Timestamp::from_millis(0).unwrap();
        let account = AccountName::new("home").unwrap();
        let of_account = Account {
            name: account.clone(),
            plan: Plan::Free,
            zone: Zone::UTC,
            phases: Phases::default(),
            created: time,
        };
        store
            .edit(move |edit| edit.put_account(of_account))
            .unwrap();
        let ids = ["revoked", "house", "solar"].map(|id| SensorId::new(id).unwrap());
        for id in &ids {
            let sensor = Sensor {
                id: id.clone(),
                account: account.clone(),
                name: id.to_string(),
                authorized: id.as_str() != "revoked",
                role: Role::Grid,
                meter: Meter::new(MeterKind::Net),
                part_of: None,
                silent_after: None,
                is_announced: true,
                sent_parts: SentParts::default(),
                created: time,
            };
            store.put_sensor_durably(sensor).unwrap();
        }
        let ingest = Ingest::new(Arc::new(store));
        let (plan, scope) = (Plan::Free, Scope::Full);
        let grant = Grant {
            account,
            plan,
            scope,
        };
        let elapsed = std::time::Duration::ZERO;
        let message = IncomingMessage::new(Protocol::Mqtt, 100);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let mut stored = Vec::new();
        for id in ids {
            let measures = Measures::new(Some(1.0), None).unwrap();
            let upload = Upload::new(
                id,
                vec![UploadedReading {
                    time: None,
                    measures,
                }],
            )
            .unwrap();
            let arrival = ingest
                .check_times(&upload, Moment { time, elapsed })
                .unwrap();
            let submitted = runtime.block_on(ingest.submit(&grant, upload, arrival, &message));
            stored.push(submitted.is_ok());
        }
        assert_eq!(stored, [false, true, true]);
        let received = ingest.received(Protocol::Mqtt);
        assert_eq!((received.uploads, received.bytes), (2, 100));
    }
}
