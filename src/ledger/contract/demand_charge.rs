//! A demand charge: each period costs the price of its peak, or of the mean of several peaks.

use super::amount::Amount;
use super::bill::{BilledQuantity, ChargeLine, LineKind, LinePart};
use super::demand_terms::{DemandPrice, DemandTerms};
use super::peaks::{Peak, PeakMeasure, PeakMeter};
use super::period::{Period, days_between, month_told};
use crate::domain::{Decimal, LocalDate, MicroWh, Timestamp, Zone};

/// A demand charge and the periods that it bills.
#[derive(Clone, Debug)]
pub(super) struct DemandCharge {
    terms: DemandTerms,
    /// Measures the spans of the bill.
    meter: PeakMeter,
    zone: Zone,
    /// Where the contract begins and ends: a price per day is for its days.
    in_force: (Timestamp, Timestamp),
    periods: Vec<BilledPeriod>,
    amount: Amount,
    /// The newest period of the previous contract, and its peak as billed there.
    billed_before: Option<(Timestamp, Option<Peak>)>,
}

/// A period of a bill.
#[derive(Clone, Debug)]
struct BilledPeriod {
    start: Timestamp,
    /// The peaks of earlier periods that count for this one.
    earlier: Vec<Peak>,
    /// Its peak so far.
    peak: Option<Peak>,
    /// The part that the previous contract billed.
    billed: BilledBefore,
}

/// The part of a period that the previous contract billed.
#[derive(Clone, Copy, Debug)]
enum BilledBefore {
    Nothing,
    /// Up to this peak, if one was known.
    UpTo(Option<Peak>),
}

/// The mean of peaks, as sum and number.
#[derive(Clone, Copy, Debug)]
struct MeanPeak {
    sum: i128,
    count: i128,
}

impl DemandCharge {
    pub(super) fn new(
        terms: &DemandTerms,
        meter: PeakMeter,
        zone: &Zone,
        in_force: (Timestamp, Timestamp),
    ) -> Self {
        Self {
            terms: terms.clone(),
            meter,
            zone: zone.clone(),
            in_force,
            periods: Vec::new(),
            amount: Amount::ZERO,
            billed_before: None,
        }
    }

    pub(super) const fn measure(&self) -> &PeakMeasure {
        self.meter.measure()
    }

