//! The committing thread's way of getting readings into blocks: history in bulk, hot rows when there are enough.

use std::collections::HashMap;
use std::sync::Arc;

use sled::Transactional;

use crate::domain::reading::Reading;
use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::blocks::seal;
use crate::store::blocks::seal::{Step, Tail};
use crate::store::blocks::sealed::Finder;
use crate::store::blocks::space::AppendError;
use crate::store::blocks::tally;
use crate::store::blocks::tally::{Batches, Turnover};
use crate::store::engine::keys;
use crate::store::engine::locks::{read, write};
use crate::store::error::StoreError;
use crate::store::rows::activity;
use crate::store::rows::activity::Activity;
use crate::store::rows::hot;
use crate::store::writer::commit::{Committer, transaction};

/// The most steps of sealing between two looks at the queue. Each is a transaction.
const SEAL_STEPS: usize = 16;
/// So many rows of a sensor are worth a block that is not full.
const MANY_ROWS: usize = 256;

impl Committer {
    /// Writes history straight into blocks; a hot row at the same time is brought up to date, for it would win.
    pub(crate) fn import(
        &mut self,
        sensor: &SensorId,
        mut readings: Vec<Reading>,
    ) -> Result<usize, StoreError> {
        if read(&self.shared.registry).sensor(sensor).is_none() {
            return Err(StoreError::UnknownSensor(sensor.as_str().to_owned()));
        }
        let count = readings.len();
        readings.sort_by_key(|reading| reading.time);
        let readings = merged_by_time(&readings);
        let known = read(&self.shared.activity)
            .get(sensor)
            .copied()
            .unwrap_or_default();
        let mut activity = known;

        let mut hot_batch = sled::Batch::default();
        let mut rows = Vec::with_capacity(readings.len());
        let has_hot_rows = self.hot_rows.get(sensor).is_some_and(|&count| count > 0);
        for reading in readings {
            let hot_row = if has_hot_rows {
                self.shared.trees.hot.get(sensor, reading.time)?
            } else {
                None
            };
            match hot_row {
                Some(older) => {
                    activity = activity.with_reading(&reading);
                    let value = hot::encode(older.overlaid_by(reading.measures));
                    hot_batch.insert(keys::key(sensor, reading.time), value);
                }
                None => rows.push(reading),
            }
        }
        // Each transaction brings the newest power in line with what it stores: cut short anywhere, it is true.
        let activity_value = activity::encode(&activity)?;
        self.write("storing history", |shared| {
            let trees = (&shared.trees.hot.tree, &shared.trees.activity);
            transaction(trees.transaction(|(hot_tree, activity_tree)| {
                hot_tree.apply_batch(&hot_batch)?;
                activity_tree.insert(sensor.as_str(), activity_value.as_slice())?;
                Ok(())
            }))
        })?;
        write(&self.shared.activity).insert(sensor.clone(), activity);
        let mut rest = rows.as_slice();
        while !rest.is_empty() {
            let block_readings = self.shared.settings.block_readings;
            let step = seal::step(
                &self.shared.trees.sealed,
                sensor,
                rest,
                Tail::Seal,
                block_readings,
            )?;
            let step = self.without_tail(sensor, rest, step)?;
            let (stored, behind) = rest
                .split_at_checked(step.used.max(1))
                .unwrap_or((rest, &[]));
            activity = stored.iter().fold(activity, Activity::with_reading);
            rest = behind;
            self.swap(sensor, step, Some(&activity))?;
            write(&self.shared.activity).insert(sensor.clone(), activity);
        }
        self.sync()?;
        Ok(count)
    }

    /// Leaves a block at the end of a step that is not full to the next one, as far as `rows` go on and it holds nothing but
    /// them: it would be replaced at once.
    fn without_tail(
        &self,
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
        let older = self.shared.trees.sealed.at_or_before(sensor, tail.last)?;
        if older.is_none_or(|older| older.last < tail.first) {
            step.packs.pop();
            step.used = left;
        }
        Ok(step)
    }

    /// Replaces blocks and their summaries, and the sensor's activity where one is given, in one transaction.
    fn swap(
        &mut self,
        sensor: &SensorId,
        step: Step,
        activity: Option<&Activity>,
    ) -> Result<(), StoreError> {
        let mut turnover = Turnover::default();
        for first in step.replaced {
            turnover.remove(keys::key(sensor, first));
        }
        for pack in step.packs {
            turnover.insert(keys::key(sensor, pack.summary.first), pack)?;
        }
        let mut activities = sled::Batch::default();
        if let Some(activity) = activity {
            activities.insert(sensor.as_str(), activity::encode(activity)?);
        }
        self.turn_over(turnover, &activities)
    }

