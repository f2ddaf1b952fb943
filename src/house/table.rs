//! Energy and costs of a house between some times: one walk for all ranges of a page.

use std::ops::Range;
use std::sync::Arc;

use super::cost::{CostSums, HouseCosts};
use super::flows::FlowSlot;
use super::peaks::measured_peaks;
use super::prices::HousePrices;
use super::row::EnergyRow;
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::{Account, Currency, MicroWh, Role, TimeRange, Timestamp};
use crate::ledger::Flow;
use crate::ledger::contract::{Amount, SlotCost};
use crate::ledger::house::HouseSums;
use crate::store::{Store, StoreError};

/// The energy of a house's sensors between each two neighbours of some times, and its costs.
pub(super) struct EnergyTable {
    pub(super) house: HouseSensors,
    /// In time order.
    slots: Vec<TableSlot>,
    /// The currency of the amounts; `None` without contracts.
    pub(super) currency: Option<Currency>,
}

/// A range whose cost is asked for: from its start until before its end.
#[derive(Clone)]
pub(super) struct PricedRange {
    pub(super) range: Range<Timestamp>,
    /// Whether each device has its costs, too: this takes more reading.
    pub(super) with_devices: bool,
}

struct TableSlot {
    flows: FlowSlot,
    /// `None` outside the priced range.
    cost: Option<TableCost>,
}

/// The costs of a slot.
#[derive(Default)]
struct TableCost {
    house: SlotCost,
    /// Of each sensor, in their order, that was priced.
    sensors: Vec<Option<SlotCost>>,
}

impl EnergyTable {
    /// The table of `account` at `now`, between each two neighbours of these `times` and of the
    /// ends of the priced range. The caller makes sure that these are not too many. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn of(
        store: &Store,
        account: &Account,
        asked: (Vec<Timestamp>, &[PricedRange]),
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let house = HouseSensors::of(store, &account.name, now)?;
        Self::of_sensors(store, (account, house), asked, now)
    }

    /// The same without the sub-meters that no price needs: they change nothing about the house.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn of_house(
        store: &Store,
        account: &Account,
        asked: (Vec<Timestamp>, &[PricedRange]),
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let house = HouseSensors::of(store, &account.name, now)?;
        let asked_for = asked.1.iter();
        let prices = asked_for.map(|it| HousePrices::of(store, account, it.range.clone()));
        let prices: Vec<HousePrices> = prices.collect();
        let is_needed = |it: &HouseSensor| prices.iter().any(|of_range| of_range.need(it));
        let house = house.only(|it| !is_device(it) || is_needed(it));
        Self::of_sensors(store, (account, house), asked, now)
    }

    fn of_sensors(
        store: &Store,
        (account, house): (&Account, HouseSensors),
        (mut times, priced): (Vec<Timestamp>, &[PricedRange]),
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        // Future time costs nothing yet.
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
        let flows = house.between(store, &times)?.all(|_| {})?;
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
        let ranges = || priced.iter().map(until_now);
        let starts = ranges().map(|range| range.start).min();
        let ends = ranges().map(|range| range.end).max();
        let whole = starts.zip(ends).map(|(start, end)| start..end);
        let whole = whole.map(|range| HousePrices::of(store, account, range));
        let peaks = whole.map(|prices| measured_peaks(store, &table.house, &prices));
        let peaks = peaks.transpose()?.flatten().map(Arc::new);
        for it in priced {
            let contracts = HousePrices::of(store, account, until_now(it));
            let contracts = contracts.with_peaks(peaks.clone());
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
        let is_priced = |it: &HouseSensor| prices.need(it) || with_devices && is_device(it);
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

    fn within(&self, range: &Range<Timestamp>) -> impl Iterator<Item = &TableSlot> + use<'_> {
        // A page asks for each of its hours, so not all slots are looked at each time.
        let first = self
            .slots
            .partition_point(|slot| slot.flows.start < range.start);
        let slots = self.slots.get(first..).unwrap_or_default().iter();
        let range = range.clone();
        slots.take_while(move |slot| slot.flows.is_within(&range))
    }

    /// The energy of a range whose ends are among the times; `None` if that is not at least one
    /// slot.
    fn measured(&self, range: &Range<Timestamp>) -> Option<FlowSlot> {
        let mut slots = self.within(range).map(|slot| &slot.flows);
        let first = slots.next()?.clone();
        Some(slots.fold(first, FlowSlot::and_then))
    }

    /// The sums of the house in a range whose ends are among the times.
    pub(super) fn sums(&self, range: TimeRange) -> Option<HouseSums> {
        let slot = self.measured(&(range.start()..range.end()))?;
        Some(self.house.sums(&slot))
    }

    /// The known values of such a range; `None` if there are none.
    pub(super) fn row(&self, range: &Range<Timestamp>, start: Timestamp) -> Option<EnergyRow> {
        let slot = self.measured(range)?;
        if slot.measured.iter().all(|it| it.flow.is_none()) {
            return None;
        }
        let costs = self.within(range).filter_map(|slot| slot.cost.as_ref());
        let cost = costs.map(|cost| cost.house).reduce(|sum, cost| sum + cost);
        Some(EnergyRow::of_house(start, &self.house, &slot, cost))
    }

    /// The costs of the house in a range less the credits, as far as it is priced (see
    /// [`Self::unpriced`]); `None` if nothing is.
    pub(super) fn house_cost(&self, range: TimeRange) -> Option<Amount> {
        priced_part(self.costs(range, |cost| Some(cost.house)))
    }

    /// The cost of the energy of the sensor at this place; `None` if one of its slots is unpriced.
    pub(super) fn sensor_cost(&self, place: usize, range: TimeRange) -> Option<Amount> {
        sum_of_priced(self.sensor_costs(place, range))
    }

    /// The cost of a device in a range, as far as its slots have a price; `None` if none of them
    /// has.
    pub(super) fn device_cost(&self, place: usize, range: TimeRange) -> Option<Amount> {
        priced_part(self.sensor_costs(place, range))
    }

    /// The energy without a price in a range: of the house, or of the sensor at a place.
    pub(super) fn unpriced(&self, place: Option<usize>, range: TimeRange) -> MicroWh {
        let costs = self.costs(range, |cost| match place {
            Some(place) => cost.sensors.get(place).copied().flatten(),
            None => Some(cost.house),
        });
        let flows = costs.flatten().map(|cost| cost.unpriced);
        flows.map(|flow| flow.imported + flow.exported).sum()
    }

    fn sensor_costs(
        &self,
        place: usize,
        range: TimeRange,
    ) -> impl Iterator<Item = Option<SlotCost>> {
        self.costs(range, move |cost| {
            cost.sensors.get(place).copied().flatten()
        })
    }

    /// The cost of each slot in a range; `None` where it was not asked for.
    fn costs(
        &self,
        range: TimeRange,
        of: impl Fn(&TableCost) -> Option<SlotCost>,
    ) -> impl Iterator<Item = Option<SlotCost>> {
        let slots = self.within(&(range.start()..range.end()));
        slots.map(move |slot| slot.cost.as_ref().and_then(&of))
    }
}

