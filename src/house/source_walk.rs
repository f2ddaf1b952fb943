//! Who used the sun: the energy of sub-meters by its sources, quarter of an hour by quarter, in
//! bounded memory (docs/DECIDE.md).

use std::ops::Range;
use std::task::Poll;

use super::cost::{HouseCosts, NamedCost};
use super::flows::FlowSlot;
use super::prices::HousePrices;
use super::sensor_cost::sensor_cost;
use super::sensors::{HouseSensor, HouseSensors};
use super::table::is_device;
use crate::domain::time::{MS_PER_DAY, MS_PER_MINUTE};
use crate::domain::{Account, Calendar, Decimal, Interval, MicroWh, Role, Timestamp};
use crate::ledger::Flow;
use crate::ledger::contract::{MarginalPrice, MeteredEnergy, PriceSlot, SlotCost};
use crate::ledger::house::{
    BatteryStocks, MeasuredSlot, SlotWorth, SourceMix, UsedSources, ValuedEnergy,
};
use crate::store::{Store, StoreError};

/// The time that is read at once.
const CHUNK_MS: i64 = 14 * MS_PER_DAY;
const QUARTER_MS: i64 = 15 * MS_PER_MINUTE;
/// The number of slots in a step.
const SLOTS_A_STEP: usize = 4_096;

/// The sub-meters of a house, with their energy by source: a walk under way.
///
/// Slots are quarters of an hour. One in which a price changes, or a range ends, is divided there.
/// With a battery, the walk begins a week or two earlier, because the battery gives what it took.
pub(super) struct SourceWalk {
    costs: HouseCosts,
    prices: HousePrices,
    /// With the sub-meters, until the range begins: before it, they need not be read.
    whole: Option<HouseSensors>,
    /// The places of the sub-meters in the whole house.
    devices: Vec<usize>,
    stocks: BatteryStocks,
    weeks: Calendar,
    /// Where the next week begins.
    next_week: Timestamp,
    range: Range<Timestamp>,
    /// The ends that were asked for, ascending. Behind the last one nothing is looked at.
    ends: Vec<Timestamp>,
    /// Until here slots are cut.
    cut_until: Timestamp,
    /// Of each sub-meter, in the range that is under way.
    sums: Vec<UsedSources>,
}

/// A slot of the range.
pub(super) struct SourceSlot {
    pub(super) start: Timestamp,
    pub(super) end: Timestamp,
    /// Of each sub-meter, in their order.
    pub(super) sources: Vec<UsedSources>,
    /// The energy that each sub-meter measured.
    pub(super) measured: Vec<MeasuredSlot>,
    /// The price of drawn energy; `None` if there is none, or several.
    pub(super) drawn: Option<Decimal>,
    /// The credit that own energy would have earned; `None` without a price.
    pub(super) own: Option<Decimal>,
}

/// Whether it measures panels or batteries, where own energy comes from.
pub(super) fn is_own_source(it: &HouseSensor) -> bool {
    !is_device(it) && !it.sensor.role.is_at_grid() && it.has_data()
}

fn has_battery(house: &HouseSensors) -> bool {
    let is_battery = |it: &HouseSensor| is_own_source(it) && it.sensor.role != Role::Solar;
    house.sensors.iter().any(is_battery)
}

impl SourceWalk {
    /// A walk over `range`, which is past and has at most [`HousePrices::MOST_DAYS`] days, for the
    /// sub-meters of `house` that are `wanted`.
    pub(super) fn new(
        store: &Store,
        account: &Account,
        (house, wanted): (&HouseSensors, &dyn Fn(&HouseSensor) -> bool),
        range: Range<Timestamp>,
    ) -> Self {
        let is_wanted = |it: &HouseSensor| is_device(it) && wanted(it);
        let range = from_first(house.sensors.iter().filter(|it| is_wanted(it)), range);
        let mut weeks = Calendar::new(account.zone.clone(), Interval::Week);
        let mut begin = range.start;
        if has_battery(house) && range.start < range.end {
            let week = weeks.bucket(begin).start();
            begin = weeks.bucket(week.saturating_add_millis(-1)).start();
        }
        let prices = HousePrices::of(store, account, begin..range.end);
        let is_needed = |it: &HouseSensor| !is_device(it) || prices.need(it);
        let costs = HouseCosts::new(house.only(is_needed), &prices);
        let whole = house.only(|it| is_needed(it) || is_wanted(it));
        let places = whole.sensors.iter().enumerate();
        let devices: Vec<usize> = places
            .filter(|(_, it)| is_wanted(it))
            .map(|(place, _)| place)
            .collect();
        Self {
            costs,
            prices,
            sums: vec![UsedSources::default(); devices.len()],
            devices,
            whole: Some(whole),
            stocks: BatteryStocks::default(),
            next_week: next_of(&mut weeks, begin),
            weeks,
            cut_until: begin,
            ends: Vec::new(),
            range,
        }
    }

