//! Backups to verify, and a store that is worth one.

use std::fmt::Write as _;
use std::path::Path;

use wattkeeper::{OpenMode, StoreSettings, restore};

use crate::chance::Chance;
use crate::load::BEGIN_MS;
use crate::service::{Place, SENSORS, open, readings, scratch};
use crate::truth::Truth;

/// Gives the last sensor a history that takes a while to back up.
pub(crate) fn fill(place: &Place, truth: &Truth, count: u32, chance: &mut Chance) {
    let readings: Vec<(i64, f64)> = (0..count)
        .map(|n| {
            let noise = u32::try_from(chance.below(1 << 30)).unwrap();
            (BEGIN_MS + i64::from(n) * 1_000, f64::from(noise) / 1_000.0)
        })
        .collect();
    let mut table = String::from("time,watts\n");
    for (time, watts) in &readings {
        writeln!(table, "{time},{watts}").unwrap();
    }
    let ticket = truth.importing(SENSORS[3], &readings);
    let arguments = ["import", "-", "--sensor", SENSORS[3]];
    place.run(&arguments, table.as_bytes()).unwrap();
    truth.acknowledged(&ticket, 0);
}

/// The problems of a backup begun after `records`: it cannot be restored, or readings are missing.
pub(crate) fn breaches(copy: &Path, truth: &Truth, records: u64) -> Vec<String> {
    let dir = scratch();
    if let Err(error) = restore(copy, dir.path(), StoreSettings::default(), |_| {}) {
        return vec![format!("{}: {error}", copy.display())];
    }
    let store = open(dir.path(), OpenMode::Existing).unwrap();
    let mut breaches = truth.breaches_of_copy(records, |sensor| readings(&store, sensor));
    let problems = store.check().problems.into_iter();
    breaches.extend(problems.map(|problem| problem.what));
    store.close().unwrap();
    breaches
}

/// Whether this is the name of an unfinished backup.
pub(crate) fn is_unfinished(name: &str) -> bool {
    name.starts_with('.') && name.strip_suffix(".part").is_some()
}
