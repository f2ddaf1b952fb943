//! Deleting the readings of a sensor in a range of time.

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::{Pack, Turnover, seal};
use crate::store::engine::locks::{read, write};
use crate::store::engine::{WriteBatch, keys};
use crate::store::error::StoreError;
use crate::store::rows::{Activity, Power, activity};
use crate::store::state::Shared;
use crate::store::writer::database::Database;
use crate::store::writer::register;
use crate::store::writer::sealing::Sealing;

/// Deletes the readings of `sensor` in `range`, both ends included, in one transaction: hot rows, blocks, and the part in
/// `range` of blocks at its edges. The newest power is then the newest of what is left. Arrivals stay, because they say
/// when uploads came, not what is stored. Returns how many readings there were.
pub(crate) fn delete(
    db: &mut Database,
    sealing: &mut Sealing,
    sensor: &SensorId,
    range: TimeRange,
) -> Result<usize, StoreError> {
    let shared = db.shared();
    register::check_sensor(&shared, sensor)?;
    let trees = &shared.trees;
    let count = shared.count_readings(sensor, range)?;
    let (mut batch, mut turnover) = (WriteBatch::default(), Turnover::default());
    let mut hot_rows = 0;
    for row in trees.hot.range(sensor, range) {
        let hot = batch.of(&trees.hot.tree);
        hot.remove(keys::key(sensor, row?.time));
        hot_rows += 1;
    }
    for summary in trees.sealed.reaching_into(sensor, range)? {
        let summary = summary?;
        turnover.remove(keys::key(sensor, summary.first));
        if range.contains(summary.first) && range.contains(summary.last) {
            continue;
        }
        for pack in remainder(&shared, sensor, summary.first, range)? {
            turnover.insert(keys::key(sensor, pack.summary.first), pack)?;
        }
    }
    let mut activity = read(&shared.activity).get(sensor);
    if let Some(activity) = &mut activity {
        activity.newest_power = newest_power_without(&shared, sensor, activity, range)?;
        activity::put(batch.of(&trees.activity), [(sensor, &*activity)])?;
    }
    db.turn_over(turnover, batch)?;
    db.sync()?;
    if let Some(activity) = activity {
        write(&shared.activity).extend([(sensor.clone(), activity)].into());
    }
    sealing.remove_rows(sensor, hot_rows);
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The readings outside of `range` of the block that begins at `first`, as blocks.
fn remainder(
    shared: &Shared,
    sensor: &SensorId,
    first: Timestamp,
    range: TimeRange,
) -> Result<Vec<Pack>, StoreError> {
    let mut readings = shared.trees.sealed.readings(sensor, first)?;
    readings.retain(|reading| !range.contains(reading.time));
    let is_before = |reading: &Reading| reading.time < range.start();
    let mut packs = Vec::new();
    // Two runs if the range lies within the block, else one.
    for run in readings.chunk_by(|a, b| is_before(a) == is_before(b)) {
        packs.extend(seal::pack(run, shared.settings.block_readings)?);
    }
    Ok(packs)
}

/// The newest power once `range` is deleted.
fn newest_power_without(
    shared: &Shared,
    sensor: &SensorId,
    activity: &Activity,
    range: TimeRange,
) -> Result<Option<Power>, StoreError> {
    match activity.newest_power {
        Some(power) if range.contains(power.time) => match range.start() {
            Timestamp::MIN => Ok(None),
            // Nothing newer exists, so the newest that is left lies before the range.
            start => shared.power_at(sensor, start.saturating_add_millis(-1)),
        },
        other => Ok(other),
    }
}
