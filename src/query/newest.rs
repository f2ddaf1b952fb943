//! The newest value of a measure.

use super::Point;
use crate::domain::sensor::SensorId;
use crate::domain::time::Timestamp;
use crate::store::{Measure, Store, StoreError};

/// The newest value of a sensor's measure at or before `end`, in watts or watt-hours; `None` where there is none. A handful of
/// keys, however long the history. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] where something could not be read.
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
