//! Bulk imports of history: straight into blocks, in slices between which others commit.

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::backend::{ReadingsChange, ReadingsView, ReadingsWriter, RowsTurn, SensorTurn};
use crate::store::blocks::{Tail, seal};
use crate::store::change::slices::{ROWS_AT_ONCE, in_slices};
use crate::store::error::StoreError;
use crate::store::records::Order;
use crate::store::rows::Activity;

/// The maximum number of steps in a slice. Each rewrites at least a block, with syncs of its own,
/// and uploads wait for all of them. Readings in order need one step; late ones may need one for
/// each block that covers their times.
const STEPS_AT_ONCE: usize = 8;

/// Writes history into the blocks of `sensor`. A row at the same time would hide it, so the row is
/// updated instead. Returns the number of readings once they are durable.
///
/// # Errors
/// As [`ReadingsWriter::change`]. After an error a part may be stored.
pub(crate) fn import(
    backend: &dyn ReadingsWriter,
    sensor: &SensorId,
    readings: Vec<Reading>,
) -> Result<usize, StoreError> {
    let count = readings.len();
    in_slices(backend, sensor, readings, import_some)?;
    Ok(count)
}

/// Imports some of `readings`, which are in order. Returns their number and the rest.
fn import_some(
    stored: &mut dyn ReadingsChange,
    readings: Vec<Reading>,
) -> Result<(usize, Vec<Reading>), StoreError> {
    let given = readings.len();
    let known = stored.activity()?;
    let mut activity = known.unwrap_or_default();

    let mut corrected = Vec::new();
    let rows = without_rows(&*stored.view(), readings, |reading, row| {
        activity = activity.with_reading(&reading);
        let measures = row.measures.overlaid_by(reading.measures);
        corrected.push(Reading { measures, ..row });
    })?;
    if !corrected.is_empty() {
        stored.turn_over(SensorTurn {
            rows: RowsTurn::Corrected(corrected),
            // Each turn updates the newest power, so an interrupted import leaves the right one.
            activity: known.map(|_| activity),
            ..SensorTurn::default()
        })?;
    }
    let mut rest = rows.as_slice();
    for _ in 0..STEPS_AT_ONCE {
        if rest.is_empty() {
            break;
        }
        let step = seal::step(&*stored.view(), rest, Tail::Seal, stored.block_readings())?;
        // A step uses at least one row; otherwise this must not go on forever.
        let (used, left) = rest
            .split_at_checked(step.used.max(1))
            .unwrap_or((rest, &[]));
        activity = used.iter().fold(activity, Activity::with_reading);
        stored.turn_over(SensorTurn {
            removed: step.replaced,
            packs: step.packs,
            rows: RowsTurn::Kept,
            activity: Some(activity),
        })?;
        rest = left;
    }
    Ok((given - rest.len(), rest.to_vec()))
}

