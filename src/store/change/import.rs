//! History in bulk: straight into blocks.

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::blocks::{Tail, seal};
use crate::store::error::StoreError;
use crate::store::home::{ReadingsChange, ReadingsWriter, SensorTurn};
use crate::store::records::Order;
use crate::store::rows::Activity;

/// Writes history into the blocks of `sensor`. A row at the same time would win over them, so it is updated instead. Returns the
/// number of readings once they are durable.
///
/// # Errors
/// As [`ReadingsWriter::change`]. A part may have been stored then.
pub(crate) fn import(
    home: &dyn ReadingsWriter,
    sensor: &SensorId,
    readings: Vec<Reading>,
) -> Result<usize, StoreError> {
    let job = move |stored: &mut dyn ReadingsChange| import_into(stored, readings);
    home.change(sensor, Box::new(job))
}

fn import_into(
    stored: &mut dyn ReadingsChange,
    mut readings: Vec<Reading>,
) -> Result<usize, StoreError> {
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
    let known = stored.activity()?;
    let mut activity = known.unwrap_or_default();

    let mut hot_rows = stored
        .view()
        .rows(TimeRange::ALL, None, Order::Ascending, usize::MAX)?;
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
    stored.turn_over(SensorTurn {
        // Also if none was changed: a home may have rows that were sealed, at times that are imported into blocks.
        rows: Some(hot_rows),
        // Each turn updates the newest power to what it stores, so an import that is cut short leaves the right one.
        activity: known.map(|_| activity),
        ..SensorTurn::default()
    })?;
    let mut rest = rows.as_slice();
    while !rest.is_empty() {
        let step = seal::step(&*stored.view(), rest, Tail::Seal, stored.block_readings())?;
        // A step uses at least one row; if it did not, this must not go on for ever.
        let (used, left) = rest
            .split_at_checked(step.used.max(1))
            .unwrap_or((rest, &[]));
        activity = used.iter().fold(activity, Activity::with_reading);
        stored.turn_over(SensorTurn {
            removed: step.replaced,
            packs: step.packs,
            rows: None,
            activity: Some(activity),
        })?;
        rest = left;
    }
    Ok(count)
}
