//! Energy and costs of periods, each compared with as much of the time before.

use super::known_year::begin_of;
use super::periods::{ends, periods, usual_against};
use super::sensors::history_begins;
use super::table::{EnergyTable, PricedRange};
use crate::domain::{
    Account, Against, MicroWh, Role, Sensor, SoFar, TimeRange, Timestamp, WeekStart,
};
use crate::ledger::AmountGap;
use crate::ledger::contract::Amount;
use crate::ledger::house::{HouseSum, HouseSums};
use crate::store::{Store, StoreError};

/// The energy of each period, in reading order: today so far, yesterday, this week,
/// this month and this year.
pub type Energies = [Comparison; 5];

/// The energy of a house, by periods: of each sensor, and of its parts. Panels, batteries and
/// sub-meters are not added to the grid: its sensors measure them, too.
#[derive(Clone, Debug, PartialEq)]
pub struct HouseEnergies {
    /// The authorized sensors of the account, by id.
    pub sensors: Vec<(Sensor, Energies)>,
    /// Energy from the grid less energy fed back; `None` without sensors there.
    pub grid: Option<Energies>,
    /// The production of its panels; `None` without sensors there.
    pub solar: Option<Energies>,
    /// Its own consumption; `None` without sensors at the grid, and if these are all it has.
    pub used: Option<Energies>,
}

/// The device that accounts for most of a change.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeCause {
    /// Its sub-meter.
    pub sensor: Sensor,
    /// How much more it used, in watt-hours; less than 0 if it used less.
    pub watthours: f64,
}

impl ChangeCause {
    /// The least part of a change that a cause makes up.
    const LEAST_PART: f64 = 0.25;

    /// Of the devices, with the change of each, the one that changed most in the direction of the
    /// house; `None` if that is little.
    pub(super) fn of<'a>(
        house: f64,
        devices: impl Iterator<Item = (&'a Sensor, f64)>,
    ) -> Option<Self> {
        let same_way = devices.filter(|(_, by)| by.signum() == house.signum());
        let (sensor, watthours) = same_way.max_by(|(_, a), (_, b)| a.abs().total_cmp(&b.abs()))?;
        let is_much = watthours != 0.0 && watthours.abs() >= house.abs() * Self::LEAST_PART;
        is_much.then(|| Self {
            sensor: sensor.clone(),
            watthours,
        })
    }
}

/// The energy of a period, and of as much of the one before: today's is compared with yesterday's
/// up to the same time of day, this week's with last week's up to the same time of the same
/// weekday. A month's and a year's is up to the same date. Or of as much of the same period a
/// year earlier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// Of the period; `None` if nothing of it is known.
    pub now: Option<Energy>,
    /// Of the one before, up to the same point.
    pub before: Option<Energy>,
}

impl Comparison {
    /// How much more it is, in watt-hours; `None` if the two cannot be compared.
    pub(super) fn change(&self) -> Option<f64> {
        let whole = |energy: Option<Energy>| energy.filter(|it| it.is_comparable);
        let both = whole(self.now).zip(whole(self.before));
        both.map(|(now, before)| now.watthours - before.watthours)
    }
}

/// The energy of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Watt-hours; finite. Negative if more was fed back than taken.
    pub watthours: f64,
    /// The costs by the account's contracts less the credits, in their currency: of the house with
    /// fixed charges, of a sensor without. `None` without a price, and for energy that does not
    /// come from the grid.
    pub cost: Option<f64>,
    /// The energy that the cost leaves out; `None` if that is nothing.
    pub gap: Option<AmountGap>,
    /// The share of the consumption that did not come from the grid, from 0 to 1. `None` if it is
    /// not known, and of all else.
    pub own: Option<f64>,
    /// Whether some of it is missing.
    pub is_partial: bool,
    /// Whether so little is missing that it can be compared: at most 1 % of the time.
    pub is_comparable: bool,
}

