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

/// The first `max` resets of a counter in `range`, without its start. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn resets(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
    max: usize,
) -> Result<Vec<Reset>, StoreError> {
    let mut resets = Vec::new();
    let Some(within) = range.after_start() else {
        return Ok(resets);
    };
    let at_start = store.register_at(sensor, range.start())?;
    let mut newest = at_start.map(|register| register.watthours);
    let mut digest = store.digest(sensor, Measure::Watthours, within);
    while let Some(piece) = digest.next_piece(|run| ends_without_fall(run).is_some())? {
        let points = match piece {
            Piece::Values(values) => Point::each(values).collect(),
            Piece::Run(run) => {
                let Some((first, last)) = ends_without_fall(&run) else {
                    continue;
                };
                // A run knows its own falls only: the fall from the run before to this one is found here.
                if newest.is_none_or(|before| before <= first) {
                    newest = Some(last);
                    continue;
                }
                // The counter fell at the run's first register, and a run does not say when that was.
                registers_in(store, sensor, &run)?
            }
        };
        for Point { time, value: after } in points {
            let before = newest.replace(after).filter(|before| after < *before);
            resets.extend(before.map(|before| Reset {
                time,
                before,
                after,
            }));
        }
        // After a piece, which may have more resets than are wanted.
        if resets.len() >= max {
            resets.truncate(max);
            break;
        }
    }
    Ok(resets)
}

/// The first and the last register of a run, if it is known to have no falls.
fn ends_without_fall(run: &Run) -> Option<(f64, f64)> {
    match run.totals {
        Totals::Registers {
            first,
            last,
            falls: Some(falls),
        } if falls.count == 0 => Some((first, last.unwrap_or(first))),
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
