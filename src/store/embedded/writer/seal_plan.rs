//! Plans which rows of which sensors go into blocks together.

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::blocks::{Tail, seal};
use crate::store::embedded::blocks::Turnover;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;

/// The rows and blocks of one commit.
#[derive(Default)]
pub(super) struct SealPlan {
    pub(super) turnover: Turnover,
    /// The times of the rows of each sensor: all frozen and settled rows in this range.
    pub(super) ranges: Vec<(SensorId, TimeRange)>,
    /// The number of encoded readings, including those of replaced blocks.
    pub(super) encoded: usize,
}

impl SealPlan {
    /// Adds the step that moves the first of `rows` into blocks of `sensor`. `rows` are ascending,
    /// not empty, and all rows in their range. Returns the number of moved rows.
    pub(super) fn add(
        &mut self,
        shared: &Shared,
        sensor: &SensorId,
        rows: &[Reading],
        tail: Tail,
    ) -> Result<usize, StoreError> {
        let sealed = shared.sealed.of(sensor);
        let step = seal::step(&sealed, rows, tail, shared.settings.block_readings)?;
        let counts = step.packs.iter().map(|pack| pack.summary.count as usize);
        let encoded: usize = counts.sum();
        // Kept apart until it is complete: an error half way must not leave removals of blocks
        // without their replacements.
        let turnover = Turnover::of(sensor, step.replaced, step.packs)?;
        self.turnover.append(turnover);
        self.encoded += encoded;
        let ends = rows
            .get(..step.used)
            .and_then(|used| used.first().zip(used.last()));
        let range = ends.and_then(|(first, last)| TimeRange::new(first.time, last.time));
        self.ranges
            .extend(range.map(|range| (sensor.clone(), range)));
        Ok(step.used)
    }
}
