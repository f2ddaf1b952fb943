//! The committing thread's deletion of readings in a range of time.

use sled::Transactional;

use crate::domain::reading::Reading;
use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::blocks::seal;
use crate::store::blocks::seal::Pack;
use crate::store::blocks::tally;
use crate::store::blocks::tally::Turnover;
use crate::store::engine::keys;
use crate::store::engine::locks::{read, write};
use crate::store::error::StoreError;
use crate::store::rows::activity;
use crate::store::rows::activity::{Activity, Power};
use crate::store::writer::commit::{Committer, transaction};

impl Committer {
    /// Deletes the readings of `sensor` in `range`, both ends included, in one transaction: hot rows, blocks, and what
    /// the blocks at the edges hold of it; the newest power is then the newest of what is left. Arrivals stay: what
    /// came, came. Returns how many readings there were.
    pub(crate) fn delete(
        &mut self,
        sensor: &SensorId,
        range: TimeRange,
    ) -> Result<usize, StoreError> {
        if read(&self.shared.registry).sensor(sensor).is_none() {
            return Err(StoreError::UnknownSensor(sensor.as_str().to_owned()));
        }
        let shared = std::sync::Arc::clone(&self.shared);
        let count = shared.count_readings(sensor, range)?;
        let (mut hot, mut turnover) = (sled::Batch::default(), Turnover::default());
        let mut hot_rows = 0;
        for row in shared.trees.hot.range(sensor, range) {
            hot.remove(keys::key(sensor, row?.time));
            hot_rows += 1;
        }
        for summary in shared.trees.sealed.reaching_into(sensor, range)? {
            let summary = summary?;
            turnover.remove(keys::key(sensor, summary.first));
            if range.contains(summary.first) && range.contains(summary.last) {
                continue;
            }
            for pack in self.what_is_left(sensor, summary.first, range)? {
                turnover.insert(keys::key(sensor, pack.summary.first), pack)?;
            }
        }
        let known = read(&shared.activity).get(sensor).copied();
        let activity = match known {
            Some(activity) => Some(Activity {
                newest_power: self.newest_power_without(sensor, &activity, range)?,
                ..activity
            }),
            None => None,
        };
        let activity_value = activity.as_ref().map(activity::encode).transpose()?;
        let batches = self.store_blocks(turnover)?;
        self.write("deleting readings", |shared| {
            let _swapping = write(&shared.swap);
            let sealed = &shared.trees.sealed;
            let trees = (
                &shared.trees.hot.tree,
                &sealed.blocks,
                &sealed.summaries,
                &shared.trees.activity,
                &shared.trees.meta,
            );
            transaction(trees.transaction(
                |(hot_tree, block_tree, summary_tree, activity_tree, meta)| {
                    hot_tree.apply_batch(&hot)?;
                    block_tree.apply_batch(&batches.blocks)?;
                    summary_tree.apply_batch(&batches.summaries)?;
                    meta.insert(tally::KEY, batches.tally.encode())?;
                    if let Some(value) = &activity_value {
                        activity_tree.insert(sensor.as_str(), value.as_slice())?;
                    }
                    Ok(())
                },
            ))
        })?;
        self.turned_over(&batches);
        self.sync()?;
        if let Some(activity) = activity {
            write(&shared.activity).insert(sensor.clone(), activity);
        }
        if let Some(rows) = self.hot_rows.get_mut(sensor) {
            *rows = rows.saturating_sub(hot_rows);
        }
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// The readings outside of `range` of the block that begins at `first`, as blocks.
    fn what_is_left(
        &self,
        sensor: &SensorId,
        first: Timestamp,
        range: TimeRange,
    ) -> Result<Vec<Pack>, StoreError> {
        let mut readings = self.shared.trees.sealed.readings(sensor, first)?;
        // Two runs where the range lies within the block, else one.
        readings.retain(|reading| !range.contains(reading.time));
        let split = readings.partition_point(|reading| reading.time < range.start());
        let (before, behind): (&[Reading], &[Reading]) =
            readings.split_at_checked(split).unwrap_or_default();
        let mut packs = seal::pack(before, self.shared.settings.block_readings)?;
        packs.extend(seal::pack(behind, self.shared.settings.block_readings)?);
        Ok(packs)
    }

    /// The newest power once `range` is deleted.
    fn newest_power_without(
        &self,
        sensor: &SensorId,
        activity: &Activity,
        range: TimeRange,
    ) -> Result<Option<Power>, StoreError> {
        match activity.newest_power {
            // Nothing newer exists, so what is left lies before the range.
            Some(power) if range.contains(power.time) => {
                if range.start() == Timestamp::MIN {
                    return Ok(None);
                }
                self.shared
                    .power_at(sensor, range.start().saturating_add_millis(-1))
            }
            other => Ok(other),
        }
    }
}
