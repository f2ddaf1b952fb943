//! Turns energy into amounts, slot by slot; `slot`: the slots and their costs; `running`: the
//! contract that applies at a time; `history`: the peaks before a range.

mod history;
mod running;
mod slot;

use std::collections::BTreeSet;

pub use self::history::PeakHistory;
use self::running::{Running, is_for, unpriced};
pub use self::slot::{MarginalPrice, MeteredEnergy, PriceSlot, SlotCost};
use super::amount::Amount;
use super::announced::Announced;
use super::bill::{Bill, BillLine};
use super::charge::{Charge, share_of, sums_after};
use super::charge_base::ChargeSums;
use super::demand_now::{DemandNow, PeakPower};
use super::list::{Contract, Contracts};
use super::series::PriceSeries;
use crate::domain::{Decimal, MicroWh, SensorId, TimeRange, Timestamp, Zone};
use crate::ledger::stretch::Flow;

/// Prices the energy of a range.
///
/// The caller asks for slots and adds each with its energy, until there are none:
///
/// ```
/// use wattkeeper::{MicroWh, TimeRange, Timestamp, Zone};
/// use wattkeeper::Flow;
/// use wattkeeper::{Announced, Contracts, Pricer};
///
/// let contracts = Contracts::parse(
///     r#"[{"from":"2026-01-01","name":"Plain","currency":"EUR","components":[{"energy":{"price":0.3215}}]}]"#,
/// )
/// .unwrap();
/// let [from, to] = ["2026-01-05", "2026-01-06"].map(|date| Timestamp::parse_date(date).unwrap());
/// let mut pricer = Pricer::new(&contracts, &Zone::UTC, &Announced::default(), TimeRange::new(from, to).unwrap());
/// while let Some(slot) = pricer.next_slot() {
///     let imported = MicroWh::new(10_000_000_000); // 10 kWh
///     pricer.add(slot, Some(Flow { imported, ..Flow::default() }));
/// }
/// assert_eq!(pricer.finish().total.to_string(), "3.215");
/// ```
///
/// If amounts depend on a period that began before the range, as with tiers, the first slots are
/// before the range: their energy counts for the period and costs nothing.
#[derive(Clone, Debug)]
pub struct Pricer {
    contracts: Contracts,
    zone: Zone,
    announced: Announced,
    range: TimeRange,
    /// The sensors that contracts name, in order.
    sensors: Vec<SensorId>,
    /// Where the next slot begins.
    at: Timestamp,
    /// The start of energy that counts for the contract; earlier energy only counts for peaks.
    counted_from: Timestamp,
    /// The peaks before the range.
    history: PeakHistory,
    /// Whether it was measured before, for several ranges.
    is_measured: bool,
    running: Running,
    /// The lines of the contracts that ended, and the advances paid under them.
    lines: Vec<BillLine>,
    paid: Option<Decimal>,
    unpriced: Flow,
    unknown_ms: i64,
}

impl Pricer {
    /// A pricer of a range.
    #[must_use]
    pub fn new(
        contracts: &Contracts,
        zone: &Zone,
        announced: &Announced,
        range: TimeRange,
    ) -> Self {
        let (place, counted_from) = contracts.counted_from(range.start(), zone);
        let concerned = contracts.concerning(range, zone);
        let sensors: BTreeSet<&SensorId> = concerned.iter().flat_map(Contract::sensors).collect();
        let sensors: Vec<SensorId> = sensors.into_iter().cloned().collect();
        let billed = contracts.at(range.start(), zone).0.unwrap_or(0);
        let billed = concerned.iter().skip(billed.saturating_sub(place));
        let history = PeakHistory::new((billed, 1), (zone, &announced.days), range);
        let at = counted_from.min(history.measured());
        Self {
            running: Running::new(contracts, (zone, announced, &sensors), counted_from),
            contracts: contracts.clone(),
            zone: zone.clone(),
            announced: announced.clone(),
            range,
            sensors,
            at,
            counted_from,
            history,
            is_measured: false,
            lines: Vec::new(),
            paid: None,
            unpriced: Flow::default(),
            unknown_ms: 0,
        }
    }

    /// The peaks before the range and in it, to be measured for several ranges at once.
    #[must_use]
    pub fn into_history(self) -> PeakHistory {
        self.history
    }

    /// Takes peaks that were measured already, as far as they suffice; before any slot.
    #[must_use]
    pub fn with_peaks(mut self, peaks: &PeakHistory) -> Self {
        if peaks.covers(&self.history, self.range.end()) {
            self.history = peaks.clone();
            self.is_measured = true;
            self.at = self.counted_from;
        }
        self
    }

    /// The sensors whose energy it needs besides the house's.
    #[must_use]
    pub fn sensors(&self) -> &[SensorId] {
        &self.sensors
    }

