//! Deleting the readings of a sensor in a range of time.

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::backend::{ReadingsChange, ReadingsView, ReadingsWriter, RowsTurn, SensorTurn};
use crate::store::blocks::seal;
use crate::store::blocks::source::reaching_into;
use crate::store::error::StoreError;
use crate::store::read::{count_readings, power_at};
use crate::store::rows::{Activity, Power};

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

fn delete_from(stored: &mut dyn ReadingsChange, range: TimeRange) -> Result<usize, StoreError> {
    let view = stored.view();
    let count = count_readings(&*view, range)?;
    let mut turn = SensorTurn {
        rows: RowsTurn::Deleted(range),
        ..SensorTurn::default()
    };
    let (mut left, mut span) = (Vec::new(), None::<TimeRange>);
    for summary in reaching_into(&*view, range)? {
        let summary = summary?;
        turn.removed.push(summary.first);
        let start = span.map_or(summary.first, TimeRange::start);
        span = TimeRange::new(start, summary.last);
        // Only the first and the last of them can extend beyond the range.
        if !(range.contains(summary.first) && range.contains(summary.last)) {
            left.extend(view.readings(summary.first)?);
        }
    }
    left.retain(|reading| !range.contains(reading.time));
    if let Some(span) = span {
        let step = seal::rest(&*view, (span, left), stored.block_readings())?;
        turn.removed.extend(step.replaced);
        turn.packs = step.packs;
    }
    if let Some(activity) = stored.activity()? {
        turn.activity = Some(Activity {
            newest_power: newest_power_without(&*view, &activity, range)?,
            ..activity
        });
    }
    drop(view);
    stored.turn_over(turn)?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// The newest power once `range` is deleted.
fn newest_power_without(
    stored: &dyn ReadingsView,
    activity: &Activity,
    range: TimeRange,
) -> Result<Option<Power>, StoreError> {
    match activity.newest_power {
        Some(power) if range.contains(power.time) => match range.start() {
            Timestamp::MIN => Ok(None),
            // Nothing newer exists, so the newest remaining power is before the range.
            start => power_at(stored, start.saturating_add_millis(-1)),
        },
        other => Ok(other),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::store::tests::{at, house, open_registered, reading};

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
