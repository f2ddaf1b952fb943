//! The base load: power that devices draw all the time.

use std::iter::successors;
use std::ops::Range;

use super::sensors::HouseSensor;
use crate::domain::{MicroWh, Timestamp};
use crate::ledger::notice::{base_load, usual_base_load};
use crate::query::SlotEnergy;
use crate::store::{Store, StoreError};

const HOUR_MS: i64 = 3_600_000;

impl HouseSensor {
    /// The median over these ascending nights of each night's lowest mean power in four consecutive
    /// hours, in watts. Nights without four such measured hours do not count; `None` without any
    /// other. Blocks on the disk.
    pub(crate) fn always_on(
        &self,
        store: &Store,
        nights: &[Range<Timestamp>],
    ) -> Result<Option<f64>, StoreError> {
        // One walk for all nights; each day between two nights is a single slot.
        let times: Vec<Timestamp> = nights
            .iter()
            .flat_map(|night| hours(night).chain([night.end]))
            .collect();
        let slots = self.between(store, &times)?.all_slots()?;
        let of_night = |night| {
            let hours: Vec<Option<MicroWh>> =
                hours(night).map(|hour| measured(&slots, hour)).collect();
            base_load(&hours)
        };
        let nights: Vec<Option<MicroWh>> = nights.iter().map(of_night).collect();
        // The energy of an hour in watt-hours is its mean power in watts.
        Ok(usual_base_load(&nights).map(MicroWh::watthours))
    }
}

/// When the hours of a night begin.
fn hours(night: &Range<Timestamp>) -> impl Iterator<Item = Timestamp> + use<> {
    let end = night.end;
    let next = |hour: &Timestamp| Some(hour.saturating_add_millis(HOUR_MS));
    successors(Some(night.start), next).take_while(move |hour| *hour < end)
}

/// The energy of the hour that begins then, if all of it is measured.
fn measured(slots: &[SlotEnergy], hour: Timestamp) -> Option<MicroWh> {
    let place = slots.binary_search_by_key(&hour, |slot| slot.start).ok()?;
    let slot = slots.get(place)?;
    (slot.measured_ms == HOUR_MS).then(|| slot.flow.net())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{MeterKind, Role};
    use crate::house::tests::{at, import, open};
    use crate::house::{AccountDays, HouseSensors};

    #[test]
    fn one_night_of_guests_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let sensors = [("plug", Role::SubMeter, MeterKind::Counter)];
        let (store, account) = open(dir.path(), &sensors);
        // Each hour of a night draws as much as this, from 3 January on in Berlin; by day it is a
        // kilowatt.
        let of_nights = [40_u32, 50, 60, 900, 50, 55, 70, 45];
        let start = at("2026-01-02T21:00:00");
        let mut shown = 0;
        let readings = (0..8 * 24_u32).map(|hour| {
            let before = shown;
            let night = usize::try_from(hour / 24).unwrap();
            shown += if hour % 24 < 8 {
                of_nights[night]
            } else {
                1_000
            };
            let time = start.saturating_add_millis(i64::from(hour) * HOUR_MS);
            (time, f64::from(before))
        });
        let readings: Vec<_> = readings.collect();
        import(&store, "plug", &readings);
        let always_on = |now: &str| {
            let now = at(now);
            let house = HouseSensors::of(&store, &account.name, now).unwrap();
            let nights = AccountDays::new(account.zone.clone(), now).last_nights(now);
            assert_eq!(nights.len(), 7);
            house.sensors[0].always_on(&store, &nights).unwrap()
        };
        // Before the first night, after one, two, three; and after eight, when the oldest no longer
        // counts.
        assert_eq!(always_on("2026-01-03T04:59:00"), None);
        assert_eq!(always_on("2026-01-03T05:00:00"), Some(40.0));
        assert_eq!(always_on("2026-01-04T12:00:00"), Some(45.0));
        assert_eq!(always_on("2026-01-05T12:00:00"), Some(50.0));
        assert_eq!(always_on("2026-01-06T12:00:00"), Some(55.0));
        assert_eq!(always_on("2026-01-10T12:00:00"), Some(55.0));
        // Two weeks later nothing is known of any of them.
        assert_eq!(always_on("2026-01-24T12:00:00"), None);
    }
}