    /// Whether the contract of the next slot prices the energy of this sensor by itself.
    #[must_use]
    pub fn names_now(&self, sensor: &SensorId) -> bool {
        let named = self.running.named.iter();
        named
            .filter_map(|place| self.sensors.get(*place))
            .any(|id| id == sensor)
    }

    /// Puts other prices in the place of those that it has: those of later times, where it does not
    /// have all of the range at once.
    pub fn set_series(&mut self, series: Vec<PriceSeries>) {
        for charge in &mut self.running.charges {
            charge.set_series(&series);
        }
        self.announced.series = series;
    }

    /// The next slot; `None` at the end of the range. It stays the same until it is added.
    pub fn next_slot(&mut self) -> Option<PriceSlot> {
        let from = self.at;
        if from >= self.range.end() {
            return None;
        }
        let is_billed = from >= self.range.start();
        let is_counted = from >= self.counted_from;
        let end = match (is_counted, is_billed) {
            (_, true) => self.range.end(),
            (true, false) => self.range.start(),
            (false, false) => self.counted_from,
        };
        let mut until = end;
        if !self.is_measured {
            until = until.min(self.history.until(from));
        }
        if is_counted {
            until = until.min(self.running.slot_end(from, is_billed));
        }
        // Time goes on even if a calendar has no next day.
        let to = until.max(from.saturating_add_millis(1));
        Some(PriceSlot {
            from,
            to,
            is_billed,
        })
    }

    /// Adds the next slot, or its first part, with the house's energy, or `None` if that is
    /// unknown: fixed charges are due anyway. Any other slot has no effect.
    pub fn add(&mut self, slot: PriceSlot, flow: Option<Flow>) -> SlotCost {
        self.add_known(slot, &MeteredEnergy::of_house(flow))
    }

    /// Like [`Self::add`], with the energy of all [`Self::sensors`].
    pub fn add_known(&mut self, slot: PriceSlot, energy: &MeteredEnergy) -> SlotCost {
        let PriceSlot {
            from,
            to,
            is_billed,
        } = slot;
        if from != self.at {
            return SlotCost::default();
        }
        let flow = energy.flow.map(|flow| Flow {
            imported: flow.imported.max(MicroWh::ZERO),
            exported: flow.exported.max(MicroWh::ZERO),
        });
        let known = flow.filter(|_| energy.is_whole);
        if !self.is_measured {
            let imported = known.map(|flow| flow.imported);
            self.history.add(from, to, imported);
        }
        let mut cost = SlotCost::default();
        if from >= self.counted_from {
            cost = self.bill((from, to), flow, energy, is_billed);
        }
        self.pass(to, is_billed);
        cost
    }

    /// Passes the next slot, or its first part, without its energy and costs: slots do not depend on
    /// these, so this counts them. Any other slot has no effect.
    pub fn skip(&mut self, slot: PriceSlot) {
        if slot.from == self.at {
            self.pass(slot.to, slot.is_billed);
        }
    }

    /// Goes on to the end of a slot.
    fn pass(&mut self, to: Timestamp, is_billed: bool) {
        self.at = to;
        // The contract that begins where the range ends has no day in it.
        if to >= self.running.until && to < self.range.end() {
            if is_billed {
                self.close(to);
            }
            let needs = (&self.zone, &self.announced, self.sensors.as_slice());
            let next = Running::new(&self.contracts, needs, to);
            let ended = std::mem::replace(&mut self.running, next);
            self.running.continue_from(&ended, &self.contracts, to);
        }
        if !is_billed && to >= self.range.start() {
            self.running.start_bill();
        }
    }

    fn bill(
        &mut self,
        (from, to): (Timestamp, Timestamp),
        flow: Option<Flow>,
        energy: &MeteredEnergy,
        is_billed: bool,
    ) -> SlotCost {
        let running = &mut self.running;
        let counted = running.counted(flow, energy);
        let looks_at_all = running.looks_at_all();
        let charges = running.charges.iter_mut();
        let of_charges = charges.map(|charge| {
            if is_billed || charge.counts_before(looks_at_all) {
                charge.add((from, to), &counted, &self.history.meters)
            } else {
                Flow::default()
            }
        });
        let of_charges: Vec<Flow> = of_charges.collect();
        let before = running.sums;
        running.sums = sums_after(&mut running.charges, from);
        if !is_billed {
            return SlotCost::default();
        }
        let unpriced = match running.contract {
            Some(_) => unpriced(&running.charges, &of_charges),
            None => flow.unwrap_or_default(),
        };
        self.unpriced = self.unpriced + unpriced;
        if flow.is_none() {
            self.unknown_ms = self.unknown_ms.saturating_add(to.millis() - from.millis());
        }
        SlotCost {
            cost: running.sums.costs - before.costs,
            credit: running.sums.credits - before.credits,
            unpriced,
        }
    }

