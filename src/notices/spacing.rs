//! The usual interval of a sensor's readings.

use crate::domain::time::MS_PER_DAY;
use crate::domain::{Sensor, SensorId, TimeRange, Timestamp};
use crate::ledger::notice::usual_spacing_ms;
use crate::store::{Store, StoreError};

/// The maximum number of readings that are used, the first ones, which bounds the memory.
const MOST_SPACINGS: usize = 100_000;

/// Learns the interval from the day before the last upload, unless a person set the limit. May
/// block on disk reads.
pub(super) fn learn_spacing(store: &Store, sensor: &Sensor) -> Result<(), StoreError> {
    let arrivals = store.activity(&sensor.id)?.and_then(|known| known.arrivals);
    let Some(last) = arrivals.filter(|_| sensor.silent_after.is_none()) else {
        return Ok(());
    };
    let last = last.newest();
    let Some(day) = TimeRange::new(last.saturating_add_millis(-MS_PER_DAY), last) else {
        return Ok(());
    };
    if let Some(usual_ms) = usual_in(store, &sensor.id, day)? {
        store.learn_usual_spacing(sensor.id.clone(), usual_ms);
    }
    Ok(())
}

/// The usual interval of a sensor whose readings are imported: in the day before the newest one or,
/// if they are farther apart, in the quarter before it. `None` of a single reading. May block on
/// disk reads.
pub(super) fn usual_of_imported(
    store: &Store,
    sensor: &SensorId,
    newest: Timestamp,
) -> Result<Option<i64>, StoreError> {
    for days in [1, 92] {
        let from = newest.saturating_add_millis(-days * MS_PER_DAY);
        let Some(range) = TimeRange::new(from, newest) else {
            return Ok(None);
        };
        let usual = usual_in(store, sensor, range)?;
        if usual.is_some() {
            return Ok(usual);
        }
    }
    Ok(None)
}

/// The usual interval in a range.
fn usual_in(store: &Store, sensor: &SensorId, range: TimeRange) -> Result<Option<i64>, StoreError> {
    let mut scan = store.scan(sensor, range);
    let (mut spacings_ms, mut before) = (Vec::new(), None);
    while spacings_ms.len() < MOST_SPACINGS
        && let Some(readings) = scan.next_run()?
    {
        for reading in readings {
            let ms = reading.time.millis();
            spacings_ms.extend(before.replace(ms).map(|before| ms - before));
        }
    }
    Ok(usual_spacing_ms(spacings_ms))
}
