//! When a counter was reset: each fall of its register.

use super::point::{Point, next_points};
use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::{Measure, Piece, Run, Store, StoreError, Totals};

/// A counter's fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reset {
    /// The time of the first register after it.
    pub time: Timestamp,
    /// The last register before it, in watt-hours.
    pub before: f64,
    /// The first register after it, in watt-hours.
    pub after: f64,
}

/// The resets of counters in a range.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resets {
    /// The first of them.
    pub first: Vec<Reset>,
    /// How many there are.
    pub count: u64,
}

/// The resets of a counter in `range`, without its start: all are counted, and the first `max` listed. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn resets(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
    max: usize,
) -> Result<Resets, StoreError> {
    let mut found = Resets::default();
    let Some(within) = range.after_start() else {
        return Ok(found);
    };
    let at_start = store.register_at(sensor, range.start())?;
    let mut newest = at_start.map(|register| register.watthours);
    let mut digest = store.digest(sensor, Measure::Watthours, within);
    loop {
        // From here on, the number of a run's falls is enough: no block is unpacked for their times.
        let is_full = found.first.len() >= max;
        let totals = |run: &Run| falls_of(run).filter(|(_, falls, _)| is_full || *falls == 0);
        let Some(piece) = digest.next_piece(|run| totals(run).is_some())? else {
            return Ok(found);
        };
        let points = match piece {
            Piece::Values(values) => Point::each(values).collect(),
            Piece::Run(run) => {
                let Some((first, falls, last)) = totals(&run) else {
                    continue;
                };
                // A run knows its own falls only: the fall from the run before to this one is found here.
                let falls_to_it = newest.is_some_and(|before| first < before);
                if is_full || !falls_to_it {
                    found.count += u64::from(falls) + u64::from(falls_to_it);
                    newest = Some(last);
                    continue;
                }
                // The counter fell at the run's first register, and a run does not say when that was.
                registers_in(store, sensor, &run)?
            }
        };
        for Point { time, value: after } in points {
            let Some(before) = newest.replace(after).filter(|before| after < *before) else {
                continue;
            };
            found.count += 1;
            if found.first.len() < max {
                found.first.push(Reset {
                    time,
                    before,
                    after,
                });
            }
        }
    }
}

/// The first register of a run, the number of its falls, if that is known, and the last register.
fn falls_of(run: &Run) -> Option<(f64, u32, f64)> {
    match run.totals {
        Totals::Registers {
            run,
            falls: Some(falls),
        } => Some((run.first.watthours, falls.count, run.last.watthours)),
        _ => None,
    }
}

/// All registers of a run, which is at most as long as a block.
fn registers_in(store: &Store, sensor: &SensorId, run: &Run) -> Result<Vec<Point>, StoreError> {
    let mut all = Vec::new();
    let range = TimeRange::new(run.first, run.last).unwrap_or(TimeRange::at(run.first));
    let mut digest = store.digest(sensor, Measure::Watthours, range);
    while let Some(points) = next_points(&mut digest)? {
        all.extend(points);
    }
    Ok(all)
}
