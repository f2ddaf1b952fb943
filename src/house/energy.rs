//! Energy of periods, each against as much of the time before, and what it cost.

use std::ops::Add;

use super::cost::{CostSums, HouseCosts, HousePrices};
use super::flows::{FlowSlot, SensorFlows};
use super::periods::{ends, periods};
use super::sensors::HouseSensors;
use crate::domain::{Account, Role, Sensor, SoFar, TimeRange, Timestamp};
use crate::ledger::Flow;
use crate::ledger::contract::Amount;
use crate::ledger::house::{HouseSum, HouseSums};
use crate::store::{Store, StoreError};

/// The energy of each period, in the order in which people read them: today so far, yesterday, this week from Monday, this month
/// and this year.
pub type Energies = [Comparison; 5];

/// The energy of a house, by periods: of each sensor, and of its parts. Panels, batteries and sub-meters are not added to the grid: its
/// sensors measure them, too.
#[derive(Clone, Debug, PartialEq)]
pub struct HouseEnergies {
    /// The authorized sensors of the account, by id.
    pub sensors: Vec<(Sensor, Energies)>,
    /// What it took from the grid, less what it fed back; `None` without sensors there.
    pub grid: Option<Energies>,
    /// What its panels produced; `None` without sensors there.
    pub solar: Option<Energies>,
    /// What it used itself; `None` without sensors at the grid, and if these are all it has.
    pub used: Option<Energies>,
}

/// The energy of a period, and of as much of the one before: today's is compared with yesterday's up to the same time of day,
/// this week's with last week's up to the same time of the same weekday, a month's and a year's up to the same date.
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
    /// What it cost by the account's contracts less what was credited, in their currency: of the house with fixed charges, of a
    /// sensor without. `None` without a price, and for what does not come from the grid.
    pub cost: Option<f64>,
    /// Of what the house used: the share that did not come from the grid, from 0 to 1. `None` if it is not known, and of all else.
    pub own: Option<f64>,
    /// Whether some of it is missing.
    pub is_partial: bool,
}

/// What is known of all periods: the slots between their ends, in time order, with what each cost.
pub(super) struct KnownSlots {
    pub(super) house: HouseSensors,
    slots: Vec<(FlowSlot, Option<CostSums>)>,
}

impl HouseEnergies {
    /// The energy of the house of `account` at `now`. Blocks on the disk: not for async workers.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn at(store: &Store, account: &Account, now: Timestamp) -> Result<Self, StoreError> {
        let (known, periods) = KnownSlots::at(store, account, now)?;
        Ok(Self::of_known(&known, periods))
    }

    /// From slots that have the ends of these periods among theirs.
    pub(super) fn of_known(known: &KnownSlots, periods: [SoFar; 5]) -> Self {
        let each = |energy: &dyn Fn(TimeRange) -> Option<Energy>| {
            periods.map(|so_far| Comparison {
                now: energy(so_far.now),
                before: energy(so_far.before),
            })
        };
        let roles = || known.house.sensors.iter().map(|it| it.sensor.role);
        let has_grid = roles().any(Role::is_at_grid);
        let has_solar = roles().any(|role| role == Role::Solar);
        let has_more = roles().any(|role| !role.is_at_grid() && role != Role::SubMeter);
        let sensors = known.house.sensors.iter().enumerate();
        // What revoked ones measured is in the sums.
        let sensors = sensors.filter(|(_, it)| it.sensor.authorized);
        let sensors = sensors.map(|(place, it)| {
            let energies = each(&|range| known.of_sensor(place, range));
            (it.sensor.clone(), energies)
        });
        Self {
            sensors: sensors.collect(),
            grid: has_grid.then(|| each(&|range| known.of_grid(range))),
            solar: has_solar.then(|| each(&|range| Energy::of(known.sums(range)?.produced, None))),
            // What a house uses that has the grid alone is what the grid's meter says.
            used: (has_grid && has_more).then(|| each(&|range| known.used(range))),
        }
    }
}

impl KnownSlots {
    /// What is known of the periods at `now`, and these. Blocks on the disk.
    pub(super) fn at(
        store: &Store,
        account: &Account,
        now: Timestamp,
    ) -> Result<(Self, [SoFar; 5]), StoreError> {
        let periods = periods(&account.zone, now);
        let house = HouseSensors::of(store, &account.name, now)?;
        // Nobody asks what the time before cost.
        let priced_from = periods.iter().map(|so_far| so_far.now.start()).min();
        let prices = HousePrices::of(store, account, priced_from.unwrap_or(now)..now);
        let known = Self::of(store, house, &ends(&periods), Some(&prices))?;
        Ok((known, periods))
    }

