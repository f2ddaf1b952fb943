//! Restoring a store from a backup. The whole file is verified before anything is written.

use std::fs::File;
use std::io::{BufReader, Seek};
use std::path::Path;
use std::sync::Arc;

use crate::domain::{ServiceSetting, Timestamp};
use crate::store::backend::RegistryBackend as _;
use crate::store::care::backup::error::BackupError;
use crate::store::care::backup::item::BackupItem;
use crate::store::care::backup::source::{WrittenBackup, read_all};
use crate::store::embedded::care::build::{Site, check_empty};
use crate::store::embedded::disk::{DataDirHold, replace};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::handle::counts::StoreCounts;
use crate::store::handle::import::{StoreImport, filled};
use crate::store::postgres::{PostgresBackend, PostgresPurpose, PostgresRefusal, PostgresSettings};
use crate::store::settings::StoreSettings;

/// A backup that was restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredBackup {
    /// The backup.
    pub backup: WrittenBackup,
    /// The secrets that were set when the backup was taken, but that no backup contains.
    pub missing: Vec<ServiceSetting>,
}

/// A place for a new store.
trait NewStore {
    /// Returns an error if there is something already.
    fn check_empty(&self) -> Result<(), StoreError>;

    /// Builds the store from the imports of `fill`. After an error, or if `is_all` finds the store
    /// incomplete, there is no store. Calls [`filled`], which calls both.
    fn build<T>(
        self,
        fill: impl FnOnce(&mut StoreImport<'_>) -> Result<T, BackupError>,
        is_all: impl FnOnce(&T, &Store, u64) -> bool,
    ) -> Result<(), BackupError>;
}

/// A folder of this machine, which gets an embedded store.
struct NewFolder<'a> {
    dir: &'a Path,
    settings: StoreSettings,
}

impl NewStore for NewFolder<'_> {
    fn check_empty(&self) -> Result<(), StoreError> {
        check_empty(self.dir)
    }

    fn build<T>(
        self,
        fill: impl FnOnce(&mut StoreImport<'_>) -> Result<T, BackupError>,
        is_all: impl FnOnce(&T, &Store, u64) -> bool,
    ) -> Result<(), BackupError> {
        let site = Site::claim(self.dir)?;
        site.build(self.settings, fill, is_all).map(drop)
    }
}

/// A database in PostgreSQL without a store, which gets one. Dropping this deletes the restored
/// data, unless it is complete.
struct NewDatabase {
    backend: Arc<PostgresBackend>,
    place: String,
    is_whole: bool,
}

impl NewDatabase {
    /// Claims the database, which keeps all others out.
    fn claim(postgres: PostgresSettings, settings: StoreSettings) -> Result<Self, StoreError> {
        let place = postgres.url.to_string();
        let backend = PostgresBackend::open(postgres, settings, PostgresPurpose::Restore)?;
        let new = Self {
            backend: Arc::new(backend),
            place,
            is_whole: false,
        };
        // Others opened it while it contained no store; one of them is the leader.
        if new.backend.is_leader() {
            return Ok(new);
        }
        Err(StoreError::Postgres(PostgresRefusal::InUse.to_string()))
    }
}

impl NewStore for NewDatabase {
    fn check_empty(&self) -> Result<(), StoreError> {
        // It was empty when it was claimed.
        Ok(())
    }

