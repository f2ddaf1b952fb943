//! Sealing: hot rows become blocks once a sensor has enough of them.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::time::{Duration, Instant};

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::{BlockSource as _, Tail};
use crate::store::embedded::rows::{HotEdit, HotSensors, RowsEdit};
use crate::store::embedded::writer::database::Database;
use crate::store::embedded::writer::seal_plan::SealPlan;
use crate::store::error::StoreError;

/// Sensors are sealed together until so many readings are encoded: they share a sync of the volume, and uploads wait some
/// milliseconds.
const ENCODED_AT_ONCE: usize = 1_024;
/// The same for late rows. Each step encodes a whole block for the few that it takes, and must keep pace with them.
const ENCODED_FOR_LATE: usize = 4_096;
/// So many rows of one generation are sealed: twice as many as it brings.
const SEALED_AT_ONCE: usize = 8_192;
/// The most steps of sealing between two looks at the queue. Each is a transaction with three syncs, one of them of the volume. Small
/// blocks reach this long before [`ENCODED_FOR_LATE`].
const MAX_STEPS: usize = 4;
/// This many rows of a sensor are worth a block that is not full; late ones, only while all sensors together have more than
/// [`MANY_HOT_ROWS`].
const MANY_ROWS: usize = 256;
/// This many are worth one while all sensors together have more than [`MANY_HOT_ROWS`].
const SOME_ROWS: usize = 32;
/// A row takes some 40 bytes in memory, and as many on the disk; in a block, some three. But the fewer rows are sealed at once, the more
/// often they are rewritten: with 262,144 here, an upload of 10,000 sensors took 7 % more CPU time. Two thousand sensors whose
/// rows come in order have fewer, since [`MANY_ROWS`] of one are sealed.
const MANY_HOT_ROWS: usize = 524_288;
/// How often sensors are tried again whose sealing failed, while uploads wait for them.
const RETRY_EVERY: Duration = Duration::from_mins(1);

/// Whose hot rows are sealed next. Only rows that are frozen or settled are sealed: the journal or the database has them, so a
/// crash never leaves a part of an upload.
pub(crate) struct Sealing {
    /// Sensors with enough settled rows.
    due: BTreeSet<SensorId>,
    /// Where sealing of a sensor goes on, if it did not get to all rows the last time. From the first row each time, late rows
    /// that keep coming would have the same few blocks rewritten over and over, and the rows behind would never be sealed.
    continue_from: HashMap<SensorId, Timestamp>,
    /// Those whose sealing failed. The rows then stay hot until more rows get into the database.
    failed: BTreeSet<SensorId>,
    /// When they were tried again because uploads wait for them.
    retried: Option<Instant>,
    /// Whose rows were sealed last: then it is the next sensor's turn.
    last: Option<SensorId>,
    /// Rows of a sensor are sealed once there are so many; [`MANY_ROWS`] while all sensors have very many.
    threshold: usize,
}

/// Sensors with frozen rows that are worth a block, and were not sealed yet.
pub(crate) struct FrozenSensors {
    sensors: Vec<SensorId>,
    /// How many rows are worth one.
    enough: usize,
}

impl FrozenSensors {
    /// Those of the sensors with so many rows that are worth a block, while `all` sensors have so many.
    fn of<'a>(all: usize, counts: impl Iterator<Item = (usize, &'a SensorId)>) -> Self {
        let enough = if all > MANY_HOT_ROWS {
            SOME_ROWS
        } else {
            MANY_ROWS
        };
        let mut most: Vec<_> = counts.filter(|(count, _)| *count >= enough).collect();
        most.sort_unstable_by(|a, b| b.cmp(a));
        // Sensors that upload in turns have many rows at the same time. Those left out come with a later generation.
        let mut rows = 0;
        let some = most.into_iter().take_while(|(count, _)| {
            let is_room = rows < SEALED_AT_ONCE;
            rows += count;
            is_room
        });
        Self {
            sensors: some.map(|(_, sensor)| sensor.clone()).collect(),
            enough,
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.sensors.len()
    }
}

impl Sealing {
    pub(crate) fn new(threshold: usize) -> Self {
        Self {
            due: BTreeSet::new(),
            continue_from: HashMap::new(),
            failed: BTreeSet::new(),
            retried: None,
            last: None,
            threshold,
        }
    }