/// The readings (ascending) without a row at their time. Calls `with_row` with each of the others
/// and its row.
fn without_rows(
    view: &dyn ReadingsView,
    mut readings: Vec<Reading>,
    mut with_row: impl FnMut(Reading, Reading),
) -> Result<Vec<Reading>, StoreError> {
    let ends = readings.first().zip(readings.last());
    let mut rest = ends.and_then(|(first, last)| TimeRange::new(first.time, last.time));
    while let Some(range) = rest {
        let rows = view.rows(range, None, Order::Ascending, ROWS_AT_ONCE)?;
        let row_at = |time| {
            let found = rows.binary_search_by_key(&time, |row: &Reading| row.time);
            found.ok().and_then(|place| rows.get(place))
        };
        readings.retain(|reading| match row_at(reading.time) {
            Some(row) => {
                with_row(*reading, *row);
                false
            }
            None => true,
        });
        let last = rows.last().filter(|_| rows.len() == ROWS_AT_ONCE);
        let behind = last.map(|last| last.time.saturating_add_millis(1));
        rest = behind.and_then(|behind| TimeRange::new(behind, range.end()));
    }
    Ok(readings)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Waker};

    use futures_util::FutureExt as _;
    use futures_util::future::BoxFuture;

    use super::*;
    use crate::domain::{Sensor, Upload};
    use crate::store::Store;
    use crate::store::backend::{Append, SensorJob};
    use crate::store::tests::{NOW, at, house, open_registered, reading, upload};

    /// A writer that makes changes with `backend`, each after a look at the store while nobody else
    /// changes it.
    struct Watched<'a, L> {
        backend: &'a dyn ReadingsWriter,
        look: Arc<L>,
    }

    impl<L: Fn() + Send + Sync + 'static> ReadingsWriter for Watched<'_, L> {
        fn change(&self, sensor: &SensorId, job: SensorJob) -> Result<usize, StoreError> {
            let look = Arc::clone(&self.look);
            let looking = move |stored: &mut dyn ReadingsChange| {
                look();
                job(stored)
            };
            self.backend.change(sensor, Box::new(looking))
        }
    }

    /// For each slice of an import of `readings`: the number of readings when it begins, and how
    /// many of `uploads` are not answered by then. All uploads come while the first slice is
    /// stored.
    fn slices(
        store: &Arc<Store>,
        readings: Vec<Reading>,
        uploads: Vec<Upload>,
    ) -> Vec<(u64, usize)> {
        let sent = |upload| {
            let (backend, arrival) = (Arc::clone(&store.backend), at(NOW));
            let append = Append {
                account: None,
                upload,
                arrival,
            };
            async move { backend.append(append).await }.boxed()
        };
        let sent: Vec<BoxFuture<'_, _>> = uploads.into_iter().map(sent).collect();
        let (seen, sent) = (Arc::default(), Mutex::new(sent));
        let (slices, looked) = (Arc::<Mutex<Vec<_>>>::clone(&seen), Arc::clone(store));
        let look = move || {
            let mut sent = sent.lock().unwrap();
            sent.retain_mut(
                |it| match it.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    Poll::Ready(stored) => {
                        assert_eq!(stored.unwrap(), 1);
                        false
                    }
                    Poll::Pending => true,
                },
            );
            let count = looked.count_readings(&house(), TimeRange::ALL).unwrap();
            slices.lock().unwrap().push((count, sent.len()));
        };
        let watched = Watched {
            backend: &*store.backend,
            look: Arc::new(look),
        };
        let count = readings.len();
        assert_eq!(import(&watched, &house(), readings).unwrap(), count);
        seen.lock().unwrap().clone()
    }

    #[test]
    fn uploads_are_answered_between_the_slices_of_an_import() {
        let blocks = 5 * i64::try_from(STEPS_AT_ONCE).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let store = Arc::new(open_registered(dir.path(), 16));
        let garden = SensorId::new("garden").unwrap();
        let sensor = store.registry().sensor(&house()).unwrap().clone();
        let id = garden.clone();
        store.put_sensor_durably(Sensor { id, ..sensor }).unwrap();
        let all = (0..blocks * 16).map(|nth| reading(nth * 1_000, 5.0));
        store.import_durably(&house(), all.collect()).unwrap();
        // One in the middle of each block.
        let late = |block| block * 16_000 + 500;
        let rows: Vec<Reading> = (0..blocks).map(|block| reading(late(block), 7.0)).collect();
        // The second one is of a reading that is in the last slice: that slice must find it stored.
        let of_house = upload(&[Some(late(blocks - 1))]);
        let of_garden = Upload::new(garden, of_house.readings().to_vec()).unwrap();
        let slices = slices(&store, rows, vec![of_garden, of_house]);
        let stored = u64::try_from(blocks * 16).unwrap();
        let expected = [
            (stored, 2),
            (stored + 9, 0),
            (stored + 17, 0),
            (stored + 25, 0),
            (stored + 33, 0),
        ];
        assert_eq!(slices, expected);
        let found = store.check();
        assert_eq!(found.problems, []);
    }

    #[test]
    fn readings_in_order_are_one_slice() {
        let dir = tempfile::tempdir().unwrap();
        let store = Arc::new(open_registered(dir.path(), 4_096));
        let chunk = i64::try_from(Store::IMPORT_CHUNK).unwrap();
        for first in [0, chunk, 2 * chunk] {
            let rows = (first..first + chunk).map(|ms| reading(ms, 5.0));
            let slices = slices(&store, rows.collect(), Vec::new());
            assert_eq!(slices, [(u64::try_from(first).unwrap(), 0)]);
        }
    }
}
