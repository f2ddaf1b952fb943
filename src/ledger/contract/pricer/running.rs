//! The contract that applies at a time, for the pricer.

use super::slot::MeteredEnergy;
use crate::domain::{Calendar, Interval, MicroWh, SensorId, Timestamp, Zone};
use crate::ledger::contract::Amount;
use crate::ledger::contract::announced::Announced;
use crate::ledger::contract::charge::{Charge, CountedEnergy, sums_after};
use crate::ledger::contract::charge_base::ChargeSums;
use crate::ledger::contract::demand_charge::DemandCharge;
use crate::ledger::contract::demand_now::{DemandNow, PeakPower};
use crate::ledger::contract::list::{Contract, Contracts};
use crate::ledger::contract::new_charge::ChargeMaker;
use crate::ledger::stretch::Flow;

/// The contract that applies at a time, with its charges.
#[derive(Clone, Debug)]
pub(super) struct Running {
    /// Its place in the list; `None` before the first contract.
    pub(super) contract: Option<usize>,
    /// The beginning of the next contract.
    pub(super) until: Timestamp,
    pub(super) charges: Vec<Charge>,
    /// The sensors that the contract names, by their places in the pricer.
    pub(super) named: Vec<usize>,
    /// For each of the pricer's sensors, the innermost sensor around it that the contract names.
    outer: Vec<Option<usize>>,
    /// The longest slots if the contract names sensors, because the known energy of the house and
    /// of the sensors is compared in each slot. Also if it nets tiers: a tier applies to a whole
    /// slot.
    quarters: Calendar,
    /// The amounts of the charges.
    pub(super) sums: ChargeSums,
}

impl Running {
    /// The contract at a time, with new charges.
    pub(super) fn new(
        contracts: &Contracts,
        (zone, announced, sensors): (&Zone, &Announced, &[SensorId]),
        time: Timestamp,
    ) -> Self {
        let (place, until) = contracts.at(time, zone);
        let contract = place.and_then(|place| contracts.all().get(place));
        let charges = |contract| {
            let maker = ChargeMaker {
                contract,
                zone,
                announced,
                sensors,
                time,
                until,
            };
            maker.charges()
        };
        let named = |contract: &Contract| {
            let places = sensors.iter().enumerate();
            let named = places.filter(|(_, id)| contract.sensors().any(|it| it == *id));
            named.map(|(place, _)| place).collect()
        };
        let named: Vec<usize> = contract.map(named).unwrap_or_default();
        Self {
            contract: place,
            until,
            charges: contract.map(charges).unwrap_or_default(),
            outer: outer_named(&named, sensors, &announced.inside),
            named,
            quarters: Calendar::new(zone.clone(), Interval::QuarterHour),
            sums: ChargeSums::default(),
        }
    }

    /// Whether a charge depends on other charges of the period.
    pub(super) fn looks_at_all(&self) -> bool {
        self.charges.iter().any(Charge::looks_at_others)
    }

    /// The end of the slot from `time` on: nothing changes before it.
    pub(super) fn slot_end(&mut self, time: Timestamp, is_billed: bool) -> Timestamp {
        let looks_at_all = self.looks_at_all();
        let charges = self.charges.iter_mut();
        let concerned = charges.filter(|it| is_billed || it.counts_before(looks_at_all));
        let until = concerned.map(|charge| charge.until(time));
        let until = until.fold(self.until, Timestamp::min);
        let nets_tiers = |charge: &Charge| matches!(charge, Charge::Energy { rate, .. } if rate.has_netted_tiers());
        if self.named.is_empty() && !self.charges.iter().any(nets_tiers) {
            return until;
        }
        let quarter = self.quarters.bucket(time).end().saturating_add_millis(1);
        until.min(quarter)
    }

    /// The energy of a slot, in the form that charges count.
    pub(super) fn counted(&self, flow: Option<Flow>, energy: &MeteredEnergy) -> CountedEnergy {
        let drawn = |place: &usize| energy.named.get(*place).copied().unwrap_or_default();
        let mut own = energy.named.clone();
        let mut rest = flow.map_or(MicroWh::ZERO, |flow| flow.imported);
        for place in self.named.iter().filter(|_| flow.is_some()) {
            if self.outer.get(*place).copied().flatten().is_none() {
                rest = rest - drawn(place);
            }
        }
        for place in &self.named {
            let outer = self.outer.get(*place).copied().flatten();
            if let Some(own) = outer.and_then(|outer| own.get_mut(outer)) {
                *own = *own - drawn(place);
            }
        }
        // Where energy is unknown, a negative rest means nothing.
        let is_known = energy.is_whole && energy.are_named_whole;
        let is_signed = is_known || self.named.is_empty();
        CountedEnergy {
            flow,
            rest: if is_signed {
                rest
            } else {
                rest.max(MicroWh::ZERO)
            },
            named: own,
            is_whole: energy.is_whole,
        }
    }

