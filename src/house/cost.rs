//! Costs of energy by the contracts of its account, slot by slot, in bounded memory.

use std::collections::{BTreeSet, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::task::Poll;

use super::flows::{FlowSlot, SensorFlows};
use super::price_window::PriceWindow;
use super::sensor_cost::sensor_cost;
use super::sensors::{HouseSensor, HouseSensors, overlap_ms};
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use crate::domain::{Account, Calendar, Currency, Decimal, Interval, TimeRange, Timestamp, Zone};
use crate::ledger::contract::{Amount, Contract, Contracts, Label, PriceSlot, Pricer, SlotCost};
use crate::ledger::house::{HouseSum, MeasuredSlot};
use crate::ledger::{CostStatement, Event, Flow, TouchCount};
use crate::store::{Store, StoreError};

/// The number of slots to look ahead: one walk reads their energy.
const MOST_AHEAD: usize = 4_096;

/// The contracts of an account, and where the prices are that they need in a range.
pub struct HousePrices {
    contracts: Arc<Contracts>,
    window: PriceWindow,
    zone: Zone,
    range: Range<Timestamp>,
}

/// Costs of a house and its sensors: a pricing under way, in bounded steps.
pub struct HouseCosts {
    house: HouseSensors,
    pricer: Pricer,
    window: PriceWindow,
    /// Slots end at these ascending times, besides where prices change. Behind the last one nothing
    /// is looked at.
    cuts: Vec<Timestamp>,
    ahead: VecDeque<(PriceSlot, FlowSlot)>,
    /// In this range events are counted: so many so far.
    range: Range<Timestamp>,
    events: usize,
    /// The costs since the last requested end.
    sums: CostSums,
}

/// The costs of a stretch of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CostSums {
    /// The house: energy, fixed charges, taxes.
    pub house: SlotCost,
    /// Each sensor, without fixed charges.
    pub sensors: Vec<SlotCost>,
}

impl HousePrices {
    /// A longer range has no price: each quarter of an hour may have one of its own.
    pub const MOST_DAYS: i64 = 3_660;

    /// The sensors that determine the prices of `account` from the start of `range` until before
    /// its end.
    #[must_use]
    pub fn of(store: &Store, account: &Account, range: Range<Timestamp>) -> Self {
        let registry = store.registry();
        let begins = |contract: &Contract| contract.from().start(&account.zone);
        // Before the first contract there is nothing to do, however long that is.
        let may_be_priced = |contracts: &Arc<Contracts>| {
            let first = contracts.all().first().map(begins);
            Self::may_be_priced(&(range.start.max(first.unwrap_or(range.start))..range.end))
        };
        let contracts = registry.contracts(&account.name).cloned();
        let contracts = contracts.filter(may_be_priced).unwrap_or_default();
        // Tiers may count from the beginning of the year.
        let mut years = Calendar::new(account.zone.clone(), Interval::Year);
        let start = years.bucket(range.start).start();
        // The contracts that hold in it: of those that begin before it, the last one.
        let all = contracts.all();
        let first = all.partition_point(|contract| begins(contract) <= start);
        let holding = all.get(first.saturating_sub(1)..).unwrap_or_default();
        let holding = holding
            .iter()
            .filter(|contract| begins(contract) < range.end);
        let names: BTreeSet<&Label> = holding.flat_map(Contract::series).collect();
        let names = names.into_iter().cloned().collect();
        Self {
            window: PriceWindow::new(account.name.clone(), names, range.end),
            contracts,
            zone: account.zone.clone(),
            range,
        }
    }

    /// Whether a range is no longer than [`Self::MOST_DAYS`].
    #[must_use]
    pub fn may_be_priced(range: &Range<Timestamp>) -> bool {
        // A day of 25 hours makes so many days by the clock longer.
        let longest_ms = (Self::MOST_DAYS + 1) * MS_PER_DAY;
        range.end.millis().saturating_sub(range.start.millis()) <= longest_ms
    }

    /// The currency of the amounts; `None` without contracts.
    #[must_use]
    pub fn currency(&self) -> Option<&Currency> {
        self.contracts.currency()
    }

    /// From its start until before its end there are prices.
    pub(super) fn range(&self) -> Range<Timestamp> {
        self.range.clone()
    }

    fn pricer(&self) -> Pricer {
        let range = TimeRange::new(self.range.start, self.range.end);
        let range = range.unwrap_or(TimeRange::at(self.range.start));
        Pricer::new(&self.contracts, &self.zone, &[], range)
    }

