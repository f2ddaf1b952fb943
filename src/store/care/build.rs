//! A store made of what was read elsewhere, from a backup or from a damaged store.
//!
//! It is built in a folder of its own inside the data dir, and moved to its place once it is complete, synced and checked:
//! cut short anywhere, there is no store yet, and it can be done again.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::domain::reading::Reading;
use crate::domain::sensor::SensorId;
use crate::store::blocks::volumes;
use crate::store::engine::open::{Hold, hold, sled_dir};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::settings::{OpenMode, StoreSettings};

/// The folder inside the data dir that a store is built in.
const BUILDING: &str = "restoring";
/// What may be in a data dir that counts as empty: what a build that was cut short leaves.
const NOTHING: [&str; 2] = [BUILDING, "lock"];

/// A data dir without a store yet, held by this process. What is left of an unfinished build goes with it.
pub(crate) struct Site {
    dir: PathBuf,
    building: PathBuf,
    _hold: Hold,
}

impl Site {
    /// Takes hold of `dir`, which must be empty or missing.
    pub(crate) fn claim(dir: &Path) -> Result<Self, StoreError> {
        check_empty(dir)?;
        let hold = hold(dir, OpenMode::CreateIfMissing)?;
        check_empty(dir)?;
        let site = Self {
            dir: dir.to_owned(),
            building: dir.join(BUILDING),
            _hold: hold,
        };
        site.clear()?;
        Ok(site)
    }

    /// Removes what is not in its place, and blocks without the database that makes them a store: these first, as they count
    /// as nothing beside the rest only.
    fn clear(&self) -> Result<(), StoreError> {
        if !sled_dir(&self.dir).exists() {
            remove(&volumes::folder(&self.dir))?;
        }
        remove(&self.building)
    }

    /// The folder that the store is built in. Nothing of it is left once the store is in its place.
    pub(crate) fn building(&self) -> &Path {
        &self.building
    }

    /// Builds a store of what `fill` imports, checks it, and moves it to its place; gives what `fill` gave, and how many
    /// readings the store was seen to hold. `is_all` tells whether that is all that it should hold.
    pub(crate) fn build<T, E: From<StoreError>>(
        self,
        settings: StoreSettings,
        fill: impl FnOnce(&mut Import<'_>) -> Result<T, E>,
        is_all: impl FnOnce(&T, &Store, u64) -> bool,
    ) -> Result<(T, u64), E> {
        let store = Store::open(&self.building, settings, OpenMode::CreateIfMissing)?;
        let mut import = Import {
            store: &store,
            gathered: None,
        };
        let filled = fill(&mut import)?;
        import.flush()?;
        let findings = store.check();
        let failed = |cause: String| StoreError::Io {
            what: format!("checking the new store in {}", self.dir.display()),
            cause,
        };
        if let Some(problem) = findings.problems.first() {
            return Err(failed(format!("it is not in order: {}", problem.what)).into());
        }
        if !is_all(&filled, &store, findings.readings) {
            return Err(failed("it does not hold all that was read".to_owned()).into());
        }
        store.close()?;
        drop(store);
        self.move_in()?;
        Ok((filled, findings.readings))
    }

    /// Moves the finished store to its place: the database last, for with it there is a store.
    fn move_in(&self) -> Result<(), StoreError> {
        let move_in = |of: fn(&Path) -> PathBuf| {
            fs::rename(of(&self.building), of(&self.dir))?;
            File::open(&self.dir)?.sync_all()
        };
        let moved = move_in(volumes::folder)
            .and_then(|()| move_in(sled_dir))
            .and_then(|()| fs::remove_dir_all(&self.building))
            .and_then(|()| File::open(&self.dir)?.sync_all());
        moved.map_err(|error| StoreError::io(format!("finishing {}", self.dir.display()), &error))
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // What is left over is in nobody's way, and the error is what matters.
        let _ = self.clear();
    }
}

/// Checks that `dir` is missing, or holds nothing but what a build that was cut short leaves.
pub(crate) fn check_empty(dir: &Path) -> Result<(), StoreError> {
    let failed = |error: &io::Error| StoreError::io(format!("reading {}", dir.display()), error);
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        listed => listed.map_err(|error| failed(&error))?,
    };
    // Where a build was cut short as it was moved in, its blocks are there already.
    let moved = dir.join(BUILDING).exists().then(|| volumes::folder(dir));
    for entry in entries {
        let entry = entry.map_err(|error| failed(&error))?;
        let name = entry.file_name();
        if !NOTHING.iter().any(|nothing| name == **nothing) && moved != Some(entry.path()) {
            return Err(StoreError::NotEmpty {
                dir: dir.to_owned(),
                holds: name.to_string_lossy().into_owned(),
            });
        }
    }
    Ok(())
}

/// Removes a folder with all that is in it, where there is one.
pub(crate) fn remove(dir: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io(
            format!("removing {}", dir.display()),
            &error,
        )),
        _ => Ok(()),
    }
}

/// How many bytes are free, for this process, on the disk of `dir`.
///
/// # Errors
/// What the system says of `dir`.
pub fn free_bytes(dir: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(dir)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Readings on their way into a new store.
pub(crate) struct Import<'a> {
    pub(crate) store: &'a Store,
    /// Readings of one sensor: stored many at a time.
    gathered: Option<(SensorId, Vec<Reading>)>,
}

impl Import<'_> {
    /// Takes readings of a sensor that is registered; where one of that time was taken before, the later one wins.
    pub(crate) fn readings(
        &mut self,
        sensor: &SensorId,
        readings: Vec<Reading>,
    ) -> Result<(), StoreError> {
        if let Some((of, gathered)) = &mut self.gathered
            && of == sensor
            && gathered.len() + readings.len() <= Store::IMPORT_CHUNK
        {
            gathered.extend(readings);
            return Ok(());
        }
        self.flush()?;
        self.gathered = Some((sensor.clone(), readings));
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        if let Some((sensor, readings)) = self.gathered.take() {
            self.store.import_durably(&sensor, readings)?;
        }
        Ok(())
    }
}
