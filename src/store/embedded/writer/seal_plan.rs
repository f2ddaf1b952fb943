//! Planning which rows of which sensors get into blocks together.

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::blocks::{Tail, seal};
use crate::store::embedded::blocks::Turnover;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;

/// What is sealed in one transaction.
#[derive(Default)]
pub(super) struct SealPlan {
    pub(super) turnover: Turnover,
    /// The times of the rows of each sensor: all that are frozen or settled in this range.
    pub(super) ranges: Vec<(SensorId, TimeRange)>,
    /// How many readings are encoded, with those of the blocks that are replaced.
    pub(super) encoded: usize,
}

impl SealPlan {
    /// Adds what puts the first of `rows` into the blocks of `sensor`. They are ascending, not empty, and all in their range. Returns how
    /// many these are.
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
        // Its own until it is complete: an error half way must not leave blocks to be removed without those that replace them.
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
