//! The one walk over readings that puts them together slot by slot, in bounded memory.
//!
//! A slot is answered from the totals of blocks and of their pages that lie in it. Only readings
//! near its ends are unpacked.

use std::cell::Cell;

use super::slots::{Slot, Slots};
use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::{Digest, Measure, Piece, Run, Store, StoreError, Values};

/// A computation over the readings of a slot.
pub(super) trait Fold {
    /// The result of a slot.
    type Value;

    /// Whether the totals of a run say as much as its readings. Asked ahead of the walk, so it must
    /// not depend on added readings.
    fn accepts(&self, run: &Run) -> bool;

    /// Adds a run that [`Self::accepts`] accepted.
    fn add_run(&mut self, run: &Run);

    /// Adds readings one by one: two slices of the same length, not empty.
    fn add_values(&mut self, times: &[Timestamp], numbers: &[f64]);

    /// Returns the result of the readings added since the last call, if any.
    fn take(&mut self) -> Option<Self::Value>;
}

/// Shorter slots may be as many as the readings: their results take as much memory until they are
/// sent.
const SHORT_MS: i64 = 30 * 60 * 1_000;

/// A run ends after so many slots.
pub(super) const MOST_SLOTS: usize = 256;

/// A walk over one measure of a sensor.
pub(super) struct SlotWalk<F> {
    /// `None` if the range is empty.
    digest: Option<Digest>,
    slots: Slots,
    fold: F,
    /// The slot of the readings in `fold`.
    open: Option<Slot>,
}

impl<F: Fold> SlotWalk<F> {
    /// A walk over the readings in `range`; over none without a range.
    pub(super) fn new(
        store: &Store,
        (sensor, measure): (&SensorId, Measure),
        range: Option<TimeRange>,
        mut slots: Slots,
        fold: F,
    ) -> Self {
        let digest = range.map(|range| {
            if slots.slot(range.start()).times.length_ms() < SHORT_MS {
                store.digest(sensor, measure, range)
            } else {
                store.totals(sensor, measure, range)
            }
        });
        Self {
            digest,
            slots,
            fold,
            open: None,
        }
    }

    /// Walks over some readings, at most those of one block. Passes complete slots to `sink`, some
    /// hundreds at most. Returns false after the last one. Blocks on the disk.
    pub(super) fn next_run(
        &mut self,
        mut sink: impl FnMut(Slot, F::Value),
    ) -> Result<bool, StoreError> {
        let passed = Cell::new(0);
        let mut counting = |slot, value| {
            passed.update(|passed| passed + 1);
            sink(slot, value);
        };
        // A run is a block, not a page: a download limits the runs per chunk
        // (`http/wire/stream.rs`). But a block may have a slot for each of its readings, whose text
        // would take much memory.
        while self.next_piece(&mut counting)? {
            let is_in_block = self.digest.as_ref().is_some_and(Digest::is_in_block);
            if !is_in_block || passed.get() >= MOST_SLOTS {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Walks to the end. Blocks on the disk.
    pub(super) fn all(mut self) -> Result<Vec<(Slot, F::Value)>, StoreError> {
        let mut all = Vec::new();
        while self.next_run(|slot, value| all.push((slot, value)))? {}
        Ok(all)
    }

    fn next_piece(&mut self, sink: &mut impl FnMut(Slot, F::Value)) -> Result<bool, StoreError> {
        let Some(digest) = &mut self.digest else {
            return Ok(false);
        };
        let (slots, fold) = (&mut self.slots, &self.fold);
        let is_enough =
            |run: &Run| slots.slot(run.first).times.contains(run.last) && fold.accepts(run);
        match digest.next_piece(is_enough)? {
            Some(Piece::Run(run)) => {
                self.enter(run.first, sink);
                self.fold.add_run(&run);
            }
            Some(Piece::Values(values, _)) => {
                let mut rest = ValueSlices::of(&values);
                while let Some(first) = rest.first() {
                    let last = self.enter(first, sink).times.end();
                    let (times, numbers) = rest.take_until(last);
                    self.fold.add_values(times, numbers);
                }
            }
            None => {
                self.close(sink);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Goes on to the slot of a reading.
    fn enter(&mut self, time: Timestamp, sink: &mut impl FnMut(Slot, F::Value)) -> Slot {
        if let Some(open) = self.open.filter(|open| open.times.contains(time)) {
            return open;
        }
        self.close(sink);
        *self.open.insert(self.slots.slot(time))
    }

    fn close(&mut self, sink: &mut impl FnMut(Slot, F::Value)) {
        if let Some((slot, value)) = self.open.take().zip(self.fold.take()) {
            sink(slot, value);
        }
    }
}

/// Readings that are taken slot by slot.
pub(super) struct ValueSlices<'a> {
    times: &'a [Timestamp],
    numbers: &'a [f64],
}

impl<'a> ValueSlices<'a> {
    pub(super) fn of(values: &'a Values) -> Self {
        Self {
            times: &values.times,
            numbers: &values.numbers,
        }
    }

    /// The time of the next one.
    pub(super) fn first(&self) -> Option<Timestamp> {
        self.times.first().copied()
    }

    /// Takes those at or before `last`, and the first one anyway.
    pub(super) fn take_until(&mut self, last: Timestamp) -> (&'a [Timestamp], &'a [f64]) {
        let count = count_until(self.times, last);
        let (times, later) = self.times.split_at(count);
        let (numbers, rest) = self.numbers.split_at(count);
        (self.times, self.numbers) = (later, rest);
        (times, numbers)
    }
}

/// How many of `times` lie at or before `last`; the first one counts anyway.
fn count_until(times: &[Timestamp], last: Timestamp) -> usize {
    let is_in = |time: &Timestamp| *time <= last;
    // In doubling steps: slots may be short, and the slice long.
    let mut reach = 1;
    while times.get(reach).is_some_and(is_in) {
        reach *= 2;
    }
    let near = times.get(..reach).unwrap_or(times);
    near.partition_point(is_in).max(1)
}
