//! The state of one sensor in memory: its hot rows, its activity, and its live part of the log.

use crate::domain::{Measures, Reading, TimeRange, Timestamp};
use crate::store::blocks::Measure;
use crate::store::embedded::rows::settled_rows::SettledRows;
use crate::store::records::Order;
use crate::store::rows::Activity;
use crate::store::rows::sensor_rows::{at_time, in_range, merge_into};

/// A row is young, then frozen, then settled or sealed. Several states may hold a row for the same
/// time. The youngest state wins; its row contains all measures of the others. The rows of each
/// state are ascending.
#[derive(Debug, Default)]
pub(crate) struct HotSensor {
    /// `None` if it never uploaded.
    pub(super) activity: Option<Activity>,
    /// New rows. They are in the journal or, in interval mode, waiting for it.
    pub(super) young: Vec<Reading>,
    /// Rows on their way into the log. All of them are in the journal.
    pub(super) frozen: Vec<Reading>,
    /// Rows that are in the log.
    pub(super) settled: SettledRows,
    /// The time of the newest row, or later. Most readings are newer, and need no search for an
    /// older row, which would miss all caches.
    newest: Option<Timestamp>,
    /// Its live part of the log.
    pub(super) logged: Option<LoggedSensor>,
}

/// The live part of a sensor in the log (`log/live.rs`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LoggedSensor {
    /// The position of the first record that may contain some of it.
    pub(crate) since: u64,
    /// Its last activity in the log.
    pub(crate) activity: Activity,
    /// Set once cleaning has appended a part of its rows again.
    pub(crate) carried: Option<CarriedRows>,
}

/// The progress of cleaning the log with the rows of a sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CarriedRows {
    /// The position of the first record that contains some of them.
    pub(crate) since: u64,
    /// Rows up to this time are appended again.
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

    /// The number of rows that are not young. One that is both frozen and settled counts twice.
    pub(super) const fn count_sealable(&self) -> usize {
        self.frozen.len() + self.settled.len()
    }

    /// The number of rows. One in two states counts twice.
    pub(crate) const fn count(&self) -> usize {
        self.young.len() + self.count_sealable()
    }

    /// Notes that there are these rows, ascending.
    pub(super) fn note_newest(&mut self, rows: &[Reading]) {
        self.newest = self.newest.max(rows.last().map(|row| row.time));
    }

    /// The first `most` of the rows in `range`, in this order of time; with `measure`, only rows
    /// that have it.
    pub(super) fn rows(
        &self,
        range: TimeRange,
        measure: Option<Measure>,
        order: Order,
        most: usize,
    ) -> Vec<Reading> {
        // Cut before merging: a row among the first of all is among the first of its state. A row
        // in a younger state has all measures of those that it hides.
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

/// The first `most` of `rows` in this order, but returned in ascending order.
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
