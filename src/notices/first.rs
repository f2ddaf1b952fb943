//! The same mistakes at the first readings of a sensor, before there is a day to compare.

use crate::domain::{MeterKind, MicroWh, Role, Sensor, SensorId, Timestamp};
use crate::house::{AccountDays, sensors_of};
use crate::ledger::notice::{
    BothMeasures, Notice, NoticeKind, NoticeSubject, may_be_kilowatts, mistake,
};
use crate::query::{Point, newest};
use crate::store::{Measure, Registry, Store, StoreError};

/// The least energy that shows a wrong unit: 20 Wh.
const TELLING: MicroWh = MicroWh::new(20_000_000);
/// The fewest values of power that show one.
const TELLING_VALUES: usize = 3;
/// The power that is left to noise, in watts.
const NOISE: f64 = 50.0;
/// Readings of two sensors that are so close together are of one moment.
const TOGETHER_MS: i64 = 10 * 60_000;
/// A register above this is hardly that of two meters, within [`SAME_WATTHOURS`].
const TELLING_REGISTER: f64 = 100_000.0;
const SAME_WATTHOURS: f64 = 200.0;

/// The first values of a sensor, in time order, as the sensor sent them.
pub(crate) struct FirstReadings<'a> {
    pub(crate) sensor: &'a Sensor,
    pub(crate) watts: &'a [Point],
    pub(crate) watthours: &'a [Point],
}

/// The other sensors of its house, each with its power at the same moment.
struct HouseNow<'a>(Vec<(&'a Sensor, f64)>);

