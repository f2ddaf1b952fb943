//! The peaks before a range, for demand charges that look at several months.

use crate::domain::{MicroWh, TimeRange, Timestamp, Zone};
use crate::ledger::contract::days::DayLists;
use crate::ledger::contract::list::Contract;
use crate::ledger::contract::peaks::PeakMeter;

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
    /// The history that contracts need for a range; nothing is measured yet.
    pub(super) fn new<'a>(
        contracts: impl Iterator<Item = &'a Contract>,
        (zone, lists): (&Zone, &DayLists),
        range: TimeRange,
    ) -> Self {
        let mut meters: Vec<PeakMeter> = Vec::new();
        let mut first = range.start();
        let mut is_long = false;
        for contract in contracts {
            let begin = contract.from().start(zone).max(range.start());
            for (measure, months) in contract.peak_histories() {
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

    /// Adds a span or a part of one, with its drawn energy if all of that is known.
    pub fn add(&mut self, from: Timestamp, to: Timestamp, imported: Option<MicroWh>) {
        for meter in &mut self.meters {
            meter.add(from, to, imported);
        }
        self.measured = to;
    }
}
