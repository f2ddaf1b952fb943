//! What can be read of a damaged store, as a new one; the rest by name.
//!
//! The damaged store stays as it is: its database is copied, and the copy is read, past all that can't be; blocks are read
//! where they are. Nothing is believed that is derived: summaries and the newest power are made anew of the readings.

mod copy;
mod log;
mod readings;
mod registered;
mod rows;
#[cfg(test)]
mod tests;
mod written;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, absolute};

use self::copy::Copy;
use self::written::Written;
use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::care::build::{Import, Site};
use crate::store::care::counts::StoreCounts;
use crate::store::engine::watch;
use crate::store::engine::{open, panics};
use crate::store::error::StoreError;
use crate::store::settings::StoreSettings;
use crate::store::state::trees::Trees;

/// What came of a damaged store.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Salvaged {
    /// What the new store holds.
    pub counts: StoreCounts,
    /// What of the damaged one it does not hold.
    pub lost: Vec<Lost>,
    /// What was made up in the place of something lost.
    pub mended: Vec<String>,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// What, and why, in a few words.
    pub what: String,
    /// The sensor that it concerns; it may be all of the store where there is none.
    pub sensor: Option<SensorId>,
    /// Where readings are missing: from when to when at most. The ends of [`TimeRange::ALL`] stand for ends not known.
    pub range: Option<TimeRange>,
    /// How many readings there were, where that is known.
    pub readings: Option<u64>,
}

/// Writes all that can be read of the store in `dir` into a new one in `new_dir`, which must be empty or missing. The
/// damaged one is not changed. `now` becomes the time of what is registered anew; `watch` is told how many readings were
/// read. Blocks.
///
/// # Errors
/// [`StoreError::Locked`] while another process has the store open, [`StoreError::NoStore`], [`StoreError::NotEmpty`],
/// [`StoreError::NewerFormat`], [`StoreError::Io`] where nothing can be read at all, too. There is no store in `new_dir`
/// then.
pub fn salvage(
    dir: &Path,
    new_dir: &Path,
    settings: StoreSettings,
    now: Timestamp,
    watch: impl FnMut(u64) + Send + 'static,
) -> Result<Salvaged, StoreError> {
    panics::note();
    let _hold = open::hold_unchanged(dir)?;
    check_apart(dir, new_dir)?;
    let site = Site::claim(new_dir)?;
    let mut report = Report::default();
    let mut copy = copy::open(dir, site.building(), &settings, &mut report)?;
    let config = copy.config.clone();
    watch::unless_stuck(&config, move || {
        let fill = |import: &mut Import<'_>| {
            let counts = fill(import, &mut copy, &mut report, now, Box::new(watch))?;
            // The store takes its place once nothing is left of the copy.
            drop(copy);
            Ok::<_, StoreError>((counts, report))
        };
        let ((counts, report), readings) = site.build(settings, fill, |_, _, _| true)?;
        Ok(Salvaged {
            counts: StoreCounts { readings, ..counts },
            lost: report.lost,
            mended: report.mended,
        })
    })
}

/// Checks that the new store would not lie in the folder of the damaged one.
fn check_apart(dir: &Path, new_dir: &Path) -> Result<(), StoreError> {
    let what = format!("salvaging into {}", new_dir.display());
    let failed = |error| StoreError::io(what.clone(), &error);
    let dir = fs::canonicalize(dir).map_err(failed)?;
    let new_dir = absolute(new_dir).map_err(failed)?;
    // What of it exists already tells where it is.
    let real = new_dir
        .ancestors()
        .find_map(|above| fs::canonicalize(above).ok());
    if real.is_some_and(|real| real.starts_with(&dir)) {
        return Err(StoreError::Io {
            what,
            cause: "it lies in the folder of the damaged store: name another".into(),
        });
    }
    Ok(())
}

/// Imports all that can be read of `copy`; gives the numbers of what is registered then.
fn fill(
    import: &mut Import<'_>,
    copy: &mut Copy,
    report: &mut Report,
    now: Timestamp,
    watch: Box<dyn FnMut(u64)>,
) -> Result<StoreCounts, StoreError> {
    let commits = std::mem::take(&mut copy.commits);
    let mut rescue = Rescue {
        trees: &copy.trees,
        written: Written::of(&copy.trees.sealed.volumes),
        import,
        report,
        removed: BTreeSet::new(),
        now,
        rescued: 0,
        watch,
    };
    rescue.registered()?;
    rescue.blocks()?;
    rescue.hot_rows()?;
    rescue.journalled(commits)?;
    Ok(StoreCounts::registered(&rescue.import.store.registry()))
}

/// A rescue under way, from the trees of a damaged store into a new one.
struct Rescue<'a, 'b> {
    trees: &'a Trees,
    written: Written,
    import: &'a mut Import<'b>,
    report: &'a mut Report,
    /// Sensors whose removal was cut short.
    removed: BTreeSet<SensorId>,
    now: Timestamp,
    /// How many readings were read.
    rescued: u64,
    watch: Box<dyn FnMut(u64)>,
}

/// What there is to tell.
#[derive(Default)]
struct Report {
    lost: Vec<Lost>,
    mended: Vec<String>,
}

impl Report {
    fn add(&mut self, lost: Lost) {
        self.lost.push(lost);
    }

    /// Something that concerns all of the store.
    fn lose(&mut self, what: String) {
        self.add(Lost {
            what,
            sensor: None,
            range: None,
            readings: None,
        });
    }

    /// Something of a sensor other than readings.
    fn lose_of(&mut self, sensor: &SensorId, what: String) {
        self.add(Lost {
            what,
            sensor: Some(sensor.clone()),
            range: None,
            readings: None,
        });
    }
}
