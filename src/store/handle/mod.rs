//! [`Store`]: opens the store, reads from it and closes it. Its changes are in `changes`; nothing here knows a format.

mod changes;

use std::path::Path;
use std::sync::{Arc, OnceLock, RwLock};

use super::blocks::block;
use super::blocks::measure::Measure;
use super::engine::locks::read;
use super::engine::{format, mark, open, panics};
use super::error::StoreError;
use super::read::digest::Digest;
use super::read::scan::Scan;
use super::registry::last_used::Uses;
use super::registry::registered::Registry;
use super::rows::activity::{Activity, Power};
use super::settings::{OpenMode, StoreSettings};
use super::state::commits::Commits;
use super::state::trees::Trees;
use super::state::{Shared, trees, watch};
use super::writer::journal;
use super::writer::queue::Writer;
use crate::domain::account::ApiId;
use crate::domain::reading::Register;
use crate::domain::sensor::{Arrivals, SensorId};
use crate::domain::time::{TimeRange, Timestamp};

/// An open store. Shared by `Arc`; its folder is free for another process once the last one is dropped, and every
/// [`Scan`] of it.
pub struct Store {
    pub(crate) shared: Arc<Shared>,
    pub(crate) writer: Writer,
}

impl Store {
    /// The most readings that one [`Self::import_durably`] takes.
    pub const IMPORT_CHUNK: usize = 32_768;

    /// Opens the store in the data dir `dir`. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Locked`] where another process has it open, [`StoreError::NoStore`] where there is none and `mode`
    /// is [`OpenMode::Existing`], [`StoreError::NewerFormat`], [`StoreError::Damaged`], [`StoreError::Io`].
    pub fn open(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
        panics::note();
        let hold = open::hold(dir, mode)?;
        let config = open::config(dir, &settings);
        let (own_config, dir) = (config.clone(), dir.to_owned());
        watch::unless_stuck(&config, move || {
            // sled panics on some damage where it could say so, also while its trees are read.
            let opened = panics::caught(|| Self::open_held(&dir, settings, own_config, hold));
            opened.unwrap_or_else(|panic| {
                let cause = format!("sled gave up reading it: {panic}");
                Err(open::damaged(&dir, &cause))
            })
        })
    }

    fn open_held(
        dir: &Path,
        settings: StoreSettings,
        config: sled::Config,
        hold: open::Hold,
    ) -> Result<Self, StoreError> {
        let (closing, db) = open::open_sled(dir, &config)?;
        let meta = db.open_tree("meta")?;
        let format = format::check(&meta, trees::is_empty(&db)?);
        if let Err(newer @ StoreError::NewerFormat { .. }) = format {
            return Err(newer);
        }
        // Where the format cannot be read, what is lost says more.
        let counted = mark::counted(&meta)?;
        let commits = journal::read(dir, counted)?;
        mark::check(dir, counted.wrapping_add(commits.len() as u64))?;
        format?;
        format::count_start(&db, &meta)?;
        let trees = Trees::open(db, dir)?;
        let (registry, removed) = trees.registry.load()?;
        let activity = trees.load_activity()?;
        let uses = Uses::load(&trees.uses, &registry)?;
        let block_readings = settings.block_readings.clamp(16, block::MAX_READINGS);
        let shared = Arc::new(Shared {
            trees,
            swap: RwLock::new(()),
            registry: RwLock::new(Arc::new(registry)),
            activity: RwLock::new(activity),
            uses,
            commits: Commits::default(),
            failure: OnceLock::new(),
            stuck: tokio::sync::watch::Sender::new(false),
            config,
            settings: StoreSettings {
                block_readings,
                ..settings
            },
            dir: dir.to_owned(),
            _closing: closing,
            _hold: hold,
        });
        let writer = Writer::start(Arc::clone(&shared), commits, removed)?;
        Ok(Self { shared, writer })
    }

    /// Finishes the changes that are queued, syncs, and takes no more. Blocks. Reading goes on being possible.
    ///
    /// # Errors
    /// The [`StoreError`] that kept something from being stored.
    pub fn close(&self) -> Result<(), StoreError> {
        if self.shared.uses.is_any() && self.unavailable().is_none() {
            // Where that fails, so does all else.
            let _ = self.write_uses_durably();
        }
        self.writer.stop();
        self.shared
            .failure
            .get()
            .map_or(Ok(()), |failure| Err(failure.clone()))
    }

    /// `None` while the store takes changes; else why it does not.
    #[must_use]
    pub fn unavailable(&self) -> Option<StoreError> {
        let closed = || self.writer.is_stopped().then_some(StoreError::Closed);
        self.shared.failure.get().cloned().or_else(closed)
    }

    /// Who and what is registered, as of now. From memory.
    #[must_use]
    pub fn registry(&self) -> Arc<Registry> {
        Arc::clone(&read(&self.shared.registry))
    }

    /// What is known of a sensor's uploads. From memory.
    #[must_use]
    pub fn activity(&self, sensor: &SensorId) -> Option<Activity> {
        read(&self.shared.activity).get(sensor).copied()
    }

    /// Takes note that a credential was used at `now`, in memory; returns whether it is time for [`Self::write_uses_durably`],
    /// which is at most once an hour.
    #[must_use]
    pub fn note_use(&self, api_id: &ApiId, now: Timestamp) -> bool {
        self.shared.uses.note(api_id, now)
    }

    /// When a credential was used last, as far as it is known. From memory.
    #[must_use]
    pub fn last_use(&self, api_id: &ApiId) -> Option<Timestamp> {
        self.shared.uses.last(api_id)
    }

    /// The newest arrival of any sensor. From memory.
    #[must_use]
    pub fn newest_arrival(&self) -> Option<Timestamp> {
        let activity = read(&self.shared.activity);
        activity
            .values()
            .filter_map(|activity| activity.arrivals.map(Arrivals::newest))
            .max()
    }

    /// How many sensors have an arrival, or a time assigned, after `time`. From memory.
    #[must_use]
    pub fn count_arrivals_after(&self, time: Timestamp) -> usize {
        let activity = read(&self.shared.activity);
        let changed = |known: &&Activity| known.forgetting_after(time) != **known;
        activity.values().filter(changed).count()
    }

    /// The readings of a sensor in `range`, both ends included.
    #[must_use]
    pub fn scan(&self, sensor: &SensorId, range: TimeRange) -> Scan {
        Scan::new(Arc::clone(&self.shared), sensor.clone(), range)
    }

    /// One measure of a sensor in `range`, both ends included.
    #[must_use]
    pub fn digest(&self, sensor: &SensorId, measure: Measure, range: TimeRange) -> Digest {
        Digest::new(Arc::clone(&self.shared), sensor.clone(), measure, range)
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
        self.shared.register_at(sensor, time)
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
        self.shared.power_at(sensor, time)
    }

    /// The first register of a sensor. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn first_register(&self, sensor: &SensorId) -> Result<Option<Register>, StoreError> {
        self.shared.first_register(sensor)
    }

    /// How many readings a sensor has in `range`, both ends included. Blocks.
    ///
    /// # Errors
    /// As [`Self::register_at`].
    pub fn count_readings(&self, sensor: &SensorId, range: TimeRange) -> Result<u64, StoreError> {
        self.shared.count_readings(sensor, range)
    }
}
