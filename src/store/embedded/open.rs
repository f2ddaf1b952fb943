//! Opening the embedded store.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, RwLock};

use crate::store::backend::CommitMetrics;
use crate::store::blocks::block;
use crate::store::embedded::backend::Embedded;
use crate::store::embedded::blocks::Volumes;
use crate::store::embedded::disk::{
    DataDirHold, Failure, Mark, Positions, explain_closed, open, reserve, sync,
};
use crate::store::embedded::facts::change::DAMAGE;
use crate::store::embedded::facts::stored::damage_changes;
use crate::store::embedded::facts::{
    FactChanges, FactDamage, FactFiles, FactMap, LoadedFacts, StoredFacts,
};
use crate::store::embedded::index::{Index, Sealed};
use crate::store::embedded::journal::FoundJournal;
use crate::store::embedded::load::{self, LoadedJournal, LoadedLive, LoadedStore};
use crate::store::embedded::log::{LoadedLog, LogFiles};
use crate::store::embedded::rows::{Hot, HotSensors};
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::commit::{Committer, UnfinishedWork};
use crate::store::embedded::writer::{Database, Writer};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::registry::{LastUses, Registry};
use crate::store::settings::{OpenMode, StoreSettings};

impl Store {
    /// Opens the store in the data dir `dir`. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Locked`] if another process has it open, [`StoreError::NoStore`] if there is
    /// none and `mode` is [`OpenMode::Existing`], [`StoreError::OlderFormat`],
    /// [`StoreError::NewerFormat`], [`StoreError::Damaged`], [`StoreError::Io`].
    pub fn open(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
        let embedded = Embedded::open(dir, settings, mode)?;
        Ok(Self::over(Arc::new(embedded)))
    }

    /// Returns how many bytes this process has written to the files of embedded stores, without the
    /// overhead of the file system.
    #[must_use]
    pub fn bytes_written() -> u64 {
        sync::written()
    }
}

impl Embedded {
    fn open(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
        match Self::open_once(dir, settings, mode) {
            Err(error) if reserve::release(dir, &error) => {
                let opened = Self::open_once(dir, settings, mode).map_err(not_opened)?;
                Ok(Self {
                    has_used_reserve: true,
                    ..opened
                })
            }
            opened => opened.map_err(|error| explain_closed(dir, not_opened(error))),
        }
    }

    fn open_once(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
        // Locked before reading: another process might be writing.
        let hold = open::hold(dir, mode)?;
        let loaded = match load::load(dir, settings.cache_bytes)? {
            Some(loaded) => loaded,
            None if mode == OpenMode::Existing => {
                return Err(StoreError::NoStore(dir.to_owned()));
            }
            None => LoadedStore::new(dir, settings.cache_bytes)?,
        };
        Self::open_loaded(dir, settings, hold, loaded)
    }

    /// Opens a store that was loaded.
    pub(crate) fn open_loaded(
        dir: &Path,
        settings: StoreSettings,
        hold: DataDirHold,
        loaded: LoadedStore,
    ) -> Result<Self, StoreError> {
        let (shared, committer) = begin(dir, settings, hold, loaded)?;
        Ok(Self {
            writer: Writer::start(Arc::clone(&shared), committer)?,
            shared,
            has_used_reserve: false,
        })
    }
}

/// The error of a start on a full disk, which nobody tries again by itself.
fn not_opened(error: StoreError) -> StoreError {
    match error {
        StoreError::NotForNow(why) => StoreError::io("opening the store", &why),
        other => other,
    }
}

