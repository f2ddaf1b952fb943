//! Silence of sensors whose readings are imported: nobody knows when the next import comes. So one
//! is silent if the other imported ones of its house go on without it, or if it is awaited.

use std::collections::BTreeMap;

use super::changes::KeptNotices;
use super::spacing::usual_of_imported;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Account, Sensor, SensorId, Timestamp};
use crate::house::{last_reading_of, sensors_of};
use crate::ledger::notice::{Notice, NoticeKind, NoticeSubject, SilenceLimit, sensor_silent};
use crate::store::{Registry, Store, StoreError};

/// A sensor that stopped longer ago is part of the past, such as that of a file that is imported
/// once. Two limits at least, as a meter may be read each month.
const PAST_MS: i64 = 31 * MS_PER_DAY;

/// Imports have ended once there was none for so many ticks of the thread.
const QUIET_TICKS: u32 = 10;

/// What is known of the sensors of all accounts that have imported readings alone.
#[derive(Default)]
pub(super) struct ImportedSensors {
    known: BTreeMap<SensorId, ImportedReadings>,
    /// The number of imports when these were read.
    read: Option<u64>,
    /// The number of imports, as it was seen last.
    seen: Option<u64>,
    /// How many ticks an import is taken to go on for.
    busy_ticks: u32,
}

/// The readings of a sensor, in short.
#[derive(Clone, Copy)]
struct ImportedReadings {
    newest: Timestamp,
    /// How far they are apart; `None` of a single one.
    usual_ms: Option<i64>,
}

impl ImportedSensors {
    /// Notes at a tick how many imports there were. Half of an import looks like a sensor that
    /// stopped, so its end is waited for.
    pub(super) fn watch(&mut self, imports: u64) {
        let is_busy = self
            .seen
            .replace(imports)
            .is_some_and(|seen| seen != imports);
        self.busy_ticks = if is_busy {
            QUIET_TICKS
        } else {
            self.busy_ticks.saturating_sub(1)
        };
    }

    /// Whether it is time to read again; `is_due` if nothing has been read for long.
    pub(super) fn begin(&mut self, imports: u64, is_due: bool) -> bool {
        let is_time = self.busy_ticks == 0 && (is_due || self.read != Some(imports));
        if is_time {
            self.read = Some(imports);
        }
        is_time
    }

    /// Learns the newest reading of a sensor without uploads, and how far its readings are apart.
    /// May block on disk reads.
    pub(super) fn learn(&mut self, store: &Store, sensor: &Sensor) -> Result<(), StoreError> {
        let Some(newest) = last_reading_of(store, sensor)? else {
            self.forget(&sensor.id);
            return Ok(());
        };
        let usual_ms = usual_of_imported(store, &sensor.id, newest)?;
        let readings = ImportedReadings { newest, usual_ms };
        self.known.insert(sensor.id.clone(), readings);
        Ok(())
    }

    /// Forgets a sensor that uploads by itself, or has no readings.
    pub(super) fn forget(&mut self, sensor: &SensorId) {
        self.known.remove(sensor);
    }

    /// Forgets the sensors that are gone.
    pub(super) fn retain(&mut self, registry: &Registry) {
        self.known.retain(|id, _| registry.sensor(id).is_some());
    }

