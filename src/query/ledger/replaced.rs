//! Known energies of ranges, as stretches that replace those of readings.

use std::ops::Range;

use super::LedgerEnergy;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{Interval, Meter, SensorId, Timestamp, Zone};
use crate::ledger::{Facts, KnownEnergy, Replacement, Spread, WeekProfile};
use crate::store::{Store, StoreError};

/// The days before a range, and after it, that give a weekday's usual hours: four of each weekday.
const PROFILE_MS: i64 = 28 * MS_PER_DAY;

/// Returns the stretches of these known energies, as far as they concern a range. `facts` has no
/// energies.
pub(super) fn replacements(
    store: &Store,
    sensor: &SensorId,
    meter: (Meter, &Facts),
    (energies, range): (&[KnownEnergy], &Range<Timestamp>),
) -> Result<Vec<Replacement>, StoreError> {
    let mut all = Vec::new();
    for known in energies {
        // Outside the range only the ends of a known energy matter, as they cut others, not its
        // spread.
        let is_asked = known.range.start < range.end && range.start < known.range.end;
        all.extend(match known.spread {
            Spread::LikeWeekday if is_asked => {
                known.like(&usual_weeks(store, sensor, meter, known)?)
            }
            Spread::LikeWeekday | Spread::Even => known.evenly(),
        });
    }
    Ok(all)
}

/// The energy of the weeks around a range by the sensor's own readings, by the account's clock.
fn usual_weeks(
    store: &Store,
    sensor: &SensorId,
    (meter, facts): (Meter, &Facts),
    known: &KnownEnergy,
) -> Result<WeekProfile, StoreError> {
    let zone = zone_of(store, sensor);
    let mut usual = WeekProfile::new(zone.clone(), known.is_fed_back());
    let (start, end): (Timestamp, Timestamp) = (known.range.start, known.range.end);
    for range in [
        start.saturating_add_millis(-PROFILE_MS)..start,
        end..end.saturating_add_millis(PROFILE_MS),
    ] {
        let (meter, by) = ((meter, facts.clone()), (zone.clone(), Interval::Hour));
        let hours = LedgerEnergy::by_interval(store, sensor, meter, range, by)?.all_slots()?;
        // One that is measured in part, or a guess itself, would make the others look like more or
        // less.
        let whole = hours
            .iter()
            .filter(|hour| hour.measured_ms == MS_PER_HOUR && hour.estimated_ms == 0);
        whole.for_each(|hour| usual.add(hour.start, hour.flow));
    }
    Ok(usual)
}

/// The zone of the sensor's account.
fn zone_of(store: &Store, sensor: &SensorId) -> Zone {
    let registry = store.registry();
    let account = registry
        .sensor(sensor)
        .and_then(|sensor| registry.account(&sensor.account));
    account.map_or(Zone::UTC, |account| account.zone.clone())
}
