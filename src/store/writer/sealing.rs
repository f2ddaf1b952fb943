//! Sealing: hot rows become blocks once a sensor has enough of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::{Finder, Tail, Turnover};
use crate::store::engine::{WriteBatch, keys};
use crate::store::error::StoreError;
use crate::store::rows::{Activities, NewRows, hot};
use crate::store::writer::database::Database;
use crate::store::writer::step::add_step;

/// Sensors are sealed together until so many readings are encoded: they share a sync of the volume, and uploads wait some
/// milliseconds.
const ENCODED_AT_ONCE: usize = 1_024;
/// The same for late rows. Each step encodes a whole block for the few that it takes, and must keep pace with them.
const ENCODED_FOR_LATE: usize = 4_096;
/// So many rows of one generation are sealed: twice as many as it brings.
const SEALED_AT_ONCE: usize = 8_192;
/// The most steps of sealing between two looks at the queue. Each is a transaction, with a sync of the volume.
const MAX_STEPS: usize = 16;
/// This many rows of a sensor are worth a block that is not full.
const MANY_ROWS: usize = 256;
/// This many are worth one while all sensors together have more than [`MANY_HOT_ROWS`]. A row takes 300 bytes in the database, on
/// the disk and in memory; in a block, some three.
const SOME_ROWS: usize = 32;
const MANY_HOT_ROWS: usize = 32_768;

/// Which sensors have hot rows, and whose are sealed next. Only rows that are frozen, or in the database, are sealed: the
/// journal has them, so a crash never leaves a part of an upload. Young rows count once they are frozen; but the row of a
/// sealed reading that has a young correction goes on to count.
pub(crate) struct Sealing {
    sensors: BTreeMap<SensorId, HotRows>,
    /// Those of them that have enough rows.
    due: BTreeSet<SensorId>,
    /// Whose rows were sealed last: then it is the next sensor's turn.
    last: Option<SensorId>,
    /// Rows of a sensor are sealed once there are so many.
    threshold: usize,
}

/// The hot rows of a sensor.
#[derive(Default)]
struct HotRows {
    count: usize,
    /// Where sealing goes on, if it did not get to all rows the last time. From the first row each time, late rows that
    /// keep coming would have the same few blocks rewritten over and over, and the rows behind would never be sealed.
    continue_from: Option<Timestamp>,
    /// Whether sealing failed. The rows then stay hot until more rows get into the database.
    has_failed: bool,
}

/// Sensors with frozen rows that are worth a block, and were not sealed yet.
pub(crate) struct FrozenSensors {
    sensors: Vec<SensorId>,
    /// How many rows are worth one.
    enough: usize,
}

impl FrozenSensors {
    pub(crate) const fn len(&self) -> usize {
        self.sensors.len()
    }
}

/// What is sealed in one transaction.
#[derive(Default)]
struct SealPlan {
    turnover: Turnover,
    /// The rows of each sensor, ascending.
    rows: Vec<(SensorId, Vec<Reading>)>,
    encoded: usize,
}

impl SealPlan {
    /// Adds the first of `rows`. Returns how many these are.
    fn add(
        &mut self,
        db: &Database,
        sensor: &SensorId,
        mut rows: Vec<Reading>,
        tail: Tail,
    ) -> Result<usize, StoreError> {
        let size = add_step(&db.shared(), sensor, &rows, tail, &mut self.turnover)?;
        rows.truncate(size.used);
        self.encoded += size.encoded;
        self.rows.push((sensor.clone(), rows));
        Ok(size.used)
    }
}

impl Sealing {
    pub(crate) const fn new(threshold: usize) -> Self {
        Self {
            sensors: BTreeMap::new(),
            due: BTreeSet::new(),
            last: None,
            threshold,
        }
    }

    /// At start: counts the hot rows, all of which are in the database, and removes those whose measures are in a block
    /// already, as after a seal that was cut short.
    pub(crate) fn recover(&mut self, db: &mut Database) -> Result<(), StoreError> {
        let shared = db.shared();
        let hot = &shared.trees.hot;
        let mut batch = WriteBatch::default();
        let mut finder = Finder::default();
        for row in &hot.tree {
            let (key, value) = row?;
            let (sensor, time) = keys::parse(&key)?;
            let sealed = finder.at(&shared.trees.sealed, &sensor, time)?;
            let measures = hot::decode(&value)?;
            if sealed.is_some_and(|sealed| sealed.measures.overlaid_by(measures) == sealed.measures)
            {
                batch.of(&hot.tree).remove(key);
            } else {
                hot.note_written(sensor.clone(), time);
                self.update(&sensor, |rows| rows.count += 1);
            }
        }
        db.apply("removing sealed rows", &batch)?;
        db.sync()
    }

    /// Counts hot rows that are new.
    pub(crate) fn add_rows(&mut self, new_rows: NewRows) {
        for (sensor, count) in new_rows {
            self.update(&sensor, |rows| rows.count += count);
        }
    }

    /// Counts hot rows that are gone.
    pub(crate) fn remove_rows(&mut self, sensor: &SensorId, count: usize) {
        self.update(sensor, |rows| rows.count = rows.count.saturating_sub(count));
    }