impl FirstReadings<'_> {
    /// Likely mistakes. May block on disk reads.
    pub(crate) fn mistakes(
        &self,
        store: &Store,
        now: Timestamp,
    ) -> Result<Vec<Notice>, StoreError> {
        let registry = store.registry();
        let mut found = Vec::new();
        let its = || NoticeSubject::Sensor(self.sensor.id.clone());
        if let Some(kind) = self.wrong_unit() {
            found.push(mistake(kind, its(), now));
        }
        if let Some(other) = self.twin(store, &registry)? {
            let subject = NoticeSubject::Twin(self.sensor.id.clone(), other);
            found.push(mistake(NoticeKind::SameMeter, subject, now));
        }
        // Sensors with a wrong unit contradict all others.
        if found.is_empty() {
            let kind = self.contradiction(store, &registry)?;
            found.extend(kind.map(|kind| mistake(kind, NoticeSubject::House, now)));
        }
        Ok(found)
    }

    fn wrong_unit(&self) -> Option<NoticeKind> {
        let both = self.both_measures();
        if let Some(kind) = both.and_then(|both| both.wrong_unit(TELLING)) {
            return Some(kind);
        }
        let watts: Vec<f64> = self.watts.iter().map(|it| it.value).collect();
        let is_at_grid = matches!(self.sensor.role, Role::Grid | Role::GridImport);
        let is_telling = is_at_grid && watts.len() >= TELLING_VALUES;
        (is_telling && may_be_kilowatts(&watts)).then_some(NoticeKind::PowerInKw)
    }

    /// The energy by both measures, in the time that both have; `None` without such a time.
    fn both_measures(&self) -> Option<BothMeasures> {
        let (first, last) = (self.watthours.first()?.time, self.watthours.last()?.time);
        let steps = self.watthours.iter().zip(self.watthours.iter().skip(1));
        let register = steps.map(|(before, after)| match self.sensor.meter.kind {
            MeterKind::Interval => after.value.abs(),
            _ => (after.value - before.value).abs(),
        });
        let is_within = |it: &&Point| first <= it.time && it.time <= last;
        let power: Vec<&Point> = self.watts.iter().filter(is_within).collect();
        let hours = |from: Timestamp, to: Timestamp| {
            // Exact: milliseconds of an age.
            std::time::Duration::from_millis(to.millis().abs_diff(from.millis())).as_secs_f64()
                / 3_600.0
        };
        let covered = hours(power.first()?.time, power.last()?.time);
        if covered * 5.0 < hours(first, last) * 4.0 {
            return None;
        }
        let steps = power.iter().zip(power.iter().skip(1));
        let energy = steps.map(|(before, after)| {
            hours(before.time, after.time) * (before.value.abs() + after.value.abs()) / 2.0
        });
        Some(BothMeasures {
            start: first,
            register: MicroWh::from_watthours(register.sum()),
            power: MicroWh::from_watthours(energy.sum()),
            other_way: MicroWh::ZERO,
        })
    }

    /// Another sensor that is added up with this one, and shows the same.
    fn twin(&self, store: &Store, registry: &Registry) -> Result<Option<SensorId>, StoreError> {
        let newest_register = self.watthours.last();
        let newest_register = newest_register.filter(|it| it.value.abs() >= TELLING_REGISTER);
        for other in self
            .others(registry)
            .filter(|it| is_added_up(self.sensor, it))
        {
            if let Some(own) = newest_register {
                let its = newest(store, &other.id, Measure::Watthours, own.time)?;
                let is_same = |its: Point| {
                    let age_ms = own.time.millis() - its.time.millis();
                    age_ms <= TOGETHER_MS && (own.value - its.value).abs() <= SAME_WATTHOURS
                };
                if its.is_some_and(is_same) {
                    return Ok(Some(other.id.clone()));
                }
            }
            let mut same: Vec<f64> = Vec::new();
            for own in self.watts.iter().rev().take(10) {
                let its = newest(store, &other.id, Measure::Watts, own.time)?;
                // Bit for bit: a copy of one message.
                let is_copy = its.is_some_and(|its| its == *own && its.value.abs() > 1.0);
                same.extend(is_copy.then_some(own.value));
            }
            let is_varied = same.iter().any(|it| same.first() != Some(it));
            if same.len() >= TELLING_VALUES && is_varied {
                return Ok(Some(other.id.clone()));
            }
        }
        Ok(None)
    }

    /// A contradiction of powers at the moment of the newest one.
    fn contradiction(
        &self,
        store: &Store,
        registry: &Registry,
    ) -> Result<Option<NoticeKind>, StoreError> {
        let Some(own) = self.watts.last() else {
            return Ok(None);
        };
        let has = |role| self.others(registry).any(|it| it.role == role);
        if [Role::Battery, Role::BatteryCharge, Role::BatteryDischarge]
            .into_iter()
            .any(has)
        {
            return Ok(None);
        }
        let mut all = vec![(self.sensor, self.sensor.meter.power_sign.of(own.value))];
        for other in self.others(registry) {
            let power = store.power_at(&other.id, own.time.saturating_add_millis(TOGETHER_MS))?;
            let power = power.filter(|it| {
                it.time.millis().abs_diff(own.time.millis()) <= TOGETHER_MS.unsigned_abs()
            });
            all.extend(power.map(|it| (other, other.meter.power_sign.of(it.watts))));
        }
        let beside = HouseNow(all);
        let is_dark = registry
            .account(&self.sensor.account)
            .is_some_and(|account| {
                let days = AccountDays::new(account.zone.clone(), own.time);
                days.hour(0, 4).is_none_or(|four| own.time < four)
                    || days.hour(0, 22).is_some_and(|ten| ten <= own.time)
            });
        let is_exporter = matches!(self.sensor.role, Role::Grid | Role::GridExport);
        let has_source = has(Role::Solar);
        let produced = beside.sum(|it| it.role == Role::Solar);
        let is_fed_in = |produced: f64| beside.exported() > produced * 1.1 + NOISE;
        let is_swapped = match produced {
            Some(produced) => is_fed_in(produced),
            None => !has_source && is_dark && is_fed_in(0.0),
        };
        if is_exporter && is_swapped {
            return Ok(Some(NoticeKind::GridSwapped));
        }
        let grid = beside.sum(|it| matches!(it.role, Role::Grid | Role::GridImport));
        let parts = beside.sum(|it| it.role == Role::SubMeter && it.part_of.is_none());
        let is_less = |(grid, parts): (f64, f64)| parts > grid.abs() * 1.1 + 2.0 * NOISE;
        let is_compared = !has_source && self.sensor.role != Role::GridExport;
        Ok((is_compared && grid.zip(parts).is_some_and(is_less))
            .then_some(NoticeKind::PartsExceedHouse))
    }

    fn others<'a>(&'a self, registry: &'a Registry) -> impl Iterator<Item = &'a Sensor> {
        let all = sensors_of(registry, &self.sensor.account);
        all.filter(|it| it.id != self.sensor.id)
    }
}

impl HouseNow<'_> {
    /// The power of some of them; `None` if there are none.
    fn sum(&self, is_meant: impl Fn(&Sensor) -> bool) -> Option<f64> {
        let meant: Vec<f64> = self
            .0
            .iter()
            .filter(|(sensor, _)| is_meant(sensor))
            .map(|(_, watts)| *watts)
            .collect();
        (!meant.is_empty()).then(|| meant.iter().sum())
    }

    /// The power that flows into the grid.
    fn exported(&self) -> f64 {
        let out = |(sensor, watts): &(&Sensor, f64)| match sensor.role {
            Role::Grid => -watts,
            Role::GridExport => *watts,
            _ => 0.0,
        };
        self.0.iter().map(out).sum()
    }
}

/// Whether the energies of both are added to the same sum.
fn is_added_up(one: &Sensor, other: &Sensor) -> bool {
    let import = |role| matches!(role, Role::Grid | Role::GridImport);
    let is_same = one.role == other.role || import(one.role) && import(other.role);
    is_same && (one.role != Role::SubMeter || one.part_of == other.part_of)
}
