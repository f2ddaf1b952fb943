//! The peaks before a range, for demand charges that look at several months.

use crate::domain::{MicroWh, TimeRange, Timestamp, Zone};
use crate::ledger::contract::component::Terms;
use crate::ledger::contract::days::DayLists;
use crate::ledger::contract::demand_charge::DemandCharge;
use crate::ledger::contract::demand_now::DemandNow;
use crate::ledger::contract::list::{Contract, Contracts};
use crate::ledger::contract::peaks::{PeakMeasure, PeakMeter};

/// The peaks of a house, measured from months before a range on. Several ranges can share it.
#[derive(Clone, Debug)]
pub struct PeakHistory {
    pub(super) meters: Vec<PeakMeter>,
    start: Timestamp,
    /// Until here it has measured.
    measured: Timestamp,
    /// Whether a demand charge takes the mean of several periods.
    is_long: bool,
}

impl PeakHistory {
    /// The history that contracts need for a range, of at least so many periods of each demand charge;
    /// nothing is measured yet.
    pub(super) fn new<'a>(
        (contracts, least): (impl Iterator<Item = &'a Contract>, u8),
        (zone, lists): (&Zone, &DayLists),
        range: TimeRange,
    ) -> Self {
        let mut meters: Vec<PeakMeter> = Vec::new();
        let mut first = range.start();
        let mut is_long = false;
        for contract in contracts {
            let begin = contract.from().start(zone).max(range.start());
            for (measure, months) in contract.peak_histories(least) {
                is_long |= months > 1;
                let mut periods = measure.periods(zone);
                let mut start = periods.containing(begin).0;
                for _ in 1..months {
                    start = periods.containing(start.saturating_add_millis(-1)).0;
                }
                first = first.min(start);
                if !meters.iter().any(|meter| *meter.measure() == measure) {
                    meters.push(PeakMeter::new(measure, zone, lists, Timestamp::MIN));
                }
            }
        }
        Self {
            meters,
            start: first,
            measured: first,
            is_long,
        }
    }

    /// The history that the demand charges in force at a time need, and the three periods before;
    /// nothing is measured yet. `None` if no demand charge is in force.
    #[must_use]
    pub fn of_demands(
        contracts: &Contracts,
        (zone, lists): (&Zone, &DayLists),
        now: Timestamp,
    ) -> Option<Self> {
        let contract = contracts.all().get(contracts.at(now, zone).0?)?;
        let of = (std::iter::once(contract), DemandNow::PERIODS);
        contract
            .has_demand()
            .then(|| Self::new(of, (zone, lists), TimeRange::at(now)))
    }

    /// The demand charges in force where it has measured until, as far as it measures them.
    #[must_use]
    pub fn demands(&self, contracts: &Contracts, zone: &Zone) -> Vec<DemandNow> {
        let (place, until) = contracts.at(self.measured, zone);
        let contract = place.and_then(|place| contracts.all().get(place));
        let Some(contract) = contract else {
            return Vec::new();
        };
        let in_force = (contract.from().start(zone), until);
        let components = contract.components().iter().enumerate();
        let demands = components.filter_map(|(place, component)| {
            let Terms::Demand(terms) = &component.terms else {
                return None;
            };
            let measure = PeakMeasure::new(&terms.measure, contract.holidays(), contract.billing());
            let meter = self.meters.iter().find(|it| *it.measure() == measure)?;
            let charge = DemandCharge::new(terms, meter.clone(), zone, in_force);
            let named = (place, component.name.clone());
            Some(DemandNow::new(named, charge, self.measured))
        });
        demands.collect()
    }

    /// Whether a demand charge takes the mean of several periods, so that sharing saves more than
    /// it costs.
    #[must_use]
    pub const fn is_long(&self) -> bool {
        self.is_long
    }

    /// Whether it has measured all that `needed` would measure until a time.
    pub(super) fn covers(&self, needed: &Self, until: Timestamp) -> bool {
        let has = |one: &PeakMeter| self.meters.iter().any(|it| it.measure() == one.measure());
        self.start <= needed.start && until <= self.measured && needed.meters.iter().all(has)
    }

    /// Where the next span begins.
    #[must_use]
    pub const fn measured(&self) -> Timestamp {
        self.measured
    }

    /// The end of the span that begins at a time.
    #[must_use]
    pub fn until(&mut self, time: Timestamp) -> Timestamp {
        let meters = self.meters.iter_mut().map(|meter| meter.until(time));
        meters.fold(Timestamp::MAX, Timestamp::min)
    }

    /// The beginning of the longest span that contains a time.
    #[must_use]
    pub fn start_of_span(&mut self, time: Timestamp) -> Timestamp {
        let meters = self
            .meters
            .iter_mut()
            .map(|meter| meter.span_at(time).start);
        meters.fold(time, Timestamp::min)
    }

    /// Adds a span or a part of one, with its drawn energy if all of that is known.
    pub fn add(&mut self, from: Timestamp, to: Timestamp, imported: Option<MicroWh>) {
        for meter in &mut self.meters {
            meter.add(from, to, imported);
        }
        self.measured = to;
    }
}
