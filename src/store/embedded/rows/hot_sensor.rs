//! What is in memory of one sensor: its hot rows, its activity, and what counts of it in the log.

use crate::domain::{Measures, Reading, TimeRange, Timestamp};
use crate::store::blocks::Measure;
use crate::store::embedded::rows::settled_rows::SettledRows;
use crate::store::records::Order;
use crate::store::rows::Activity;
use crate::store::rows::sensor_rows::{at_time, in_range, merge_into};

/// A row is young, then frozen, then settled or sealed. Of one time there may be a young one, a frozen one and a settled one, with
/// different measures: the later upload is in the earlier state, and has all of its measures. Those of each state are ascending.
#[derive(Debug, Default)]
pub(crate) struct HotSensor {
    /// `None` if nothing was ever stored.
    pub(super) activity: Option<Activity>,
    /// New ones. The journal has them, or they wait for it in interval mode.
    pub(super) young: Vec<Reading>,
    /// Those that are on their way into the database. The journal has all of them.
    pub(super) frozen: Vec<Reading>,
    /// Those that the database has.
    pub(super) settled: SettledRows,
    /// No row is newer. Most readings are, and need no search for an older row, which no cache would have.
    newest: Option<Timestamp>,
    /// What counts of it in the log.
    pub(super) logged: Option<LoggedSensor>,
}

/// What counts of a sensor in the log (`log/live.rs`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LoggedSensor {
    /// The position of the first record that may have any of it.
    pub(crate) since: u64,
    /// The last one in the log.
    pub(crate) activity: Activity,
    /// Cleaning has appended a part of its rows again.
    pub(crate) carried: Option<CarriedRows>,
}

/// How far cleaning of the log is with the rows of a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CarriedRows {
    /// The position of the first record that has any of them.
    pub(crate) since: u64,
    /// Earlier rows are appended again.
    pub(crate) up_to: Timestamp,
}

impl HotSensor {
    pub(crate) const fn activity(&self) -> Option<Activity> {
        self.activity
    }

    /// The row at `time`.
    pub(crate) fn row(&self, time: Timestamp) -> Option<Measures> {
        if self.newest.is_none_or(|newest| newest < time) {
            return None;
        }
        let mut rows = [&self.young, &self.frozen].into_iter();
        let row = rows.find_map(|rows| at_time(rows, time));
        row.or_else(|| self.settled.at(time))
    }

    /// How many rows are not young. One that is both frozen and settled counts twice.
    pub(super) const fn count_sealable(&self) -> usize {
        self.frozen.len() + self.settled.len()
    }

    /// How many rows there are. One in two states counts twice.
    pub(crate) const fn count(&self) -> usize {
        self.young.len() + self.count_sealable()
    }

    /// Notes that there are these rows, ascending.
    pub(super) fn note_newest(&mut self, rows: &[Reading]) {
        self.newest = self.newest.max(rows.last().map(|row| row.time));
    }

    /// The first `most` of the rows in `range`, only those with `measure` if one is given, in this order of time.
    pub(super) fn rows(
        &self,
        range: TimeRange,
        measure: Option<Measure>,
        order: Order,
        most: usize,
    ) -> Vec<Reading> {
        // Cut before they are merged: a row that is one of the first of all is one of the first in its state. One in an
        // earlier state has all measures of those that it hides.
        let mut rows = first_of(self.settled.range(range), measure, order, most);
        for newer in [&self.frozen, &self.young] {
            let newer = in_range(newer, range).iter();
            merge_into(&mut rows, &first_of(newer, measure, order, most));
        }
        if order == Order::Descending {
            rows.reverse();
        }
        rows.truncate(most);
        rows
    }

    /// The first `most` of the rows in `range` that are not young, ascending.
    pub(super) fn sealable(&self, range: TimeRange, most: usize) -> Vec<Reading> {
        let mut rows: Vec<Reading> = self.settled.range(range).take(most).copied().collect();
        let frozen = in_range(&self.frozen, range);
        merge_into(&mut rows, frozen.get(..most).unwrap_or(frozen));
        rows.truncate(most);
        rows
    }
}

/// The first `most` of `rows`, seen in this order; ascending all the same.
fn first_of<'a>(
    rows: impl DoubleEndedIterator<Item = &'a Reading>,
    measure: Option<Measure>,
    order: Order,
    most: usize,
) -> Vec<Reading> {
    let has_measure = |row: &&Reading| measure.is_none_or(|measure| measure.of(row).is_some());
    let some = rows.filter(has_measure);
    if order == Order::Ascending {
        return some.take(most).copied().collect();
    }
    let mut last: Vec<Reading> = some.rev().take(most).copied().collect();
    last.reverse();
    last
}
