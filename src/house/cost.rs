//! Costs of energy by the contracts of its account, slot by slot, in bounded memory.

use std::collections::VecDeque;
use std::iter;
use std::slice;
use std::task::Poll;

use super::flows::FlowSlot;
use super::metered::MeteredSum;
use super::price_walk::{MOST_AHEAD, PriceWalk, WalkCuts, WalkedPricer};
use super::price_window::SeriesWindow;
use super::prices::HousePrices;
use super::sensor_cost::{named_inside, sensor_cost};
use super::sensors::HouseSensors;
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE};
use crate::domain::{Decimal, MicroWh, Role, SensorId, Timestamp};
use crate::ledger::Flow;
use crate::ledger::contract::{Amount, MarginalPrice, MeteredEnergy, PriceSlot, Pricer, SlotCost};
use crate::ledger::house::MeasuredSlot;
use crate::store::{Store, StoreError};

/// Costs of a house and its sensors: a pricing under way, in bounded steps.
pub struct HouseCosts {
    walk: PriceWalk,
    own: WalkedPricer,
    ahead: VecDeque<(PriceSlot, FlowSlot)>,
    /// For each sensor, the places of the named sensors inside it.
    pub(super) named_inside: Vec<Vec<usize>>,
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
}

impl HouseCosts {
    /// The costs of the range of `prices`. `house` has the sensors at the grid, and those whose own
    /// costs are asked for.
    #[must_use]
    pub fn new(house: HouseSensors, prices: &HousePrices) -> Self {
        let mut own = WalkedPricer::new(prices.pricer(), 0);
        let range = prices.range();
        // Energy before the range counts for some.
        let at = own.pricer.next_slot().map_or(range.end, |slot| slot.from());
        let windows = vec![SeriesWindow::new(prices.window.clone())];
        Self {
            sums: CostSums::nothing(house.sensors.len()),
            named_inside: named_inside(&house, prices, own.pricer.sensors()),
            walk: PriceWalk::new(house, windows, WalkCuts::Slots(Vec::new()), (at, range)),
            own,
            ahead: VecDeque::new(),
        }
    }

    /// Goes on with other sensors, once everything ahead is added.
    pub(super) fn look_at(&mut self, house: HouseSensors, prices: &HousePrices) {
        self.sums = CostSums::nothing(house.sensors.len());
        self.named_inside = named_inside(&house, prices, self.own.pricer.sensors());
        self.walk.house = house;
    }

    /// The next possible ends: ascending times, all after the earlier ones.
    pub fn cut_at(&mut self, cuts: Vec<Timestamp>) {
        self.walk.cut_slots_at(cuts);
    }

    /// The sensors.
    pub(super) const fn house(&self) -> &HouseSensors {
        &self.walk.house
    }

    /// The pricer, which has every slot that was added.
    pub(super) const fn pricer(&mut self) -> &mut Pricer {
        &mut self.own.pricer
    }

    /// The same, when everything is added.
    pub(super) fn into_pricer(self) -> Pricer {
        self.own.pricer
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
                    let nothing = CostSums::nothing(self.house().sensors.len());
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
        let cost = self.own.pricer.add_known(slot, &energy);
        self.sums.house = self.sums.house + cost;
    }

    /// The energy that each of the sensors that contracts name drew by itself, and its cost.
    pub(super) fn named_costs(&mut self, energy: &MeteredEnergy) -> Vec<NamedCost> {
        let own = self.own.pricer.own_energies(energy);
        let sensors = self.own.pricer.sensors().to_vec();
        let named = sensors.into_iter().zip(own).map(|(id, imported)| {
            let exported = MicroWh::ZERO;
            let prices = self.own.pricer.marginal_prices(energy, Some(&id));
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
        let rest = self.own.pricer.marginal_prices(energy, None);
        let named = self.named_costs(energy);
        let all = self
            .walk
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
        let sensors = self.house().sensors.iter().zip(&flows.measured);
        let of = |id: &SensorId| {
            let mut sensors = sensors.clone();
            let found = sensors.find(|(it, _)| it.sensor.id == *id);
            found.map(|(_, slot)| *slot)
        };
        let named = self.own.pricer.sensors().iter().map(of).collect();
        let at_grid = self.house().measured_at_grid(flows);
        MeteredSum::new(at_grid, named, flows.length_ms()).energy()
    }

    /// The cuts of a slot with the end of a tier, which find it to the minute: from then on each
    /// sensor pays the next tier's price, for any slots. `None` if it is not to be cut.
    fn cuts(&mut self, slot: PriceSlot, flows: &FlowSlot) -> Option<Vec<Timestamp>> {
        let (_, energy) = self.metered(flows);
        energy.flow.filter(|_| slot.is_billed())?;
        let named = self.own.pricer.sensors().to_vec();
        let mut meters = iter::once(None).chain(named.iter().map(Some));
        if !meters.any(|meter| self.own.pricer.marginal_prices(&energy, meter).len() > 1) {
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
        let house = self.house();
        let flows = house.between(store, cuts)?.all(|_| ())?;
        let flows = house.each(cuts, flows);
        let parts = slot.parts(cuts).into_iter().zip(flows);
        for part in parts.rev() {
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
            let flows = self.walk.step(store, slice::from_mut(&mut self.own))?;
            self.ahead.extend(self.own.ahead.drain(..).zip(flows));
        }
        Ok(self.ahead.pop_front())
    }

    /// Puts a slot back, so that it is the next one again.
    pub(super) fn put_back(&mut self, next: Option<(PriceSlot, FlowSlot)>) {
        if let Some(next) = next {
            self.ahead.push_front(next);
        }
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
