//! `consumption`: each register's difference from the one before it.

use super::{Point, after_start};
use crate::domain::reading::register_difference;
use crate::domain::sensor::SensorId;
use crate::domain::time::TimeRange;
use crate::store::{Digest, Measure, Piece, Store, StoreError};

pub(super) struct Consumption {
    /// `None` where the range is empty without its start.
    registers: Option<Digest>,
    /// Watt-hours of the register before those still to come.
    previous: Option<f64>,
}

impl Consumption {
    pub(super) fn new(
        store: &Store,
        sensor: &SensorId,
        range: TimeRange,
    ) -> Result<Self, StoreError> {
        let previous = store.register_at(sensor, range.start())?;
        Ok(Self {
            registers: after_start(range)
                .map(|range| store.digest(sensor, Measure::Watthours, range)),
            previous: previous.map(|register| register.watthours),
        })
    }

    pub(super) fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        let Some(registers) = &mut self.registers else {
            return Ok(false);
        };
        let Some(Piece::Values(values)) = registers.next_piece(|_| false)? else {
            return Ok(false);
        };
        points.reserve(values.times.len());
        for (time, watthours) in values.times.into_iter().zip(values.numbers) {
            if let Some(previous) = self.previous.replace(watthours) {
                points.push(Point {
                    time,
                    value: register_difference(previous, watthours),
                });
            }
        }
        Ok(true)
    }
}
