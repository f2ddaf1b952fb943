//! Energy of a house between some times, and what it cost: one walk for all ranges that a page tells of.

use std::ops::Range;

use super::cost::{CostSums, HouseCosts, HousePrices, SensorCost};
use super::flows::{FlowSlot, SensorFlows};
use super::row::EnergyRow;
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::{Account, Currency, Role, TimeRange, Timestamp};
use crate::ledger::Flow;
use crate::ledger::contract::{Amount, SlotCost};
use crate::ledger::house::HouseSums;
use crate::store::{Store, StoreError};

/// What the sensors of a house measured between each two neighbours of some times, and what that cost.
pub(super) struct EnergyTable {
    pub(super) house: HouseSensors,
    /// In time order.
    slots: Vec<TableSlot>,
    /// What the amounts are in; `None` without contracts.
    pub(super) currency: Option<Currency>,
}

/// A range whose cost is asked for: from its start until before its end.
#[derive(Clone)]
pub(super) struct PricedRange {
    pub(super) range: Range<Timestamp>,
    /// Of each device, too: it takes a closer look at each of them.
    pub(super) with_devices: bool,
}

struct TableSlot {
    flows: FlowSlot,
    /// `None` outside of what is priced.
    cost: Option<TableCost>,
}

/// What a slot cost.
#[derive(Default)]
struct TableCost {
    house: SlotCost,
    /// Of each sensor, in their order, that was priced.
    sensors: Vec<Option<SensorCost>>,
}

impl EnergyTable {
    /// The table of `account` at `now`, between each two neighbours of these `times` and of the ends of what is priced. The caller
    /// makes sure that these are not too many. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn of(
        store: &Store,
        account: &Account,
        (mut times, priced): (Vec<Timestamp>, &[PricedRange]),
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let house = HouseSensors::of(store, &account.name, now)?;
        // What is to come costs nothing yet.
        let until_now =
            |it: &PricedRange| it.range.start..it.range.end.min(now).max(it.range.start);
        times.extend(
            priced
                .iter()
                .map(until_now)
                .flat_map(|it| [it.start, it.end]),
        );
        times.sort_unstable();
        times.dedup();
        let flows = SensorFlows::between(store, &house.sensors, &times)?.all(|_| {})?;
        let mut flows = flows.into_iter().peekable();
        let slot = |(&start, &end)| {
            let known = flows.next_if(|known: &FlowSlot| known.start == start);
            TableSlot {
                flows: known.unwrap_or_else(|| house.nothing(start, end)),
                cost: None,
            }
        };
        let slots = times.iter().zip(times.iter().skip(1)).map(slot).collect();
        let mut table = Self {
            house,
            slots,
            currency: None,
        };
        for it in priced {
            let contracts = HousePrices::of(store, account, until_now(it));
            table.price(store, &contracts, it.with_devices, &times)?;
        }
        Ok(table)
    }

    fn price(
        &mut self,
        store: &Store,
        prices: &HousePrices,
        with_devices: bool,
        times: &[Timestamp],
    ) -> Result<(), StoreError> {
        let Some(currency) = prices.currency() else {
            return Ok(());
        };
        self.currency = Some(currency.clone());
        let is_priced =
            |it: &HouseSensor| it.sensor.role.is_at_grid() || with_devices && is_device(it);
        let mut costs = HouseCosts::new(self.house.only(is_priced), prices);
        costs.cut_at(times.to_vec());
        let range = prices.range();
        let is_within = |slot: &&mut TableSlot| slot.flows.is_within(&range);
        for slot in self.slots.iter_mut().filter(is_within) {
            let CostSums { house, sensors } = costs.all_until(store, slot.flows.end)?;
            let mut sensors = sensors.into_iter();
            let of = |it: &HouseSensor| is_priced(it).then(|| sensors.next()).flatten();
            slot.cost = Some(TableCost {
                house,
                sensors: self.house.sensors.iter().map(of).collect(),
            });
        }
        Ok(())
    }

    fn within(&self, range: &Range<Timestamp>) -> impl Iterator<Item = &TableSlot> {
        self.slots.iter().filter(|slot| slot.flows.is_within(range))
    }

    /// What was measured in a range whose ends are among the times; `None` if that is not one slot at least.
    fn measured(&self, range: &Range<Timestamp>) -> Option<FlowSlot> {
        let mut slots = self.within(range).map(|slot| &slot.flows);
        let first = slots.next()?.clone();
        Some(slots.fold(first, FlowSlot::and_then))
    }

    /// What the house did in a range whose ends are among the times.
    pub(super) fn sums(&self, range: TimeRange) -> Option<HouseSums> {
        let slot = self.measured(&(range.start()..range.end()))?;
        Some(self.house.plan.sums(slot.length_ms(), &slot.measured))
    }

    /// What is known of such a range; `None` if nothing is.
    pub(super) fn row(&self, range: &Range<Timestamp>, start: Timestamp) -> Option<EnergyRow> {
        let slot = self.measured(range)?;
        if slot.measured.iter().all(|it| it.flow.is_none()) {
            return None;
        }
        let costs = self.within(range).filter_map(|slot| slot.cost.as_ref());
        let cost = costs.map(|cost| cost.house).reduce(|sum, cost| sum + cost);
        Some(EnergyRow::of_house(start, &self.house, &slot, cost))
    }

    /// What the house paid in a range less what was credited; `None` if that is not known, or nothing of it has a price.
    pub(super) fn house_cost(&self, range: TimeRange) -> Option<Amount> {
        self.cost(range, |cost| {
            let SlotCost {
                cost,
                credit,
                unpriced,
            } = cost.house;
            Some((cost - credit, unpriced))
        })
    }

    /// The same of the energy of the sensor at this place.
    pub(super) fn sensor_cost(&self, place: usize, range: TimeRange) -> Option<Amount> {
        self.cost(range, |cost| {
            let own = cost.sensors.get(place).copied().flatten()?;
            Some((own.cost - own.credit, own.unpriced))
        })
    }

    fn cost(
        &self,
        range: TimeRange,
        of: impl Fn(&TableCost) -> Option<(Amount, Flow)>,
    ) -> Option<Amount> {
        let range = range.start()..range.end();
        let (mut sum, mut unpriced) = (Amount::ZERO, Flow::default());
        for slot in self.within(&range) {
            let (amount, without) = of(slot.cost.as_ref()?)?;
            (sum, unpriced) = (sum + amount, unpriced + without);
        }
        (unpriced == Flow::default() || sum != Amount::ZERO).then_some(sum)
    }
}

/// Whether it is a part of what the house uses.
pub(super) fn is_device(it: &HouseSensor) -> bool {
    it.sensor.role == Role::SubMeter
}