    /// Forgets a sensor that is removed.
    pub(crate) fn forget(&mut self, sensor: &SensorId) {
        self.sensors.remove(sensor);
        self.due.remove(sensor);
    }

    /// Tries sensors again whose sealing failed: the reason may be gone.
    pub(crate) fn retry(&mut self) {
        let failed = self.sensors.iter().filter(|(_, rows)| rows.has_failed);
        let failed: Vec<SensorId> = failed.map(|(sensor, _)| sensor.clone()).collect();
        for sensor in failed {
            self.update(&sensor, |rows| rows.has_failed = false);
        }
    }

    fn update(&mut self, sensor: &SensorId, update: impl FnOnce(&mut HotRows)) {
        let rows = self.sensors.entry(sensor.clone()).or_default();
        update(rows);
        if rows.count >= self.threshold && !rows.has_failed {
            self.due.insert(sensor.clone());
        } else {
            self.due.remove(sensor);
        }
    }

    /// Whether a sensor has enough rows.
    pub(crate) fn is_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Those of the sensors with `activities`, which have been frozen, that have many rows. To write so many into the
    /// database, and to remove them again, would cost more than a block that is not full and replaced later.
    pub(crate) fn worth_sealing(&self, activities: &Activities) -> FrozenSensors {
        let hot: usize = self.sensors.values().map(|rows| rows.count).sum();
        let enough = if hot > MANY_HOT_ROWS {
            SOME_ROWS
        } else {
            MANY_ROWS
        };
        let counts = activities.keys().filter_map(|sensor| {
            let rows = self.sensors.get(sensor)?;
            (rows.count >= enough && !rows.has_failed).then_some((rows.count, sensor))
        });
        let mut most: Vec<_> = counts.collect();
        most.sort_unstable_by(|a, b| b.cmp(a));
        // Sensors that upload in turns have many rows at the same time. Those left out come with a later generation.
        let mut rows = 0;
        let some = most.into_iter().take_while(|(count, _)| {
            let is_room = rows < SEALED_AT_ONCE;
            rows += count;
            is_room
        });
        FrozenSensors {
            sensors: some.map(|(_, sensor)| sensor.clone()).collect(),
            enough,
        }
    }

    /// Seals the newest rows of some of `sensors`, into blocks that may be small. Returns false if none was left.
    pub(crate) fn seal_frozen(&mut self, db: &mut Database, sensors: &mut FrozenSensors) -> bool {
        if sensors.sensors.is_empty() {
            return false;
        }
        let mut plan = SealPlan::default();
        while plan.encoded < ENCODED_AT_ONCE
            && let Some(sensor) = sensors.sensors.pop()
        {
            if let Err(error) = self.plan_newest(db, &sensor, sensors.enough, &mut plan) {
                self.failed(db, &sensor, &error);
            }
        }
        self.carry_out(db, plan);
        true
    }

    fn plan_newest(
        &self,
        db: &Database,
        sensor: &SensorId,
        enough: usize,
        plan: &mut SealPlan,
    ) -> Result<(), StoreError> {
        let shared = db.shared();
        let last = shared.trees.sealed.last(sensor)?;
        let from = last.map_or(Timestamp::MIN, |block| block.first);
        let range = TimeRange::new(from, Timestamp::MAX).unwrap_or(TimeRange::ALL);
        let rows = shared.trees.hot.settled(sensor, range);
        let rows = rows.take(4 * self.threshold);
        let rows: Vec<Reading> = rows.collect::<Result<_, _>>()?;
        // Late rows wait for more of them: each may need a block of its own rewritten.
        if rows.len() < enough {
            return Ok(());
        }
        plan.add(db, sensor, rows, Tail::Seal).map(drop)
    }

    /// Seals some rows of the next sensor that has enough of them.
    pub(crate) fn seal_next(&mut self, db: &mut Database) {
        let behind = self.last.iter().flat_map(|last| {
            let behind = (Bound::Excluded(last), Bound::Unbounded);
            self.due.range::<SensorId, _>(behind)
        });
        let Some(sensor) = behind.chain(&self.due).next().cloned() else {
            return;
        };
        self.last = Some(sensor.clone());
        self.seal_steps(db, &sensor);
        // sled reuses the space of what the steps replaced once they are durable. A failure is final, and has been logged.
        drop(db.flush());
    }

    fn seal_steps(&mut self, db: &mut Database, sensor: &SensorId) {
        let mut encoded = 0;
        // A step may concern a few late rows only, and each has to see the blocks of the one before.
        for _ in 0..MAX_STEPS {
            let mut plan = SealPlan::default();
            if let Err(error) = self.plan_next(db, sensor, &mut plan) {
                return self.failed(db, sensor, &error);
            }
            encoded += plan.encoded;
            self.carry_out(db, plan);
            if encoded >= ENCODED_FOR_LATE || !self.due.contains(sensor) {
                return;
            }
        }
    }

