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
        let table = table_of_periods(store, account, (now.0, &periods), &[])?;
        Ok(Self::of_table(&table, periods))
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

/// The table of the periods at `now`. Nobody asks for the cost of the time before.
pub(super) fn table_of_periods(
    store: &Store,
    account: &Account,
    (now, periods): (Timestamp, &[SoFar; 5]),
    devices: &[PricedRange],
) -> Result<EnergyTable, StoreError> {
    let start = periods.iter().map(|so_far| so_far.now.start()).min();
    let mut priced = vec![PricedRange {
        range: start.unwrap_or(now)..now,
        with_devices: false,
    }];
    priced.extend_from_slice(devices);
    EnergyTable::of(store, account, (ends(periods), &priced), now)
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