    /// Changes blocks, their summaries and activities in one transaction.
    pub(crate) fn turn_over(
        &mut self,
        turnover: Turnover,
        activities: &sled::Batch,
    ) -> Result<(), StoreError> {
        let batches = self.store_blocks(turnover)?;
        self.write("changing blocks", |shared| {
            let _swapping = write(&shared.swap);
            let trees = (
                &shared.trees.sealed.blocks,
                &shared.trees.sealed.summaries,
                &shared.trees.activity,
                &shared.trees.meta,
            );
            transaction(
                trees.transaction(|(block_tree, summary_tree, activity_tree, meta)| {
                    block_tree.apply_batch(&batches.blocks)?;
                    summary_tree.apply_batch(&batches.summaries)?;
                    activity_tree.apply_batch(activities)?;
                    meta.insert(tally::KEY, batches.tally.encode())?;
                    Ok(())
                }),
            )
        })?;
        self.turned_over(&batches);
        Ok(())
    }

    /// Writes the blocks of a turnover durably; gives what is then to be done in a transaction.
    pub(crate) fn store_blocks(&mut self, turnover: Turnover) -> Result<Batches, StoreError> {
        self.check_writable()?;
        let locations = self.space.append(&turnover.blocks()).map_err(|error| {
            let doing = "writing blocks";
            match error {
                AppendError::NoVolume(error) => StoreError::io(doing, &error),
                AppendError::Failed(error) => {
                    self.shared.fail(doing, &StoreError::io(doing, &error))
                }
            }
        })?;
        turnover.onto(&self.shared.trees.sealed, self.tally, locations)
    }

    /// Takes note that the transaction is done.
    pub(crate) fn turned_over(&mut self, batches: &Batches) {
        self.tally = batches.tally;
        self.space.count(&batches.added, &batches.freed);
    }

    pub(crate) fn is_seal_due(&self) -> bool {
        self.sensor_to_seal().is_some()
    }

    fn sensor_to_seal(&self) -> Option<SensorId> {
        let enough = self.shared.settings.block_readings;
        let due = |(sensor, count): &(&SensorId, &usize)| {
            **count >= enough && !self.not_sealed.contains(*sensor)
        };
        let due = || self.hot_rows.iter().filter(due).map(|(sensor, _)| sensor);
        due()
            .filter(|sensor| Some(*sensor) > self.last_sealed.as_ref())
            .min()
            .or_else(|| due().min())
            .cloned()
    }

    /// Seals some of the rows of a sensor that has enough of them.
    pub(crate) fn seal_when_due(&mut self) {
        let Some(sensor) = self.sensor_to_seal() else {
            return;
        };
        self.last_sealed = Some(sensor.clone());
        self.seal_or_tell(&sensor, Self::try_seal);
    }

    /// Seals the newest rows of sensors that have many of them, into blocks that may be small: to write rows into the database
    /// and remove them again costs more than to fill such a block up later.
    pub(crate) fn seal_newest(&mut self) {
        let many = self.hot_rows.iter().filter(|(_, rows)| **rows >= MANY_ROWS);
        let many: Vec<SensorId> = many.map(|(sensor, _)| sensor.clone()).collect();
        for sensor in many {
            self.seal_or_tell(&sensor, Self::try_seal_newest);
        }
    }

    /// Seals rows of a sensor, unless that was seen to be impossible; what goes wrong is logged.
    fn seal_or_tell(
        &mut self,
        sensor: &SensorId,
        seal: impl FnOnce(&mut Self, &SensorId) -> Result<(), StoreError>,
    ) {
        if !self.not_sealed.contains(sensor)
            && let Err(error) = seal(self, sensor)
            && self.shared.failure.get().is_none()
        {
            log::error!(
                "the readings of sensor {sensor:?} can't be sealed, they stay as they are: {error}"
            );
            self.not_sealed.insert(sensor.clone());
        }
    }

    fn try_seal_newest(&mut self, sensor: &SensorId) -> Result<(), StoreError> {
        let last = self.shared.trees.sealed.last(sensor)?;
        let rows = self.hot_rows_from(sensor, last.map_or(Timestamp::MIN, |block| block.first))?;
        // Late ones wait for others: each may need a block of its own rewritten.
        if rows.len() < MANY_ROWS {
            return Ok(());
        }
        self.seal_rows(sensor, &rows, Tail::Seal).map(drop)
    }

