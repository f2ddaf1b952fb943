//! Deleting readings of a sensor: all in a range of time, or given ones.

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::store::backend::{ReadingsChange, ReadingsView, ReadingsWriter, RowsTurn, SensorTurn};
use crate::store::blocks::source::reaching_into;
use crate::store::blocks::{Summary, seal};
use crate::store::change::slices::{ROWS_AT_ONCE, in_slices};
use crate::store::error::StoreError;
use crate::store::read::{count_readings, power_at};
use crate::store::records::Order;
use crate::store::rows::{Activity, Power};

/// The maximum number of blocks that a slice of a deletion of given readings writes again.
const BLOCKS_AT_ONCE: usize = 8;

/// Deletes the readings of `sensor` in `range`, both ends included, all or none: rows, blocks, and
/// the parts of blocks at its edges. The newest power is then that of the remaining readings.
/// Arrivals stay, because they tell when uploads came, not which readings are stored. Returns the
/// number of deleted readings once that is durable.
///
/// # Errors
/// As [`ReadingsWriter::change`].
pub(crate) fn delete(
    backend: &dyn ReadingsWriter,
    sensor: &SensorId,
    range: TimeRange,
) -> Result<usize, StoreError> {
    let job = move |stored: &mut dyn ReadingsChange| delete_from(stored, range);
    backend.change(sensor, Box::new(job))
}

/// Deletes those of `readings` that are stored just as they are, in slices. Others between them
/// stay. Returns the number of deleted readings once that is durable.
///
/// # Errors
/// As [`ReadingsWriter::change`]. After an error a part may be deleted.
pub(crate) fn delete_equal(
    backend: &dyn ReadingsWriter,
    sensor: &SensorId,
    readings: Vec<Reading>,
) -> Result<usize, StoreError> {
    in_slices(backend, sensor, readings, delete_some)
}

