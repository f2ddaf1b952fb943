//! Readings of the utility's meter that people are about to enter, beside what the sensor measured.

use std::iter;

use super::sensors::{HouseSensor, HouseSensors};
use super::utility::beside_ledger;
use crate::domain::{Sensor, Timestamp};
use crate::ledger::utility::{
    ComparedPeriod, KnownUse, ReadingDoubt, UtilityPeriod, UtilityReading,
};
use crate::store::{Store, StoreError};

/// Why a reading of the utility's meter of `sensor` looks wrong; `None` if it does not. Blocks on the
/// disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn reading_doubt(
    store: &Store,
    sensor: &Sensor,
    reading: UtilityReading,
    now: Timestamp,
) -> Result<Option<ReadingDoubt>, StoreError> {
    let registry = store.registry();
    let corrections = registry.corrections(&sensor.account);
    let meter = corrections.map(|all| all.utility_of(&sensor.id));
    let meter = meter.unwrap_or_default();
    let mut measured = None;
    if let Some(earlier) = meter.before(reading.time) {
        let period = UtilityPeriod {
            from: earlier.time,
            to: reading.time,
            energy: None,
        };
        let these = HouseSensors::these(store, iter::once(sensor), now)?;
        for it in these.sensors {
            let alone = HouseSensor {
                utility: None,
                ..it
            };
            let compared = beside_ledger(store, &alone, vec![period])?;
            measured = compared.iter().find_map(ComparedPeriod::measured);
        }
    }
    let known = KnownUse {
        limit: sensor.meter.limit,
        measured,
    };
    Ok(meter.doubt(reading, &known))
}
