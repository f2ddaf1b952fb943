//! Costs of energy by the contracts of its account, slot by slot, in bounded memory.

use std::collections::VecDeque;
use std::iter;
use std::ops::Range;
use std::task::Poll;

use super::flows::FlowSlot;
use super::metered::MeteredSum;
use super::price_window::PriceWindow;
use super::prices::HousePrices;
use super::sensor_cost::{named_inside, sensor_cost};
use super::sensors::HouseSensors;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use crate::domain::{Decimal, MicroWh, Role, SensorId, TimeRange, Timestamp};
use crate::ledger::contract::{Amount, MarginalPrice, MeteredEnergy, PriceSlot, Pricer, SlotCost};
use crate::ledger::house::MeasuredSlot;
use crate::ledger::{CostStatement, Event, Flow, TouchCount};
use crate::store::{Store, StoreError};

/// The number of slots to look ahead: one walk reads their energy.
pub(super) const MOST_AHEAD: usize = 4_096;
/// The maximum length to look ahead if each minute is read.
pub(super) const MOST_NETTED_MS: i64 = 31 * MS_PER_DAY;

/// Costs of a house and its sensors: a pricing under way, in bounded steps.
pub struct HouseCosts {
    pub(super) house: HouseSensors,
    pub(super) pricer: Pricer,
    window: PriceWindow,
    /// Slots end at these ascending times, besides where prices change. Behind the last one nothing
    /// is looked at.
    cuts: Vec<Timestamp>,
    ahead: VecDeque<(PriceSlot, FlowSlot)>,
    /// For each sensor, the places of the named sensors inside it.
    pub(super) named_inside: Vec<Vec<usize>>,
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
    /// The costs of each sensor, without fixed charges.
    pub sensors: Vec<SlotCost>,
}

/// The energy that a sensor named by contracts drew, without that of named sensors inside it.
pub(super) struct NamedCost {
    pub(super) id: SensorId,
    pub(super) imported: MicroWh,
    pub(super) cost: SlotCost,
    prices: Vec<(MicroWh, MarginalPrice)>,
}

impl HousePrices {
    /// The costs of the range less the credits: of the house with fixed charges, or of one of its
    /// sensors without. `None` if everything is unpriced. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn balance(
        &self,
        store: &Store,
        house: &HouseSensors,
        sensor: Option<&SensorId>,
    ) -> Result<Option<Decimal>, StoreError> {
        let house = house.only(|it| self.need(it) || sensor == Some(&it.sensor.id));
        let place = house
            .sensors
            .iter()
            .position(|it| sensor == Some(&it.sensor.id));
        let mut costs = HouseCosts::new(house, self);
        costs.cut_at(vec![self.range().end]);
        let sums = costs.all_until(store, self.range().end)?;
        let SlotCost {
            cost,
            credit,
            unpriced,
        } = sums.house;
        let own = place.and_then(|place| sums.sensors.get(place));
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
        metered: HouseSensors,
        corrections: usize,
    ) -> Result<CostStatement, StoreError> {
        let mut costs = HouseCosts::new(metered, self);
        costs.cut_at(vec![self.range().end]);
        let mut known = MeasuredSlot::default();
        while let Some((slot, flows)) = costs.next_slot(store)? {
            let (measured, energy) = costs.metered(&flows);
            if slot.is_billed() {
                known = known + measured;
            }
            costs.pricer.add_known(slot, &energy);
        }
        let range = TimeRange::new(self.range().start, self.range().end);
        let range = range.unwrap_or(TimeRange::at(self.range().start));
        let currency = self.contracts.currency().cloned();
        let bill = costs.pricer.finish();
        let touched = TouchCount {
            events: costs.events,
            corrections,
        };
        let statement = CostStatement::of(range, currency, bill, known, touched);
        Ok(CostStatement {
            other_currency: self.other_currency().to_vec(),
            converted: self.converted().to_vec(),
            ..statement
        })
    }
}

impl HouseCosts {
    /// The costs of the range of `prices`. `house` has the sensors at the grid, and those whose own
    /// costs are asked for.
    #[must_use]
    pub fn new(house: HouseSensors, prices: &HousePrices) -> Self {
        let costs = prices.pricer();
        Self {
            sums: CostSums::nothing(house.sensors.len()),
            named_inside: named_inside(&house, prices, costs.sensors()),
            house,
            pricer: costs,
            window: prices.window.clone(),
            cuts: Vec::new(),
            ahead: VecDeque::new(),
            range: prices.range(),
            events: 0,
        }
    }