impl HouseEnergies {
    /// The energy of the house of `account` at `now`. Blocks on the disk: not for async workers.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn at(store: &Store, account: &Account, now: Timestamp) -> Result<Self, StoreError> {
        let now = (now, WeekStart::default());
        let periods = periods(&account.zone, now, Against::Before);
        let table = table_of_periods(store, account, (now.0, &periods, Vec::new()), &[])?;
        Ok(Self::of_table(&table, periods))
    }

    /// The device that changed most in a period, in the direction of the whole house; of those inside
    /// one another, the inner one. `None` if it is less than a quarter of the change, or if the change
    /// is not known.
    #[must_use]
    pub fn cause_of(&self, period: fn(&Energies) -> &Comparison) -> Option<ChangeCause> {
        let house = self.used.as_ref().or(self.grid.as_ref())?;
        let change = period(house).change()?;
        let has_inner = |sensor: &Sensor| {
            let mut all = self.sensors.iter();
            all.any(|(it, _)| it.part_of.as_ref() == Some(&sensor.id))
        };
        let devices = self
            .sensors
            .iter()
            .filter(|(it, _)| it.role == Role::SubMeter);
        let devices = devices.filter(|(it, _)| !has_inner(it));
        let changes = devices.filter_map(|(it, energies)| Some((it, period(energies).change()?)));
        ChangeCause::of(change, changes)
    }

    pub(super) fn of_table(table: &EnergyTable, periods: [SoFar; 5]) -> Self {
        let sums = periods.map(|so_far| {
            [so_far.now, so_far.before].map(|range| Some((range, table.sums(range)?)))
        });
        let each = |energy: &dyn Fn(TimeRange, &HouseSums) -> Option<Energy>| {
            sums.each_ref().map(|known| {
                let known = known.each_ref().map(Option::as_ref);
                let [now, before] =
                    known.map(|known| known.and_then(|(range, sums)| energy(*range, sums)));
                Comparison { now, before }
            })
        };
        let roles = || table.house.sensors.iter().map(|it| it.sensor.role);
        let has_grid = roles().any(Role::is_at_grid);
        let has_solar = roles().any(|role| role == Role::Solar);
        let has_more = roles().any(|role| !role.is_at_grid() && role != Role::SubMeter);
        let sensors = table.house.sensors.iter().enumerate();
        // The energy of revoked sensors is in the sums.
        let sensors = sensors.filter(|(_, it)| it.sensor.authorized);
        let sensors = sensors.map(|(place, it)| {
            let is_paid = it.sensor.role.is_at_grid();
            let energies = each(&|range, sums| {
                let cost = is_paid.then(|| table.sensor_cost(place, range)).flatten();
                let known = Energy::of(*sums.sensors.get(place)?, range, cost)?;
                Some(known.begun_at(it.begin_of_data(), range))
            });
            (it.sensor.clone(), energies)
        });
        let sensors = sensors.collect();
        let grid = each(&|range, sums| {
            let known = Energy::of(sums.net_of_grid(), range, table.house_cost(range));
            let both = [sums.imported, sums.exported].map(|sum| sum.energy().unwrap_or_default());
            let unpriced = table.unpriced(None, range);
            known.map(|known| known.without(both.into_iter().sum(), unpriced))
        });
        let solar = each(&|range, sums| {
            let begin = begin_of(&table.house, |it| it.sensor.role == Role::Solar);
            Some(Energy::of(sums.produced, range, None)?.begun_at(begin, range))
        });
        let used = each(&|range, sums| {
            let own = sums.self_sufficiency();
            Energy::of(sums.used, range, None).map(|energy| Energy { own, ..energy })
        });
        Self {
            sensors,
            grid: has_grid.then_some(grid),
            solar: has_solar.then_some(solar),
            // Without other sensors, the grid's meter measures the consumption.
            used: (has_grid && has_more).then_some(used),
        }
    }
}

/// The table of the periods at `now`, with further times. Nobody asks for the cost of the time before.
pub(super) fn table_of_periods(
    store: &Store,
    account: &Account,
    (now, periods, mut times): (Timestamp, &[SoFar; 5], Vec<Timestamp>),
    devices: &[PricedRange],
) -> Result<EnergyTable, StoreError> {
    times.extend(ends(periods));
    let start = periods.iter().map(|so_far| so_far.now.start()).min();
    let mut priced = vec![PricedRange {
        range: start.unwrap_or(now)..now,
        with_devices: false,
    }];
    priced.extend_from_slice(devices);
    EnergyTable::of(store, account, (times, &priced), now)
}