    /// What is known between each two neighbours of these ascending `times`; and what it cost, from the start of the range of
    /// `prices` on. Blocks on the disk.
    pub(super) fn of(
        store: &Store,
        house: HouseSensors,
        times: &[Timestamp],
        prices: Option<&HousePrices>,
    ) -> Result<Self, StoreError> {
        let slots = SensorFlows::between(store, &house.sensors, times)?.all()?;
        let mut slots = slots.into_iter().peekable();
        let prices = prices.filter(|prices| prices.currency().is_some());
        let mut costs = prices.map(|prices| {
            let at_grid = house.only(|it| it.sensor.role.is_at_grid());
            let mut costs = HouseCosts::new(at_grid, prices);
            costs.cut_at(times.to_vec());
            costs
        });
        let priced_from = prices.map(HousePrices::start);
        let mut known = Vec::with_capacity(times.len());
        for (&start, &end) in times.iter().zip(times.iter().skip(1)) {
            let slot = slots.next_if(|slot| slot.start == start);
            let slot = slot.unwrap_or_else(|| house.nothing(start, end));
            let counted = costs.as_mut().filter(|_| priced_from <= Some(start));
            let cost = counted
                .map(|costs| costs.all_until(store, end))
                .transpose()?;
            known.push((slot, cost));
        }
        Ok(Self {
            house,
            slots: known,
        })
    }

    fn within(&self, range: TimeRange) -> impl Iterator<Item = &(FlowSlot, Option<CostSums>)> {
        let is_within =
            move |slot: &FlowSlot| range.start() <= slot.start && slot.end <= range.end();
        self.slots.iter().filter(move |(slot, _)| is_within(slot))
    }

    /// What the house did.
    pub(super) fn sums(&self, range: TimeRange) -> Option<HouseSums> {
        let plan = &self.house.plan;
        let sums = self
            .within(range)
            .map(|(slot, _)| plan.sums(slot.length_ms(), &slot.measured));
        sums.reduce(Add::add)
    }

    /// What the house used.
    fn used(&self, range: TimeRange) -> Option<Energy> {
        let sums = self.sums(range)?;
        let own = sums.self_sufficiency();
        Energy::of(sums.used, None).map(|energy| Energy { own, ..energy })
    }

    /// What was paid for from the grid.
    fn of_grid(&self, range: TimeRange) -> Option<Energy> {
        let costs = self.within(range).map(|(_, cost)| {
            let house = &cost.as_ref()?.house;
            Some((house.cost - house.credit, house.unpriced))
        });
        let cost = total(costs);
        Energy::of(self.sums(range)?.from_grid(), cost)
    }

    /// What a sensor measured.
    fn of_sensor(&self, place: usize, range: TimeRange) -> Option<Energy> {
        let it = self.house.sensors.get(place)?;
        let sum = *self.sums(range)?.sensors.get(place)?;
        if !it.sensor.role.is_at_grid() {
            return Energy::of(sum, None);
        }
        let at_grid = self.house.sensors.iter().take(place);
        let nth = at_grid.filter(|it| it.sensor.role.is_at_grid()).count();
        let costs = self.within(range).map(|(_, cost)| {
            let own = cost.as_ref()?.sensors.get(nth)?;
            Some((own.cost - own.credit, own.unpriced))
        });
        Energy::of(sum, total(costs))
    }
}

/// The sum of all amounts; `None` if one is not known, or nothing has a price.
pub(super) fn total(mut costs: impl Iterator<Item = Option<(Amount, Flow)>>) -> Option<Amount> {
    costs.try_fold(Amount::ZERO, |sum, cost| {
        let (amount, unpriced) = cost?;
        let is_priced = unpriced == Flow::default() || amount != Amount::ZERO;
        is_priced.then_some(sum + amount)
    })
}

impl Energy {
    /// `None` if nothing is known.
    pub(super) fn of(sum: HouseSum, cost: Option<Amount>) -> Option<Self> {
        Some(Self {
            watthours: sum.energy()?.watthours(),
            cost: cost.map(|cost| cost.rounded().to_f64()),
            own: None,
            is_partial: sum.missing_ms > 0,
        })
    }
}
