//! Changes of many given readings, in slices between which others commit.

use std::sync::mpsc;

use crate::domain::{Reading, SensorId};
use crate::store::backend::{ReadingsChange, ReadingsWriter};
use crate::store::error::StoreError;

/// The maximum number of rows that are read at once.
pub(super) const ROWS_AT_ONCE: usize = 4_096;

/// Uses some of the readings, which are in order. Returns how many it changed, and those that are
/// left.
pub(super) type Slice =
    fn(&mut dyn ReadingsChange, Vec<Reading>) -> Result<(usize, Vec<Reading>), StoreError>;

/// Makes a change of its own of each slice of `readings`, and returns how many they changed.
pub(super) fn in_slices(
    backend: &dyn ReadingsWriter,
    sensor: &SensorId,
    readings: Vec<Reading>,
    slice: Slice,
) -> Result<usize, StoreError> {
    let mut rest = in_order(readings);
    let mut count = 0;
    // Also without readings: the sensor must be registered.
    loop {
        let (answer, answered) = mpsc::channel();
        let job = move |stored: &mut dyn ReadingsChange| {
            let (changed, left) = slice(stored, rest)?;
            drop(answer.send(left));
            Ok(changed)
        };
        count += backend.change(sensor, Box::new(job))?;
        rest = answered.recv().map_err(|_| StoreError::Closed)?;
        if rest.is_empty() {
            return Ok(count);
        }
    }
}

/// Sorts `readings` by time, and merges those at the same time.
fn in_order(mut readings: Vec<Reading>) -> Vec<Reading> {
    readings.sort_by_key(|reading| reading.time);
    // At the same time, later ones in the list win, measure by measure: the sort keeps their order.
    readings.dedup_by(|newer, older| {
        let is_same_time = newer.time == older.time;
        if is_same_time {
            older.measures = older.measures.overlaid_by(newer.measures);
        }
        is_same_time
    });
    readings
}
