//! The store: owns everything on disk (docs/STORAGE.md), and is the only code that knows sled.
//!
//! Reading goes through [`Store`] directly. Every change goes through the one committing thread (`commit.rs`) and is
//! answered when it is durable; such calls say so by their names.

mod activity;
mod append;
mod backup;
mod block;
mod check;
mod commit;
mod delete;
mod enrol;
mod error;
mod format;
mod hot;
mod keys;
mod measure;
mod open;
mod record;
mod registry;
mod scan;
mod seal;
mod sealed;
mod settle;
mod sync;
mod trees;
mod watch;
mod writer;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

pub use activity::{Activity, Power};
pub use backup::{
    BackupError, Counts, Cursor, Page, Restored, Written, restore, verify_backup, write_backup,
};
pub use check::{Findings, Problem};
pub use error::StoreError;
pub use registry::{Grant, Registry};
pub use scan::Scan;

use self::commit::{Change, Task};
use self::trees::Trees;
use self::writer::Writer;
use crate::domain::account::{Account, AccountName, ApiId, Credential};
use crate::domain::reading::{Reading, Register, Upload};
use crate::domain::sensor::{Arrivals, Sensor, SensorId};
use crate::domain::time::{TimeRange, Timestamp};

/// When a change counts as stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Once its bytes are on the medium.
    Always,
    /// Once handed over. It is written and synced at least this often, and at stop: a power cut, a crash or a kill of
    /// the process may cost what came within the interval.
    Interval(Duration),
}

/// How a store is to be run.
#[derive(Clone, Copy, Debug)]
pub struct StoreSettings {
    /// When a change counts as stored.
    pub durability: Durability,
    /// Memory for pages of the database, in bytes.
    pub cache_bytes: u64,
    /// The most readings that go into one sealed block; held to 16 to 16,384.
    pub block_readings: usize,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            durability: Durability::Always,
            cache_bytes: 8 * 1024 * 1024,
            block_readings: 4_096,
        }
    }
}

/// Whether a folder without a store is an error or becomes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// There must be a store.
    Existing,
    /// A missing store is created.
    CreateIfMissing,
}

/// An open store. Shared by `Arc`; its folder is free for another process once the last one is dropped, and every
/// [`Scan`] of it.
pub struct Store {
    shared: Arc<Shared>,
    writer: Writer,
}

/// What the committing thread and the readers share.
struct Shared {
    trees: Trees,
    /// Held for writing while sealed readings and hot rows change places, for reading while both are looked at.
    swap: RwLock<()>,
    registry: RwLock<Arc<Registry>>,
    activity: RwLock<HashMap<SensorId, Activity>>,
    /// Why nothing is written any more.
    failure: OnceLock<StoreError>,
    /// Whether the committing thread may not come back from a write that failed.
    stuck: tokio::sync::watch::Sender<bool>,
    /// What sled was opened with; it keeps sled's error, too.
    config: sled::Config,
    settings: StoreSettings,
    /// The data dir.
    dir: PathBuf,
    /// After the trees.
    _closing: open::Closing,
    /// Let go of last: the files are closed by then.
    _hold: open::Hold,
}

impl Store {
    /// The most readings that one [`Self::import_durably`] takes.
    pub const IMPORT_CHUNK: usize = 16_384;

