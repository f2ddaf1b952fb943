//! Planning how readings get into blocks, as a part of one transaction.

use crate::domain::{Reading, SensorId};
use crate::store::blocks::{Sealed, Step, Tail, Turnover, seal};
use crate::store::error::StoreError;
use crate::store::records::keys;
use crate::store::state::Shared;

/// The size of a step.
#[derive(Clone, Copy, Debug, Default)]
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
    let sealed = &shared.trees.sealed;
    let block_readings = shared.settings.block_readings;
    let step = seal::step(sealed, sensor, rows, tail, block_readings)?;
    let step = without_tail(sealed, sensor, rows, step)?;
    if step.used == 0 {
        return Ok(StepSize::default());
    }
    let counts = step.packs.iter().map(|pack| pack.summary.count as usize);
    let size = StepSize {
        used: step.used,
        encoded: counts.sum(),
    };
    // Its own until it is complete: an error half way must not leave blocks to be removed without those that replace them.
    let mut own = Turnover::default();
    for first in step.replaced {
        own.remove(keys::key(sensor, first));
    }
    for pack in step.packs {
        own.insert(keys::key(sensor, pack.summary.first), pack)?;
    }
    turnover.append(own);
    Ok(size)
}

/// Leaves a last block that is not full to the next step, if `rows` go on and the block holds nothing else: the next step
/// would replace it at once.
fn without_tail(
    sealed: &Sealed,
    sensor: &SensorId,
    rows: &[Reading],
    mut step: Step,
) -> Result<Step, StoreError> {
    let (Some(first), Some(tail)) = (step.packs.first(), step.packs.last()) else {
        return Ok(step);
    };
    let is_full = tail.summary.count >= first.summary.count;
    let tail = tail.summary;
    let left = rows.partition_point(|row| row.time < tail.first);
    if is_full || left == 0 || step.used == rows.len() {
        return Ok(step);
    }
    let older = sealed.at_or_before(sensor, tail.last)?;
    if older.is_none_or(|older| older.last < tail.first) {
        step.packs.pop();
        step.used = left;
    }
    Ok(step)
}
