//! One transaction that puts readings into blocks.

use crate::domain::{Reading, SensorId};
use crate::store::blocks::{Sealed, Step, Tail, Turnover, seal};
use crate::store::engine::{WriteBatch, keys};
use crate::store::error::StoreError;
use crate::store::rows::{Activity, activity};
use crate::store::writer::database::Database;

/// Puts the first of `rows` (ascending, not empty) into the blocks of `sensor`, and with them, in the same transaction, the
/// activity that `activity_with` gives for these rows, if any. Returns how many rows these are.
pub(crate) fn seal_step(
    db: &mut Database,
    sensor: &SensorId,
    rows: &[Reading],
    tail: Tail,
    activity_with: impl FnOnce(&[Reading]) -> Option<Activity>,
) -> Result<usize, StoreError> {
    let shared = db.shared();
    let sealed = &shared.trees.sealed;
    let block_readings = shared.settings.block_readings;
    let step = seal::step(sealed, sensor, rows, tail, block_readings)?;
    let step = without_tail(sealed, sensor, rows, step)?;
    if step.used == 0 {
        return Ok(0);
    }
    let mut turnover = Turnover::default();
    for first in step.replaced {
        turnover.remove(keys::key(sensor, first));
    }
    for pack in step.packs {
        turnover.insert(keys::key(sensor, pack.summary.first), pack)?;
    }
    let mut batch = WriteBatch::default();
    if let Some(activity) = activity_with(rows.get(..step.used).unwrap_or(rows)) {
        activity::put(batch.of(&shared.trees.activity), [(sensor, &activity)])?;
    }
    db.turn_over(turnover, batch)?;
    Ok(step.used)
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