fn sum_of_priced(mut costs: impl Iterator<Item = Option<SlotCost>>) -> Option<Amount> {
    costs.try_fold(Amount::ZERO, |sum, cost| Some(sum + priced(cost?)?))
}

fn priced_part(mut costs: impl Iterator<Item = Option<SlotCost>>) -> Option<Amount> {
    let sum = costs.try_fold(SlotCost::default(), |sum, cost| Some(sum + cost?));
    priced(sum?)
}

/// The costs less the credits; `None` if all of it is unpriced.
fn priced(cost: SlotCost) -> Option<Amount> {
    let amount = cost.cost - cost.credit;
    (cost.unpriced == Flow::default() || amount != Amount::ZERO).then_some(amount)
}

/// Whether it measures a part of the house's use.
pub(super) fn is_device(it: &HouseSensor) -> bool {
    it.sensor.role == Role::SubMeter
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::MeterKind;
    use crate::house::tests::{at, import, open};
    use crate::ledger::contract::ContractChange;

    #[test]
    fn a_part_without_a_price_is_not_free() {
        let dir = tempfile::tempdir().unwrap();
        let sensors = [("car", Role::SubMeter), ("grid", Role::GridImport)];
        let sensors = sensors.map(|(id, role)| (id, role, MeterKind::Counter));
        let (store, account) = open(dir.path(), &sensors);
        // The contract of the first days is gone: half a euro for a kilowatt-hour from the second
        // day on.
        let days = [
            "2026-01-04T23:00:00",
            "2026-01-05T23:00:00",
            "2026-01-06T23:00:00",
        ]
        .map(at);
        let later = r#"[{"from":"2026-01-06","name":"Later","currency":"€","components":[{"energy":{"price":0.5}}]}]"#;
        let put = ContractChange::parse(later).unwrap();
        let name = account.name.clone();
        store
            .edit(move |edit| edit.change_contracts(&name, put))
            .unwrap();
        for sensor in ["car", "grid"] {
            let hours = 0..=48_u32;
            let register = |hour: u32| {
                let time = days[0].saturating_add_millis(i64::from(hour) * 3_600_000);
                (time, f64::from(hour) * 1_000.0)
            };
            import(&store, sensor, &hours.map(register).collect::<Vec<_>>());
        }
        let priced = PricedRange {
            range: days[0]..days[2],
            with_devices: true,
        };
        let asked = (days.to_vec(), &[priced][..]);
        let table = EnergyTable::of(&store, &account, asked, days[2]).unwrap();
        let range = |from: usize, to: usize| TimeRange::new(days[from], days[to]).unwrap();
        let euros = |amount: Option<Amount>| amount.map(|it| it.rounded().to_f64());
        assert_eq!(table.house_cost(range(0, 1)), None);
        assert_eq!(euros(table.house_cost(range(0, 2))), Some(12.0));
        let unpriced = [None, Some(1)].map(|place| table.unpriced(place, range(0, 2)).watthours());
        assert_eq!(unpriced, [24_000.0; 2]);
        for [from, to] in [[0, 1], [0, 2]] {
            assert_eq!(table.sensor_cost(1, range(from, to)), None);
        }
        assert_eq!(euros(table.house_cost(range(1, 2))), Some(12.0));
        assert_eq!(euros(table.sensor_cost(1, range(1, 2))), Some(12.0));
        assert_eq!(table.device_cost(0, range(0, 1)), None);
        assert_eq!(euros(table.device_cost(0, range(0, 2))), Some(12.0));
    }

    #[test]
    fn ranges_that_share_peaks_cost_what_each_costs_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(
            dir.path(),
            &[("grid", Role::GridImport, MeterKind::Counter)],
        );
        let capacity = r#"[{"from":"2025-07-15","name":"Capacity","currency":"€","components":[{"energy":{"price":0.2}},
            {"demand":{"price":48,"price_per":"year","per":"hour","months":12,"at_least_kw":2.5}},
            {"demand":{"name":"evening","price":3,"per":"quarter","months":3,"when":{"hours":"17:00-20:00"}}}]}]"#;
        let put = ContractChange::parse(capacity).unwrap();
        let name = account.name.clone();
        store
            .edit(move |edit| edit.change_contracts(&name, put))
            .unwrap();
        let begin = at("2025-01-01T00:00:00");
        let hour = |hour: u32| begin.saturating_add_millis(i64::from(hour) * 3_600_000);
        let mut total = 0.0;
        let mut registers = Vec::new();
        for number in 0..10_200_u32 {
            // A gap of days: whether it had a high peak is unknown.
            if !(5_000..5_100).contains(&number) {
                registers.push((hour(number), total));
            }
            total += f64::from(number.wrapping_mul(2_654_435_761) >> 20);
        }
        import(&store, "grid", &registers);
        let ranges = [
            ["2025-11-01T00:00:00", "2026-02-01T00:00:00"],
            ["2026-02-01T00:00:00", "2026-02-28T12:30:00"],
            ["2025-07-01T00:00:00", "2025-08-02T00:00:00"],
        ];
        let ranges = ranges.map(|ends| ends.map(at));
        let priced = ranges.map(|[start, end]| PricedRange {
            range: start..end,
            with_devices: false,
        });
        let now = hour(10_200);
        let asked = (ranges.as_flattened().to_vec(), priced.as_slice());
        let together = EnergyTable::of(&store, &account, asked, now).unwrap();
        for [start, end] in ranges {
            let contracts = HousePrices::of(&store, &account, start..end);
            let house = HouseSensors::of(&store, &account.name, now).unwrap();
            let mut costs = HouseCosts::new(house, &contracts);
            costs.cut_at(vec![end]);
            let alone = costs.all_until(&store, end).unwrap().house;
            assert!(alone.cost != Amount::ZERO, "{alone:?}");
            let range = TimeRange::new(start, end).unwrap();
            let shared = together.costs(range, |cost| Some(cost.house));
            let shared = shared.reduce(|sum, cost| Some(sum? + cost?));
            assert_eq!(shared, Some(Some(alone)));
        }
    }
}