    /// What the contract of the next slot costs so far, less its credits, if the newest period of a
    /// demand charge has this peak.
    #[must_use]
    pub fn costs_at_peak(&self, demand: &DemandNow, peak: PeakPower) -> Amount {
        let last = self.at.saturating_add_millis(-1).max(self.range.start());
        self.running.costs_at_peak((demand, peak), last)
    }

    /// The price of one more kilowatt-hour at the beginning of the next slot. For the price of a
    /// moment, the range begins there, and the slots before it are added first.
    pub fn marginal_price(&mut self) -> MarginalPrice {
        self.marginal_price_after(MicroWh::ZERO, None)
    }

    /// The marginal prices while the energy of a slot is drawn, because tiers may end meanwhile:
    /// ascending energies, each with the price up to it. For a named sensor, by its own energy.
    pub fn marginal_prices(
        &mut self,
        energy: &MeteredEnergy,
        sensor: Option<&SensorId>,
    ) -> Vec<(MicroWh, MarginalPrice)> {
        let sensor = sensor.and_then(|id| self.sensors.iter().position(|known| known == id));
        let sensor = sensor.filter(|place| self.running.named.contains(place));
        let counted = self.running.counted(energy.flow, energy);
        let of_sensor = sensor.and_then(|place| counted.named.get(place));
        let imported = of_sensor.copied().unwrap_or(counted.rest);
        let (mut prices, mut drawn) = (Vec::new(), MicroWh::ZERO);
        loop {
            let price = self.marginal_price_after(drawn, sensor);
            let charges = self.running.charges.iter();
            let ends = charges.filter_map(|charge| match charge {
                Charge::Energy { rate, of } if is_for(of, sensor) => rate.price_end(drawn),
                _ => None,
            });
            let Some(end) = ends.min().filter(|end| drawn < *end && *end < imported) else {
                prices.push((imported, price));
                return prices;
            };
            prices.push((end, price));
            drawn = end;
        }
    }

    fn marginal_price_after(&mut self, drawn: MicroWh, sensor: Option<usize>) -> MarginalPrice {
        let one = MicroWh::new(1_000_000_000);
        let at = self.at;
        let [import, export] = [true, false].map(|is_import| {
            self.running.contract?;
            let mut all: Vec<ChargeSums> = Vec::with_capacity(self.running.charges.len());
            for charge in &mut self.running.charges {
                let mut sums = ChargeSums::default();
                match charge {
                    Charge::Energy { rate, of } if is_import && is_for(of, sensor) => {
                        sums.costs = Amount::of(rate.marginal_price(at, drawn)?, one);
                    }
                    Charge::Export { rate, .. } if !is_import => {
                        sums.credits = Amount::of(rate.marginal_price(at, MicroWh::ZERO)?, one);
                    }
                    Charge::Tax {
                        percent,
                        base,
                        is_discount,
                        ..
                    } => sums.costs = share_of(base.amount(&all), *percent, *is_discount),
                    _ => {}
                }
                all.push(sums);
            }
            let sums: ChargeSums = all.into_iter().sum();
            Some(
                if is_import {
                    sums.costs
                } else {
                    sums.credits - sums.costs
                }
                .rounded(),
            )
        });
        MarginalPrice { import, export }
    }

    /// The energy that each of [`Self::sensors`] drew in a slot, without that of the named sensors
    /// inside it.
    #[must_use]
    pub fn own_energies(&self, energy: &MeteredEnergy) -> Vec<MicroWh> {
        self.running.counted(energy.flow, energy).named
    }

    /// The bill of all energy that was added.
    #[must_use]
    pub fn finish(mut self) -> Bill {
        self.close(self.at);
        Bill::new(self.lines, self.paid, self.unpriced, self.unknown_ms)
    }

    /// Writes the lines of the contract that ends.
    fn close(&mut self, end: Timestamp) {
        let place = self.running.contract;
        let Some(contract) = place.and_then(|place| self.contracts.all().get(place)) else {
            return;
        };
        let start = contract.from().start(&self.zone).max(self.range.start());
        if let Some(paid) = contract.paid(start, end, &self.zone) {
            let before = self.paid.unwrap_or(Decimal::ZERO);
            self.paid = Some(before.saturating_add(paid.rounded()));
        }
        for (component, charge) in contract.components().iter().zip(&self.running.charges) {
            self.lines
                .extend(charge.lines().into_iter().map(|line| BillLine {
                    contract: contract.name().clone(),
                    contract_from: contract.from(),
                    kind: line.kind,
                    name: component.name.clone(),
                    part: line.part,
                    quantity: line.quantity,
                    price: line.price,
                    amount: line.amount.rounded(),
                }));
        }
    }
}

#[cfg(test)]
mod tests;