    /// The costs of the range less the credits: of the house with fixed charges, or of its first
    /// sensor without. `None` if everything is unpriced. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn balance(
        &self,
        store: &Store,
        (at_grid, of_house): (&HouseSensors, bool),
    ) -> Result<Option<Decimal>, StoreError> {
        let mut costs = HouseCosts::new(at_grid.only(|_| true), self);
        costs.cut_at(vec![self.range.end]);
        let sums = costs.all_until(store, self.range.end)?;
        let SlotCost {
            cost,
            credit,
            unpriced,
        } = sums.house;
        let own = sums.sensors.first().filter(|_| !of_house);
        let (cost, credit) = own.map_or((cost, credit), |own| (own.cost, own.credit));
        let is_priced =
            unpriced == Flow::default() || cost != Amount::ZERO || credit != Amount::ZERO;
        Ok(is_priced.then(|| (cost - credit).rounded()))
    }

    /// The statement of the range for the sensors at the grid, which so many corrections touch.
    /// Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn statement(
        &self,
        store: &Store,
        at_grid: HouseSensors,
        corrections: usize,
    ) -> Result<CostStatement, StoreError> {
        let mut costs = HouseCosts::new(at_grid, self);
        costs.cut_at(vec![self.range.end]);
        let mut known = MeasuredSlot::default();
        while let Some((slot, flows)) = costs.next_slot(store)? {
            let (at_grid, is_whole) = costs.house.at_grid(&flows);
            if slot.is_billed() {
                known = known + at_grid;
            }
            costs.pricer.add_known(slot, at_grid.flow, is_whole);
        }
        let range = TimeRange::new(self.range.start, self.range.end);
        let range = range.unwrap_or(TimeRange::at(self.range.start));
        let currency = self.contracts.currency().cloned();
        let bill = costs.pricer.finish();
        let touched = TouchCount {
            events: costs.events,
            corrections,
        };
        Ok(CostStatement::of(range, currency, bill, known, touched))
    }
}

impl HouseCosts {
    /// The costs of the range of `prices`. `house` has the sensors at the grid, and those whose own
    /// costs are asked for.
    #[must_use]
    pub fn new(house: HouseSensors, prices: &HousePrices) -> Self {
        Self {
            sums: CostSums::nothing(house.sensors.len()),
            house,
            pricer: prices.pricer(),
            window: prices.window.clone(),
            cuts: Vec::new(),
            ahead: VecDeque::new(),
            range: prices.range(),
            events: 0,
        }
    }

    /// The next possible ends: ascending times, all after the earlier ones.
    pub fn cut_at(&mut self, cuts: Vec<Timestamp>) {
        self.cuts = cuts;
    }

