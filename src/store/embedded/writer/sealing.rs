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

/// Sensors are sealed together until this many readings are encoded: they share a sync of the
/// volume, and uploads wait some milliseconds.
const ENCODED_AT_ONCE: usize = 1_024;
/// The same for late rows. Each step encodes a whole block for only a few rows, and must keep pace
/// with the uploads.
const ENCODED_FOR_LATE: usize = 4_096;
/// The maximum number of rows of one generation that are sealed: twice as many as a generation
/// brings.
const SEALED_AT_ONCE: usize = 8_192;
/// The maximum number of steps of sealing between two looks at the queue. Each is a commit with a
/// sync of the volume. With small blocks, this limit is reached long before [`ENCODED_FOR_LATE`].
const MAX_STEPS: usize = 4;
/// This many rows of a sensor are worth a block that is not full; late ones only while all sensors
/// together have more than [`MANY_HOT_ROWS`].
const MANY_ROWS: usize = 256;
/// This many are worth one while all sensors together have more than [`MANY_HOT_ROWS`].
const SOME_ROWS: usize = 32;
/// A row takes some 40 bytes in memory, and as many on the disk; in a block, some three. But the
/// fewer rows are sealed at once, the more often they are rewritten: with 262,144 here, an upload
/// of 10,000 sensors took 7 % more CPU time. Two thousand sensors whose rows come in order have
/// fewer, because [`MANY_ROWS`] of one are sealed.
const MANY_HOT_ROWS: usize = 524_288;
/// How often sensors whose sealing failed are tried again while uploads wait for them.
const RETRY_EVERY: Duration = Duration::from_mins(1);

/// Decides which hot rows are sealed next. Only frozen and settled rows are sealed: they are in the
/// journal or the log, so a crash never leaves a part of an upload.
pub(crate) struct Sealing {
    /// Sensors with enough settled rows.
    due: BTreeSet<SensorId>,
    /// The row at which sealing of a sensor continues if it did not reach all rows the last time.
    /// If it always started at the first row, late rows that keep coming would rewrite the same few
    /// blocks over and over, and the rows after them would never be sealed.
    continue_from: HashMap<SensorId, Timestamp>,
    /// Sensors whose sealing failed. Their rows stay hot until more rows get into the log.
    failed: BTreeSet<SensorId>,
    /// When they were last tried again because uploads wait for them.
    retried: Option<Instant>,
    /// The sensor that was sealed last: the next one in order follows.
    last: Option<SensorId>,
    /// The number of rows at which a sensor is sealed; [`MANY_ROWS`] while there are very many rows
    /// in all.
    threshold: usize,
}

/// Sensors with frozen rows that are worth a block, and were not sealed yet.
pub(crate) struct FrozenSensors {
    sensors: Vec<SensorId>,
    /// The number of rows that are worth a block.
    enough: usize,
}

impl FrozenSensors {
    /// Selects the sensors with enough rows for a block, while `all` sensors together have that
    /// many.
    fn of<'a>(all: usize, counts: impl Iterator<Item = (usize, &'a SensorId)>) -> Self {
        let enough = if all > MANY_HOT_ROWS {
            SOME_ROWS
        } else {
            MANY_ROWS
        };
        let mut most: Vec<_> = counts.filter(|(count, _)| *count >= enough).collect();
        most.sort_unstable_by(|a, b| b.cmp(a));
        // Sensors that upload in turns have many rows at the same time. The omitted ones come with
        // a later generation.
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

    /// Notes how many rows these sensors have by now.
    pub(crate) fn review<'a>(
        &mut self,
        hot: &HotSensors,
        sensors: impl IntoIterator<Item = &'a SensorId>,
    ) {
        let sensors = sensors.into_iter();
        let counts = sensors.map(|sensor| (sensor, hot.count_sealable(sensor)));
        self.review_counts(hot.count_all_sealable(), counts);
    }

    /// Notes how many rows these sensors have by now, and all sensors together.
    pub(crate) fn review_counts<'a>(
        &mut self,
        all: usize,
        counts: impl Iterator<Item = (&'a SensorId, usize)>,
    ) {
        // Otherwise rows would take more memory the more sensors there are.
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

    /// Forgets a removed sensor.
    pub(crate) fn forget(&mut self, sensor: &SensorId) {
        self.due.remove(sensor);
        self.continue_from.remove(sensor);
        self.failed.remove(sensor);
    }

    /// Tries sensors whose sealing failed again: the reason may be gone.
    pub(crate) fn retry(&mut self, hot: &HotSensors) {
        let failed = std::mem::take(&mut self.failed);
        self.review(hot, &failed);
    }

    /// The same, at intervals: uploads are refused until rows are sealed.
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

    /// Selects the frozen sensors with many rows. Keeping that many in memory, and writing them to
    /// the log, would cost more than a block that is not full and is replaced later.
    pub(crate) fn worth_sealing(&self, hot: &HotSensors) -> FrozenSensors {
        let counts = hot
            .settling(usize::MAX)
            .map(|it| (it.rows.len() + it.settled.len(), it.sensor));
        let counts = counts.filter(|(_, sensor)| !self.failed.contains(*sensor));
        FrozenSensors::of(hot.count_all_sealable(), counts)
    }

    /// Seals the newest rows of some of `sensors`, into blocks that may be small. Returns false if
    /// no sensor was left.
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
        // Late rows wait for more of them: each may need to rewrite a block.
        if rows.len() < enough {
            return Ok(());
        }
        let behind = rows.partition_point(|row| last.is_some_and(|block| row.time <= block.last));
        let behind = rows.get(behind..).unwrap_or_default();
        match plan.add(&shared, sensor, &rows, Tail::Seal) {
            // Rows over an unreadable block stay. Rows after the block must not wait for them.
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
        // The space of replaced blocks is freed once the steps are durable. A failure is final, and
        // has been logged.
        drop(db.flush());
    }

    fn seal_steps(&mut self, db: &mut Database, sensor: &SensorId) {
        let mut encoded = 0;
        // A step may take only a few late rows, and each has to see the blocks of the one before.
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
        // A step ends before the next block. Rows after it are not even copied: there may be very
        // many.
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
        // Otherwise the same rows would be tried forever.
        if used == 0 && (from.is_none() || !rows.is_empty()) {
            self.failed.insert(sensor.clone());
            self.due.remove(sensor);
        }
        Ok(())
    }

    /// The first row after the unreadable block under the row at `start`; `None` if too few rows
    /// for sealing follow. Then the sensor waits: it would be tried forever.
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

    /// Stores the blocks and removes the rows in one commit: after an interruption, every reading
    /// is in one of the two. Frozen rows are dropped without being written to the log. They are
    /// still in the journal, and after a crash a start drops them.
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
        // A final error has been logged, and one for lack of space, too.
        if db.check_writable().is_ok() {
            if !matches!(error, StoreError::NotForNow(_)) {
                log::error!("cannot seal the readings of sensor {sensor:?} for now: {error}");
            }
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

    /// The sensors worth sealing, of sensors with these numbers of hot rows, some of them frozen.
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

    /// A thousand sensors, each with fewer late rows than are sealed, would take a lot of memory.
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