    /// It goes on where it stopped the last time: from the first row each time, late rows that keep coming would have
    /// the same few blocks rewritten over and over, and the rows behind would never be sealed.
    fn try_seal(&mut self, sensor: &SensorId) -> Result<(), StoreError> {
        let from = self.seal_from.remove(sensor).unwrap_or(Timestamp::MIN);
        let rows = self.hot_rows_from(sensor, from)?;
        let used = self.seal_rows(sensor, &rows, Tail::Leave)?;
        if used == 0 && from == Timestamp::MIN {
            // It would be tried again and again.
            self.not_sealed.insert(sensor.clone());
        }
        if let Some(next) = rows.get(used) {
            self.seal_from.insert(sensor.clone(), next.time);
        }
        Ok(())
    }

    fn hot_rows_from(
        &self,
        sensor: &SensorId,
        from: Timestamp,
    ) -> Result<Vec<Reading>, StoreError> {
        let range = TimeRange::new(from, Timestamp::MAX).unwrap_or(TimeRange::ALL);
        let rows = self.shared.trees.hot.range(sensor, range);
        rows.take(4 * self.shared.settings.block_readings).collect()
    }

    /// Blocks first, then a sync, and only then out with the rows: cut short anywhere, no reading is in neither. Rows that are
    /// held in memory never come into the database: the journal still has them, which a start puts in order. Returns how
    /// many of the rows, from the first on, were sealed.
    fn seal_rows(
        &mut self,
        sensor: &SensorId,
        rows: &[Reading],
        tail: Tail,
    ) -> Result<usize, StoreError> {
        // All of a batch is durable, or nothing of it, also where a block takes a part of it.
        self.log_pending()?;
        let mut rest = rows;
        for _ in 0..SEAL_STEPS {
            if rest.is_empty() {
                break;
            }
            let block_readings = self.shared.settings.block_readings;
            let step = seal::step(
                &self.shared.trees.sealed,
                sensor,
                rest,
                tail,
                block_readings,
            )?;
            let step = self.without_tail(sensor, rest, step)?;
            if step.used == 0 {
                break;
            }
            rest = rest.get(step.used..).unwrap_or_default();
            self.swap(sensor, step, None)?;
        }
        self.flush()?;
        let used = rows.len() - rest.len();
        let sealed = rows.get(..used).unwrap_or_default();
        self.write("removing sealed rows", |shared| {
            let _swapping = write(&shared.swap);
            shared.trees.hot.remove(sensor, sealed)
        })?;
        if let Some(count) = self.hot_rows.get_mut(sensor) {
            *count = count.saturating_sub(used);
        }
        Ok(used)
    }

    /// At start: counts the hot rows, and removes those whose measures are in a block already, as after a seal cut short.
    pub(crate) fn drop_sealed_rows(&mut self) -> Result<(), StoreError> {
        let shared = Arc::clone(&self.shared);
        let mut counts: HashMap<SensorId, usize> = HashMap::new();
        let mut batch = sled::Batch::default();
        let mut finder = Finder::default();
        for row in &shared.trees.hot.tree {
            let (key, value) = row?;
            let (sensor, time) = keys::parse(&key)?;
            let sealed = finder.at(&shared.trees.sealed, &sensor, time)?;
            let measures = hot::decode(&value)?;
            if sealed.is_some_and(|sealed| sealed.measures.overlaid_by(measures) == sealed.measures)
            {
                batch.remove(key);
            } else {
                shared.trees.hot.note_written(sensor.clone(), time);
                *counts.entry(sensor).or_default() += 1;
            }
        }
        self.write("removing sealed rows", |shared| {
            Ok(shared.trees.hot.tree.apply_batch(batch)?)
        })?;
        self.sync()?;
        self.hot_rows = counts;
        Ok(())
    }
}

/// `readings`, which are sorted by time, with those of one time as one: what comes later in the list wins, measure by
/// measure.
fn merged_by_time(readings: &[Reading]) -> Vec<Reading> {
    let merge = |older: Reading, newer: &Reading| Reading {
        measures: older.measures.overlaid_by(newer.measures),
        ..older
    };
    let runs = readings.chunk_by(|a, b| a.time == b.time);
    runs.filter_map(|run| {
        run.split_first()
            .map(|(first, rest)| rest.iter().fold(*first, merge))
    })
    .collect()
}