/// The comparison of an account's periods: as `asked` or, by default, with last year if there is a
/// year of history. Blocks on the disk.
pub(super) fn against_of(
    store: &Store,
    account: &Account,
    now: (Timestamp, WeekStart),
    asked: Option<Against>,
) -> Result<Against, StoreError> {
    if let Some(asked) = asked {
        return Ok(asked);
    }
    let first = history_begins(store, &account.name)?;
    Ok(usual_against(&account.zone, now, first))
}

impl Energy {
    /// `None` if nothing is known.
    pub(super) fn of(sum: HouseSum, range: TimeRange, cost: Option<Amount>) -> Option<Self> {
        Some(Self {
            watthours: sum.energy()?.watthours(),
            cost: cost.map(|cost| cost.rounded().to_f64()),
            gap: None,
            own: None,
            is_partial: sum.missing_ms > 0,
            is_comparable: is_small(sum.missing_ms, range),
        })
    }

    /// It, if it is of `energy` and its cost leaves out so much.
    pub(super) fn without(self, energy: MicroWh, unpriced: MicroWh) -> Self {
        let gap = AmountGap::of(energy, unpriced, 0.0);
        Self {
            gap: gap.filter(|_| self.cost.is_some()),
            ..self
        }
    }

    /// It, if its sensors begin then: a year of which they know five weeks is no year to compare
    /// with, although nothing is missing before a sensor's first reading.
    pub(super) fn begun_at(self, begin: Option<Timestamp>, range: TimeRange) -> Self {
        let begin = begin.unwrap_or(range.start());
        let late_ms = begin.millis().saturating_sub(range.start().millis());
        Self {
            is_comparable: self.is_comparable && is_small(late_ms, range),
            ..self
        }
    }
}

/// Whether a time is at most 1 % of a range.
const fn is_small(ms: i64, range: TimeRange) -> bool {
    ms.saturating_mul(100) <= range.length_ms()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{AccountName, SensorId};

    fn energies(now: f64, before: f64) -> Energies {
        let energy = |watthours| Energy {
            watthours,
            cost: None,
            gap: None,
            own: None,
            is_partial: false,
            is_comparable: true,
        };
        [Comparison {
            now: Some(energy(now)),
            before: Some(energy(before)),
        }; 5]
    }

    fn device(name: &str, part_of: Option<&str>, energies: &Energies) -> (Sensor, Energies) {
        let id = |text: &str| SensorId::new(text).unwrap();
        let account = AccountName::new("home").unwrap();
        let sensor = Sensor {
            role: Role::SubMeter,
            part_of: part_of.map(id),
            ..Sensor::new(id(name), account, Timestamp::MIN)
        };
        (sensor, *energies)
    }

    #[test]
    fn a_change_has_one_cause_if_a_device_is_much_of_it() {
        let cause = |house: Energies, sensors: Vec<(Sensor, Energies)>| {
            let house = HouseEnergies {
                sensors,
                grid: Some(house),
                solar: None,
                used: None,
            };
            let cause = house.cause_of(|[_, _, _, month, _]| month)?;
            Some((cause.sensor.id.to_string(), cause.watthours))
        };
        let sensors = || {
            vec![
                device("board", None, &energies(900.0, 500.0)),
                device("heat", Some("board"), &energies(700.0, 400.0)),
                device("tv", None, &energies(50.0, 100.0)),
            ]
        };
        let named = |name: &str, watthours| Some((name.to_owned(), watthours));
        assert_eq!(
            cause(energies(1_400.0, 1_000.0), sensors()),
            named("heat", 300.0)
        );
        assert_eq!(
            cause(energies(900.0, 1_000.0), sensors()),
            named("tv", -50.0)
        );
        // 300 is less than a quarter of this.
        assert_eq!(cause(energies(3_000.0, 1_000.0), sensors()), None);
        assert_eq!(cause(energies(1_000.0, 1_000.0), Vec::new()), None);
        let mut unknown = energies(1_400.0, 1_000.0);
        unknown[3].before = None;
        assert_eq!(cause(unknown, sensors()), None);
    }
}