    /// Notes the numbers of rows that these sensors have by now.
    pub(crate) fn review<'a>(
        &mut self,
        hot: &HotSensors,
        sensors: impl IntoIterator<Item = &'a SensorId>,
    ) {
        let sensors = sensors.into_iter();
        let counts = sensors.map(|sensor| (sensor, hot.count_sealable(sensor)));
        self.review_counts(hot.count_all_sealable(), counts);
    }

    /// Notes that these sensors have so many rows by now, and `all` sensors so many.
    pub(crate) fn review_counts<'a>(
        &mut self,
        all: usize,
        counts: impl Iterator<Item = (&'a SensorId, usize)>,
    ) {
        // Rows would take more memory the more sensors there are.
        let enough = if all > MANY_HOT_ROWS {
            self.threshold.min(MANY_ROWS)
        } else {
            self.threshold
        };
        for (sensor, count) in counts {
            if count >= enough && !self.failed.contains(sensor) {
                self.due.insert(sensor.clone());
            } else {
                self.due.remove(sensor);
            }
        }
    }

    /// Forgets a sensor that is removed.
    pub(crate) fn forget(&mut self, sensor: &SensorId) {
        self.due.remove(sensor);
        self.continue_from.remove(sensor);
        self.failed.remove(sensor);
    }

    /// Tries sensors again whose sealing failed: the reason may be gone.
    pub(crate) fn retry(&mut self, hot: &HotSensors) {
        let failed = std::mem::take(&mut self.failed);
        self.review(hot, &failed);
    }

    /// The same, now and then: uploads are refused until rows are sealed.
    pub(crate) fn retry_now_and_then(&mut self, hot: &HotSensors) {
        if self
            .retried
            .is_none_or(|retried| retried.elapsed() >= RETRY_EVERY)
        {
            self.retried = Some(Instant::now());
            self.retry(hot);
        }
    }

    /// Whether a sensor has enough rows.
    pub(crate) fn is_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// Those of the sensors that have been frozen that have many rows. To keep so many in memory, and to write them into the
    /// database, would cost more than a block that is not full and replaced later.
    pub(crate) fn worth_sealing(&self, hot: &HotSensors) -> FrozenSensors {
        let counts = hot
            .settling(usize::MAX)
            .map(|it| (it.rows.len() + it.settled.len(), it.sensor));
        let counts = counts.filter(|(_, sensor)| !self.failed.contains(*sensor));
        FrozenSensors::of(hot.count_all_sealable(), counts)
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
        self.carry_out(db, &plan);
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
        let last = shared.sealed.of(sensor).last()?;
        let from = last.map_or(Timestamp::MIN, |block| block.first);
        let range = TimeRange::new(from, Timestamp::MAX).unwrap_or(TimeRange::ALL);
        let rows = shared
            .hot
            .held()
            .sealable(sensor, range, 4 * self.threshold);
        // Late rows wait for more of them: each may need a block of its own rewritten.
        if rows.len() < enough {
            return Ok(());
        }
        let behind = rows.partition_point(|row| last.is_some_and(|block| row.time <= block.last));
        let behind = rows.get(behind..).unwrap_or_default();
        match plan.add(&shared, sensor, &rows, Tail::Seal) {
            // Rows over a block that cannot be read stay. Those behind it must not wait for them.
            Err(error) if error.is_unreadable() && behind.len() >= enough => {
                plan.add(&shared, sensor, behind, Tail::Seal).map(drop)
            }
            planned => planned.map(drop),
        }
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
        // What the steps replaced is given back once they are durable. A failure is final, and has been logged.
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
            self.carry_out(db, &plan);
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

        let from = self.continue_from.remove(sensor);
        let rest = TimeRange::new(from.unwrap_or(Timestamp::MIN), Timestamp::MAX)
            .unwrap_or(TimeRange::ALL);
        let first = shared.hot.held().sealable(sensor, rest, 1);
        let next_block = match first.first() {
            Some(first) => shared.sealed.of(sensor).after(first.time)?,
            None => None,
        };
        // A step ends before the next block. Rows behind it are not even copied: there may be very many.
        let end = next_block.map_or(Timestamp::MAX, |block| {
            block.first.saturating_add_millis(-1)
        });
        let range = TimeRange::new(rest.start(), end);
        let rows = range.map_or_else(Vec::new, |range| {
            let held = shared.hot.held();
            held.sealable(sensor, range, 4 * self.threshold)
        });
        let planned = if rows.is_empty() {
            Ok(0)
        } else {
            plan.add(&shared, sensor, &rows, Tail::Leave)
        };
        let used = match planned {
            Err(error) if error.is_unreadable() => {
                let behind = self.behind_unreadable(db, sensor, rows.first())?;
                let behind = behind.ok_or(error)?;
                self.continue_from.insert(sensor.clone(), behind);
                return Ok(());
            }
            planned => planned?,
        };
        let behind = next_block.map(|block| block.first);
        if let Some(next) = rows.get(used).map(|row| row.time).or(behind) {
            self.continue_from.insert(sensor.clone(), next);
        }
        // Else the same rows would be tried for ever.
        if used == 0 && (from.is_none() || !rows.is_empty()) {
            self.failed.insert(sensor.clone());
            self.due.remove(sensor);
        }
        Ok(())
    }

    /// The first row behind a block that cannot be read, over which the row at `start` lies; `None` if fewer rows come there than
    /// are sealed. Then the sensor waits: it would be tried for ever.
    fn behind_unreadable(
        &self,
        db: &Database,
        sensor: &SensorId,
        start: Option<&Reading>,
    ) -> Result<Option<Timestamp>, StoreError> {
        let shared = db.shared();
        let start = start.map(|row| row.time);
        let over = match start {
            Some(start) => shared.sealed.of(sensor).at_or_before(start)?,
            None => None,
        };
        let behind = over.and_then(|block| {
            let end = block.last.saturating_add_millis(1);
            TimeRange::new(end, Timestamp::MAX)
        });
        let enough = self.threshold;
        let rows = behind.map(|behind| shared.hot.held().sealable(sensor, behind, enough));
        let rows = rows.filter(|rows| rows.len() >= self.threshold);
        let first = rows.and_then(|rows| rows.first().map(|row| row.time));
        Ok(first.filter(|first| Some(*first) > start))
    }

    /// Stores the blocks and removes the rows in one transaction: cut short anywhere, every reading is in one of the two.
    /// Frozen rows are dropped without getting into the log. The journal still has them, and a start drops them after a crash.
    fn carry_out(&mut self, db: &mut Database, plan: &SealPlan) {
        if plan.turnover.is_empty() {
            return;
        }
        let shared = db.shared();
        let hot = &shared.hot;
        let edits = plan.ranges.iter().map(|(sensor, range)| HotEdit {
            sensor: sensor.clone(),
            rows: RowsEdit::Gone(*range),
            activity: None,
        });
        let sealed = db.turn_over(&plan.turnover, edits.collect());
        for (sensor, range) in &plan.ranges {
            match &sealed {
                Ok(()) => {
                    hot.change().drop_frozen(sensor, *range);
                    self.review(&hot.held(), [sensor]);
                }
                Err(error) => self.failed(db, sensor, error),
            }
        }
    }

    fn failed(&mut self, db: &Database, sensor: &SensorId, error: &StoreError) {
        // An error that is final has been logged.
        if db.check_writable().is_ok() {
            log::error!(
                "the readings of sensor {sensor:?} can't be sealed, they stay as they are: {error}"
            );
            self.failed.insert(sensor.clone());
            self.due.remove(sensor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::reading;

    fn sensor(number: usize) -> SensorId {
        SensorId::new(&format!("sensor {number}")).unwrap()
    }

    /// Sensors with so many hot rows, which all have frozen ones: those that are worth sealing.
    fn worth_sealing(counts: impl Iterator<Item = usize>) -> FrozenSensors {
        let counts: Vec<_> = counts
            .enumerate()
            .map(|(n, count)| (count, sensor(n)))
            .collect();
        let all = counts.iter().map(|(count, _)| count).sum();
        FrozenSensors::of(all, counts.iter().map(|(count, sensor)| (*count, sensor)))
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

    /// A thousand sensors with fewer late rows each than are sealed would be a lot of memory.
    #[test]
    fn fewer_rows_are_sealed_while_there_are_very_many() {
        const EACH: usize = 4_000;
        let mut hot = HotSensors::default();
        let mut sealing = Sealing::new(4_096);
        let rows: Vec<_> = (0_i64..).take(EACH).map(|n| reading(n, 1.0)).collect();
        for number in 0..=MANY_HOT_ROWS / EACH {
            let place = hot.place(&sensor(number));
            hot.change_settled(place, None, &rows);
            sealing.review(&hot, [&sensor(number)]);
            assert_eq!(sealing.is_due(), hot.counts().settled > MANY_HOT_ROWS);
        }
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
