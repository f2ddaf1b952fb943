//! Turns energy into amounts, slot by slot; `slot`: the slots and their costs.

mod slot;

pub use self::slot::{MarginalPrice, PriceSlot, SlotCost};
use super::amount::Amount;
use super::bill::{Bill, BillLine};
use super::charge::{Charge, ChargeSums, DemandCharge};
use super::component::DemandSpan;
use super::list::{Contract, Contracts};
use super::series::PriceSeries;
use crate::domain::{Calendar, MicroWh, TimeRange, Timestamp, Zone};
use crate::ledger::stretch::Flow;

/// Prices the energy of a range.
///
/// The caller asks for slots and adds each with its energy, until there are none:
///
/// ```
/// use wattkeeper::{MicroWh, TimeRange, Timestamp, Zone};
/// use wattkeeper::Flow;
/// use wattkeeper::{Contracts, Pricer};
///
/// let contracts = Contracts::parse(
///     r#"[{"from":"2026-01-01","name":"Plain","currency":"EUR","components":[{"energy":{"price":0.3215}}]}]"#,
/// )
/// .unwrap();
/// let [from, to] = ["2026-01-05", "2026-01-06"].map(|date| Timestamp::parse_date(date).unwrap());
/// let mut pricer = Pricer::new(&contracts, &Zone::UTC, &[], TimeRange::new(from, to).unwrap());
/// while let Some(slot) = pricer.next_slot() {
///     let imported = MicroWh::new(10_000_000_000); // 10 kWh
///     pricer.add(slot, Some(Flow { imported, ..Flow::default() }));
/// }
/// assert_eq!(pricer.finish().total.to_string(), "3.215");
/// ```
///
/// If tiers hold at the range's beginning, the first slots lie before it, from the beginning of the
/// month or year (or of the contract, if that is later): their energy counts for the tiers and
/// costs nothing.
#[derive(Clone, Debug)]
pub struct Pricer {
    contracts: Contracts,
    zone: Zone,
    series: Vec<PriceSeries>,
    range: TimeRange,
    /// Where the next slot begins.
    at: Timestamp,
    running: Running,
    /// The lines of the contracts that ended.
    lines: Vec<BillLine>,
    unpriced: Flow,
    unknown_ms: i64,
}

/// A contract at work.
#[derive(Clone, Debug)]
struct Running {
    /// Its place in the list; `None` before the first contract.
    contract: Option<usize>,
    /// When the next one begins.
    until: Timestamp,
    charges: Vec<Charge>,
    /// The amounts of the charges.
    sums: ChargeSums,
}

impl Pricer {
    /// A pricer of a range, without its end. `series` has the price series that
    /// [`Contract::series`] names, as far as they exist.
    #[must_use]
    pub fn new(
        contracts: &Contracts,
        zone: &Zone,
        series: &[PriceSeries],
        range: TimeRange,
    ) -> Self {
        let (contract, _) = contracts.at(range.start(), zone);
        let contract = contract.and_then(|place| contracts.all().get(place));
        let counted_from = contract.and_then(|contract| {
            let mut periods = Calendar::new(zone.clone(), contract.tier_period()?.interval());
            Some(
                periods
                    .bucket(range.start())
                    .start()
                    .max(contract.from().start(zone)),
            )
        });
        let at = counted_from.unwrap_or(range.start());
        Self {
            contracts: contracts.clone(),
            zone: zone.clone(),
            series: series.to_vec(),
            range,
            at,
            running: Running::new(contracts, zone, series, at),
            lines: Vec::new(),
            unpriced: Flow::default(),
            unknown_ms: 0,
        }
    }

    /// Puts other prices in the place of those that it has: those of later times, where it does not
    /// have all of the range at once.
    pub fn set_series(&mut self, series: Vec<PriceSeries>) {
        for charge in &mut self.running.charges {
            charge.set_series(&series);
        }
        self.series = series;
    }

    /// The next slot; `None` at the end of the range. It stays the same until it is added.
    pub fn next_slot(&mut self) -> Option<PriceSlot> {
        let from = self.at;
        if from >= self.range.end() {
            return None;
        }
        let is_billed = from >= self.range.start();
        let end = if is_billed {
            self.range.end()
        } else {
            self.range.start()
        };
        let charges = self.running.charges.iter_mut();
        let concerned = charges.filter(|charge| is_billed || charge.has_tiers());
        let until = concerned.map(|charge| charge.until(from)).min();
        let to = end.min(self.running.until).min(until.unwrap_or(end));
        // Time goes on even if a calendar has no next day.
        let to = to.max(from.saturating_add_millis(1));
        Some(PriceSlot {
            from,
            to,
            is_billed,
        })
    }

    /// Adds the next slot, or its first part, with its energy, or without if that is unknown: fixed
    /// charges are due anyway. Any other slot has no effect.
    pub fn add(&mut self, slot: PriceSlot, flow: Option<Flow>) -> SlotCost {
        self.add_known(slot, flow, true)
    }

