//! A backup made a store again.
//!
//! The whole file is verified before anything is touched. The store is then built in a folder of its own inside the data
//! dir and moved to its place once it is complete, synced and checked: cut short anywhere, there is no store yet, and it
//! can be done again.

use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::Path;

use super::error::BackupError;
use super::file::{open, verify};
use super::source::{Item, read_all};
use super::{Counts, Written};
use crate::domain::reading::Reading;
use crate::domain::sensor::SensorId;
use crate::store::{OpenMode, Store, StoreError, StoreSettings, open as opening};

/// The folder inside the data dir that a store is built in.
const BUILDING: &str = "restoring";
/// What may be in a data dir that counts as empty: what a restore that was cut short leaves.
const NOTHING: [&str; 2] = [BUILDING, "lock"];

/// A store that was restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The backup.
    pub backup: Written,
    /// Readings that the finished store was seen to hold.
    pub readings: u64,
}

/// Makes what the backup `file` holds the store of the data dir `dir`, which must be empty or missing. It counts as no
/// arrival of a sensor. `watch` is told how much of twice the file was read. Blocks.
///
/// # Errors
/// [`BackupError`]; nothing was changed where it is about the file or [`BackupError::NotEmpty`], and there is no store
/// in `dir` in any case.
pub fn restore(
    file: &Path,
    dir: &Path,
    settings: StoreSettings,
    mut watch: impl FnMut(u64),
) -> Result<Restored, BackupError> {
    let mut source = open(file)?;
    check_empty(dir)?;
    let verified = verify(&mut source, |bytes| {
        watch(bytes);
        Ok::<(), BackupError>(())
    })?;
    let _hold = opening::hold(dir, OpenMode::CreateIfMissing)?;
    check_empty(dir)?;
    let building = dir.join(BUILDING);
    remove(&building)?;
    source
        .rewind()
        .map_err(|error| BackupError::io("reading", file, &error))?;
    let built = build(&building, settings, &mut source, |bytes| {
        watch(verified.bytes.saturating_add(bytes));
    });
    let readings = match built.and_then(|readings| move_in(&building, dir).map(|()| readings)) {
        Ok(readings) => readings,
        Err(error) => {
            // What is left over is in nobody's way, and the error is what matters.
            let _ = fs::remove_dir_all(&building);
            return Err(error);
        }
    };
    Ok(Restored {
        backup: Written {
            taken: verified.taken,
            bytes: verified.bytes,
            counts: verified.counts,
        },
        readings,
    })
}

fn check_empty(dir: &Path) -> Result<(), BackupError> {
    let failed = |error: &io::Error| BackupError::io("reading", dir, error);
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        listed => listed.map_err(|error| failed(&error))?,
    };
    for entry in entries {
        let name = entry.map_err(|error| failed(&error))?.file_name();
        if !NOTHING.iter().any(|nothing| name == **nothing) {
            return Err(BackupError::NotEmpty {
                dir: dir.to_owned(),
                holds: name.to_string_lossy().into_owned(),
            });
        }
    }
    Ok(())
}

fn remove(dir: &Path) -> Result<(), BackupError> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(BackupError::io("removing", dir, &error))
        }
        _ => Ok(()),
    }
}

/// Builds a store in `dir` of what `source` holds, and checks it; the number of its readings.
fn build(
    dir: &Path,
    settings: StoreSettings,
    source: impl io::Read,
    mut watch: impl FnMut(u64),
) -> Result<u64, BackupError> {
    let store = Store::open(dir, settings, OpenMode::CreateIfMissing)?;
    let mut import = Import {
        store: &store,
        gathered: None,
    };
    let verified = read_all(source, |item, bytes| {
        watch(bytes);
        import.take(item)
    })?;
    import.flush()?;
    let findings = store.check();
    if let Some(problem) = findings.problems.first() {
        let text = format!("the restored store is not in order: {}", problem.what);
        return Err(StoreError::Damaged(text).into());
    }
    if !holds(&store, &verified.counts, findings.readings) {
        let text = "the restored store does not hold all of the backup".to_owned();
        return Err(StoreError::Damaged(text).into());
    }
    store.close()?;
    Ok(findings.readings)
}

fn holds(store: &Store, counts: &Counts, readings: u64) -> bool {
    let registry = store.registry();
    let held = [
        registry.accounts().count(),
        registry.credentials().count(),
        registry.sensors().count(),
    ];
    let wanted = [counts.accounts, counts.credentials, counts.sensors];
    held.map(|count| count as u64) == wanted && readings == counts.readings
}

/// Items on their way into a store.
struct Import<'a> {
    store: &'a Store,
    /// Readings of one sensor: stored many at a time.
    gathered: Option<(SensorId, Vec<Reading>)>,
}

impl Import<'_> {
    fn take(&mut self, item: Item) -> Result<(), BackupError> {
        match item {
            Item::Account(account) => self.store.put_account_durably(account)?,
            Item::Credential(credential) => self.store.put_credential_durably(credential)?,
            Item::Sensor(sensor) => self.store.put_sensor_durably(sensor)?,
            Item::Arrivals(sensor, arrivals, last_assigned) => {
                self.store
                    .put_arrivals_durably(sensor, arrivals, last_assigned)?;
            }
            Item::Readings(sensor, readings) => return self.gather(sensor, readings),
        }
        Ok(())
    }

    fn gather(&mut self, sensor: SensorId, readings: Vec<Reading>) -> Result<(), BackupError> {
        if let Some((of, gathered)) = &mut self.gathered
            && *of == sensor
            && gathered.len() + readings.len() <= Store::IMPORT_CHUNK
        {
            gathered.extend(readings);
            return Ok(());
        }
        self.flush()?;
        self.gathered = Some((sensor, readings));
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BackupError> {
        if let Some((sensor, readings)) = self.gathered.take() {
            self.store.import_durably(&sensor, readings)?;
        }
        Ok(())
    }
}

/// Moves the finished store to its place.
fn move_in(building: &Path, dir: &Path) -> Result<(), BackupError> {
    let moved = fs::rename(building.join("sled"), dir.join("sled"))
        .and_then(|()| fs::remove_dir_all(building))
        .and_then(|()| File::open(dir)?.sync_all());
    moved.map_err(|error| BackupError::io("finishing", dir, &error))
}
