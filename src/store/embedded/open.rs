//! Opening the embedded store.

use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, RwLock};

use crate::store::blocks::block;
use crate::store::embedded::engine::mark::{self, CommitCounts};
use crate::store::embedded::engine::{Failure, format, open, panics, reserve, sync, watch};
use crate::store::embedded::home::Embedded;
use crate::store::embedded::state::{Shared, Trees, trees};
use crate::store::embedded::writer::{Writer, journal};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::home::CommitMetrics;
use crate::store::registry::{LastUses, Registry};
use crate::store::settings::{OpenMode, StoreSettings};

impl Store {
    /// Opens the store in the data dir `dir`. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has it open, [`StoreError::NoStore`] if there is none and `mode` is
    /// [`OpenMode::Existing`], [`StoreError::NewerFormat`], [`StoreError::Damaged`], [`StoreError::Io`].
    pub fn open(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
        let embedded = Embedded::open(dir, settings, mode)?;
        Ok(Self::over(Arc::new(embedded)))
    }

    /// How many bytes this process has written to the files of embedded stores, without the overhead of the file system.
    #[must_use]
    pub fn bytes_written() -> u64 {
        sync::written()
    }
}

impl Embedded {
    fn open(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
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

    fn open_once(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
        let hold = open::hold(dir, mode)?;
        let config = open::config(dir, &settings);
        // A clone shares its state: sled records an error there, where `unless_stuck` looks for it. The lock moves along, because
        // an open that was abandoned may still write.
        let (own_config, dir) = (config.clone(), dir.to_owned());
        watch::unless_stuck(&config, panics::noted(), move || {
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
        hold: open::DataDirHold,
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
}
