//! The hot rows: one for each reading that is not sealed yet. Readers find all of them in memory.

use std::sync::{RwLock, RwLockReadGuard};

use crate::domain::{Measures, Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::{Measure, MeasuredValue};
use crate::store::records::locks::{read, write};
use crate::store::rows::sensor_rows::{Rows, merged};

/// The rows in memory, and the tree that has some of them for the next start (`rows/hot_log.rs`).
pub(crate) struct Hot {
    pub(crate) tree: sled::Tree,
    held: RwLock<HeldRows>,
}

/// The rows. A row is young, then frozen, then settled or sealed. There may be one in each place, with other measures: the later
/// upload is in the earlier place, and has all of its measures.
#[derive(Default)]
pub(crate) struct HeldRows {
    /// New ones. The journal has them, or they wait for it in interval mode.
    pub(crate) young: Rows,
    /// Those that are on their way into the database. The journal has all of them.
    pub(crate) frozen: Rows,
    /// Those that the database has.
    pub(crate) settled: Rows,
}

impl HeldRows {
    /// Whether the database has all of them.
    #[cfg(test)]
    pub(crate) const fn is_settled(&self) -> bool {
        self.young.is_empty() && self.frozen.is_empty()
    }

    /// The sensors that have rows, in order.
    pub(crate) fn sensors(&self) -> std::collections::BTreeSet<SensorId> {
        let rows = [&self.young, &self.frozen, &self.settled].into_iter();
        let sensors = rows.flat_map(|rows| rows.iter().map(|(sensor, _)| sensor.clone()));
        sensors.collect()
    }

    fn newest_first(&self) -> [&Rows; 3] {
        [&self.young, &self.frozen, &self.settled]
    }
}

impl Hot {
    pub(crate) fn new(tree: sled::Tree) -> Self {
        Self {
            tree,
            held: RwLock::default(),
        }
    }

    /// The rows in memory.
    pub(crate) fn held(&self) -> RwLockReadGuard<'_, HeldRows> {
        read(&self.held)
    }

    /// Holds `rows` in memory, where readers see them.
    pub(crate) fn hold(&self, rows: &Rows) {
        write(&self.held).young.extend(rows);
    }

    /// Freezes the young rows. No row may be frozen yet.
    pub(crate) fn freeze(&self) {
        let held = &mut *write(&self.held);
        held.frozen = std::mem::take(&mut held.young);
    }

    /// Settles the frozen rows: the database has them.
    pub(crate) fn settle(&self) {
        let held = &mut *write(&self.held);
        held.settled.extend(&std::mem::take(&mut held.frozen));
    }

    /// Drops the frozen rows of `sensor` at the times of `sealed`, which are ascending.
    pub(crate) fn drop_frozen(&self, sensor: &SensorId, sealed: &[Reading]) {
        write(&self.held).frozen.remove(sensor, sealed);
    }

    /// Puts `rows`, ascending, in the place of the settled rows of `sensor`.
    pub(crate) fn replace_settled(&self, sensor: &SensorId, rows: Vec<Reading>) {
        write(&self.held).settled.replace(sensor, rows);
    }

    /// Sets the settled rows, at start.
    pub(crate) fn load(&self, settled: Rows) {
        write(&self.held).settled = settled;
    }

    /// The hot row of `sensor` at `time`.
    pub(crate) fn get(&self, sensor: &SensorId, time: Timestamp) -> Option<Measures> {
        let held = self.held();
        let mut rows = held.newest_first().into_iter();
        rows.find_map(|rows| rows.get(sensor, time))
    }

    /// The rows of `sensor` in `range`, ascending; a copy, so that nobody waits for the caller.
    pub(crate) fn range(&self, sensor: &SensorId, range: TimeRange) -> Vec<Reading> {
        let held = self.held();
        let [young, frozen, settled] = held.newest_first().map(|it| it.in_range(sensor, range));
        merged(&merged(settled, frozen), young)
    }

    /// The time of the first row of `sensor` in `range`.
    pub(crate) fn first_in(&self, sensor: &SensorId, range: TimeRange) -> Option<Timestamp> {
        let held = self.held();
        let rows = held.newest_first().map(|it| it.in_range(sensor, range));
        rows.iter()
            .filter_map(|rows| Some(rows.first()?.time))
            .min()
    }

    /// The rows of `sensor` in `range` that are not young, ascending.
    pub(crate) fn sealable(&self, sensor: &SensorId, range: TimeRange) -> Vec<Reading> {
        let held = self.held();
        let [frozen, settled] = [&held.frozen, &held.settled].map(|it| it.in_range(sensor, range));
        merged(settled, frozen)
    }

    /// How many rows of `sensor` are not young. One that is both frozen and settled counts twice.
    pub(crate) fn count_sealable(&self, sensor: &SensorId) -> usize {
        let held = self.held();
        held.frozen.of(sensor).len() + held.settled.of(sensor).len()
    }

    /// The same of all sensors.
    pub(crate) fn count_all_sealable(&self) -> usize {
        let held = self.held();
        held.frozen.len() + held.settled.len()
    }

    /// The newest value of `measure` at or before `time` among the rows.
    pub(crate) fn newest(
        &self,
        sensor: &SensorId,
        time: Timestamp,
        measure: Measure,
    ) -> Option<MeasuredValue> {
        let range = TimeRange::new(Timestamp::MIN, time)?;
        let held = self.held();
        let mut newest: Option<MeasuredValue> = None;
        for rows in held.newest_first() {
            let mut values = rows.in_range(sensor, range).iter().rev();
            let found = values.find_map(|row| measure.of(row));
            // At the same time, the row in the earlier place counts.
            if found.map(|value| value.time) > newest.map(|value| value.time) {
                newest = found;
            }
        }
        newest
    }

    /// The first value of `measure` among the rows.
    pub(crate) fn first(&self, sensor: &SensorId, measure: Measure) -> Option<MeasuredValue> {
        let held = self.held();
        let mut first: Option<MeasuredValue> = None;
        for rows in held.newest_first() {
            let found = rows.of(sensor).iter().find_map(|row| measure.of(row));
            let is_earlier = |first: MeasuredValue| found.is_some_and(|it| it.time < first.time);
            if first.is_none_or(is_earlier) {
                first = found;
            }
        }
        first
    }
}
