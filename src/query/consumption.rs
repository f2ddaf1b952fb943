//! `consumption`: each register's difference from the one before it.

use super::Point;
use crate::domain::reading::register_difference;
use crate::domain::sensor::SensorId;
use crate::domain::time::TimeRange;
use crate::store::{Scan, Store, StoreError};

pub(super) struct Consumption {
    /// `None` where the range is empty without its start.
    scan: Option<Scan>,
    /// Watt-hours of the register before those still to come.
    previous: Option<f64>,
}

impl Consumption {
    pub(super) fn new(
        store: &Store,
        sensor: &SensorId,
        range: TimeRange,
    ) -> Result<Self, StoreError> {
        let after_start = if range.start() == range.end() {
            None
        } else {
            TimeRange::new(range.start().saturating_add_millis(1), range.end())
        };
        let previous = store.register_at(sensor, range.start())?;
        Ok(Self {
            scan: after_start.map(|range| store.scan(sensor, range)),
            previous: previous.map(|register| register.watthours),
        })
    }

    pub(super) fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        let Some(readings) = self.scan.as_mut().map_or(Ok(None), Scan::next_run)? else {
            return Ok(false);
        };
        for reading in readings {
            let Some(watthours) = reading.measures.watthours() else {
                continue;
            };
            if let Some(previous) = self.previous.replace(watthours) {
                points.push(Point {
                    time: reading.time,
                    value: register_difference(previous, watthours),
                });
            }
        }
        Ok(true)
    }
}
