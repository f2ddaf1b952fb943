//! Opening, closing and reading a store.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use prometheus::proto::MetricFamily;

use crate::domain::{ApiId, Register, SensorId, TimeRange, Timestamp};
use crate::store::blocks::{Measure, block};
use crate::store::engine::mark::{self, CommitCounts};
use crate::store::engine::{Failure, format, open, panics, reserve, watch};
use crate::store::error::StoreError;
use crate::store::read::{self, Digest, Scan};
use crate::store::records::locks::{read, write};
use crate::store::registry::{LastUses, Registry};
use crate::store::rows::{Activity, Power};
use crate::store::settings::{OpenMode, StoreSettings};
use crate::store::state::{CommitMetrics, Shared, Trees, trees};
use crate::store::writer::{Writer, journal};

/// An open store, to be shared by `Arc`. Another process can open its folder once the store and every [`Scan`] of it are
/// dropped.
pub struct Store {
    pub(crate) shared: Arc<Shared>,
    pub(crate) writer: Writer,
    has_used_reserve: bool,
}

impl Store {
    /// Opens the store in the data dir `dir`. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has it open, [`StoreError::NoStore`] if there is none and `mode` is
    /// [`OpenMode::Existing`], [`StoreError::NewerFormat`], [`StoreError::Damaged`], [`StoreError::Io`].
    pub fn open(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
        // First: a panic of sled's threads counts only from here on.
        panics::note();
        let full = match Self::open_once(dir, settings, mode) {
            Err(error) if reserve::release(dir, &error) => error,
            opened => return opened,
        };
        let opened = Self::open_once(dir, settings, mode).map_err(|error| match error {
            // By the first try, which was abandoned while it hangs.
            StoreError::Locked { .. } => full,
            other => other,
        });
        opened.map(|store| Self {
            has_used_reserve: true,
            ..store
        })
    }

    /// Makes the reserve for a disk that gets full, unless this store has just been opened by means of it. Blocks.
    pub fn keep_reserve(&self) {
        if !self.has_used_reserve {
            reserve::keep(&self.shared.dir);
        }
    }

    fn open_once(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
        let hold = open::hold(dir, mode)?;
        let config = open::config(dir, &settings);
        // A clone shares its state: sled records an error there, where `unless_stuck` looks for it. The lock moves along, because
        // an open that was abandoned may still write.
        let (own_config, dir) = (config.clone(), dir.to_owned());
        watch::unless_stuck(&config, move || {
            // On some damage sled panics instead of returning an error, also while its trees are read.
            let opened = panics::caught(|| Self::open_held(&dir, settings, own_config, hold));
            opened.unwrap_or_else(|panic| {
                let cause = format!("sled panicked while reading it: {panic}");
                Err(open::damaged(&dir, &cause))
            })
        })
    }

    fn open_held(
        dir: &Path,
        mut settings: StoreSettings,
        config: sled::Config,
        hold: open::Hold,
    ) -> Result<Self, StoreError> {
        let (closing, db) = open::open_sled(dir, &config)?;
        let meta = db.open_tree("meta")?;
        let format = format::check(&meta, trees::is_empty(&db)?);
        if let Err(newer @ StoreError::NewerFormat { .. }) = format {
            return Err(newer);
        }
        // If the format cannot be read, the checks of what is lost say more.
        let counted = CommitCounts::of(&meta)?;
        let commits = journal::read(dir, counted.landed)?;
        // The journal's commits are stored, too, although the database does not have them.
        let last = counted.landed.wrapping_add(commits.len() as u64);
        mark::check(dir, counted.with_journal(last))?;
        format?;
        format::count_start(&db, &meta)?;
        let trees = Trees::open(db, dir)?;
        let (registry, removed) = Registry::load(&trees.records)?;
        let last_uses = LastUses::load(&trees.records, &registry)?;
        settings.block_readings = settings.block_readings.clamp(16, block::MAX_READINGS);
        let shared = Arc::new(Shared {
            trees,
            swap: RwLock::new(()),
            registry: RwLock::new(Arc::new(registry)),
            activity: RwLock::default(),
            history_edits: AtomicU64::new(0),
            last_uses,
            commit_metrics: CommitMetrics::new()?,
            failure: Arc::new(Failure::default()),
            config,
            settings,
            dir: dir.to_owned(),
            _closing: closing,
            _hold: hold,
        });
        // It replays the journal and finishes removals before it takes the first task.
        let writer = Writer::start(Arc::clone(&shared), commits, last, removed)?;
        Ok(Self {
            shared,
            writer,
            has_used_reserve: false,
        })
    }

