//! Planning how readings get into blocks, as a part of one transaction.

use crate::domain::{Reading, SensorId};
use crate::store::blocks::{Tail, seal};
use crate::store::embedded::blocks::Turnover;
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;

/// The size of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepSize {
    /// How many of the given rows it seals, from the first on.
    pub(crate) used: usize,
    /// How many readings it encodes, with those of the blocks that it replaces.
    pub(crate) encoded: usize,
}

/// Adds to `turnover` what puts the first of `rows` (ascending, not empty) into the blocks of `sensor`.
pub(crate) fn add_step(
    shared: &Shared,
    sensor: &SensorId,
    rows: &[Reading],
    tail: Tail,
    turnover: &mut Turnover,
) -> Result<StepSize, StoreError> {
    let sealed = shared.trees.sealed.of(sensor);
    let step = seal::step(&sealed, rows, tail, shared.settings.block_readings)?;
    let counts = step.packs.iter().map(|pack| pack.summary.count as usize);
    let size = StepSize {
        used: step.used,
        encoded: counts.sum(),
    };
    // Its own until it is complete: an error half way must not leave blocks to be removed without those that replace them.
    turnover.append(Turnover::of(sensor, step.replaced, step.packs)?);
    Ok(size)
}
