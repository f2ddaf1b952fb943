//! `latest_rate`: the newest power, from memory.

use super::{Point, QueryError};
use crate::domain::sensor::SensorId;
use crate::domain::time::Timestamp;
use crate::store::Store;

pub(super) fn run(store: &Store, sensor: &SensorId, now: Timestamp) -> Result<Point, QueryError> {
    let activity = store.activity(sensor).unwrap_or_default();
    let is_recent = activity
        .arrivals
        .is_some_and(|arrivals| arrivals.recent(now));
    let power = activity
        .newest_power
        .filter(|_| is_recent)
        .ok_or(QueryError::NoRecentData)?;
    Ok(Point {
        time: power.time,
        value: power.watts,
    })
}