    /// The costs so far less the credits, if the newest period of a demand charge has this peak. The last
    /// slot contains `last`: amounts of a period look at its period.
    pub(super) fn costs_at_peak(
        &self,
        (demand, peak): (&DemandNow, PeakPower),
        last: Timestamp,
    ) -> Amount {
        let mut charges = self.charges.clone();
        let charge = charges.get_mut(demand.place());
        if let Some(charge) = charge.and_then(Charge::demand_mut) {
            demand.put_peak(charge, peak);
        }
        let sums = sums_after(&mut charges, last);
        sums.costs - sums.credits
    }

    /// Starts the bill.
    pub(super) fn start_bill(&mut self) {
        for charge in &mut self.charges {
            charge.start_bill();
        }
        self.sums = ChargeSums::default();
    }

    /// Goes on from the contract that ended at `time`: with the peaks, because both contracts have
    /// the same meter, and with the periods of those components that continue.
    pub(super) fn continue_from(&mut self, ended: &Self, contracts: &Contracts, time: Timestamp) {
        let contract = |of: &Self| contracts.all().get(of.contract?);
        if let Some((now, before)) = contract(self).zip(contract(ended)) {
            let continued = now.continued(before).into_iter();
            for (charge, place) in self.charges.iter_mut().zip(continued) {
                if let Some(before) = place.and_then(|place| ended.charges.get(place)) {
                    charge.continue_from(before, time);
                }
            }
        }
        let before = |ended: &Self| -> Vec<DemandCharge> {
            ended
                .charges
                .iter()
                .filter_map(Charge::demand)
                .cloned()
                .collect()
        };
        let mut before = before(ended);
        for charge in self.charges.iter_mut().filter_map(Charge::demand_mut) {
            let same = before
                .iter()
                .position(|it| it.measure() == charge.measure());
            if let Some(same) = same {
                charge.continue_from(&before.remove(same));
            }
        }
    }
}

/// Whether a component with this `of` counts the energy of a sensor, or the rest of the house.
pub(super) fn is_for(of: &[usize], sensor: Option<usize>) -> bool {
    match sensor {
        Some(place) => of.contains(&place),
        None => of.is_empty(),
    }
}

/// The energy without a price, from the energy that each charge left unpriced. Two components
/// without a price for the same meter leave the same energy unpriced.
pub(super) fn unpriced(charges: &[Charge], of_charges: &[Flow]) -> Flow {
    let mut exported = MicroWh::ZERO;
    let mut imported: Vec<(&[usize], MicroWh)> = Vec::new();
    for (charge, flow) in charges.iter().zip(of_charges) {
        exported = exported.max(flow.exported);
        let Charge::Energy { of, .. } = charge else {
            continue;
        };
        if flow.imported == MicroWh::ZERO {
            continue;
        }
        match imported.iter_mut().find(|(meters, _)| meters == of) {
            Some((_, energy)) => *energy = flow.imported.max(*energy),
            None => imported.push((of, flow.imported)),
        }
    }
    let imported = imported.into_iter().map(|(_, energy)| energy).sum();
    Flow { imported, exported }
}

/// For each sensor, the innermost sensor around it among `named`.
fn outer_named(
    named: &[usize],
    sensors: &[SensorId],
    inside: &[(SensorId, SensorId)],
) -> Vec<Option<usize>> {
    let next = |place: usize| {
        let id = sensors.get(place)?;
        let (_, outer) = inside.iter().find(|(inner, _)| inner == id)?;
        sensors.iter().position(|known| known == outer)
    };
    let innermost = |place| {
        let outer = std::iter::successors(next(place), |outer| next(*outer));
        // No sensor is inside itself, but a loop must not hang.
        let mut outer = outer.take(sensors.len());
        outer.find(|outer| named.contains(outer))
    };
    (0..sensors.len()).map(innermost).collect()
}
