//! The first and the newest readings of sensors, from a handful of keys.

use super::point::{Point, next_points};
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

/// The newest power of a sensor, if something was uploaded in the last two hours. Blocks on the disk.
pub(super) fn latest_power(
    store: &Store,
    sensor: &SensorId,
    now: Timestamp,
) -> Result<Option<Point>, StoreError> {
    let activity = store.activity(sensor)?.unwrap_or_default();
    // Imported readings are no arrivals: history must not look like the present.
    let is_recent = activity.arrivals.is_some_and(|it| it.recent(now));
    let power = activity.newest_power.filter(|_| is_recent);
    Ok(power.map(|power| Point {
        time: power.time,
        value: power.watts,
    }))
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
            let time = first_of(store, &sensor.id, measure)?;
            first = first.into_iter().chain(time).min();
        }
    }
    Ok(first)
}

/// The time of the first reading that the ledger counts: of the first register, or of the first power if there is none. Blocks on the
/// disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn first_counted(store: &Store, sensor: &SensorId) -> Result<Option<Timestamp>, StoreError> {
    match store.first_register(sensor)? {
        Some(register) => Ok(Some(register.time)),
        None => first_of(store, sensor, Measure::Watts),
    }
}

fn first_of(
    store: &Store,
    sensor: &SensorId,
    measure: Measure,
) -> Result<Option<Timestamp>, StoreError> {
    first_in(store, sensor, measure, TimeRange::ALL)
}

/// The time of the first reading in a range. Blocks on the disk.
pub(super) fn first_in(
    store: &Store,
    sensor: &SensorId,
    measure: Measure,
    range: TimeRange,
) -> Result<Option<Timestamp>, StoreError> {
    let mut digest = store.digest(sensor, measure, range);
    // Totals suffice, as they have their first time: so the first of all blocks is not unpacked.
    Ok(match digest.next_piece(|_| true)? {
        Some(Piece::Run(run)) => Some(run.first),
        Some(Piece::Values(values, _)) => values.times.first().copied(),
        None => None,
    })
}

/// The first values of a sensor's measure in time order, at most `count`. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn first_points(
    store: &Store,
    sensor: &SensorId,
    measure: Measure,
    count: usize,
) -> Result<Vec<Point>, StoreError> {
    let mut digest = store.digest(sensor, measure, TimeRange::ALL);
    let mut points = Vec::new();
    while points.len() < count
        && let Some(next) = next_points(&mut digest)?
    {
        let missing = count - points.len();
        points.extend(next.take(missing));
    }
    Ok(points)
}