    /// The same, and whether that is all that was drawn in it: no peak is measured where a part is
    /// not known.
    pub fn add_known(&mut self, slot: PriceSlot, flow: Option<Flow>, is_whole: bool) -> SlotCost {
        let PriceSlot {
            from,
            to,
            is_billed,
        } = slot;
        if from != self.at {
            return SlotCost::default();
        }
        let flow = flow.map(|flow| Flow {
            imported: flow.imported.max(MicroWh::ZERO),
            exported: flow.exported.max(MicroWh::ZERO),
        });
        let cost = if is_billed {
            self.bill((from, to), flow, is_whole)
        } else {
            self.running.count(from, flow.unwrap_or_default().imported);
            SlotCost::default()
        };
        self.at = to;
        // The contract that begins where the range ends has no day in it.
        if to >= self.running.until && to < self.range.end() {
            self.close();
            let next = Running::new(&self.contracts, &self.zone, &self.series, to);
            let ended = std::mem::replace(&mut self.running, next);
            self.running.go_on_after(&ended);
        }
        cost
    }

    fn bill(
        &mut self,
        (from, to): (Timestamp, Timestamp),
        flow: Option<Flow>,
        is_whole: bool,
    ) -> SlotCost {
        if flow.is_none() {
            self.unknown_ms = self.unknown_ms.saturating_add(to.millis() - from.millis());
        }
        let running = &mut self.running;
        let mut unpriced = match running.contract {
            Some(_) => Flow::default(),
            None => flow.unwrap_or_default(),
        };
        for charge in &mut running.charges {
            let of_charge = charge.add((from, to), flow, is_whole);
            // Two components without a price leave the same energy unpriced.
            unpriced.imported = unpriced.imported.max(of_charge.imported);
            unpriced.exported = unpriced.exported.max(of_charge.exported);
        }
        self.unpriced = self.unpriced + unpriced;
        let before = running.sums;
        running.sums = ChargeSums::of(&mut running.charges);
        SlotCost {
            cost: running.sums.costs - before.costs,
            credit: running.sums.credits - before.credits,
            unpriced,
        }
    }

    /// The price of one more kilowatt-hour at the beginning of the next slot. For the price of a
    /// moment, the range begins there, and the slots before it are added first.
    pub fn marginal_price(&mut self) -> MarginalPrice {
        self.marginal_price_after(MicroWh::ZERO)
    }

    /// The same while so much is drawn, as tiers may end meanwhile: ascending energies, each with
    /// the price until there.
    pub fn marginal_prices(&mut self, imported: MicroWh) -> Vec<(MicroWh, MarginalPrice)> {
        let (mut prices, mut drawn) = (Vec::new(), MicroWh::ZERO);
        loop {
            let price = self.marginal_price_after(drawn);
            let ends = self.running.charges.iter();
            let ends = ends.filter_map(|charge| charge.tier_end(drawn));
            let Some(end) = ends.min().filter(|end| drawn < *end && *end < imported) else {
                prices.push((imported, price));
                return prices;
            };
            prices.push((end, price));
            drawn = end;
        }
    }

    fn marginal_price_after(&mut self, drawn: MicroWh) -> MarginalPrice {
        let one = MicroWh::new(1_000_000_000);
        let at = self.at;
        let [import, export] = [true, false].map(|is_import| {
            self.running.contract?;
            let mut sums = ChargeSums::default();
            for charge in &mut self.running.charges {
                match charge {
                    Charge::Energy(rate) if is_import => {
                        sums.costs = sums.costs + Amount::of(rate.price_after(at, drawn)?, one);
                    }
                    Charge::Export(rate) if !is_import => {
                        sums.credits = sums.credits + Amount::of(rate.at(at).0?.1, one);
                    }
                    Charge::Tax { percent, of, .. } => {
                        sums.costs = sums.costs + sums.base(*of).percent(*percent);
                    }
                    _ => {}
                }
            }
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

    /// The bill of all energy that was added.
    #[must_use]
    pub fn finish(mut self) -> Bill {
        self.close();
        Bill::new(self.lines, self.unpriced, self.unknown_ms)
    }

    /// Writes the lines of the contract that ends.
    fn close(&mut self) {
        let place = self.running.contract;
        let Some(contract) = place.and_then(|place| self.contracts.all().get(place)) else {
            return;
        };
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

impl Running {
    /// The contract of a time, with charges that show nothing.
    fn new(contracts: &Contracts, zone: &Zone, series: &[PriceSeries], time: Timestamp) -> Self {
        let (place, until) = contracts.at(time, zone);
        let contract = place.and_then(|place| contracts.all().get(place));
        let charge = |contract: &Contract| {
            let new = |component| Charge::new(component, contract.holidays(), zone, series, time);
            contract.components().iter().map(new).collect()
        };
        Self {
            contract: place,
            until,
            charges: contract.map(charge).unwrap_or_default(),
            sums: ChargeSums::default(),
        }
    }

    /// Bills the rest of a month's peak after the contract before: both have the same meter.
    fn go_on_after(&mut self, ended: &Self) {
        for per in DemandSpan::ALL {
            let of_span = |charge: &&DemandCharge| charge.per() == per;
            let before = ended
                .charges
                .iter()
                .filter_map(Charge::demand)
                .filter(of_span);
            let ours = self.charges.iter_mut().filter_map(Charge::demand_mut);
            let ours = ours.filter(|charge| charge.per() == per);
            for (charge, before) in ours.zip(before) {
                charge.go_on_after(before);
            }
        }
    }

    /// Counts energy before the range for the tiers.
    fn count(&mut self, time: Timestamp, imported: MicroWh) {
        for charge in &mut self.charges {
            if let Charge::Energy(rate) = charge {
                rate.count(time, imported);
            }
        }
    }
}

#[cfg(test)]
mod tests;
