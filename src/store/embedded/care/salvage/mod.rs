//! Salvage: copies the readable part of a damaged store into a new one, repairs that as a start
//! would, and lists the losses. The damaged store is not changed.
//!
//! | file | content |
//! | --- | --- |
//! | `report` | the losses |
//! | `readable` | copying past unreadable sectors |
//! | `copy` | the copy, opened even if a start would refuse it |
//! | `mend` | unreadable blocks, and data of unknown accounts |

mod copy;
mod mend;
mod readable;
mod report;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, absolute};
use std::sync::Arc;

pub use self::report::{Lost, Salvaged};
use crate::domain::Timestamp;
use crate::store::backend::Backend;
use crate::store::embedded::care::build::Site;
use crate::store::embedded::disk::{DataDirHold, open, replace};
use crate::store::error::StoreError;
use crate::store::handle::Store;
use crate::store::handle::counts::StoreCounts;
use crate::store::settings::StoreSettings;

/// Writes the readable part of the store in `dir` into a new one in `new_dir`, which must be empty
/// or missing. Does not change the damaged store. Records that are created again get `now` as their
/// time of creation. Calls `watch` with the number of readings checked so far. Blocks.
///
/// # Errors
/// [`StoreError::Locked`] while another process has the store open, [`StoreError::NoStore`],
/// [`StoreError::NotEmpty`], [`StoreError::OlderFormat`], [`StoreError::NewerFormat`];
/// [`StoreError::Io`], also if nothing can be read at all. After an error there is no store in
/// `new_dir`.
pub fn salvage(
    dir: &Path,
    new_dir: &Path,
    settings: StoreSettings,
    now: Timestamp,
    watch: impl FnMut(u64) + Send + 'static,
) -> Result<Salvaged, StoreError> {
    // First whether there is a store, and whether it is free.
    drop(open::hold_unchanged(dir)?);
    check_apart(dir, new_dir)?;
    salvage_into(dir, new_dir, (settings, now), watch)
}

/// Salvages the store in `dir` in its place. The damaged one stays, in a folder of its own inside
/// `dir`: [`replace::replaced_stores`] lists it.
///
/// # Errors
/// As [`salvage`]. After an error the store is as it was.
pub fn salvage_in_place(
    dir: &Path,
    settings: StoreSettings,
    now: Timestamp,
    watch: impl FnMut(u64) + Send + 'static,
) -> Result<Salvaged, StoreError> {
    let place = replace::new_place(dir)?;
    let salvaged = salvage_into(dir, &place, (settings, now), watch)?;
    let _hold = DataDirHold::take(dir)?;
    replace::commit(dir, now)?;
    Ok(salvaged)
}

fn salvage_into(
    dir: &Path,
    new_dir: &Path,
    (settings, now): (StoreSettings, Timestamp),
    mut watch: impl FnMut(u64) + Send + 'static,
) -> Result<Salvaged, StoreError> {
    let _hold = open::hold_unchanged(dir)?;
    let site = Site::claim(new_dir)?;
    let mut report = Salvaged::default();
    let embedded = copy::open(dir, site.building(), settings, &mut report)?;
    let store = Store::over(Arc::clone(&embedded) as Arc<dyn Backend>);
    mend::mend(&store, &embedded.shared, now, &mut report, &mut watch)?;
    embedded.mend_newest_powers()?;
    drop(embedded);
    let found = store.check();
    // Access may be suspended: that is noted, and reported, until somebody confirms it.
    let noted = store.damage();
    let mut problems = found.problems.iter();
    if let Some(problem) = problems.find(|problem| !noted.contains(&problem.what)) {
        return Err(StoreError::Io {
            what: format!("checking the new store in {}", new_dir.display()),
            cause: format!("it is damaged: {}", problem.what),
        });
    }
    report.counts = StoreCounts {
        readings: found.readings,
        ..StoreCounts::registered(&store.registry())
    };
    watch(found.readings);
    site.finish(store)?;
    Ok(report)
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
            cause: "it is inside the folder of the damaged store: choose another".into(),
        });
    }
    Ok(())
}
