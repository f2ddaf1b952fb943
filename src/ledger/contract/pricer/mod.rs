//! Turns energy into amounts, slot by slot.

use std::ops::Add;

use super::amount::Amount;
use super::bill::{Bill, BillLine};
use super::charge::{Charge, ChargeSums};
use super::list::{Contract, Contracts};
use super::series::PriceSeries;
use crate::domain::{Calendar, Decimal, MicroWh, TimeRange, Timestamp, Zone};
use crate::ledger::stretch::Flow;

/// Prices the energy of a range.
///
/// The caller asks for slots and says what flowed in each, until there are none:
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
/// If tiers hold at the range's beginning, the first slots lie before it, from the beginning of the month or year (or of the
/// contract, if that is later): their energy counts for the tiers and costs nothing.
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
    /// What the charges came to.
    sums: ChargeSums,
}

/// A stretch of time in which no price and no period changes. Tiers can change in it, by energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceSlot {
    from: Timestamp,
    to: Timestamp,
    is_billed: bool,
}

/// What a slot came to, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotCost {
    /// Its energy, its share of fixed charges, the demand in the slot that completes a new peak of the month, and the taxes on all
    /// that less those on the credit.
    pub cost: Amount,
    /// What was fed back, before taxes.
    pub credit: Amount,
    /// Energy that has no price.
    pub unpriced: Flow,
}

/// The price of one more kilowatt-hour with the taxes on it, rounded to a millionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginalPrice {
    /// Drawn; `None` where it has no price.
    pub import: Option<Decimal>,
    /// Fed back: what is credited; `None` where it has no price.
    pub export: Option<Decimal>,
}

impl PriceSlot {
    /// Its beginning.
    #[must_use]
    pub const fn from(&self) -> Timestamp {
        self.from
    }

    /// Its end, where the next one begins.
    #[must_use]
    pub const fn to(&self) -> Timestamp {
        self.to
    }

    /// Its part until `end`, if that lies in it: the rest is a slot of its own then.
    #[must_use]
    pub fn until(self, end: Timestamp) -> Self {
        let is_within = self.from < end && end < self.to;
        let to = if is_within { end } else { self.to };
        Self { to, ..self }
    }

    /// Whether it lies in the range; before that its energy counts for tiers alone.
    #[must_use]
    pub const fn is_billed(&self) -> bool {
        self.is_billed
    }
}

/// Of slots that follow each other.
impl Add for SlotCost {
    type Output = Self;

    fn add(self, later: Self) -> Self {
        Self {
            cost: self.cost + later.cost,
            credit: self.credit + later.credit,
            unpriced: self.unpriced + later.unpriced,
        }
    }
}

impl Pricer {
    /// A pricer of a range, without its end. `series` has the price series that [`Contract::series`] names, or what there is of them.
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

    /// Puts other prices in the place of those that it has: those of later times, where it does not have all of the range at once.
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
        // Time goes on whatever a calendar says.
        let to = to.max(from.saturating_add_millis(1));
        Some(PriceSlot {
            from,
            to,
            is_billed,
        })
    }

    /// Adds the next slot, or its first part, with what flowed in it, or without if that is not known: time costs what it costs. Any other slot counts
    /// for nothing.
    pub fn add(&mut self, slot: PriceSlot, flow: Option<Flow>) -> SlotCost {
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
            self.bill(from, to, flow)
        } else {
            self.running.count(from, flow.unwrap_or_default().imported);
            SlotCost::default()
        };
        self.at = to;
        if to >= self.running.until {
            self.close();
            self.running = Running::new(&self.contracts, &self.zone, &self.series, to);
        }
        cost
    }

    fn bill(&mut self, from: Timestamp, to: Timestamp, flow: Option<Flow>) -> SlotCost {
        if flow.is_none() {
            self.unknown_ms = self.unknown_ms.saturating_add(to.millis() - from.millis());
        }
        let running = &mut self.running;
        let mut unpriced = match running.contract {
            Some(_) => Flow::default(),
            None => flow.unwrap_or_default(),
        };
        for charge in &mut running.charges {
            let of_charge = charge.add(from, to, flow);
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

    /// The price of one more kilowatt-hour at the beginning of the next slot. For the price of a moment, the range begins there,
    /// and the slots before it are added first.
    pub fn marginal_price(&mut self) -> MarginalPrice {
        let one = MicroWh::new(1_000_000_000);
        let at = self.at;
        let [import, export] = [true, false].map(|is_import| {
            self.running.contract?;
            let mut sums = ChargeSums::default();
            for charge in &mut self.running.charges {
                match charge {
                    Charge::Energy(rate) if is_import => {
                        sums.costs = sums.costs + Amount::of(rate.at(at).0?.1, one);
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

    /// The bill of what was added.
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
