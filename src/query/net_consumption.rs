//! `net_consumption`: the register's difference over a range, from two registers.

use super::Point;
use crate::domain::reading::register_difference;
use crate::domain::sensor::SensorId;
use crate::domain::time::TimeRange;
use crate::store::{Store, StoreError};

pub(super) fn run(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
) -> Result<Option<Point>, StoreError> {
    let Some(at_end) = store.register_at(sensor, range.end())? else {
        return Ok(None);
    };
    let at_start = match store.register_at(sensor, range.start())? {
        Some(register) => register,
        // There is one: at the latest the one at the end.
        None => store.first_register(sensor)?.unwrap_or(at_end),
    };
    let value = register_difference(at_start.watthours, at_end.watthours);
    Ok(Some(Point {
        time: at_end.time,
        value,
    }))
}
