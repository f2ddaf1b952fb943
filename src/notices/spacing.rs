//! The usual interval of a sensor's readings.

use crate::domain::time::MS_PER_DAY;
use crate::domain::{Sensor, TimeRange};
use crate::ledger::notice::usual_spacing_ms;
use crate::store::{Store, StoreError};

/// The maximum number of a day's readings that are used, the first ones, which bounds the memory.
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
    let mut scan = store.scan(&sensor.id, day);
    let (mut spacings_ms, mut before) = (Vec::new(), None);
    while spacings_ms.len() < MOST_SPACINGS
        && let Some(readings) = scan.next_run()?
    {
        for reading in readings {
            let ms = reading.time.millis();
            spacings_ms.extend(before.replace(ms).map(|before| ms - before));
        }
    }
    if let Some(usual_ms) = usual_spacing_ms(spacings_ms) {
        store.learn_usual_spacing(sensor.id.clone(), usual_ms);
    }
    Ok(())
}
