//! What a range would have cost with another battery, other panels or another load (docs/DECIDE.md).
//! Nothing is stored: all of it is in the question.
//!
//! - `form`: the fields as typed, and what can be wrong with them; `question`: what they mean
//! - `clock`: quarters of an hour by the account's clock; `prices`: their prices
//! - `load`: the energy of a load; `changed`: the house as it would have been; `houses`: those of a
//!   question, by size and rule of the battery
//! - `answer`: the same for the API and the commands; `assumption`: what it assumes
//! - `battery_tests`: batteries that stand by, age and know peaks, and energy of each hour

mod answer;
mod assumption;
mod changed;
mod clock;
mod form;
mod houses;
mod load;
mod prices;
mod question;

use std::ops::Range;
use std::sync::Arc;

pub use self::answer::{WhatIfAnswer, WhatIfRow, WhatIfSize};
pub use self::assumption::WhatIfAssumption;
use self::changed::{ChangedHouse, HouseChanges};
pub use self::form::{WhatIfError, WhatIfField, WhatIfForm};
use self::houses::{AskedHouses, FoundHouses};
pub use self::houses::{BatteryRule, SizedHouse};
use self::load::ChangedLoad;
use self::prices::known_prices;
pub use self::question::WhatIfQuestion;
use self::question::{AskedBattery, Dispatch, LoadChange};
use crate::domain::number::to_millionth;
use crate::domain::{Account, Decimal, MicroWh, Role, TimeRange, Timestamp};
use crate::house::known_year::{PaybackReason, check_year, whole_from, year_start};
use crate::house::priced_side::{PricedSide, month_ends, priced_sides};
use crate::house::prices::HousePrices;
use crate::house::scenario::Scenario;
use crate::house::sensors::{HouseSensor, HouseSensors};
use crate::house::side_by_side::{AskedSide, SeriesWindow};
use crate::house::statement::so_far;
use crate::ledger::contract::Contract;
use crate::ledger::scenario::{HouseQuarter, PublishedPrices};
use crate::store::{Store, StoreError};

/// The most quarters of an hour of all houses together: ten years of 17 houses, or four of 41. That
/// takes some seconds.
const MOST_QUARTERS: i64 = 6_000_000;
/// The same of slots of prices, which may be shorter.
const MOST_SLOTS: usize = 6_000_000;

/// What a range cost, and what it would have cost.
pub struct WhatIf {
    /// The range until now, without its end.
    pub range: TimeRange,
    /// The house as it was.
    pub present: PricedSide,
    /// The house as it would have been; `None` if only sizes of a battery are compared.
    pub changed: Option<PricedSide>,
    /// The house with batteries, ascending from none on; empty without a battery.
    pub sizes: Vec<SizedHouse>,
    /// The price of a kilowatt-hour of a battery's capacity.
    pub price_per_kwh: Option<Decimal>,
    question: WhatIfQuestion,
    /// The house that is told about, if its battery rested where energy was read less often than
    /// each quarter of an hour; `None` without a battery.
    resting: Option<PricedSide>,
    /// Why nothing is said about a year; `None` if enough is known.
    pub no_year: Option<PaybackReason>,
    /// Whether it had a battery before.
    had_battery: bool,
    /// Whether its panels are measured, or it has none.
    is_use_known: bool,
}

/// The cost of a range as it would have been, from its start until before its end, or until `now` if that is
/// sooner. Blocks on the disk.
///
/// # Errors
/// [`WhatIfError`] if the house lacks a sensor that the question needs, if it takes too long, or if
/// the store could not be read.
pub fn what_if(
    store: &Store,
    account: &Account,
    (range, now): (Range<Timestamp>, Timestamp),
    question: WhatIfQuestion,
) -> Result<WhatIf, WhatIfError> {
    let range = so_far(&range, now);
    let compared = question.battery.as_ref();
    let compared = compared.map_or_else(Vec::new, AskedBattery::compared);
    let prices = HousePrices::of(store, account, range.clone());
    let asked = AskedHouses::of(&question, &compared, prices.has_demand());
    let count = i64::try_from(asked.compared() + 1).unwrap_or(i64::MAX);
    let quarters = clock::numbers(&range);
    if (quarters.end - quarters.start).saturating_mul(count) > MOST_QUARTERS {
        return Err(WhatIfError::TooMany);
    }
    let house = HouseSensors::of(store, &account.name, now)?;
    check(&house, &question)?;
    let changes = Arc::new(changes(store, (account, &range), (&house, &question))?);
    let months = month_ends(&range, &account.zone).into_iter();
    let months: Arc<[i64]> = months.map(HouseQuarter::number_of).collect();
    let scenarios = asked.scenarios(&question, (&changes, &months));
    let mut houses = priced(store, account, (&range, &house, &prices), scenarios)?.into_iter();
    let present = houses.next().ok_or(WhatIfError::Nothing)?;
    let FoundHouses {
        changed: other,
        sizes,
        resting,
    } = asked.found(houses.collect());
    let is_use_known = house.sensors.iter().any(is_solar) || !feeds_in(&present);
    let whole = TimeRange::new(range.start, range.end);
    let asked = question.battery.as_ref();
    let told = other.as_ref().or(sizes.last().map(|it| &it.side));
    let unknown = told.map(|told| told.unknown).unwrap_or_default();
    let known_from = known_from(store, account, &house)?.max(range.start);
    let year = year_start(&range, &account.zone)..range.end;
    Ok(WhatIf {
        no_year: check_year(&year, known_from, unknown).err(),
        range: whole.unwrap_or(TimeRange::at(range.start)),
        present,
        changed: other,
        sizes,
        price_per_kwh: asked.and_then(|asked| asked.price_per_kwh),
        resting,
        had_battery: house.sensors.iter().any(is_battery),
        is_use_known,
        question,
    })
}

