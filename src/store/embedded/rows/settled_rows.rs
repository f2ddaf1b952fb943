//! The settled rows of a sensor.

use crate::domain::{Measures, Reading, TimeRange, Timestamp};
use crate::store::rows::sensor_rows::{at_time, in_range, merge_into};

/// The maximum number of rows in a piece.
const MOST_ROWS: usize = 512;

/// Rows in ascending order of time, in pieces: a change of some rows moves only those of their
/// pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettledRows {
    /// None is empty, and each begins after the one before it.
    pieces: Vec<Vec<Reading>>,
    count: usize,
}

impl SettledRows {
    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The measures of the row at `time`.
    pub(crate) fn at(&self, time: Timestamp) -> Option<Measures> {
        at_time(self.pieces.get(self.place_of(time))?, time)
    }

    /// The rows in `range`, ascending.
    pub(crate) fn range(&self, range: TimeRange) -> impl DoubleEndedIterator<Item = &Reading> {
        let (first, last) = (self.place_of(range.start()), self.place_of(range.end()));
        let pieces = self.pieces.get(first..=last).unwrap_or_default().iter();
        pieces.flat_map(move |piece| in_range(piece, range))
    }

    /// All rows, ascending.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Reading> {
        self.pieces.iter().flatten()
    }

    /// The range from the first row to the last one.
    pub(crate) fn span(&self) -> Option<TimeRange> {
        let (first, last) = (self.pieces.first()?.first()?, self.pieces.last()?.last()?);
        TimeRange::new(first.time, last.time)
    }

    /// Adds rows, ascending, which replace those at the same times.
    pub(crate) fn merge(&mut self, mut newer: &[Reading]) {
        while let Some(first) = newer.first() {
            let place = self.place_of(first.time);
            let next = self.pieces.get(place + 1).and_then(|piece| piece.first());
            let here = next.map_or(newer.len(), |next| {
                newer.partition_point(|row| row.time < next.time)
            });
            // Each piece takes a part of a long batch, so that none moves more than once.
            let (here, behind) = newer.split_at(here.min(MOST_ROWS));
            if self.pieces.is_empty() {
                self.pieces.push(Vec::new());
            }
            if let Some(piece) = self.pieces.get_mut(place) {
                self.count -= piece.len();
                merge_into(piece, here);
                self.count += piece.len();
                if piece.len() > MOST_ROWS {
                    self.split(place);
                }
            }
            newer = behind;
        }
    }

    /// Removes the rows in `range`. Returns their number.
    pub(crate) fn remove(&mut self, range: TimeRange) -> usize {
        let before = self.count;
        let (first, last) = (self.place_of(range.start()), self.place_of(range.end()));
        let pieces = self.pieces.get_mut(first..=last).unwrap_or_default();
        for piece in pieces {
            let removed = in_range(piece, range).len();
            let start = piece.partition_point(|row| row.time < range.start());
            piece.drain(start..start + removed);
            self.count -= removed;
        }
        if self.count < before {
            self.pieces.retain(|piece| !piece.is_empty());
        }
        before - self.count
    }

    /// The place of the piece that contains the row at `time`, or would get it.
    fn place_of(&self, time: Timestamp) -> usize {
        let is_ahead = |piece: &Vec<Reading>| piece.first().is_some_and(|first| first.time <= time);
        // Most rows are newer than all others.
        match self.pieces.split_last() {
            Some((last, pieces)) if is_ahead(last) => pieces.len(),
            _ => self.pieces.partition_point(is_ahead).saturating_sub(1),
        }
    }

    /// Splits a piece that is too long. Splitting the last one leaves a full piece: most rows come
    /// in order.
    fn split(&mut self, place: usize) {
        let is_last = place + 1 == self.pieces.len();
        if let Some(piece) = self.pieces.get_mut(place) {
            let left = if is_last { MOST_ROWS } else { piece.len() / 2 };
            let behind = piece.split_off(left);
            piece.shrink_to_fit();
            self.pieces.insert(place + 1, behind);
        }
    }
}

impl From<Vec<Reading>> for SettledRows {
    fn from(rows: Vec<Reading>) -> Self {
        let mut settled = Self::default();
        settled.merge(&rows);
        settled
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::store::tests::{at, reading};

    #[derive(Clone, Debug)]
    enum RowsStep {
        Merge(Vec<Reading>),
        Remove(TimeRange),
    }

    const END: i64 = 4_000;

    fn any_range() -> impl Strategy<Value = TimeRange> {
        (0..END, 0..END).prop_map(|(a, b)| TimeRange::new(at(a.min(b)), at(a.max(b))).unwrap())
    }

    fn any_step() -> impl Strategy<Value = RowsStep> {
        let some = proptest::collection::btree_map(0..END, -9_i32..9, 0..200);
        let dense = (0..END, 1..2_000_i64, 1..40_usize, -9_i32..9);
        let rows = some.prop_map(|rows| {
            let rows = rows.into_iter();
            rows.map(|(ms, watts)| reading(ms, watts.into())).collect()
        });
        let dense = dense.prop_map(|(from, count, every, watts)| {
            let times = (from..(from + count).min(END)).step_by(every);
            times.map(|ms| reading(ms, watts.into())).collect()
        });
        prop_oneof![
            rows.prop_map(RowsStep::Merge),
            dense.prop_map(RowsStep::Merge),
            any_range().prop_map(RowsStep::Remove),
        ]
    }

    proptest! {
        /// After any merges and removals, the rows are those of a plain map.
        #[test]
        fn rows_are_those_of_a_plain_map(
            steps in proptest::collection::vec(any_step(), 1..24),
            ranges in proptest::collection::vec(any_range(), 4),
        ) {
            let (mut rows, mut plain) = (SettledRows::default(), BTreeMap::new());
            for step in steps {
                match step {
                    RowsStep::Merge(newer) => {
                        rows.merge(&newer);
                        plain.extend(newer.into_iter().map(|row| (row.time, row)));
                    }
                    RowsStep::Remove(range) => {
                        let before = plain.len();
                        plain.retain(|time, _| !range.contains(*time));
                        prop_assert_eq!(rows.remove(range), before - plain.len());
                    }
                }
                prop_assert!(rows.iter().eq(plain.values()));
                prop_assert_eq!(rows.len(), plain.len());
                let ends = plain.keys().next().zip(plain.keys().next_back());
                let span = ends.and_then(|(first, last)| TimeRange::new(*first, *last));
                prop_assert_eq!(rows.span(), span);
                prop_assert!(rows.pieces.iter().all(|piece| !piece.is_empty() && piece.len() <= MOST_ROWS));
            }
            for range in ranges {
                let expected = plain.range(range.start()..=range.end()).map(|(_, row)| row);
                prop_assert!(rows.range(range).eq(expected.clone()));
                prop_assert!(rows.range(range).rev().eq(expected.rev()));
                let time = range.start();
                prop_assert_eq!(rows.at(time), plain.get(&time).map(|row| row.measures));
            }
        }
    }

    #[test]
    fn rows_in_order_fill_the_pieces() {
        let mut rows = SettledRows::default();
        for ms in 0..10 * i64::try_from(MOST_ROWS).unwrap() {
            rows.merge(&[reading(ms, 1.0)]);
        }
        assert_eq!(rows.pieces.len(), 10);
    }
}