    /// The costs since the last end that was reached, until `end`, which is one of the cuts.
    /// Pending if that takes more steps: the same is to be asked again. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn until(&mut self, store: &Store, end: Timestamp) -> Result<Poll<CostSums>, StoreError> {
        for _ in 0..MOST_AHEAD {
            match self.next_slot(store)? {
                Some((slot, flows)) if slot.from() < end => match self.cuts(slot, &flows) {
                    Some(cuts) => self.look_closer(store, slot, &cuts)?,
                    None => self.add(slot, &flows),
                },
                other => {
                    if let Some(next) = other {
                        self.ahead.push_front(next);
                    }
                    let nothing = CostSums::nothing(self.house.sensors.len());
                    return Ok(Poll::Ready(std::mem::replace(&mut self.sums, nothing)));
                }
            }
        }
        Ok(Poll::Pending)
    }

    /// As [`Self::until`], in as many steps as it takes.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn all_until(&mut self, store: &Store, end: Timestamp) -> Result<CostSums, StoreError> {
        loop {
            if let Poll::Ready(sums) = self.until(store, end)? {
                return Ok(sums);
            }
        }
    }

    fn add(&mut self, slot: PriceSlot, flows: &FlowSlot) {
        let (at_grid, is_whole) = self.house.at_grid(flows);
        if slot.is_billed() {
            let drawn = at_grid.flow.unwrap_or_default().imported;
            let prices = self.pricer.marginal_prices(drawn);
            let sensors = self.house.sensors.iter().zip(&flows.measured);
            for (sum, (it, measured)) in self.sums.sensors.iter_mut().zip(sensors) {
                let flow = measured.flow.unwrap_or_default();
                *sum = *sum + sensor_cost(it.sensor.role, flow, &prices);
            }
        }
        let cost = self.pricer.add_known(slot, at_grid.flow, is_whole);
        self.sums.house = self.sums.house + cost;
    }

    /// The cuts of a slot with the end of a tier, which find it to the minute: from then on each
    /// sensor pays the next tier's price, for any slots. `None` if it is not to be cut.
    fn cuts(&mut self, slot: PriceSlot, flows: &FlowSlot) -> Option<Vec<Timestamp>> {
        let (at_grid, _) = self.house.at_grid(flows);
        let drawn = at_grid.flow.filter(|_| slot.is_billed())?.imported;
        if self.pricer.marginal_prices(drawn).len() < 2 {
            return None;
        }
        let steps = [MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE].into_iter();
        let (from, to) = (slot.from().millis(), slot.to().millis());
        let cuts = steps.map(|step| {
            let within = from.div_euclid(step) + 1..=(to - 1).div_euclid(step);
            let within = within.filter_map(|count| Timestamp::from_millis(count * step));
            let cuts = [slot.from()].into_iter().chain(within).chain([slot.to()]);
            cuts.collect::<Vec<_>>()
        });
        cuts.into_iter().find(|cuts| cuts.len() > 2)
    }

    /// Puts the parts of a slot in its place.
    fn look_closer(
        &mut self,
        store: &Store,
        slot: PriceSlot,
        cuts: &[Timestamp],
    ) -> Result<(), StoreError> {
        let flows = SensorFlows::between(store, &self.house.sensors, cuts)?.all(|_| ())?;
        let parts = self.house.each(slot.parts(cuts), flows);
        for part in parts.into_iter().rev() {
            self.ahead.push_front(part);
        }
        Ok(())
    }

    /// The next slot, with each sensor's energy. The caller adds it, or puts it back.
    fn next_slot(&mut self, store: &Store) -> Result<Option<(PriceSlot, FlowSlot)>, StoreError> {
        if self.ahead.is_empty() {
            self.look_ahead(store)?;
        }
        Ok(self.ahead.pop_front())
    }

    fn look_ahead(&mut self, store: &Store) -> Result<(), StoreError> {
        let Some(next) = self.pricer.next_slot() else {
            return Ok(());
        };
        if let Some(series) = self.window.load(store, next.from())? {
            self.pricer.set_series(series);
        }
        let until = self.window.until();
        // The ends of slots do not depend on energy.
        let mut pricer = self.pricer.clone();
        let (mut slots, mut times) = (Vec::new(), Vec::new());
        while slots.len() < MOST_AHEAD
            && let Some(slot) = pricer.next_slot()
            && slot.from() < until
        {
            let next = self.cuts.partition_point(|cut| *cut <= slot.from());
            let Some(cut) = self.cuts.get(next) else {
                break;
            };
            let slot = slot.until(*cut).until(until);
            pricer.add(slot, None);
            if times.is_empty() {
                times.push(slot.from());
            }
            times.push(slot.to());
            slots.push(slot);
        }
        let count = |event: Event| self.events += usize::from(self.range.contains(&event.time));
        let flows = SensorFlows::between(store, &self.house.sensors, &times)?.all(count)?;
        self.ahead.extend(self.house.each(slots, flows));
        Ok(())
    }
}

impl CostSums {
    fn nothing(sensors: usize) -> Self {
        Self {
            house: SlotCost::default(),
            sensors: vec![SlotCost::default(); sensors],
        }
    }
}

impl HouseSensors {
    /// Each slot with its known energy.
    fn each(&self, slots: Vec<PriceSlot>, flows: Vec<FlowSlot>) -> Vec<(PriceSlot, FlowSlot)> {
        let mut flows = flows.into_iter().peekable();
        let each = slots.into_iter().map(|slot| {
            let known = flows.next_if(|known| known.start == slot.from());
            let known = known.unwrap_or_else(|| self.nothing(slot.from(), slot.to()));
            (slot, known)
        });
        each.collect()
    }

    /// The energy of all sensors at the grid, and whether it is complete.
    fn at_grid(&self, slot: &FlowSlot) -> (MeasuredSlot, bool) {
        let sums = self.plan.sums(slot.length_ms(), &slot.measured);
        let parts = [sums.imported, sums.exported];
        let [imported, exported] = parts.map(HouseSum::energy);
        let of_parts = |ms: fn(&HouseSum) -> i64| parts.iter().map(ms).max().unwrap_or(0);
        let flow = Flow {
            imported: imported.unwrap_or_default(),
            exported: exported.unwrap_or_default(),
        };
        if !self.sensors.iter().any(|it| it.sensor.role.is_at_grid()) {
            return (MeasuredSlot::unknown(slot.length_ms()), false);
        }
        let missing_ms = of_parts(|part| part.missing_ms);
        let measured = MeasuredSlot {
            flow: imported.or(exported).map(|_| flow),
            known_ms: slot.length_ms().saturating_sub(missing_ms),
            estimated_ms: of_parts(|part| part.estimated_ms),
            missing_ms,
        };
        (measured, sums.imported.missing_ms == 0)
    }

    /// A slot without known energy.
    pub(super) fn nothing(&self, start: Timestamp, end: Timestamp) -> FlowSlot {
        let missing =
            |it: &HouseSensor| MeasuredSlot::unknown(overlap_ms(&it.expected, &(start..end)));
        let sensors = self.sensors.iter();
        FlowSlot {
            start,
            end,
            measured: sensors.map(missing).collect(),
        }
    }
}
