//! Readings in and out, a page at a time. Files are opened by the command, never by the server, so
//! readings are sent between them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::error::AdminError;
use super::message::{ImportHow, ReadingRange};
use super::rows::ReadingRow;
use super::sensors::registered;
use crate::domain::{Reading, Sensor, TimeRange, Timestamp};
use crate::store::Store;

pub(super) fn import(
    store: &Store,
    sensor: &str,
    rows: &[ReadingRow],
    how: ImportHow,
) -> Result<u64, AdminError> {
    let sensor = registered(store, sensor)?;
    let mut readings = rows
        .iter()
        .map(|row| row.reading().map_err(AdminError::Refused))
        .collect::<Result<Vec<Reading>, _>>()?;
    if readings.len() > Store::IMPORT_CHUNK {
        let text = format!("at most {} readings at once", Store::IMPORT_CHUNK);
        return Err(AdminError::Refused(text));
    }
    let done = match how {
        ImportHow::Store => store.import_durably(&sensor.id, readings)?,
        ImportHow::Starts => {
            remove_taken(store, &sensor, &mut readings)?;
            store.import_durably(&sensor.id, readings)?
        }
        ImportHow::Undo => store.delete_equal_durably(&sensor.id, readings)?,
    };
    Ok(u64::try_from(done).unwrap_or(u64::MAX))
}

/// Removes those that have the time of a stored register reading.
fn remove_taken(
    store: &Store,
    sensor: &Sensor,
    readings: &mut Vec<Reading>,
) -> Result<(), AdminError> {
    let times: BTreeSet<_> = readings.iter().map(|reading| reading.time).collect();
    let ends = times.first().zip(times.last());
    let Some(range) = ends.and_then(|(first, last)| TimeRange::new(*first, *last)) else {
        return Ok(());
    };
    // Only these, because years of other readings may be between them.
    let mut taken = BTreeSet::new();
    let mut scan = store.scan(&sensor.id, range);
    while let Some(run) = scan.next_run()? {
        let registers = run.iter().filter(|it| it.measures.watthours().is_some());
        taken.extend(
            registers
                .map(|it| it.time)
                .filter(|time| times.contains(time)),
        );
    }
    readings.retain(|reading| !taken.contains(&reading.time));
    Ok(())
}

pub(super) fn count(store: &Store, range: &ReadingRange) -> Result<u64, AdminError> {
    let (sensor, range) = checked(store, range)?;
    Ok(store.count_readings(&sensor.id, range)?)
}

pub(super) fn delete(store: &Store, range: &ReadingRange) -> Result<u64, AdminError> {
    let (sensor, range) = checked(store, range)?;
    let deleted = store.delete_durably(&sensor.id, range)?;
    Ok(u64::try_from(deleted).unwrap_or(u64::MAX))
}

pub(super) fn page(
    store: &Arc<Store>,
    range: &ReadingRange,
    limit: u32,
) -> Result<Vec<ReadingRow>, AdminError> {
    let (sensor, range) = checked(store, range)?;
    // It comes from outside, so memory is reserved for at most one chunk.
    let limit = usize::try_from(limit)
        .unwrap_or(usize::MAX)
        .min(Store::IMPORT_CHUNK);
    let mut rows = Vec::with_capacity(limit);
    let mut scan = store.scan(&sensor.id, range);
    while rows.len() < limit
        && let Some(run) = scan.next_run()?
    {
        // The rest of the run is read again for the next page, which begins after the last row of
        // this one.
        let space = limit - rows.len();
        rows.extend(run.into_iter().take(space).map(ReadingRow::from));
    }
    Ok(rows)
}

fn checked(store: &Store, asked: &ReadingRange) -> Result<(Sensor, TimeRange), AdminError> {
    let sensor = registered(store, &asked.sensor)?;
    let range = Timestamp::from_millis(asked.start_ms)
        .zip(Timestamp::from_millis(asked.end_ms))
        .and_then(|(start, end)| TimeRange::new(start, end))
        .ok_or_else(|| AdminError::Refused("the start is after the end".into()))?;
    Ok((sensor, range))
}