    /// Notices about the silent ones of an account.
    pub(super) fn silent(
        &self,
        registry: &Registry,
        account: &Account,
        (kept, now): (&KeptNotices<'_>, Timestamp),
    ) -> Vec<Notice> {
        let all = sensors_of(registry, &account.name);
        let its: Vec<(&Sensor, ImportedReadings)> = all
            .filter_map(|sensor| Some((sensor, *self.known.get(&sensor.id)?)))
            .collect();
        let newest_of_house = its.iter().map(|(_, readings)| readings.newest).max();
        let feeding = registry.home_assistant(&account.name);
        let is_fed = |id: &SensorId| {
            let mut fed = feeding.into_iter().flat_map(|it| &it.sensors);
            fed.any(|fed| fed.sensor == *id)
        };
        let silent = its.iter().filter_map(|(sensor, readings)| {
            let is_awaited = sensor.silent_after.is_some();
            let limit = match sensor.silent_after {
                Some(limit) => SilenceLimit::set(limit),
                None => SilenceLimit::learnt(readings.usual_ms?),
            };
            let subject = NoticeSubject::Sensor(sensor.id.clone());
            let open_since = kept.open_since(NoticeKind::SensorSilent, &subject);
            let age_ms = now.millis() - readings.newest.millis();
            let is_past = age_ms > PAST_MS.max(limit.ms().saturating_mul(2));
            if is_past && !is_awaited && open_since.is_none() {
                return None;
            }
            let until = if is_awaited || is_fed(&sensor.id) {
                now
            } else {
                newest_of_house?.min(now)
            };
            sensor_silent(&sensor.id, limit, readings.newest, until, open_since)
        });
        silent.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DAY, Found, after, id};
    use super::*;
    use crate::domain::time::at;
    use crate::domain::{MeterKind, Role, SilentAfter};

    const QUARTER: i64 = 15 * 60_000;

    fn house() -> (Found, Timestamp) {
        let now = at("2026-03-01T06:00:00");
        let sensors = ["grid", "fridge", "freezer", "old"]
            .map(|name| (name, Role::SubMeter, MeterKind::Counter));
        (Found::new(now, &sensors), now)
    }

    /// Imports a register for each quarter of an hour in the days until a time.
    fn import(house: &Found, sensor: &str, days: i64, until: Timestamp) {
        let quarters = 0..=days * DAY / QUARTER;
        let readings = quarters.map(|nth| {
            let time = after(until, -nth * QUARTER);
            // A watt-hour each time, also from one import to the next.
            let shown = i32::try_from(time.millis() / QUARTER - 1_800_000).unwrap();
            (time, None, f64::from(shown))
        });
        house.import(sensor, readings.rev());
    }

    #[test]
    fn an_imported_sensor_is_silent_where_the_others_go_on() {
        let (mut house, now) = house();
        // Everything until midnight, as files have it.
        let midnight = at("2026-03-01T00:00:00");
        for sensor in ["grid", "fridge"] {
            import(&house, sensor, 40, midnight);
        }
        let stopped = after(midnight, -5 * DAY);
        import(&house, "freezer", 40, stopped);
        // A file of a year ago, once.
        import(&house, "old", 40, after(midnight, -365 * DAY));
        let silent = |since| vec![("sensor-silent:freezer".to_owned(), since)];
        assert_eq!(house.look(now), silent(stopped));
        // Nobody knows when the next file comes.
        let later = after(now, 20 * DAY);
        assert_eq!(house.look(later), silent(stopped));
        // The next file has it again.
        let next = after(midnight, 20 * DAY);
        for sensor in ["grid", "fridge", "freezer"] {
            import(&house, sensor, 20, next);
        }
        assert_eq!(house.look(after(later, 60_000)), []);
        // Three spacings are allowed.
        import(&house, "grid", 1, after(next, 3 * QUARTER));
        assert_eq!(house.look(after(later, 120_000)), []);
        import(&house, "grid", 1, after(next, 4 * QUARTER));
        assert_eq!(house.look(after(later, 180_000)).len(), 2);
    }

    #[test]
    fn files_of_long_ago_are_no_notices() {
        let (mut house, now) = house();
        for (sensor, ago) in [("grid", 400), ("fridge", 410), ("freezer", 700)] {
            import(&house, sensor, 30, after(now, -ago * DAY));
        }
        assert_eq!(house.look(now), []);
        // A limit that a person set counts from now.
        let set = |sensor: &mut Sensor| sensor.silent_after = SilentAfter::minutes(400);
        house.store.update_sensor_durably(&id("grid"), set).unwrap();
        assert_eq!(house.ids(after(now, 60_000)), ["sensor-silent:grid"]);
    }

    #[test]
    fn an_import_that_goes_on_is_waited_for() {
        let mut sensors = ImportedSensors::default();
        sensors.watch(3);
        assert!(sensors.begin(3, false) && !sensors.begin(3, false));
        sensors.watch(4);
        assert!(!sensors.begin(4, true));
        for _ in 0..QUIET_TICKS {
            sensors.watch(4);
        }
        assert!(sensors.begin(4, false));
    }
}