    /// Opens the store in the data dir `dir`. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Locked`] where another process has it open, [`StoreError::NoStore`] where there is none and `mode`
    /// is [`OpenMode::Existing`], [`StoreError::NewerFormat`], [`StoreError::Damaged`], [`StoreError::Io`].
    pub fn open(dir: &Path, settings: StoreSettings, mode: OpenMode) -> Result<Self, StoreError> {
        let hold = open::hold(dir, mode)?;
        let config = open::config(dir, &settings);
        let (own_config, dir) = (config.clone(), dir.to_owned());
        watch::unless_stuck(&config, move || {
            // sled panics on some damage where it could say so, also while its trees are read.
            let opened = catch_unwind(AssertUnwindSafe(|| {
                Self::open_held(&dir, settings, own_config, hold)
            }));
            opened.unwrap_or_else(|panic| {
                Err(StoreError::Damaged(format!(
                    "{}: sled gave up reading it: {}",
                    dir.display(),
                    open::said(&*panic)
                )))
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
        format::check(&meta, trees::is_empty(&db)?)?;
        format::count_start(&db, &meta)?;
        let trees = Trees::open(db)?;
        let (registry, removed) = trees.registry.load()?;
        let activity = trees.load_activity()?;
        let block_readings = settings.block_readings.clamp(16, block::MAX_READINGS);
        let shared = Arc::new(Shared {
            trees,
            swap: RwLock::new(()),
            registry: RwLock::new(Arc::new(registry)),
            activity: RwLock::new(activity),
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
        let writer = Writer::start(Arc::clone(&shared), removed)?;
        Ok(Self { shared, writer })
    }

    /// Finishes the changes that are queued, syncs, and takes no more. Blocks. Reading goes on being possible.
    ///
    /// # Errors
    /// The [`StoreError`] that kept something from being stored.
    pub fn close(&self) -> Result<(), StoreError> {
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

    /// Stores an upload that arrived at `arrival`, all its readings or none; returns their number once it is durable.
    ///
    /// Readings without a time get `arrival`, or the next millisecond that the sensor has neither a reading at nor
    /// passed in an earlier assignment. It counts as an arrival of the sensor.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`], [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub async fn append_durably(
        &self,
        upload: Upload,
        arrival: Timestamp,
    ) -> Result<usize, StoreError> {
        self.writer.submit(Task::Append { upload, arrival }).await
    }

    /// [`Self::append_durably`] for a caller that may block; an async worker may not.
    ///
    /// # Errors
    /// As [`Self::append_durably`].
    pub fn append_durably_blocking(
        &self,
        upload: Upload,
        arrival: Timestamp,
    ) -> Result<usize, StoreError> {
        self.writer
            .submit_blocking(Task::Append { upload, arrival })
    }

    /// Stores up to [`Self::IMPORT_CHUNK`] readings of the past, in any order, once they are durable; returns their
    /// number. It is no arrival. Repeated, it changes nothing. Blocks.
    ///
    /// # Errors
    /// As [`Self::append_durably`]. A part may have been stored then.
    pub fn import_durably(
        &self,
        sensor: &SensorId,
        readings: Vec<Reading>,
    ) -> Result<usize, StoreError> {
        self.change(Change::Import {
            sensor: sensor.clone(),
            readings,
        })
    }

    /// Deletes the readings of a sensor in `range`, both ends included, all or none; returns their number once that
    /// is durable. Blocks.
    ///
    /// # Errors
    /// As [`Self::append_durably`].
    pub fn delete_durably(&self, sensor: &SensorId, range: TimeRange) -> Result<usize, StoreError> {
        let sensor = sensor.clone();
        self.change(Change::Delete { sensor, range })
    }

    /// Adds an account, or replaces what is known of the one of that name. Blocks.
    ///
    /// # Errors
    /// [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn put_account_durably(&self, account: Account) -> Result<(), StoreError> {
        self.change(Change::PutAccount(account)).map(drop)
    }

    /// Removes an account and its credentials. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::AccountHasSensors`] while it has any; as above.
    pub fn remove_account_durably(&self, name: &AccountName) -> Result<(), StoreError> {
        self.change(Change::RemoveAccount(name.clone())).map(drop)
    }

    /// Adds a credential, or replaces the one of that id. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::TextTooLong`]; as above.
    pub fn put_credential_durably(&self, credential: Credential) -> Result<(), StoreError> {
        self.change(Change::PutCredential(credential)).map(drop)
    }

    /// Removes a credential. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownCredential`]; as above.
    pub fn remove_credential_durably(&self, api_id: &ApiId) -> Result<(), StoreError> {
        self.change(Change::RemoveCredential(api_id.clone()))
            .map(drop)
    }

    /// Adds a sensor, or replaces what is known of the one of that id. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`]; [`StoreError::SensorTaken`] where it is another account's;
    /// [`StoreError::TextTooLong`]; as above.
    pub fn put_sensor_durably(&self, sensor: Sensor) -> Result<(), StoreError> {
        self.change(Change::PutSensor(sensor)).map(drop)
    }

    /// Removes a sensor and all its readings. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSensor`]; as above.
    pub fn remove_sensor_durably(&self, id: &SensorId) -> Result<(), StoreError> {
        self.change(Change::RemoveSensor(id.clone())).map(drop)
    }

    /// Puts what was known of a sensor's uploads, and the last time assigned to a reading of its, in the place of what
    /// is. For restoring. Blocks.
    fn put_arrivals_durably(
        &self,
        sensor: SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        self.change(Change::PutArrivals {
            sensor,
            arrivals,
            last_assigned,
        })
        .map(drop)
    }

    fn change(&self, change: Change) -> Result<usize, StoreError> {
        self.writer.submit_blocking(Task::Change(change))
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

    /// The newest arrival of any sensor. From memory.
    #[must_use]
    pub fn newest_arrival(&self) -> Option<Timestamp> {
        let activity = read(&self.shared.activity);
        activity
            .values()
            .filter_map(|activity| activity.arrivals.map(Arrivals::newest))
            .max()
    }

    /// The readings of a sensor in `range`, both ends included.
    #[must_use]
    pub fn scan(&self, sensor: &SensorId, range: TimeRange) -> Scan {
        Scan::new(Arc::clone(&self.shared), sensor.clone(), range)
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

    /// Reads everything and tells what is wrong: blocks, summaries, hot rows, activity, registry. Changes may go on
    /// meanwhile. Blocks, for as long as reading everything takes.
    #[must_use]
    pub fn check(&self) -> Findings {
        self.shared.check()
    }
}

/// The lock for reading. A panic of another holder does not matter: what is behind these locks is replaced whole.
fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// The lock for writing; see [`read`].
fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::{block, keys};

    /// A block that can be read says the same when it is written anew.
    ///
    /// # Panics
    /// Where it does not.
    pub fn block(bytes: &[u8]) {
        if let Ok(readings) = block::decode(bytes)
            && let Ok(anew) = block::encode(&readings)
        {
            assert_eq!(block::decode(&anew).ok(), Some(readings));
        }
    }

    /// A key that can be read is the only one that says so.
    ///
    /// # Panics
    /// Where it is not.
    pub fn key(bytes: &[u8]) {
        if let Ok((sensor, time)) = keys::parse(bytes) {
            assert_eq!(keys::key(&sensor, time), bytes);
        }
    }
}

#[cfg(test)]
mod tests;
