//! Building a store from a backup or from a damaged store.
//!
//! The store is built in a folder inside the data dir, and moved into place once it is complete,
//! synced and checked. After an interruption there is no store yet, and the build can be repeated.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::store::embedded::disk::DataDirHold;
use crate::store::embedded::disk::open::hold;
use crate::store::embedded::disk::sync;
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::handle::import::{StoreImport, filled};
use crate::store::settings::{OpenMode, StoreSettings};

/// The folder inside the data dir in which a store is built.
const BUILDING: &str = "restoring";
/// Remains of an interrupted build. A data dir with nothing else counts as empty.
const NOTHING: [&str; 2] = [BUILDING, "lock"];

/// The parts of a closed store. The facts come last: they make it a store, and nothing of it may be
/// missing then.
const PARTS: [&str; 3] = ["blocks", "log", FACTS];
const FACTS: &str = "facts";

/// A locked data dir without a store yet. Dropping it removes the remains of the build.
pub(crate) struct Site {
    dir: PathBuf,
    building: PathBuf,
    _hold: DataDirHold,
}

impl Site {
    /// Locks `dir`, which must be empty or missing.
    pub(crate) fn claim(dir: &Path) -> Result<Self, StoreError> {
        check_empty(dir)?;
        // After the first check: a refused folder must not get a lock file.
        let hold = hold(dir, OpenMode::CreateIfMissing)?;
        // Again, now that no other process can change it.
        check_empty(dir)?;
        let site = Self {
            dir: dir.to_owned(),
            building: dir.join(BUILDING),
            _hold: hold,
        };
        // The remains of an interrupted build must not mix with this one.
        site.clear()?;
        Ok(site)
    }

    /// Removes the remains of a build. Parts that were moved into place without the facts go first:
    /// `check_empty` ignores them only beside the folder of the build.
    fn clear(&self) -> Result<(), StoreError> {
        // With the facts in place the store is complete: the rest must stay.
        if !self.dir.join(FACTS).exists() && self.building.exists() {
            for part in PARTS {
                remove(&self.dir.join(part))?;
            }
        }
        remove(&self.building)
    }

    /// The folder of the build, which is removed in the end.
    pub(crate) fn building(&self) -> &Path {
        &self.building
    }

    /// Builds a store from the imports of `fill`, checks it, and moves it into place. Returns the
    /// result of `fill` and the number of readings found. `is_all` decides whether the store is
    /// complete.
    pub(crate) fn build<T, E: From<StoreError>>(
        self,
        settings: StoreSettings,
        fill: impl FnOnce(&mut StoreImport<'_>) -> Result<T, E>,
        is_all: impl FnOnce(&T, &Store, u64) -> bool,
    ) -> Result<(T, u64), E> {
        let store = Store::open(&self.building, settings, OpenMode::CreateIfMissing)?;
        let filled = filled(&store, &self.dir.display(), fill, is_all)?;
        self.finish(store)?;
        Ok(filled)
    }

    /// Closes a store that was built, and moves it into place.
    pub(crate) fn finish(self, store: Store) -> Result<(), StoreError> {
        // Empties the journal, which is not moved.
        store.close()?;
        drop(store);
        self.move_in()
    }

    /// Moves the finished store into place.
    fn move_in(&self) -> Result<(), StoreError> {
        let move_in = || {
            for part in PARTS {
                // The journal is not moved: the store was closed, so the first start creates a new
                // one.
                fs::rename(self.building.join(part), self.dir.join(part))?;
                // Synced one by one: after a power cut, the facts must not be in place without the
                // rest.
                sync::folder(&self.dir)?;
            }
            Ok(())
        };
        move_in().map_err(|error: io::Error| {
            // After a reported failure there must be no store. If the facts are not in place, this
            // changes nothing.
            let _ = fs::rename(self.dir.join(FACTS), self.building.join(FACTS));
            StoreError::io(format!("finishing {}", self.dir.display()), &error)
        })
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Harmless: beside a whole store the remains only take space, and the next build removes
        // those without a store.
        if let Err(error) = self.clear() {
            log::warn!("cannot remove the remains of building the store: {error}");
        }
    }
}

/// Checks that `dir` is missing, or contains only remains of an interrupted build.
pub(crate) fn check_empty(dir: &Path) -> Result<(), StoreError> {
    let failed = |error| StoreError::io(format!("reading {}", dir.display()), &error);
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        listed => listed.map_err(failed)?,
    };
    // If a build was interrupted while moving in, a part of it is already in place.
    let is_built = dir.join(BUILDING).exists();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let is_moved = is_built && PARTS.iter().any(|part| name == **part);
        if !is_moved && !NOTHING.iter().any(|nothing| name == **nothing) {
            return Err(StoreError::NotEmpty {
                dir: dir.to_owned(),
                holds: name.to_string_lossy().into_owned(),
            });
        }
    }
    Ok(())
}

/// Removes a folder and its content, if it exists.
pub(crate) fn remove(dir: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::io(
            format!("removing {}", dir.display()),
            &error,
        )),
        _ => Ok(()),
    }
}
