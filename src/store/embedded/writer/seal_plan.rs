//! Planning which rows of which sensors get into blocks together.

use crate::domain::{Reading, SensorId};
use crate::store::blocks::{Tail, seal};
use crate::store::embedded::blocks::Turnover;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;

/// What is sealed in one transaction.
#[derive(Default)]
pub(super) struct SealPlan {
    pub(super) turnover: Turnover,
    /// The rows of each sensor, ascending.
    pub(super) rows: Vec<(SensorId, Vec<Reading>)>,
    /// How many readings are encoded, with those of the blocks that are replaced.
    pub(super) encoded: usize,
}

impl SealPlan {
    /// Adds what puts the first of `rows` (ascending, not empty) into the blocks of `sensor`. Returns how many these are.
    pub(super) fn add(
        &mut self,
        shared: &Shared,
        sensor: &SensorId,
        mut rows: Vec<Reading>,
        tail: Tail,
    ) -> Result<usize, StoreError> {
        let sealed = shared.sealed.of(sensor);
        let step = seal::step(&sealed, &rows, tail, shared.settings.block_readings)?;
        let counts = step.packs.iter().map(|pack| pack.summary.count as usize);
        let encoded: usize = counts.sum();
        // Its own until it is complete: an error half way must not leave blocks to be removed without those that replace them.
        let turnover = Turnover::of(sensor, step.replaced, step.packs)?;
        self.turnover.append(turnover);
        self.encoded += encoded;
        rows.truncate(step.used);
        self.rows.push((sensor.clone(), rows));
        Ok(step.used)
    }
}