    /// Goes on with other sensors, once everything ahead is added.
    pub(super) fn look_at(&mut self, house: HouseSensors, prices: &HousePrices) {
        self.sums = CostSums::nothing(house.sensors.len());
        self.named_inside = named_inside(&house, prices, self.pricer.sensors());
        self.house = house;
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
                    self.put_back(other);
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
        let (_, energy) = self.metered(flows);
        if slot.is_billed() {
            self.add_sensors(flows, &energy);
        }
        let cost = self.pricer.add_known(slot, &energy);
        self.sums.house = self.sums.house + cost;
    }

    /// The energy that each of the sensors that contracts name drew by itself, and its cost.
    pub(super) fn named_costs(&mut self, energy: &MeteredEnergy) -> Vec<NamedCost> {
        let own = self.pricer.own_energies(energy);
        let sensors = self.pricer.sensors().to_vec();
        let named = sensors.into_iter().zip(own).map(|(id, imported)| {
            let exported = MicroWh::ZERO;
            let prices = self.pricer.marginal_prices(energy, Some(&id));
            let flow = Flow { imported, exported };
            NamedCost {
                imported,
                cost: sensor_cost(Role::SubMeter, flow, &prices),
                prices,
                id,
            }
        });
        named.collect()
    }

    /// Adds the cost of each sensor: its own energy at its price, and the energy of each named
    /// sensor inside it at that sensor's price.
    fn add_sensors(&mut self, flows: &FlowSlot, energy: &MeteredEnergy) {
        let rest = self.pricer.marginal_prices(energy, None);
        let named = self.named_costs(energy);
        let all = self
            .house
            .sensors
            .iter()
            .zip(&flows.measured)
            .zip(&self.named_inside);
        for (sum, ((it, measured), named_inside)) in self.sums.sensors.iter_mut().zip(all) {
            let mut flow = measured.flow.unwrap_or_default();
            for inside in named_inside.iter().filter_map(|place| named.get(*place)) {
                flow.imported = flow.imported - inside.imported;
                *sum = *sum + inside.cost;
            }
            let own = named.iter().find(|named| named.id == it.sensor.id);
            let prices = own.map_or(&rest, |own| &own.prices);
            *sum = *sum + sensor_cost(it.sensor.role, flow, prices);
        }
    }

    /// The energy of a slot as contracts count it, and its measured part.
    pub(super) fn metered(&self, flows: &FlowSlot) -> (MeasuredSlot, MeteredEnergy) {
        let sensors = self.house.sensors.iter().zip(&flows.measured);
        let of = |id: &SensorId| {
            let mut sensors = sensors.clone();
            let found = sensors.find(|(it, _)| it.sensor.id == *id);
            found.map(|(_, slot)| *slot)
        };
        let named = self.pricer.sensors().iter().map(of).collect();
        let at_grid = self.house.measured_at_grid(flows);
        MeteredSum::new(at_grid, named, flows.length_ms()).energy()
    }

    /// The cuts of a slot with the end of a tier, which find it to the minute: from then on each
    /// sensor pays the next tier's price, for any slots. `None` if it is not to be cut.
    fn cuts(&mut self, slot: PriceSlot, flows: &FlowSlot) -> Option<Vec<Timestamp>> {
        let (_, energy) = self.metered(flows);
        energy.flow.filter(|_| slot.is_billed())?;
        let named = self.pricer.sensors().to_vec();
        let mut meters = iter::once(None).chain(named.iter().map(Some));
        if !meters.any(|meter| self.pricer.marginal_prices(&energy, meter).len() > 1) {
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
        let flows = self.house.between(store, cuts)?.all(|_| ())?;
        let parts = self.house.each(slot.parts(cuts), flows);
        for part in parts.into_iter().rev() {
            self.ahead.push_front(part);
        }
        Ok(())
    }

    /// The next slot, with each sensor's energy. The caller adds it, or puts it back.
    pub(super) fn next_slot(
        &mut self,
        store: &Store,
    ) -> Result<Option<(PriceSlot, FlowSlot)>, StoreError> {
        if self.ahead.is_empty() {
            self.look_ahead(store)?;
        }
        Ok(self.ahead.pop_front())
    }

    /// Puts a slot back, so that it is the next one again.
    pub(super) fn put_back(&mut self, next: Option<(PriceSlot, FlowSlot)>) {
        if let Some(next) = next {
            self.ahead.push_front(next);
        }
    }

    fn look_ahead(&mut self, store: &Store) -> Result<(), StoreError> {
        let Some(next) = self.pricer.next_slot() else {
            return Ok(());
        };
        if let Some(series) = self.window.load(store, next.from())? {
            self.pricer.set_series(series);
        }
        let mut until = self.window.until();
        if self.house.nets_phases {
            until = until.min(next.from().saturating_add_millis(MOST_NETTED_MS));
        }
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
        let flows = self.house.between(store, &times)?.all(count)?;
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
}