    /// The next possible ends: ascending times, all after the earlier ones.
    pub(super) fn cut_at(&mut self, ends: Vec<Timestamp>) {
        self.ends = ends;
    }

    /// The sources of each sub-meter in the next range, whose ends are among those of
    /// [`Self::cut_at`]. Pending if that takes more steps: the same is to be asked again. Blocks on
    /// the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn within(
        &mut self,
        store: &Store,
        range: Range<Timestamp>,
    ) -> Result<Poll<Vec<UsedSources>>, StoreError> {
        for _ in 0..SLOTS_A_STEP {
            let Some(slot) = self.next_slot(store, range.end)? else {
                let nothing = vec![UsedSources::default(); self.devices.len()];
                return Ok(Poll::Ready(std::mem::replace(&mut self.sums, nothing)));
            };
            if slot.start < range.start {
                continue;
            }
            for (sum, sources) in self.sums.iter_mut().zip(slot.sources) {
                *sum = *sum + sources;
            }
        }
        Ok(Poll::Pending)
    }

    /// The sources of each sub-meter in all of the range. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn all(mut self, store: &Store) -> Result<Vec<UsedSources>, StoreError> {
        let range = self.range.clone();
        self.cut_at(vec![range.end]);
        loop {
            if let Poll::Ready(sums) = self.within(store, range.clone())? {
                return Ok(sums);
            }
        }
    }

    /// The next slot before `end`; `None` at the end. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn next_slot(
        &mut self,
        store: &Store,
        end: Timestamp,
    ) -> Result<Option<SourceSlot>, StoreError> {
        loop {
            let next = self.costs.next_slot(store)?;
            let Some((slot, flows)) = next else {
                if self.cut_on() {
                    continue;
                }
                return Ok(None);
            };
            if slot.from() >= end {
                self.costs.put_back(Some((slot, flows)));
                return Ok(None);
            }
            let found = self.add(slot, &flows);
            if slot.from() >= self.range.start {
                return Ok(Some(found));
            }
        }
    }

    /// Cuts the next stretch into quarters of an hour; false if there is none.
    fn cut_on(&mut self) -> bool {
        let from = self.cut_until;
        let mut stop = from.saturating_add_millis(CHUNK_MS).min(self.range.end);
        if from < self.range.start {
            stop = stop.min(self.range.start);
        } else {
            stop = stop.min(self.ends.last().copied().unwrap_or(from));
            if let Some(whole) = self.whole.take() {
                self.costs.look_at(whole, &self.prices);
            }
        }
        if stop <= from {
            return false;
        }
        let quarters = from.millis().div_euclid(QUARTER_MS) + 1..;
        let quarters = quarters.map_while(|count| Timestamp::from_millis(count * QUARTER_MS));
        let mut cuts: Vec<Timestamp> = quarters.take_while(|cut| *cut < stop).collect();
        let is_within = |end: &&Timestamp| (from..stop).contains(*end);
        cuts.extend(self.ends.iter().filter(is_within));
        cuts.push(stop);
        cuts.sort_unstable();
        cuts.dedup();
        self.costs.cut_at(cuts);
        self.cut_until = stop;
        true
    }

    fn add(&mut self, slot: PriceSlot, flows: &FlowSlot) -> SourceSlot {
        while self.next_week <= slot.from() {
            self.stocks.begin_week();
            self.next_week = next_of(&mut self.weeks, self.next_week);
        }
        let (_, energy) = self.costs.metered(flows);
        let prices = self.costs.pricer.marginal_prices(&energy, None);
        let own = prices.first().and_then(|(_, price)| price.export);
        let apart = self.apart(&energy);
        let mix = if slot.is_billed() {
            self.mix(flows, (&prices, own), &apart)
        } else {
            None
        };
        // Before the range, the house is known without them.
        let is_begun = self.whole.is_none();
        let devices = || self.devices.iter().filter(|_| is_begun);
        let of = |place: &usize| self.sources_of(*place, flows, (mix.as_ref(), &apart));
        let measured = |place: &usize| flows.measured.get(*place).copied().unwrap_or_default();
        let found = SourceSlot {
            start: slot.from(),
            end: slot.to(),
            sources: devices().map(of).collect(),
            measured: devices().map(measured).collect(),
            drawn: match prices.as_slice() {
                [(_, only)] => only.import,
                _ => None,
            },
            own,
        };
        self.costs.pricer.add_known(slot, &energy);
        found
    }

    /// The sensors that the contract in force prices by themselves, each with its energy and cost;
    /// `None` for those of other contracts.
    fn apart(&mut self, energy: &MeteredEnergy) -> Vec<Option<NamedCost>> {
        let named = self.costs.named_costs(energy).into_iter();
        let pricer = &self.costs.pricer;
        let now = |named: NamedCost| pricer.names_now(&named.id).then_some(named);
        named.map(now).collect()
    }

    /// The sources of the house; `None` if they are unknown.
    fn mix(
        &mut self,
        flows: &FlowSlot,
        (prices, own): (&[(MicroWh, MarginalPrice)], Option<Decimal>),
        apart: &[Option<NamedCost>],
    ) -> Option<SourceMix> {
        let house = &self.costs.house;
        let balance = house.sums(flows).balance()?;
        let devices = || house.sensors.iter().filter(|it| is_device(it));
        let apart = apart.iter().flatten();
        let of_devices = apart.filter(|named| devices().any(|it| it.sensor.id == named.id));
        let apart = of_devices.map(|named| named.imported).sum();
        let drawn = |imported| {
            let exported = MicroWh::ZERO;
            let flow = Flow { imported, exported };
            valued(imported, sensor_cost(Role::SubMeter, flow, prices))
        };
        let worth = SlotWorth {
            own: &|energy| ValuedEnergy::at(own, energy),
            drawn: &drawn,
        };
        Some(self.stocks.mix(&balance, apart, &worth))
    }

    /// The sources of the sub-meter at this place: of the energy that contracts price by itself the
    /// grid, of the rest those of the house.
    fn sources_of(
        &self,
        place: usize,
        flows: &FlowSlot,
        (mix, apart): (Option<&SourceMix>, &[Option<NamedCost>]),
    ) -> UsedSources {
        let flow = flows.measured.get(place).and_then(|slot| slot.flow);
        let inside = self.costs.named_inside.get(place).into_iter().flatten();
        let inside = inside.filter_map(|at| apart.get(*at)?.as_ref());
        let own = self.costs.house.sensors.get(place);
        let is_own = |named: &&NamedCost| own.is_some_and(|it| it.sensor.id == named.id);
        let all = inside.chain(apart.iter().flatten().filter(is_own));
        let priced = all.map(|named| valued(named.imported, named.cost));
        let priced = priced.fold(ValuedEnergy::default(), |sum, one| sum + one);
        let rest = flow.map_or(MicroWh::ZERO, Flow::net) - priced.energy;
        let rest = match mix {
            Some(mix) if rest != MicroWh::ZERO => mix.split(rest),
            Some(_) => UsedSources::default(),
            None => UsedSources::of_unknown(rest),
        };
        rest + UsedSources::of_grid(priced)
    }
}

fn valued(energy: MicroWh, cost: SlotCost) -> ValuedEnergy {
    ValuedEnergy {
        energy,
        value: cost.cost,
        unpriced: cost.unpriced.imported,
    }
}

/// The range from the first reading of one of the sensors on: before it, there is nothing to share.
fn from_first<'a>(
    sensors: impl Iterator<Item = &'a HouseSensor>,
    range: Range<Timestamp>,
) -> Range<Timestamp> {
    let known = sensors.filter(|it| it.has_data());
    let first = known.map(|it| it.expected.start).min();
    let first = first.unwrap_or(range.end).millis();
    let quarter = Timestamp::from_millis(first.div_euclid(QUARTER_MS) * QUARTER_MS);
    let start = quarter.unwrap_or(range.start).max(range.start);
    start.min(range.end)..range.end
}

/// The beginning of the next bucket.
fn next_of(calendar: &mut Calendar, time: Timestamp) -> Timestamp {
    calendar.bucket(time).end().saturating_add_millis(1)
}