    pub(super) const fn amount(&self) -> Amount {
        self.amount
    }

    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        self.meter.until(time)
    }

    /// Continues the same charge of the previous contract, so a peak of this period is billed once.
    pub(super) fn continue_from(&mut self, before: &Self) {
        self.meter = before.meter.clone();
        let newest = before.periods.last();
        self.billed_before = newest.map(|period| (period.start, period.peak));
    }

    /// Adds a part of a span. `history` has measured earlier periods.
    pub(super) fn add(
        &mut self,
        (from, to): (Timestamp, Timestamp),
        imported: Option<MicroWh>,
        history: Option<&PeakMeter>,
    ) {
        let is_counted = self.meter.add(from, to, imported);
        let start = self.meter.period();
        let is_new = self
            .periods
            .last()
            .is_none_or(|newest| newest.start < start);
        if is_new {
            let before = self.terms.months - 1;
            let earlier = history.map(|history| history.before(start, before));
            let billed = self.billed_before.take();
            let billed = billed.filter(|(of, _)| *of == start);
            let billed = billed.map_or(BilledBefore::Nothing, |(_, peak)| BilledBefore::UpTo(peak));
            self.periods.push(BilledPeriod {
                start,
                earlier: earlier.unwrap_or_default(),
                peak: None,
                billed,
            });
        }
        if !(is_counted || is_new) {
            return;
        }
        let peak = self.meter.peak();
        let Some(newest) = self.periods.last() else {
            return;
        };
        let amount_before = if is_new {
            Amount::ZERO
        } else {
            self.amount_of(newest)
        };
        let newest = BilledPeriod {
            peak,
            ..newest.clone()
        };
        self.amount = self.amount + self.amount_of(&newest) - amount_before;
        if let Some(last) = self.periods.last_mut() {
            *last = newest;
        }
    }

    /// It with the running period that a meter has measured, as if this contract bills all of it.
    pub(super) fn of_running_period(mut self, meter: PeakMeter) -> Self {
        let start = meter.period();
        self.periods = vec![BilledPeriod {
            start,
            earlier: meter.before(start, self.terms.months - 1),
            peak: meter.peak(),
            billed: BilledBefore::Nothing,
        }];
        self.meter = meter;
        self.amount = self.periods.iter().map(|it| self.amount_of(it)).sum();
        self
    }

    /// Makes the peak of its newest period another one. If it has not begun the period of `running`
    /// yet, it begins it.
    pub(super) fn put_peak(&mut self, running: &Self, peak: Peak) {
        let Some(period) = running.periods.last() else {
            return;
        };
        if self.periods.last().is_none_or(|it| it.start < period.start) {
            self.periods.push(BilledPeriod {
                peak: None,
                ..period.clone()
            });
            self.amount = self.periods.iter().map(|it| self.amount_of(it)).sum();
        }
        let Some(mut newest) = self.periods.pop() else {
            return;
        };
        let before = self.amount_of(&newest);
        newest.peak = Some(peak);
        self.amount = self.amount + self.amount_of(&newest) - before;
        self.periods.push(newest);
    }

    /// Its meter.
    pub(super) const fn meter(&self) -> &PeakMeter {
        &self.meter
    }

    /// The lowest peak that it bills, if there is one.
    pub(super) fn least(&self) -> Option<Peak> {
        let least = self.terms.at_least_kw?;
        Some(Peak::of(MicroWh::of_kilowatthours(least)))
    }

    /// The peak, limited to the terms' range.
    pub(super) fn limited(&self, peak: Peak) -> Peak {
        let limit = |kilowatts: Decimal| Peak::of(MicroWh::of_kilowatthours(kilowatts));
        let least = self
            .terms
            .at_least_kw
            .map_or(peak, |least| peak.max(limit(least)));
        self.terms
            .at_most_kw
            .map_or(least, |most| least.min(limit(most)))
    }

    /// The mean to bill for a period with this peak; `None` if no peak is known.
    fn mean(&self, period: &BilledPeriod, peak: Option<Peak>) -> Option<MeanPeak> {
        let has_least =
            self.terms.at_least_kw.is_some() || matches!(self.terms.price, DemandPrice::Steps(_));
        let own = peak.or(has_least.then_some(Peak::default()));
        let all = period.earlier.iter().copied().chain(own);
        let all: Vec<Peak> = all.map(|peak| self.limited(peak)).collect();
        let count = i128::try_from(all.len()).ok().filter(|count| *count > 0)?;
        let sum = all.iter().map(|peak| peak.parts()).sum();
        Some(MeanPeak { sum, count })
    }

    /// The days of the contract in a period.
    fn days(&self, start: Timestamp) -> i64 {
        let (start, end) = self.measure().periods(&self.zone).containing(start);
        let (from, until) = self.in_force;
        days_between(start.max(from), end.min(until))
    }

    fn price_of(&self, start: Timestamp, mean: MeanPeak) -> Amount {
        match &self.terms.price {
            DemandPrice::PerKilowatt { price, per } => {
                let months = match self.measure().of.period {
                    Period::Billing => self.measure().billing.map_or(1, |it| it.months),
                    _ => 1,
                };
                let (parts, whole) = match per {
                    Period::Day => (i128::from(self.days(start)), 1),
                    Period::Year => (i128::from(months), 12),
                    _ => (1, 1),
                };
                // A kilowatt is a kilowatt-hour in an hour.
                Amount::ratio(*price, mean.sum * parts, mean.count * Peak::PARTS * whole)
            }
            DemandPrice::Steps(steps) => {
                let step = steps.iter().find(|step| {
                    step.up_to_kw.is_none_or(|end| {
                        let end = Peak::of(MicroWh::of_kilowatthours(end)).parts();
                        mean.sum <= end.saturating_mul(mean.count)
                    })
                });
                step.map_or(Amount::ZERO, |step| Amount::share(step.price, 1, 1))
            }
        }
    }

    /// The mean and amount of a period, less the part that the previous contract billed; `None` if
    /// nothing remains.
    fn due(&self, period: &BilledPeriod) -> Option<(MicroWh, Amount)> {
        let mean = self.mean(period, period.peak)?;
        let price_of = |mean| self.price_of(period.start, mean);
        let whole = (mean.power(), price_of(mean));
        let is_by_day = matches!(
            self.terms.price,
            DemandPrice::PerKilowatt {
                per: Period::Day,
                ..
            }
        );
        let billed = match period.billed {
            // Each contract bills its own days.
            _ if is_by_day => None,
            BilledBefore::Nothing => None,
            BilledBefore::UpTo(peak) => self.mean(period, peak),
        };
        let Some(billed) = billed else {
            return Some(whole);
        };
        let left = (whole.0 - billed.power(), whole.1 - price_of(billed));
        (left.0 > MicroWh::ZERO).then_some(left)
    }

    fn amount_of(&self, period: &BilledPeriod) -> Amount {
        self.due(period).map_or(Amount::ZERO, |(_, amount)| amount)
    }

    pub(super) fn lines(&self) -> Vec<ChargeLine> {
        let price = match &self.terms.price {
            DemandPrice::PerKilowatt {
                price,
                per: Period::Month,
            } => Some(*price),
            _ => None,
        };
        let line = |period: &BilledPeriod| {
            let (power, amount) = self.due(period)?;
            Some(ChargeLine {
                kind: LineKind::Demand,
                part: Some(LinePart::Named(self.period_told(period.start))),
                quantity: BilledQuantity::Power(power),
                price,
                amount,
            })
        };
        self.periods.iter().filter_map(line).collect()
    }

    fn period_told(&self, start: Timestamp) -> String {
        match self.measure().of.period {
            Period::Billing => LocalDate::at(start, &self.zone).to_string(),
            _ => month_told(&self.zone, start),
        }
    }
}

impl MeanPeak {
    /// The mean power, rounded to a millionth of a watt, half away from zero.
    fn power(self) -> MicroWh {
        let whole = self.count * Peak::PARTS;
        let rounded = (self.sum + whole / 2).checked_div(whole).unwrap_or(0);
        i64::try_from(rounded).map_or(MicroWh::MAX, MicroWh::new)
    }
}