    /// Finishes the changes that are queued, syncs, and takes no more. Reading stays possible. Blocks.
    ///
    /// # Errors
    /// The [`StoreError`] that prevented something from being stored.
    pub fn close(&self) -> Result<(), StoreError> {
        if self.shared.last_uses.any() && self.unavailable().is_none() {
            // A failure is returned below.
            let _ = self.write_last_uses_durably();
        }
        self.writer.stop();
        self.shared.failure.check()
    }

    /// Why the store takes no changes; `None` while it does.
    #[must_use]
    pub fn unavailable(&self) -> Option<StoreError> {
        let closed = || self.writer.is_stopped().then_some(StoreError::Closed);
        self.shared.failure.get().or_else(closed)
    }

    /// Who and what is registered, as of now. From memory.
    #[must_use]
    pub fn registry(&self) -> Arc<Registry> {
        // A snapshot: the lock is held for the clone of the `Arc` only, however long a caller uses the registry.
        Arc::clone(&read(&self.shared.registry))
    }

    /// What is known of a sensor's uploads: a look-up, however long the history. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn activity(&self, sensor: &SensorId) -> Result<Option<Activity>, StoreError> {
        Ok(read(&self.shared.activity).get(sensor))
    }

    /// How far the readings of a sensor usually are apart, in milliseconds; `None` until somebody has learnt it. From memory.
    #[must_use]
    pub fn usual_spacing_ms(&self, sensor: &SensorId) -> Option<i64> {
        read(&self.shared.activity).usual_spacing_ms(sensor)
    }

    /// Keeps in memory how far the readings of a sensor usually are apart, in milliseconds.
    pub fn learn_usual_spacing(&self, sensor: SensorId, spacing_ms: i64) {
        write(&self.shared.activity).learn_usual_spacing(sensor, spacing_ms);
    }

    /// How often history was imported or deleted since the start: that may change registers without an upload.
    #[must_use]
    pub fn history_edits(&self) -> u64 {
        self.shared.history_edits.load(Ordering::Acquire)
    }

    /// Records in memory that a credential was used at `now`. Returns whether it is time for
    /// [`Self::write_last_uses_durably`], which is at most once an hour.
    #[must_use]
    pub fn record_use(&self, api_id: &ApiId, now: Timestamp) -> bool {
        self.shared.last_uses.record(api_id, now)
    }

    /// When a credential was used last, if known. From memory.
    #[must_use]
    pub fn last_use(&self, api_id: &ApiId) -> Option<Timestamp> {
        self.shared.last_uses.last(api_id)
    }

    /// The newest arrival of any sensor. From memory.
    #[must_use]
    pub fn newest_arrival(&self) -> Option<Timestamp> {
        read(&self.shared.activity).newest_arrival()
    }

    /// How many sensors have an arrival, or an assigned time, after `time`. From memory.
    #[must_use]
    pub fn count_arrivals_after(&self, time: Timestamp) -> usize {
        let activity = read(&self.shared.activity);
        let changed = activity
            .iter()
            .filter(|(_, known)| known.forgetting_after(time) != **known);
        changed.count()
    }

    /// The readings of a sensor in `range`, both ends included.
    #[must_use]
    pub fn scan(&self, sensor: &SensorId, range: TimeRange) -> Scan {
        Scan::new(Arc::<Shared>::clone(&self.shared), sensor.clone(), range)
    }

    /// One measure of a sensor in `range`, both ends included.
    #[must_use]
    pub fn digest(&self, sensor: &SensorId, measure: Measure, range: TimeRange) -> Digest {
        let home = Arc::<Shared>::clone(&self.shared);
        Digest::new(home, sensor.clone(), measure, range)
    }

    /// The newest register of a sensor at or before `time`: a handful of keys, however long the history. Blocks.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read, or is damaged.
    pub fn register_at(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Register>, StoreError> {
        read::register_at(&self.shared.unswapped(sensor), time)
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
        read::power_at(&self.shared.unswapped(sensor), time)
    }

    /// The first register of a sensor. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn first_register(&self, sensor: &SensorId) -> Result<Option<Register>, StoreError> {
        read::first_register(&self.shared.unswapped(sensor))
    }

    /// How many readings a sensor has in `range`, both ends included. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn count_readings(&self, sensor: &SensorId, range: TimeRange) -> Result<u64, StoreError> {
        read::count_readings(&self.shared.unswapped(sensor), range)
    }

    /// How long commits of uploads took to be durable, and how many readings they had, since the store was opened.
    #[must_use]
    pub fn commit_metrics(&self) -> Vec<MetricFamily> {
        self.shared.commit_metrics.gather()
    }
}
