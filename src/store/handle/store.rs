//! Reading and closing a store.

use std::sync::{Arc, RwLock};

use prometheus::proto::MetricFamily;

use crate::domain::{ApiId, Register, SensorId, TimeRange, Timestamp};
use crate::locks::{read, write};
use crate::store::backend::{Backend, DiskUse, Findings};
use crate::store::blocks::Measure;
use crate::store::error::StoreError;
use crate::store::read::{self, Digest, ReadAhead, Scan};
use crate::store::registry::Registry;
use crate::store::rows::{Activity, Power, SensorMap};

/// An open store, to be shared by `Arc`. Another process can open its folder once the store and
/// every [`Scan`] of it are dropped.
pub struct Store {
    pub(crate) backend: Arc<dyn Backend>,
    /// The usual spacing of each sensor's readings, in milliseconds, as learnt by callers that read
    /// them.
    spacings: RwLock<SensorMap<i64>>,
}

impl Store {
    /// Creates the store of `backend`.
    pub(crate) fn over(backend: Arc<dyn Backend>) -> Self {
        Self {
            backend,
            spacings: RwLock::default(),
        }
    }

    /// Whether this process does the jobs that only one process of a store may do. Always true if
    /// there is no other process.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.backend.is_leader()
    }

    /// Creates the reserve for a full disk, unless opening this store has just used it up. Blocks.
    pub fn keep_reserve(&self) {
        self.backend.keep_reserve();
    }

    /// The data lost by damage to the store, a sentence each, until somebody confirms having read
    /// it.
    #[must_use]
    pub fn damage(&self) -> Vec<String> {
        self.backend.damage()
    }

    /// Deletes the notes about damage, and admits the clients that were refused because of it.
    /// Returns the number of notes.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::NotForNow`], [`StoreError::Closed`].
    pub fn confirm_damage(&self) -> Result<usize, StoreError> {
        self.backend.confirm_damage()
    }

    /// Finishes the queued changes, syncs, and accepts no more. Reading stays possible. Blocks.
    ///
    /// # Errors
    /// The [`StoreError`] that prevented something from being stored.
    pub fn close(&self) -> Result<(), StoreError> {
        self.backend.close()
    }

    /// Why the store accepts no changes; `None` while it does.
    #[must_use]
    pub fn unavailable(&self) -> Option<StoreError> {
        self.backend.unavailable()
    }

    /// As [`Self::unavailable`], and also why a change would probably not be stored in time.
    #[must_use]
    pub fn unready(&self) -> Option<StoreError> {
        self.backend.unready()
    }

    /// The registry as of now. From memory.
    #[must_use]
    pub fn registry(&self) -> Arc<Registry> {
        self.backend.registry()
    }

    /// A sensor's activity: a look-up that takes equally long for any history. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn activity(&self, sensor: &SensorId) -> Result<Option<Activity>, StoreError> {
        self.backend.activity(sensor)
    }

    /// [`Self::activity`] of many sensors, in their order. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn activities(&self, sensors: &[&SensorId]) -> Result<Vec<Option<Activity>>, StoreError> {
        self.backend.activities(sensors)
    }

    /// The usual spacing of a sensor's readings, in milliseconds; `None` until a caller has learnt
    /// it. From memory.
    #[must_use]
    pub fn usual_spacing_ms(&self, sensor: &SensorId) -> Option<i64> {
        read(&self.spacings).get(sensor).copied()
    }

    /// Keeps the usual spacing of a sensor's readings in memory, in milliseconds.
    pub fn learn_usual_spacing(&self, sensor: SensorId, spacing_ms: i64) {
        let mut spacings = write(&self.spacings);
        // Keeps nothing of a sensor that was removed meanwhile. Looked up under the lock: a removal
        // forgets the spacing afterwards.
        if self.registry().sensor(&sensor).is_some() {
            spacings.insert(sensor, spacing_ms);
        }
    }

    /// Forgets the spacing of a removed sensor.
    pub(super) fn forget_usual_spacing(&self, sensor: &SensorId) {
        write(&self.spacings).remove(sensor);
    }

    /// The number of imports and deletions since the start: these may change registers without an
    /// upload.
    #[must_use]
    pub fn history_edits(&self) -> u64 {
        self.backend.history_edits()
    }

    /// Records in memory that a credential was used at `now`. Returns true, at most once an hour,
    /// when [`Self::write_last_uses_durably`] is due.
    #[must_use]
    pub fn record_use(&self, api_id: &ApiId, now: Timestamp) -> bool {
        self.backend.record_use(api_id, now)
    }

    /// The time of a credential's last use, if known. From memory.
    #[must_use]
    pub fn last_use(&self, api_id: &ApiId) -> Option<Timestamp> {
        self.backend.last_use(api_id)
    }

    /// The newest arrival of any sensor. From memory.
    #[must_use]
    pub fn newest_arrival(&self) -> Option<Timestamp> {
        self.backend.newest_arrival()
    }

    /// Counts the sensors with an arrival, or an assigned time, after `time`. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn count_arrivals_after(&self, time: Timestamp) -> Result<usize, StoreError> {
        self.backend.count_arrivals_after(time)
    }

    /// The readings of a sensor in `range`, both ends included.
    #[must_use]
    pub fn scan(&self, sensor: &SensorId, range: TimeRange) -> Scan {
        Scan::new(self.backend.reader(), sensor.clone(), range)
    }

    /// One measure of a sensor in `range`, both ends included.
    #[must_use]
    pub fn digest(&self, sensor: &SensorId, measure: Measure, range: TimeRange) -> Digest {
        let backend = self.backend.reader();
        Digest::new(backend, sensor.clone(), measure, range, ReadAhead::Values)
    }

    /// The same, for callers that derive few numbers from many readings: it reads further ahead.
    #[must_use]
    pub fn totals(&self, sensor: &SensorId, measure: Measure, range: TimeRange) -> Digest {
        let backend = self.backend.reader();
        Digest::new(backend, sensor.clone(), measure, range, ReadAhead::Totals)
    }

    /// The newest register of a sensor at or before `time`: a handful of keys, however long the
    /// history. Blocks.
    ///
    /// # Errors
    /// [`StoreError`] if something cannot be read, or is damaged.
    pub fn register_at(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Register>, StoreError> {
        read::register_at(&*self.backend.view(sensor)?, time)
    }

    /// The newest power of a sensor at or before `time`, as [`Self::register_at`]. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn power_at(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Power>, StoreError> {
        read::power_at(&*self.backend.view(sensor)?, time)
    }

    /// The first register of a sensor. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn first_register(&self, sensor: &SensorId) -> Result<Option<Register>, StoreError> {
        read::first_register(&*self.backend.view(sensor)?)
    }

    /// The number of a sensor's readings in `range`, both ends included. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn count_readings(&self, sensor: &SensorId, range: TimeRange) -> Result<u64, StoreError> {
        read::count_readings(&*self.backend.view(sensor)?, range)
    }

    /// Metrics of commits of uploads since the store was opened: the time until they were durable,
    /// and their number of readings.
    #[must_use]
    pub fn commit_metrics(&self) -> Vec<MetricFamily> {
        self.backend.commit_metrics()
    }

    /// Reads everything and lists the problems. Changes may go on meanwhile. Blocks until done.
    #[must_use]
    pub fn check(&self) -> Findings {
        self.backend.check()
    }

    /// The disk use of the store. Blocks: looks at every file.
    ///
    /// # Errors
    /// [`StoreError::Io`] if the system cannot measure it.
    pub fn disk_use(&self) -> Result<DiskUse, StoreError> {
        self.backend.disk_use()
    }
}