    fn build<T>(
        mut self,
        fill: impl FnOnce(&mut StoreImport<'_>) -> Result<T, BackupError>,
        is_all: impl FnOnce(&T, &Store, u64) -> bool,
    ) -> Result<(), BackupError> {
        let backend: Arc<PostgresBackend> = Arc::clone(&self.backend);
        let store = Store::over(backend);
        filled(&store, &self.place, fill, is_all)?;
        self.backend.end_restore(true)?;
        self.is_whole = true;
        Ok(store.close()?)
    }
}

impl Drop for NewDatabase {
    fn drop(&mut self) {
        if self.is_whole {
            return;
        }
        // Harmless: an incomplete store is refused, and the next restore deletes it.
        if let Err(error) = self.backend.end_restore(false) {
            log::warn!(
                "cannot delete the incomplete restore in {}: {error}",
                self.place
            );
        }
    }
}

/// Restores the backup `file` into the data dir `dir`, which must be empty or missing. Restored
/// readings do not count as arrivals. A check of the finished store found everything that the
/// returned backup counts. Calls `watch` with the number of bytes read so far; the file is read
/// twice. Blocks.
///
/// # Errors
/// [`BackupError`]. After an error there is no store in `dir`. Nothing was written if the error
/// concerns the file, or is [`StoreError::NotEmpty`].
pub fn restore(
    file: &Path,
    dir: &Path,
    settings: StoreSettings,
    watch: impl FnMut(u64),
) -> Result<RestoredBackup, BackupError> {
    restore_into(file, NewFolder { dir, settings }, watch)
}

/// Restores the backup `file` in the place of the store in `dir`. The present one stays, in a folder
/// of its own inside `dir`.
///
/// # Errors
/// As [`restore`]. After an error the present store is as it was.
pub fn restore_in_place(
    file: &Path,
    dir: &Path,
    settings: StoreSettings,
    now: Timestamp,
    watch: impl FnMut(u64),
) -> Result<RestoredBackup, BackupError> {
    let place = replace::new_place(dir)?;
    let restored = restore(file, &place, settings, watch)?;
    let _hold = DataDirHold::take(dir)?;
    replace::commit(dir, now)?;
    Ok(restored)
}

/// As [`restore`], into a PostgreSQL database, which must contain no store. Nobody else can use it
/// meanwhile.
///
/// # Errors
/// [`BackupError`]. After an error there is no store in the database. [`StoreError::Postgres`] if
/// the server or the database is unfit.
pub fn restore_into_postgres(
    file: &Path,
    postgres: PostgresSettings,
    settings: StoreSettings,
    watch: impl FnMut(u64),
) -> Result<RestoredBackup, BackupError> {
    restore_into(file, NewDatabase::claim(postgres, settings)?, watch)
}

/// [`restore`] into a store with any backend.
fn restore_into(
    file: &Path,
    new: impl NewStore,
    mut watch: impl FnMut(u64),
) -> Result<RestoredBackup, BackupError> {
    let opened = File::open(file).map_err(|error| BackupError::io("opening", file, &error))?;
    let mut source = BufReader::new(opened);
    // Before verifying, which takes a while.
    new.check_empty()?;
    let mut missing = Vec::new();
    let backup = read_all(&mut source, |item, bytes| {
        watch(bytes);
        if let BackupItem::Settings(settings) = item {
            let secrets = settings.into_keys().filter(|setting| setting.is_secret());
            missing.extend(secrets);
        }
        Ok::<(), BackupError>(())
    })?;
    source
        // Read a second time: a verified backup may be too long to keep in memory.
        .rewind()
        .map_err(|error| BackupError::io("reading", file, &error))?;
    let importing = |import: &mut StoreImport<'_>| {
        read_all(&mut source, |item, bytes| {
            watch(backup.bytes.saturating_add(bytes));
            Ok::<(), BackupError>(import_one(import, item)?)
        })
    };
    new.build(importing, |imported, store, readings| {
        // A store does not count arrivals: only the others can be compared.
        let arrivals = imported.counts.arrivals;
        let registered = StoreCounts::registered(&store.registry());
        imported.counts
            == StoreCounts {
                arrivals,
                readings,
                ..registered
            }
    })?;
    Ok(RestoredBackup { backup, missing })
}

fn import_one(import: &mut StoreImport<'_>, item: BackupItem) -> Result<(), StoreError> {
    let store = import.store;
    match item {
        BackupItem::Settings(settings) => store.edit(move |edit| edit.put_settings(settings)),
        BackupItem::Administrator(password) => {
            store.edit(move |edit| edit.put_administrator(password))
        }
        BackupItem::Account(account) => store.edit(move |edit| edit.put_account(account)),
        BackupItem::Credential(credential, last_used) => {
            let api_id = credential.api_id.clone();
            store.edit(move |edit| edit.put_credential(credential))?;
            if let Some(last_used) = last_used {
                // Written when the store is closed, as any use.
                let _ = store.record_use(&api_id, last_used);
            }
            Ok(())
        }
        BackupItem::Person(person) => store.edit(move |edit| edit.add_person(person)).map(drop),
        BackupItem::Tablet(tablet) => store.edit(move |edit| edit.add_tablet(tablet)).map(drop),
        BackupItem::Sensor(sensor) => store.put_sensor_durably(sensor),
        BackupItem::Correction(account, correction) => {
            store.edit(move |edit| edit.put_correction(&account, *correction))
        }
        BackupItem::Contract(account, contract) => {
            store.edit(move |edit| edit.put_contract(&account, contract))
        }
        BackupItem::Notice(key, known) => store.edit(move |edit| edit.put_notice(key, *known)),
        BackupItem::Arrivals(sensor, arrivals, last_assigned) => {
            store.put_arrivals_durably(&sensor, arrivals, last_assigned)
        }
        BackupItem::Days(account, list) => store.edit(move |edit| edit.put_days(&account, &list)),
        BackupItem::Entry(account, entry) => {
            store.edit(move |edit| edit.put_entry(&account, entry, None))
        }
        BackupItem::Prices(account, series) => import.prices(&account, &series),
        BackupItem::Readings(sensor, readings) => import.readings(&sensor, readings),
    }
}
