//! What is in memory of one sensor: its hot rows, its activity, and what counts of it in the log.

use std::borrow::Cow;

use crate::domain::{Measures, Reading, TimeRange, Timestamp};
use crate::store::blocks::Measure;
use crate::store::records::Order;
use crate::store::rows::Activity;
use crate::store::rows::sensor_rows::{at_time, in_range, merge_into, merged};

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
    pub(super) settled: Vec<Reading>,
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
    /// The weight of its groups.
    pub(crate) weight: usize,
    /// Whether there are rows in them, if only outdated ones.
    pub(crate) has_rows: bool,
    /// The last one in the log.
    pub(crate) activity: Activity,
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
        let mut rows = [&self.young, &self.frozen, &self.settled].into_iter();
        rows.find_map(|rows| at_time(rows, time))
    }

    /// How many rows are not young. One that is both frozen and settled counts twice.
    pub(super) const fn count_sealable(&self) -> usize {
        self.frozen.len() + self.settled.len()
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
        let [young, frozen, settled] = [&self.young, &self.frozen, &self.settled]
            .map(|rows| first_of(in_range(rows, range), measure, order, most));
        let mut rows = merged(&settled, &frozen);
        merge_into(&mut rows, &young);
        if order == Order::Descending {
            rows.reverse();
        }
        rows.truncate(most);
        rows
    }

    /// The rows in `range` that are not young, ascending.
    pub(super) fn sealable(&self, range: TimeRange) -> Vec<Reading> {
        let [settled, frozen] = [&self.settled, &self.frozen].map(|rows| in_range(rows, range));
        merged(settled, frozen)
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