/// Whether the house has the sensors that the question needs.
fn check(house: &HouseSensors, question: &WhatIfQuestion) -> Result<(), WhatIfError> {
    let has = |role: fn(Role) -> bool| house.sensors.iter().any(|it| role(it.sensor.role));
    if !has(|role| matches!(role, Role::Grid | Role::GridImport)) {
        return Err(WhatIfError::NoGrid);
    }
    let is_multiplied = question.panels.factor.is_some();
    if is_multiplied && !has(|role| role == Role::Solar) {
        return Err(WhatIfError::NoPanels);
    }
    Ok(())
}

fn is_battery(it: &HouseSensor) -> bool {
    it.sensor.role.is_battery()
}

fn is_solar(it: &HouseSensor) -> bool {
    it.sensor.role == Role::Solar
}

/// Without a sensor of its panels, a house that feeds in seems to use less than nothing.
fn feeds_in(present: &PricedSide) -> bool {
    let energy = present.energy.as_ref();
    energy.is_some_and(|it| it.exported != Some(MicroWh::ZERO))
}

/// From when on readings and prices tell about the whole house.
fn known_from(
    store: &Store,
    account: &Account,
    house: &HouseSensors,
) -> Result<Timestamp, StoreError> {
    let registry = store.registry();
    let contracts = registry.contracts(&account.name);
    let first = contracts.and_then(|all| all.all().first().map(Contract::from));
    let priced_from = first.map_or(Timestamp::MIN, |first| first.start(&account.zone));
    Ok(whole_from(store, house, priced_from)?.unwrap_or(Timestamp::MAX))
}

/// The changes that do not depend on the size of the battery.
fn changes(
    store: &Store,
    (account, range): (&Account, &Range<Timestamp>),
    (house, question): (&HouseSensors, &WhatIfQuestion),
) -> Result<HouseChanges, WhatIfError> {
    let battery = question.battery.as_ref();
    let buys = battery.is_some_and(|battery| battery.dispatch != Dispatch::Greedy);
    let load = question.load.as_ref();
    let moves =
        load.is_some_and(|load| matches!(load.change, LoadChange::Move | LoadChange::AddCheapest));
    let prices = if buys || moves {
        known_prices(store, account, range)?
    } else {
        PublishedPrices::default()
    };
    let load = load.map(|load| ChangedLoad::of(store, (account, range), (load, house), &prices));
    Ok(HouseChanges {
        from: range.start,
        panels: question.panels.clone(),
        load: load.transpose()?,
        prices,
    })
}

/// The house as it was, and each of the others.
fn priced(
    store: &Store,
    account: &Account,
    (range, house, prices): (&Range<Timestamp>, &HouseSensors, &HousePrices),
    scenarios: Vec<ChangedHouse>,
) -> Result<Vec<PricedSide>, WhatIfError> {
    let side = |scenario: Option<ChangedHouse>| AskedSide {
        prices,
        window: 0,
        scenario: scenario.map(|it| -> Box<dyn Scenario> { Box::new(it) }),
    };
    let all = [None].into_iter().chain(scenarios.into_iter().map(Some));
    let windows = vec![SeriesWindow::new(prices.window.clone())];
    let asked = (all.map(side).collect(), windows);
    let found = priced_sides(store, account, (house, range), asked, MOST_SLOTS)?;
    found.ok_or(WhatIfError::TooMany)
}

impl WhatIf {
    /// The savings of the house that is told about, if its battery had rested where energy was read
    /// less often than each quarter of an hour; `None` without a battery, or without such energy.
    #[must_use]
    pub fn saved_at_rest(&self) -> Option<Decimal> {
        let resting = self.resting.as_ref();
        let resting = resting.filter(|_| self.told().coarse_share().is_some());
        let was = match self.changed {
            Some(_) => &self.present,
            None => &self.sizes.first()?.side,
        };
        was.more_than(resting?)
    }

    /// What the replayed battery gave more than the house's own one did, as a share of that; `None`
    /// without both.
    #[must_use]
    pub fn replayed_more(&self) -> Option<f64> {
        self.question
            .battery
            .as_ref()
            .filter(|_| self.had_battery)?;
        let given = |side: &PricedSide| Some(side.energy.as_ref()?.discharged?.watthours());
        let (own, replayed) = (given(&self.present)?, given(self.told())?);
        (own > 0.0).then(|| to_millionth(replayed / own - 1.0))
    }

    /// The use of a house; `None` if a part is unknown.
    #[must_use]
    pub fn used(&self, side: &PricedSide) -> Option<MicroWh> {
        side.energy.as_ref().filter(|_| self.is_use_known)?.used()
    }

    /// The share of the use that did not come from the grid, from 0 to 1.
    #[must_use]
    pub fn self_sufficiency(&self, side: &PricedSide) -> Option<f64> {
        let energy = side.energy.as_ref().filter(|_| self.is_use_known)?;
        energy.self_sufficiency()
    }
}

#[cfg(test)]
mod battery_tests;
#[cfg(test)]
mod tests;
