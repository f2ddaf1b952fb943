//! History in bulk: straight into blocks.

use std::sync::atomic::Ordering;

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::blocks::{Tail, Turnover};
use crate::store::engine::locks::{read, write};
use crate::store::engine::{WriteBatch, keys};
use crate::store::error::StoreError;
use crate::store::rows::{Activity, activity, hot};
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

    let mut batch = WriteBatch::default();
    let mut rows = Vec::with_capacity(count);
    // Most often there is none: one look spares one for each reading.
    let has_hot_rows = shared
        .trees
        .hot
        .range(sensor, TimeRange::ALL)
        .next()
        .is_some();
    for reading in readings {
        let hot_row = if has_hot_rows {
            shared.trees.hot.get(sensor, reading.time)?
        } else {
            None
        };
        match hot_row {
            Some(older) => {
                activity = activity.with_reading(&reading);
                let value = hot::encode(older.overlaid_by(reading.measures));
                let hot_rows = batch.of(&shared.trees.hot.tree);
                hot_rows.insert(keys::key(sensor, reading.time), value);
            }
            None => rows.push(reading),
        }
    }
    // Each transaction updates the newest power to what it stores, so an import that is cut short leaves the right one.
    activity::put(batch.of(&shared.trees.activity), [(sensor, &activity)])?;
    db.apply("storing history", &batch)?;
    write(&shared.activity).extend([(sensor.clone(), activity)].into());
    let mut rest = rows.as_slice();
    while !rest.is_empty() {
        let mut turnover = Turnover::default();
        let used = add_step(&shared, sensor, rest, Tail::Seal, &mut turnover)?.used;
        // A step uses at least one row; if it did not, this must not go on for ever.
        let (stored, left) = rest.split_at_checked(used.max(1)).unwrap_or((rest, &[]));
        activity = stored.iter().fold(activity, Activity::with_reading);
        let mut batch = WriteBatch::default();
        activity::put(batch.of(&shared.trees.activity), [(sensor, &activity)])?;
        db.turn_over(turnover, batch)?;
        write(&shared.activity).extend([(sensor.clone(), activity)].into());
        rest = left;
    }
    db.sync()?;
    shared.history_edits.fetch_add(1, Ordering::Release);
    Ok(count)
}
