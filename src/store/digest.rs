//! One measure of a sensor in order, no longer than it must be: a block's summary where that is enough, its values where
//! it is not.

use std::sync::Arc;

use super::Shared;
use super::error::StoreError;
use super::measure::{Measure, Values};
use super::scan::Window;
use super::sealed::decode_measure;
use crate::domain::sensor::SensorId;
use crate::domain::summary::Summary;
use crate::domain::time::TimeRange;

/// A digest under way. It holds no lock between two calls, and sees what is stored meanwhile if that lies ahead of it.
pub struct Digest {
    shared: Arc<Shared>,
    sensor: SensorId,
    measure: Measure,
    /// What is still to be read.
    rest: Option<TimeRange>,
}

/// A run of readings.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// All that is asked of them; at least one has the measure.
    Summary(Summary),
    /// Their values one by one; at least one.
    Values(Values),
}

impl Digest {
    pub(super) fn new(
        shared: Arc<Shared>,
        sensor: SensorId,
        measure: Measure,
        range: TimeRange,
    ) -> Self {
        Self {
            shared,
            sensor,
            measure,
            rest: Some(range),
        }
    }

    /// The next readings; `None` after the last. `is_enough` says whether a summary will do for readings that lie in the
    /// range with all the others of their block. A block is unpacked only where it will not, or where some of its
    /// readings are corrected or late. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read, or is damaged.
    pub fn next_piece(
        &mut self,
        mut is_enough: impl FnMut(&Summary) -> bool,
    ) -> Result<Option<Piece>, StoreError> {
        let measure = self.measure;
        while let Some(rest) = self.rest {
            let is_left_out = |summary: &Summary| measure.last_of(summary).is_none();
            let window = self.shared.window(&self.sensor, rest, |summary| {
                is_left_out(summary) || is_enough(summary)
            })?;
            self.rest = window.rest_of(rest);
            if let Some(summary) = window.summary {
                if !is_left_out(&summary) {
                    return Ok(Some(Piece::Summary(summary)));
                }
                continue;
            }
            let values = window.values(&self.sensor, measure)?;
            if !values.times.is_empty() {
                return Ok(Some(Piece::Values(values)));
            }
        }
        Ok(None)
    }
}

impl Window {
    /// What there is of `measure` in it.
    fn values(&self, sensor: &SensorId, measure: Measure) -> Result<Values, StoreError> {
        let hot = Values::of(&self.hot, measure);
        let Some((first, bytes)) = &self.block else {
            return Ok(hot);
        };
        let sealed = decode_measure(sensor, *first, bytes, measure)?;
        Ok(sealed.clipped(self.range).overlaid_by(hot))
    }
}