/// Repairs a loaded store where needed, and completes interrupted work.
pub(crate) fn begin(
    dir: &Path,
    mut settings: StoreSettings,
    hold: DataDirHold,
    loaded: LoadedStore,
) -> Result<(Arc<Shared>, Committer), StoreError> {
    let mark = loaded.facts.mark;
    let mut log = LogFiles::open(dir, mark, &loaded.log, loaded.live.is_damaged)?;
    let known = loaded.facts.known;
    let (facts, stored) = if loaded.is_new {
        // The facts of a new store come last: they make it a store, and nothing of it may be
        // missing then.
        let begun = log.append(Vec::new(), |head| head.is_closed = true);
        let begun = begun.and_then(|()| log.sync());
        begun.map_err(|error| StoreError::io("creating the log", &error))?;
        (FactFiles::create(dir, mark)?, StoredFacts::default())
    } else {
        open_facts(dir, loaded.facts, &loaded.lost)?
    };
    let durable = Positions {
        facts: facts.last(),
        log: log.last().durable.max(loaded.journal.found.durable()),
        journal: 0,
    };
    let (mut registry, removed) = Registry::load(&stored)?;
    registry.is_access_suspended = stored.is_access_suspended();
    let last_uses = LastUses::load(&stored, &registry)?;
    settings.block_readings = settings.block_readings.clamp(16, block::MAX_READINGS);
    let shared = Arc::new(Shared {
        hot: Hot::of(loaded.hot),
        sealed: Sealed {
            index: Arc::new(loaded.index),
            volumes: Arc::new(Volumes::of(dir)),
            mark,
        },
        facts: stored,
        swap: RwLock::new(()),
        registry: RwLock::new(Arc::new(registry)),
        history_edits: AtomicU64::new(0),
        durable: Mutex::new(durable.and(known)),
        log_applied: AtomicU64::new(log.last().position),
        last_uses,
        commit_metrics: CommitMetrics::new()?,
        failure: Arc::new(Failure::default()),
        settings,
        dir: dir.to_owned(),
        _hold: hold,
    });
    let unfinished = UnfinishedWork {
        removed,
        deletions: loaded.deletions,
        is_log_damaged: loaded.live.is_damaged,
    };
    let db = Database::open(Arc::clone(&shared), facts, log, loaded.live)?;
    let committer = Committer::open(Arc::clone(&shared), db, loaded.journal, unfinished)?;
    Ok((shared, committer))
}

/// Opens the files of facts, repairs them where needed, and notes in them what is lost.
fn open_facts(
    dir: &Path,
    mut loaded: LoadedFacts,
    lost: &[String],
) -> Result<(FactFiles, StoredFacts), StoreError> {
    for mended in &loaded.mended {
        log::warn!("{mended}; both files of facts are rewritten");
    }
    let changes = note_damage(&loaded, lost);
    if !loaded.must_mend {
        let mut files = FactFiles::open(dir, &loaded)?;
        let stored = StoredFacts::of(loaded.facts);
        if !changes.is_empty() {
            let written = files.append(&changes, 0);
            written.map_err(|error| StoreError::io("noting the damage", &error.into_cause()))?;
            stored.apply(&changes);
        }
        return Ok((files, stored));
    }
    if !changes.is_empty() {
        // In the repaired files: after a power cut, there is no repair without the note.
        loaded.facts.change(&changes);
        loaded.last = loaded.last.saturating_add(1);
    }
    let files = FactFiles::open(dir, &loaded)?;
    Ok((files, StoredFacts::of(loaded.facts)))
}

/// Logs damage. Returns the change that notes it.
fn note_damage(loaded: &LoadedFacts, lost: &[String]) -> FactChanges {
    let known: BTreeSet<&[u8]> = loaded.facts.of_kind(DAMAGE).map(|(_, text)| text).collect();
    let is_new = |lost: &&String| !known.contains(lost.as_bytes());
    let lost: Vec<String> = lost.iter().filter(is_new).cloned().collect();
    for lost in &lost {
        log::error!("the store is damaged: {lost}; `wattkeeper check` lists the problems");
    }
    damage_changes(&loaded.facts, &lost, loaded.damage.is_access())
}

impl LoadedStore {
    /// Creates an empty store in memory.
    fn new(dir: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        let mut build = Index::begin(dir, cache_bytes)?;
        build.finish()?;
        Ok(Self {
            facts: LoadedFacts {
                mark: Mark::random()?,
                facts: FactMap::default(),
                last: 0,
                damage: FactDamage::default(),
                must_mend: false,
                mended: Vec::new(),
                ends: [0, 0],
                known: Positions::default(),
            },
            log: LoadedLog::default(),
            hot: HotSensors::default(),
            live: LoadedLive::default(),
            index: Index::of(dir, cache_bytes, build),
            journal: LoadedJournal {
                found: FoundJournal::default(),
                commits: Vec::new(),
                last: 0,
                is_missing: false,
            },
            deletions: BTreeMap::new(),
            lost: Vec::new(),
            is_new: true,
        })
    }
}