fn delete_from(stored: &mut dyn ReadingsChange, range: TimeRange) -> Result<usize, StoreError> {
    let view = stored.view();
    let count = count_readings(&*view, range)?;
    let mut removed = Vec::new();
    let (mut left, mut span) = (Vec::new(), None::<TimeRange>);
    for summary in reaching_into(&*view, range)? {
        let summary = summary?;
        removed.push(summary.first);
        let start = span.map_or(summary.first, TimeRange::start);
        span = TimeRange::new(start, summary.last);
        // Only the first and the last of them can extend beyond the range.
        if !(range.contains(summary.first) && range.contains(summary.last)) {
            left.extend(view.readings(summary.first)?);
        }
    }
    left.retain(|reading| !range.contains(reading.time));
    drop(view);
    let gone = vec![range];
    carry_out(stored, (range, gone), (removed, span), left)?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Deletes those of the first [`DeletionStep`] of `given`, which ascend, that are stored as they are.
/// Other readings there stay, now all of them in blocks. Returns how many it deleted, and the rest
/// of `given`.
fn delete_some(
    stored: &mut dyn ReadingsChange,
    mut given: Vec<Reading>,
) -> Result<(usize, Vec<Reading>), StoreError> {
    let view = stored.view();
    let Some(piece) = DeletionStep::first(&*view, &given)? else {
        return Ok((0, Vec::new()));
    };
    let range = piece.range;
    let rest = given.split_off(given.partition_point(|reading| reading.time <= range.end()));
    let is_gone = |reading: &Reading| {
        let found = given.binary_search_by_key(&reading.time, |given| given.time);
        let found = found.ok().and_then(|place| given.get(place));
        found.is_some_and(|given| bits(given) == bits(reading))
    };
    let (mut start, mut end) = (range.start(), range.end());
    let mut sealed = Vec::new();
    for block in &piece.blocks {
        (start, end) = (start.min(block.first), end.max(block.last));
        sealed.extend(view.readings(block.first)?);
    }
    let (mut gone, mut left, mut count) = (Vec::new(), Vec::new(), 0);
    let merged = seal::overlay(sealed, &piece.rows);
    for run in merged.chunk_by(|one, next| is_gone(one) == is_gone(next)) {
        match (run.first(), run.last()) {
            (Some(first), Some(last)) if is_gone(first) => {
                count += run.len();
                gone.extend(TimeRange::new(first.time, last.time));
            }
            _ => left.extend_from_slice(run),
        }
    }
    drop(view);
    if count > 0 {
        let removed = piece.blocks.iter().map(|block| block.first).collect();
        carry_out(
            stored,
            (range, gone),
            (removed, TimeRange::new(start, end)),
            left,
        )?;
    }
    Ok((count, rest))
}

/// The measures as bits: -0 equals 0, but `Register::BEGINS` is no end of an interval.
fn bits(reading: &Reading) -> [Option<u64>; 2] {
    let measures = reading.measures;
    [measures.watts(), measures.watthours()].map(|number| number.map(f64::to_bits))
}

/// The readings stored at the times of given ones, and between them.
struct DeletionStep {
    range: TimeRange,
    /// Each covers the time of a given reading.
    blocks: Vec<Summary>,
    /// The rows in the range.
    rows: Vec<Reading>,
}

impl DeletionStep {
    /// From the first of `given` as far as the limits allow, and not beyond a block that none of
    /// `given` concerns: it need not be written again.
    fn first(view: &dyn ReadingsView, given: &[Reading]) -> Result<Option<Self>, StoreError> {
        let ends = given.first().zip(given.last());
        let Some(all) = ends.and_then(|(first, last)| TimeRange::new(first.time, last.time)) else {
            return Ok(None);
        };
        let is_concerned = |block: &&Summary| {
            let next = given.partition_point(|reading| reading.time < block.first);
            given.get(next).is_some_and(|next| next.time <= block.last)
        };
        let mut blocks = view.reaching(all, BLOCKS_AT_ONCE + 1)?;
        let concerned = blocks.iter().take(BLOCKS_AT_ONCE);
        let concerned = concerned.take_while(is_concerned).count();
        let end = blocks
            .get(concerned)
            .map_or(all.end(), |behind| behind.first.saturating_add_millis(-1));
        let until = |end| TimeRange::new(all.start(), end).unwrap_or(TimeRange::at(all.start()));
        let rows = view.rows(until(end), None, Order::Ascending, ROWS_AT_ONCE)?;
        // There may be more rows.
        let last = rows.last().filter(|_| rows.len() == ROWS_AT_ONCE);
        let range = until(last.map_or(end, |last| last.time));
        blocks.truncate(concerned);
        blocks.retain(|block| block.first <= range.end());
        Ok(Some(Self {
            range,
            blocks,
            rows,
        }))
    }
}

/// Removes the blocks that begin at `removed`, which fill the span, and all rows in the range, and
/// stores what is `left` of them. Notes that the readings in the ranges `gone` are deleted.
fn carry_out(
    stored: &mut dyn ReadingsChange,
    (range, gone): (TimeRange, Vec<TimeRange>),
    (removed, span): (Vec<Timestamp>, Option<TimeRange>),
    left: Vec<Reading>,
) -> Result<(), StoreError> {
    let view = stored.view();
    let activity = match stored.activity()? {
        Some(activity) => Some(Activity {
            newest_power: newest_power_without(&*view, &activity, (range, &gone), &left)?,
            ..activity
        }),
        None => None,
    };
    let mut turn = SensorTurn {
        removed,
        packs: Vec::new(),
        rows: RowsTurn::Deleted { range, gone },
        activity,
    };
    if let Some(span) = span {
        let step = seal::rest(&*view, (span, left), stored.block_readings())?;
        turn.removed.extend(step.replaced);
        turn.packs = step.packs;
    }
    drop(view);
    stored.turn_over(turn)
}

/// The newest power once the readings in the ranges `gone` of `range` are deleted; `left` are the
/// remaining readings.
fn newest_power_without(
    stored: &dyn ReadingsView,
    activity: &Activity,
    (range, gone): (TimeRange, &[TimeRange]),
    left: &[Reading],
) -> Result<Option<Power>, StoreError> {
    match activity.newest_power {
        Some(power) if gone.iter().any(|gone| gone.contains(power.time)) => {
            let within = left.iter().filter(|reading| range.contains(reading.time));
            let kept = within.fold(Activity::default(), Activity::with_reading);
            match (kept.newest_power, range.start()) {
                (None, Timestamp::MIN) => Ok(None),
                // Nothing newer exists, so the newest remaining power is before the range.
                (None, start) => power_at(stored, start.saturating_add_millis(-1)),
                (kept, _) => Ok(kept),
            }
        }
        other => Ok(other),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::domain::{Measures, Register};
    use crate::store::backend::SensorJob;
    use crate::store::backend::memory::MemoryBackend;
    use crate::store::embedded::facts::Deletions;
    use crate::store::tests::{NOW, all, at, house, open_registered, reading, upload};

    /// A sensor that counts the blocks that each change removes.
    struct Counted<'a> {
        stored: &'a mut dyn ReadingsChange,
        removed: &'a Mutex<Vec<usize>>,
    }

    impl ReadingsChange for Counted<'_> {
        fn view(&self) -> Box<dyn ReadingsView + '_> {
            self.stored.view()
        }

        fn block_readings(&self) -> usize {
            self.stored.block_readings()
        }

        fn activity(&self) -> Result<Option<Activity>, StoreError> {
            self.stored.activity()
        }

        fn turn_over(&mut self, turn: SensorTurn) -> Result<(), StoreError> {
            assert!(turn.packs.len() <= turn.removed.len());
            self.removed.lock().unwrap().push(turn.removed.len());
            self.stored.turn_over(turn)
        }
    }

    /// A writer that does something before each change, and counts the changes.
    struct Watched<'a> {
        backend: &'a dyn ReadingsWriter,
        before: &'a (dyn Fn(usize) + Sync),
        changes: Mutex<usize>,
        removed: Arc<Mutex<Vec<usize>>>,
    }

    impl<'a> Watched<'a> {
        fn of(backend: &'a dyn ReadingsWriter, before: &'a (dyn Fn(usize) + Sync)) -> Self {
            Self {
                backend,
                before,
                changes: Mutex::default(),
                removed: Arc::default(),
            }
        }
    }

    impl ReadingsWriter for Watched<'_> {
        fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError> {
            let number = {
                let mut changes = self.changes.lock().unwrap();
                *changes += 1;
                *changes
            };
            (self.before)(number);
            let removed = Arc::clone(&self.removed);
            let counting = move |stored: &mut dyn ReadingsChange| {
                let removed = &removed;
                job(&mut Counted { stored, removed })
            };
            self.backend.change(sensor, Box::new(counting))
        }
    }

    /// Readings at the whole seconds, or half a second later.
    fn seconds(count: i64, more_ms: i64, watts: f64) -> Vec<Reading> {
        let all = (0..count).map(|nth| reading(nth * 1_000 + more_ms, watts));
        all.collect()
    }

    #[test]
    fn deleting_every_other_reading_writes_each_block_once() {
        const COUNT: i64 = 20_000;
        let memory = MemoryBackend::default();
        memory.put_sensor(&house(), 1_024);
        let given = seconds(COUNT, 0, 5.0);
        let both = [given.clone(), seconds(COUNT, 500, 7.0)].concat();
        crate::store::change::import(&memory, &house(), both).unwrap();
        let blocks = |memory: &MemoryBackend| {
            let sensor = house();
            let view = crate::store::backend::ReadingsBackend::view(memory, &sensor).unwrap();
            let all = view.summaries(TimeRange::ALL, Order::Ascending, usize::MAX);
            all.unwrap().len()
        };
        let before = blocks(&memory);
        assert_eq!(before, 40);
        for (deleted, changed) in [(20_000, before), (0, 0)] {
            let watched = Watched::of(&memory, &|_| {});
            let count = delete_equal(&watched, &house(), given.clone()).unwrap();
            assert_eq!(count, deleted);
            let removed = watched.removed.lock().unwrap();
            assert_eq!(removed.iter().sum::<usize>(), changed);
            assert_eq!(removed.len(), changed.div_ceil(BLOCKS_AT_ONCE));
        }
        assert_eq!(blocks(&memory), before / 2);
    }

    #[test]
    fn the_start_of_an_interval_is_not_an_end_without_energy() {
        let memory = MemoryBackend::default();
        memory.put_sensor(&house(), 16);
        let of = |watthours| Reading {
            time: at(7),
            measures: Measures::new(None, Some(watthours)).unwrap(),
        };
        crate::store::change::import(&memory, &house(), vec![of(0.0)]).unwrap();
        for (given, deleted) in [(Register::BEGINS, 0), (0.0, 1)] {
            let count = delete_equal(&memory, &house(), vec![of(given)]).unwrap();
            assert_eq!(count, deleted);
        }
    }

    #[test]
    fn blocks_between_given_readings_are_left_alone() {
        let memory = MemoryBackend::default();
        memory.put_sensor(&house(), 16);
        crate::store::change::import(&memory, &house(), seconds(16_000, 0, 5.0)).unwrap();
        let given = vec![reading(5_000, 5.0), reading(8_000_000, 5.0)];
        let watched = Watched::of(&memory, &|_| {});
        assert_eq!(delete_equal(&watched, &house(), given).unwrap(), 2);
        assert_eq!(*watched.removed.lock().unwrap(), [1, 1]);
    }

    #[test]
    fn what_is_uploaded_while_given_readings_are_deleted_stays() {
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        let given = seconds(400, 0, 5.0);
        store.import_durably(&house(), given.clone()).unwrap();
        // Between each two slices: one reading at a time of its own, one at that of a given one,
        // both in slices to come.
        let before = |number: usize| {
            let ms = 399_000 - i64::try_from(number).unwrap() * 1_000;
            let late = upload(&[Some(ms), Some(ms + 300)]);
            store.append_durably_blocking(late, at(NOW)).unwrap();
        };
        let watched = Watched::of(&*store.backend, &before);
        let deleted = delete_equal(&watched, &house(), given).unwrap();
        let slices = *watched.changes.lock().unwrap();
        assert!(slices > 2, "{slices}");
        assert_eq!(deleted, 400 - slices);
        assert_eq!(all(&store).len(), 2 * slices);
        // Not one for each reading.
        let facts = &store.shared().facts;
        let noted = facts.read(|facts| Deletions::of(facts).iter().count());
        assert_eq!(noted, slices);
        assert_eq!(store.check().problems, []);
    }

    /// Deletes one by one those of `count` readings that `is_deleted` selects. Returns the numbers
    /// of remaining blocks and readings.
    fn left_of(count: i64, block_readings: usize, is_deleted: fn(i64) -> bool) -> (usize, i64) {
        const EVERY_MS: i64 = 600_000;
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), block_readings);
        let all = (0..count).map(|nth| reading(nth * EVERY_MS, 5.0));
        store.import_durably(&house(), all.collect()).unwrap();
        for nth in (0..count).filter(|nth| is_deleted(*nth)) {
            let moment = TimeRange::at(at(nth * EVERY_MS));
            assert_eq!(store.delete_durably(&house(), moment).unwrap(), 1);
        }
        let found = store.check();
        assert_eq!(found.problems, []);
        let blocks = usize::try_from(found.blocks).unwrap();
        (blocks, i64::try_from(found.readings).unwrap())
    }

    #[test]
    fn many_single_deletions_leave_few_blocks() {
        // A year, every ten minutes: 206 blocks, each of which loses a dozen readings.
        let (blocks, left) = left_of(52_560, 256, |nth| nth % 21 == 3);
        assert_eq!(left, 52_560 - 2_503);
        assert!(blocks <= 2 * 206, "{blocks}");
        // All but one in ten: small neighbours merge.
        let (blocks, left) = left_of(1_000, 16, |nth| nth % 10 != 0);
        assert_eq!(left, 100);
        assert!(blocks <= 3 * 7, "{blocks}");
    }

    #[test]
    fn merged_neighbours_bring_nothing_back() {
        const COUNT: i64 = 400;
        let dir = tempfile::tempdir().unwrap();
        let store = open_registered(dir.path(), 16);
        let mut model: BTreeSet<i64> = (0..COUNT).collect();
        let all = model.iter().map(|ms| reading(*ms, 5.0));
        store.import_durably(&house(), all.collect()).unwrap();
        for round in 0..120 {
            let start = round * 157 % COUNT;
            let end = start + round * 31 % 24;
            let range = TimeRange::new(at(start), at(end)).unwrap();
            let expected = model.range(start..=end).count();
            assert_eq!(store.delete_durably(&house(), range).unwrap(), expected);
            model.retain(|ms| !(start..=end).contains(ms));
            let (mut left, mut scan) = (Vec::new(), store.scan(&house(), TimeRange::ALL));
            while let Some(run) = scan.next_run().unwrap() {
                left.extend(run.iter().map(|reading| reading.time.millis()));
            }
            assert!(left.iter().eq(&model), "{round}: {left:?}");
            assert_eq!(store.check().problems, []);
        }
        assert!(!model.is_empty());
    }
}
