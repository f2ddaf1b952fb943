//! `rate`: every power reading.

use super::Point;
use crate::domain::sensor::SensorId;
use crate::domain::time::TimeRange;
use crate::store::{Scan, Store, StoreError};

pub(super) struct Rate {
    scan: Scan,
}

impl Rate {
    pub(super) fn new(store: &Store, sensor: &SensorId, range: TimeRange) -> Self {
        Self {
            scan: store.scan(sensor, range),
        }
    }

    pub(super) fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        let Some(readings) = self.scan.next_run()? else {
            return Ok(false);
        };
        points.extend(readings.iter().filter_map(|reading| {
            reading.measures.watts().map(|value| Point {
                time: reading.time,
                value,
            })
        }));
        Ok(true)
    }
}