    fn plan_next(
        &mut self,
        db: &Database,
        sensor: &SensorId,
        plan: &mut SealPlan,
    ) -> Result<(), StoreError> {
        let shared = db.shared();
        let trees = &shared.trees;
        let known = self.sensors.entry(sensor.clone()).or_default();
        let from = known.continue_from.take();
        let mut rest = TimeRange::new(from.unwrap_or(Timestamp::MIN), Timestamp::MAX)
            .unwrap_or(TimeRange::ALL);
        let first = trees.hot.settled(sensor, rest).next().transpose()?;
        let next_block = match first {
            Some(first) => trees.sealed.after(sensor, first.time)?,
            None => None,
        };
        // A step ends before the next block, so the rows behind need not be read.
        if let Some(block) = next_block {
            let end = block.first.saturating_add_millis(-1);
            rest = TimeRange::new(rest.start(), end).unwrap_or(rest);
        }
        let rows = trees.hot.settled(sensor, rest);
        let rows = rows.take(4 * self.threshold);
        let rows: Vec<Reading> = rows.collect::<Result<_, _>>()?;
        let times: Vec<Timestamp> = rows.iter().map(|row| row.time).collect();
        let used = if rows.is_empty() {
            0
        } else {
            plan.add(db, sensor, rows, Tail::Leave)?
        };
        let behind = next_block.map(|block| block.first);
        self.update(sensor, |known| {
            known.continue_from = times.get(used).copied().or(behind);
            // Else the same rows would be tried for ever.
            known.has_failed |= used == 0 && (from.is_none() || !times.is_empty());
        });
        Ok(())
    }

    /// Stores the blocks and removes the rows in one transaction: cut short anywhere, every reading is in one of the two.
    /// Frozen rows are dropped without getting into the database. The journal still has them, and [`Self::recover`] removes
    /// them after a crash.
    fn carry_out(&mut self, db: &mut Database, plan: SealPlan) {
        let sealed = Self::try_carry_out(db, plan.turnover, &plan.rows);
        for (sensor, rows) in &plan.rows {
            match &sealed {
                Ok(()) => {
                    let gone = db.shared().trees.hot.drop_frozen(sensor, rows);
                    self.remove_rows(sensor, gone);
                }
                Err(error) => self.failed(db, sensor, error),
            }
        }
    }

    fn try_carry_out(
        db: &mut Database,
        turnover: Turnover,
        rows: &[(SensorId, Vec<Reading>)],
    ) -> Result<(), StoreError> {
        if turnover.is_empty() {
            return Ok(());
        }
        let shared = db.shared();
        let hot = &shared.trees.hot;
        let mut batch = WriteBatch::default();
        for (sensor, rows) in rows {
            hot.remove_written(sensor, rows, batch.of(&hot.tree))?;
        }
        db.turn_over(turnover, batch)
    }

    fn failed(&mut self, db: &Database, sensor: &SensorId, error: &StoreError) {
        // An error that is final has been logged.
        if db.check_writable().is_ok() {
            log::error!(
                "the readings of sensor {sensor:?} can't be sealed, they stay as they are: {error}"
            );
            self.update(sensor, |rows| rows.has_failed = true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::rows::Activity;

    fn sensor(number: usize) -> SensorId {
        SensorId::new(&format!("sensor {number}")).unwrap()
    }

    /// Sensors with so many hot rows, which all have frozen ones: those that are worth sealing.
    fn worth_sealing(counts: impl Iterator<Item = usize>) -> FrozenSensors {
        let mut sealing = Sealing::new(4_096);
        let rows: NewRows = counts
            .enumerate()
            .map(|(n, count)| (sensor(n), count))
            .collect();
        let frozen = rows
            .keys()
            .map(|sensor| (sensor.clone(), Activity::default()));
        let frozen: Activities = frozen.collect();
        sealing.add_rows(rows);
        sealing.worth_sealing(&frozen)
    }

    #[test]
    fn the_sensors_with_most_rows_are_sealed_first_and_not_too_many() {
        let few = worth_sealing([MANY_ROWS - 1, MANY_ROWS].into_iter());
        assert_eq!(few.sensors, [sensor(1)]);
        let most = worth_sealing((0..96).map(|n| MANY_ROWS - 1 + n));
        let rows: usize = (0..most.len()).map(|n| MANY_ROWS - 1 + 95 - n).sum();
        let expected = SEALED_AT_ONCE..SEALED_AT_ONCE + 2 * MANY_ROWS;
        assert!(expected.contains(&rows), "{rows}");
        assert_eq!(most.sensors.first(), Some(&sensor(95)));
    }

    #[test]
    fn small_blocks_are_worth_it_once_there_are_very_many_hot_rows() {
        let counts = |sensors| (0..sensors).map(|n| SOME_ROWS - 1 + n % 2);
        let sensors = MANY_HOT_ROWS / SOME_ROWS;
        assert_eq!(worth_sealing(counts(sensors)).len(), 0);
        let some = worth_sealing(counts(2 * sensors));
        assert_eq!(some.len(), SEALED_AT_ONCE / SOME_ROWS);
    }
}
