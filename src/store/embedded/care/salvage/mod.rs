//! Salvage: writes what can be read of a damaged store into a new one, and lists the rest. Repairs nothing in place.
//!
//! The damaged store is not changed: sled reads a copy of the database, past what is unreadable; blocks are read where they
//! are. Derived data is not trusted: summaries and the newest power are recomputed from the readings.
//!
//! | file | content |
//! | --- | --- |
//! | `report` | what is lost |
//! | `readable` | copying past unreadable sectors |
//! | `log` | the repair of sled's log in the copy |
//! | `copy` | the copy of the database, opened |
//! | `rows` | rows of a tree past unreadable pages |
//! | `volume_index` | the newest record of each block in the volumes |
//! | `rescue`, `registered`, `people`, `prices`, `readings` | the transfer: of the registry, of people, of prices, of readings |

mod copy;
mod log;
mod people;
mod prices;
mod readable;
mod readings;
mod registered;
mod report;
mod rescue;
mod rows;
#[cfg(test)]
mod tests;
mod volume_index;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, absolute};
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread;

use self::copy::StoreCopy;
pub use self::report::{Lost, Salvaged};
use self::rescue::Rescue;
use self::volume_index::VolumeIndex;
use crate::domain::Timestamp;
use crate::store::embedded::care::build::Site;
use crate::store::embedded::engine::watch::{self, NEEDS_NO_WRITE, Progress};
use crate::store::embedded::engine::{open, panics};
use crate::store::error::StoreError;
use crate::store::handle::counts::StoreCounts;
use crate::store::handle::import::StoreImport;
use crate::store::settings::StoreSettings;

/// Writes all that can be read of the store in `dir` into a new one in `new_dir`, which must be empty or missing. Does not
/// change the damaged store. Whatever is registered anew gets `now` as its time of creation. Calls `watch` with the number
/// of readings rescued so far. Blocks.
///
/// # Errors
/// [`StoreError::Locked`] while another process has the store open, [`StoreError::NoStore`], [`StoreError::NotEmpty`],
/// [`StoreError::NewerFormat`]; [`StoreError::Io`], also if nothing can be read at all. There is then no store in `new_dir`.
pub fn salvage(
    dir: &Path,
    new_dir: &Path,
    settings: StoreSettings,
    now: Timestamp,
    mut watch: impl FnMut(u64) + Send + 'static,
) -> Result<Salvaged, StoreError> {
    panics::note();
    let _hold = open::hold_unchanged(dir)?;
    check_apart(dir, new_dir)?;
    let site = Site::claim(new_dir)?;
    let (mut copy, mut report) = copy::open(dir, site.building(), &settings)?;
    let config = copy.config.clone();
    let progress = Progress::default();
    let own = Arc::clone(&progress);
    watch::while_moving(&config, panics::noted(), &progress, move || {
        let fill = |import: &mut StoreImport<'_>| {
            let rescued = Arc::clone(&own);
            let watch = Box::new(move |readings| {
                rescued.store(readings, Ordering::Release);
                watch(readings);
            });
            let registered = fill(import, &mut copy, &mut report, now, watch)?;
            own.store(NEEDS_NO_WRITE, Ordering::Release);
            // Before the new store is moved into place and the copy removed.
            close(copy);
            Ok::<_, StoreError>(registered)
        };
        let (registered, readings) = site.build(settings, fill, |_, _, _| true)?;
        report.counts = StoreCounts {
            readings,
            ..registered
        };
        Ok(report)
    })
}

/// Closes the copy. sled writes once more, which may never end in a damaged one; nothing depends on it.
fn close(copy: StoreCopy) {
    let (sender, receiver) = mpsc::channel::<()>();
    let closing = move || {
        drop(copy);
        drop(sender);
    };
    if thread::Builder::new().spawn(closing).is_ok() {
        // An error in any case: nothing is sent.
        let _ = receiver.recv_timeout(watch::GRACE);
    }
}

/// Checks that `new_dir` is not inside `dir`.
fn check_apart(dir: &Path, new_dir: &Path) -> Result<(), StoreError> {
    let what = format!("salvaging into {}", new_dir.display());
    let failed = |error| StoreError::io(what.clone(), &error);
    let dir = fs::canonicalize(dir).map_err(failed)?;
    let new_dir = absolute(new_dir).map_err(failed)?;
    // `new_dir` need not exist yet: resolve its nearest existing ancestor.
    let real = new_dir
        .ancestors()
        .find_map(|above| fs::canonicalize(above).ok());
    if real.is_some_and(|real| real.starts_with(&dir)) {
        return Err(StoreError::Io {
            what,
            cause: "it lies in the folder of the damaged store: choose another".into(),
        });
    }
    Ok(())
}

/// Imports all that can be read of `copy`; returns what is then registered.
fn fill(
    import: &mut StoreImport<'_>,
    copy: &mut StoreCopy,
    report: &mut Salvaged,
    now: Timestamp,
    watch: Box<dyn FnMut(u64)>,
) -> Result<StoreCounts, StoreError> {
    let commits = std::mem::take(&mut copy.commits);
    let mut rescue = Rescue {
        trees: &copy.trees,
        volume_index: VolumeIndex::of(&copy.trees.sealed.volumes),
        import,
        report,
        removed: BTreeSet::new(),
        now,
        rescued: 0,
        watch,
    };
    // First, because readings need their sensors. Then from the oldest to the newest: later readings win.
    rescue.registered()?;
    rescue.blocks()?;
    rescue.hot_rows()?;
    rescue.journalled(commits)?;
    Ok(StoreCounts::registered(&rescue.import.store.registry()))
}
