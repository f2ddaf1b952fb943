//! History in bulk: straight into blocks.

use std::sync::atomic::Ordering;

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::blocks::{Tail, Turnover};
use crate::store::engine::WriteBatch;
use crate::store::error::StoreError;
use crate::store::records::locks::read;
use crate::store::rows::{Activity, HotEdit, RowsEdit};
use crate::store::writer::database::Database;
use crate::store::writer::register;
use crate::store::writer::step::add_step;

/// Writes history into blocks. A hot row at the same time would win over them, so it is updated instead. Returns the number
/// of readings.
pub(crate) fn import(
    db: &mut Database,
    sensor: &SensorId,
    mut readings: Vec<Reading>,
) -> Result<usize, StoreError> {
    let shared = db.shared();
    register::check_sensor(&shared, sensor)?;
    let count = readings.len();
    readings.sort_by_key(|reading| reading.time);
    // Of one time, later ones in the list win, measure by measure: the sort keeps their order.
    readings.dedup_by(|newer, older| {
        let is_same_time = newer.time == older.time;
        if is_same_time {
            older.measures = older.measures.overlaid_by(newer.measures);
        }
        is_same_time
    });
    let known = read(&shared.activity).get(sensor);
    let mut activity = known.unwrap_or_default();

    // No row is young or frozen: all uploads of the sensor are in the database by now.
    let mut hot_rows = shared.trees.hot.range(sensor, TimeRange::ALL);
    let mut rows = Vec::with_capacity(count);
    for reading in readings {
        let found = hot_rows.binary_search_by_key(&reading.time, |row| row.time);
        match found.ok().and_then(|place| hot_rows.get_mut(place)) {
            Some(row) => {
                activity = activity.with_reading(&reading);
                row.measures = row.measures.overlaid_by(reading.measures);
            }
            None => rows.push(reading),
        }
    }
    let edit = HotEdit {
        sensor: sensor.clone(),
        // Also if none was changed: the database may have rows that were sealed, at times that are imported into blocks.
        rows: RowsEdit::Replaced(hot_rows),
        // Each transaction updates the newest power to what it stores, so an import that is cut short leaves the right one.
        activity: known.map(|_| activity),
    };
    db.turn_over(Turnover::default(), vec![edit], WriteBatch::default())?;
    let mut rest = rows.as_slice();
    while !rest.is_empty() {
        let mut turnover = Turnover::default();
        let used = add_step(&shared, sensor, rest, Tail::Seal, &mut turnover)?.used;
        // A step uses at least one row; if it did not, this must not go on for ever.
        let (stored, left) = rest.split_at_checked(used.max(1)).unwrap_or((rest, &[]));
        activity = stored.iter().fold(activity, Activity::with_reading);
        let edit = HotEdit {
            sensor: sensor.clone(),
            rows: RowsEdit::Kept,
            activity: Some(activity),
        };
        db.turn_over(turnover, vec![edit], WriteBatch::default())?;
        rest = left;
    }
    db.sync()?;
    shared.history_edits.fetch_add(1, Ordering::Release);
    Ok(count)
}
