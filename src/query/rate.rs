//! `rate`: every power reading.

use super::Point;
use crate::domain::sensor::SensorId;
use crate::domain::time::TimeRange;
use crate::store::{Digest, Measure, Piece, Store, StoreError};

pub(super) struct Rate {
    watts: Digest,
}

impl Rate {
    pub(super) fn new(store: &Store, sensor: &SensorId, range: TimeRange) -> Self {
        Self {
            watts: store.digest(sensor, Measure::Watts, range),
        }
    }

    pub(super) fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        let Some(Piece::Values(values)) = self.watts.next_piece(|_| false)? else {
            return Ok(false);
        };
        let values = values.times.into_iter().zip(values.numbers);
        points.extend(values.map(|(time, value)| Point { time, value }));
        Ok(true)
    }
}
