//! Sealing: hot rows become blocks once a sensor has enough of them.

use std::collections::{BTreeMap, HashMap};

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::{Finder, Tail};
use crate::store::engine::locks::write;
use crate::store::engine::{WriteBatch, keys};
use crate::store::error::StoreError;
use crate::store::rows::hot;
use crate::store::writer::database::Database;
use crate::store::writer::step::seal_step;

/// The most steps of sealing between two looks at the queue. Each is a transaction.
const MAX_STEPS: usize = 16;
/// This many rows of a sensor are worth a block that is not full.
const MANY_ROWS: usize = 256;

/// Which sensors have hot rows, and whose are sealed next.
pub(crate) struct Sealing {
    sensors: BTreeMap<SensorId, HotRows>,
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

impl Sealing {
    pub(crate) const fn new(threshold: usize) -> Self {
        Self {
            sensors: BTreeMap::new(),
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
                self.sensors.entry(sensor).or_default().count += 1;
            }
        }
        db.apply("removing sealed rows", &batch)?;
        db.sync()
    }

    /// Counts hot rows that are new.
    pub(crate) fn add_rows(&mut self, new_rows: HashMap<SensorId, usize>) {
        for (sensor, count) in new_rows {
            self.sensors.entry(sensor).or_default().count += count;
        }
    }

    /// Counts hot rows that are gone.
    pub(crate) fn remove_rows(&mut self, sensor: &SensorId, count: usize) {
        if let Some(rows) = self.sensors.get_mut(sensor) {
            rows.count = rows.count.saturating_sub(count);
        }
    }

    /// Forgets a sensor that is removed.
    pub(crate) fn forget(&mut self, sensor: &SensorId) {
        self.sensors.remove(sensor);
    }

    pub(crate) fn has_rows(&self, sensor: &SensorId) -> bool {
        self.sensors.get(sensor).is_some_and(|rows| rows.count > 0)
    }

    /// Tries sensors again whose sealing failed: the reason may be gone.
    pub(crate) fn retry(&mut self) {
        for rows in self.sensors.values_mut() {
            rows.has_failed = false;
        }
    }

    /// Whether a sensor has enough rows.
    pub(crate) fn is_due(&self) -> bool {
        self.next().is_some()
    }

    fn next(&self) -> Option<&SensorId> {
        let due = || self.with_rows(self.threshold);
        due()
            .find(|sensor| Some(*sensor) > self.last.as_ref())
            .or_else(|| due().next())
    }

    /// The sensors with at least `count` rows, unless their sealing failed.
    fn with_rows(&self, count: usize) -> impl Iterator<Item = &SensorId> {
        self.sensors.iter().filter_map(move |(sensor, rows)| {
            (rows.count >= count && !rows.has_failed).then_some(sensor)
        })
    }

    /// Seals some rows of the next sensor that has enough of them. What is sealed must be durable in the journal before:
    /// else a crash could leave a part of an upload, in a block.
    pub(crate) fn seal_next(&mut self, db: &mut Database) {
        let Some(sensor) = self.next().cloned() else {
            return;
        };
        self.last = Some(sensor.clone());
        let sealed = self.try_seal(db, &sensor);
        self.log_failure(db, &sensor, sealed);
    }

    /// Seals the newest rows of sensors that have many of them, into blocks that may be small. To write rows into the
    /// database and remove them again would cost more than to fill up such a block later.
    pub(crate) fn seal_newest(&mut self, db: &mut Database) {
        let sensors: Vec<SensorId> = self.with_rows(MANY_ROWS).cloned().collect();
        for sensor in sensors {
            let sealed = self.try_seal_newest(db, &sensor);
            self.log_failure(db, &sensor, sealed);
        }
    }

    fn log_failure(&mut self, db: &Database, sensor: &SensorId, sealed: Result<(), StoreError>) {
        // An error that is final has been logged.
        if let Err(error) = sealed
            && db.check_writable().is_ok()
        {
            log::error!(
                "the readings of sensor {sensor:?} can't be sealed, they stay as they are: {error}"
            );
            self.sensors.entry(sensor.clone()).or_default().has_failed = true;
        }
    }

    fn try_seal_newest(&mut self, db: &mut Database, sensor: &SensorId) -> Result<(), StoreError> {
        let last = db.shared().trees.sealed.last(sensor)?;
        let from = last.map_or(Timestamp::MIN, |block| block.first);
        let rows = self.rows_from(db, sensor, from)?;
        // Late rows wait for more of them: each may need a block of its own rewritten.
        if rows.len() < MANY_ROWS {
            return Ok(());
        }
        self.seal_rows(db, sensor, &rows, Tail::Seal).map(drop)
    }

    fn try_seal(&mut self, db: &mut Database, sensor: &SensorId) -> Result<(), StoreError> {
        let known = self.sensors.entry(sensor.clone()).or_default();
        let from = known.continue_from.take().unwrap_or(Timestamp::MIN);
        let rows = self.rows_from(db, sensor, from)?;
        let used = self.seal_rows(db, sensor, &rows, Tail::Leave)?;
        let known = self.sensors.entry(sensor.clone()).or_default();
        known.continue_from = rows.get(used).map(|next| next.time);
        // Else the same rows would be tried for ever.
        known.has_failed |= used == 0 && from == Timestamp::MIN;
        Ok(())
    }

    /// Hot rows of `sensor` at or after `from`, ascending: as many as are sealed at once.
    fn rows_from(
        &self,
        db: &Database,
        sensor: &SensorId,
        from: Timestamp,
    ) -> Result<Vec<Reading>, StoreError> {
        let range = TimeRange::new(from, Timestamp::MAX).unwrap_or(TimeRange::ALL);
        let shared = db.shared();
        let rows = shared.trees.hot.range(sensor, range);
        rows.take(4 * self.threshold).collect()
    }

    /// Stores blocks first, then syncs, and only then removes the rows: cut short anywhere, every reading is in one of the
    /// two. Rows in memory are dropped without getting into the database. The journal still has them, and [`Self::recover`]
    /// removes them. Returns how many of `rows`, from the first, were sealed.
    fn seal_rows(
        &mut self,
        db: &mut Database,
        sensor: &SensorId,
        rows: &[Reading],
        tail: Tail,
    ) -> Result<usize, StoreError> {
        let mut used = 0;
        for _ in 0..MAX_STEPS {
            let rest = rows.get(used..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            match seal_step(db, sensor, rest, tail, |_| None)? {
                0 => break,
                more => used += more,
            }
        }
        // The blocks must be durable before their rows are removed.
        db.flush()?;
        let sealed = rows.get(..used).unwrap_or_default();
        db.write("removing sealed rows", |shared| {
            let _swapping = write(&shared.swap);
            shared.trees.hot.remove(sensor, sealed)
        })?;
        self.remove_rows(sensor, used);
        Ok(used)
    }
}
