//! The last good register before a time.

use super::beginning::beginning;
use super::meter_walk::MeterWalk;
use crate::domain::{Meter, MicroWh, SensorId, TimeRange, Timestamp};
use crate::ledger::Facts;
use crate::store::{Piece, Store, StoreError};

/// Returns the time and value of a sensor's last good register before a time, as the meter shows
/// it; `None` if there is none. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn good_register(
    store: &Store,
    sensor: &SensorId,
    (meter, facts): (Meter, Facts),
    before: Timestamp,
) -> Result<Option<(Timestamp, MicroWh)>, StoreError> {
    let mut walk = MeterWalk::new(meter, facts.clone(), true);
    let all = store.totals(sensor, walk.measure(), TimeRange::ALL);
    let begin = beginning(&all, &walk, (meter, facts), before)?;
    let last = before.saturating_add_millis(-1);
    let Some(range) = begin.and_then(|begin| TimeRange::new(begin, last)) else {
        return Ok(None);
    };
    let mut readings = all.within(range);
    while let Some(Piece::Values(values, page)) = readings.next_piece(|_| false)? {
        let all = (values.times.as_slice(), values.numbers.as_slice());
        walk.add_values(all, page.as_ref(), &mut |_| ());
    }
    Ok(match walk {
        MeterWalk::Registers(walk) => walk.good_register(),
        MeterWalk::Power(_) => None,
    })
}
