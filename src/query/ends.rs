//! The first and the newest readings of sensors, from a handful of keys or from memory.

use super::point::Point;
use crate::domain::{Sensor, SensorId, TimeRange, Timestamp};
use crate::store::{Measure, Piece, Store, StoreError};

/// The newest value of a sensor's measure at or before `end`, in watts or watt-hours; `None` if there is none. Blocks on the
/// disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn newest(
    store: &Store,
    sensor: &SensorId,
    measure: Measure,
    end: Timestamp,
) -> Result<Option<Point>, StoreError> {
    Ok(match measure {
        Measure::Watts => store.power_at(sensor, end)?.map(|power| Point {
            time: power.time,
            value: power.watts,
        }),
        Measure::Watthours => store.register_at(sensor, end)?.map(|register| Point {
            time: register.time,
            value: register.watthours,
        }),
    })
}

/// The newest power of a sensor, if something was uploaded in the last two hours. From memory: it does not block.
pub(super) fn latest_power(store: &Store, sensor: &SensorId, now: Timestamp) -> Option<Point> {
    let activity = store.activity(sensor)?;
    let power = activity.newest_power?;
    // Imported readings are no arrivals: history must not look like the present.
    let is_recent = activity.arrivals?.recent(now);
    is_recent.then_some(Point {
        time: power.time,
        value: power.watts,
    })
}

/// The time of the first reading of any of `sensors`. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn first_reading(store: &Store, sensors: &[Sensor]) -> Result<Option<Timestamp>, StoreError> {
    let mut first: Option<Timestamp> = None;
    for sensor in sensors {
        // A sensor may have one of the measures only.
        for measure in [Measure::Watts, Measure::Watthours] {
            let mut digest = store.digest(&sensor.id, measure, TimeRange::ALL);
            // Totals suffice, as they have their first time: so the first of all blocks is not unpacked.
            let time = match digest.next_piece(|_| true)? {
                Some(Piece::Run(run)) => Some(run.first),
                Some(Piece::Values(values)) => values.times.first().copied(),
                None => None,
            };
            first = first.into_iter().chain(time).min();
        }
    }
    Ok(first)
}
