//! The hot rows: one for each reading that is not sealed yet. Readers find all of them in memory.

use std::borrow::Cow;
use std::sync::{RwLock, RwLockReadGuard};

use crate::domain::{Measures, Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::Measure;
use crate::store::records::Order;
use crate::store::records::locks::{read, write};
use crate::store::rows::sensor_rows::{Rows, merge_into, merged};

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
    pub(crate) fn hold(&self, rows: Rows) {
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
        held.settled.extend(std::mem::take(&mut held.frozen));
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
        self.rows(sensor, range, None, Order::Ascending, usize::MAX)
    }

    /// The first `most` of the rows of `sensor` in `range`, only those with `measure` if one is given, in this order of time.
    pub(crate) fn rows(
        &self,
        sensor: &SensorId,
        range: TimeRange,
        measure: Option<Measure>,
        order: Order,
        most: usize,
    ) -> Vec<Reading> {
        let held = self.held();
        // Cut before they are merged: a row that is one of the first of all is one of the first in its place. One in an
        // earlier place has all measures of those that it hides.
        let [young, frozen, settled] = held
            .newest_first()
            .map(|rows| first_of(rows.in_range(sensor, range), measure, order, most));
        let mut rows = merged(&settled, &frozen);
        merge_into(&mut rows, &young);
        if order == Order::Descending {
            rows.reverse();
        }
        rows.truncate(most);
        rows
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
}

/// The first `most` of `rows`, seen in this order; ascending all the same.
fn first_of(
    rows: &[Reading],
    measure: Option<Measure>,
    order: Order,
    most: usize,
) -> Cow<'_, [Reading]> {
    let Some(measure) = measure else {
        let count = rows.len().min(most);
        let first = match order {
            Order::Ascending => rows.get(..count),
            Order::Descending => rows.get(rows.len() - count..),
        };
        return Cow::Borrowed(first.unwrap_or(rows));
    };
    let has_measure = |row: &&Reading| measure.of(row).is_some();
    let mut first: Vec<Reading> = match order {
        Order::Ascending => rows
            .iter()
            .filter(has_measure)
            .take(most)
            .copied()
            .collect(),
        Order::Descending => rows
            .iter()
            .rev()
            .filter(has_measure)
            .take(most)
            .copied()
            .collect(),
    };
    if order == Order::Descending {
        first.reverse();
    }
    Cow::Owned(first)
}
