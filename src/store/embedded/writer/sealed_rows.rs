//! Rows that a start finds in blocks already.

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::blocks::{BlockSource as _, Finder};
use crate::store::embedded::rows::Commit;
use crate::store::embedded::rows::commit::CommittedSensor;
use crate::store::embedded::writer::database::Database;
use crate::store::error::StoreError;

/// Those of `rows` (ascending) whose measures are in a block. Rows over an unreadable block do not
/// count as sealed: the other readings must be served nevertheless.
pub(super) fn of(
    db: &Database,
    sensor: &SensorId,
    rows: &[Reading],
) -> Result<Vec<Reading>, StoreError> {
    let shared = db.shared();
    let sealed = shared.sealed.of(sensor);
    let end = sealed.last()?.map(|block| block.last);
    let (mut finder, mut found, mut unreadable) = (Finder::default(), Vec::new(), None);
    // Most rows are newer than all blocks.
    for row in rows.iter().take_while(|row| end >= Some(row.time)) {
        match finder.has(&sealed, row) {
            Ok(true) => found.push(*row),
            Ok(false) => {}
            Err(error) if error.is_unreadable() => drop(unreadable.get_or_insert(error)),
            Err(error) => return Err(error),
        }
    }
    if let Some(error) = unreadable {
        log::error!(
            "new readings of sensor {sensor:?} cover older ones that cannot be read: {error}"
        );
    }
    Ok(found)
}

/// Drops settled rows that are in blocks from memory: a damaged log may lack the records of their
/// removal.
pub(super) fn drop_sealed(db: &Database) -> Result<(), StoreError> {
    let shared = db.shared();
    let sensors = shared.hot.held().with_rows();
    for sensor in &sensors {
        let rows = shared
            .hot
            .held()
            .sealable(sensor, TimeRange::ALL, usize::MAX);
        for row in of(db, sensor, &rows)? {
            let mut hot = shared.hot.change();
            let place = hot.place(sensor);
            hot.change_settled(place, Some(TimeRange::at(row.time)), &[]);
        }
    }
    Ok(())
}

/// The commits of the journal to replay, each with the durable end of the log at that time. A
/// damaged log does not tell which commits it contained. So this omits rows under a newer block,
/// which has newer values.
pub(super) fn commits_to_replay(
    db: &Database,
    commits: Vec<(u64, Commit)>,
    is_log_damaged: bool,
) -> Result<Vec<Commit>, StoreError> {
    let commits = commits.into_iter().map(|(durable, commit)| {
        if is_log_damaged {
            left_of(db, durable, &commit)
        } else {
            Ok(commit)
        }
    });
    commits.collect()
}

/// A commit without the rows under a block that is newer than this position of the log.
fn left_of(db: &Database, durable: u64, commit: &Commit) -> Result<Commit, StoreError> {
    let shared = db.shared();
    let mut left = Commit::with_capacity(0);
    for (sensor, CommittedSensor { rows, activity }) in commit.iter() {
        let sealed = shared.sealed.of(sensor);
        let mut finder = Finder::default();
        let mut kept = Vec::with_capacity(rows.len());
        for row in rows {
            let is_later = match sealed.number_at(row.time)? {
                Some(number) if number > durable => match finder.at(&sealed, row.time) {
                    Err(error) if error.is_unreadable() => false,
                    found => found?.is_some(),
                },
                _ => false,
            };
            if !is_later {
                kept.push(*row);
            }
        }
        left.add(sensor.clone(), kept, *activity);
    }
    Ok(left)
}
