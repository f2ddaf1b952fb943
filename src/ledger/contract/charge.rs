//! The components of a contract at work: each adds up its own amount, slot by slot.

use std::iter;

use super::Period;
use super::amount::Amount;
use super::bill::{BilledQuantity, ChargeLine, LineKind};
use super::component::{Component, DemandSpan, TaxBase, Terms};
use super::holidays::Holidays;
use super::rate_charge::RateCharge;
use super::series::PriceSeries;
use crate::domain::{Calendar, Decimal, Interval, LocalDate, MicroWh, Timestamp, Zone};
use crate::ledger::stretch::Flow;

/// A component and its amount so far.
#[derive(Clone, Debug)]
pub(super) enum Charge {
    Energy(RateCharge),
    Export(RateCharge),
    Demand(DemandCharge),
    Fixed(FixedCharge),
    Tax {
        percent: Decimal,
        of: TaxBase,
        amount: Amount,
    },
}

/// The highest mean power of each month.
#[derive(Clone, Debug)]
pub(super) struct DemandCharge {
    price: Decimal,
    per: DemandSpan,
    spans: Calendar,
    months: Calendar,
    zone: Zone,
    /// The energy of the span so far, as slots follow each other; `None` if something of it is not
    /// known.
    span: Option<MicroWh>,
    /// The beginning of each month and its peak, as the energy of an hour at that power.
    peaks: Vec<(Timestamp, MicroWh)>,
    /// The first of these peaks as the contract before billed it, if that one measured it.
    billed: Option<MicroWh>,
}

/// A charge for time.
#[derive(Clone, Debug)]
pub(super) struct FixedCharge {
    price: Decimal,
    per: Period,
    periods: Calendar,
    amount: Amount,
    /// The number of periods, as the amount at a price of one.
    count: Amount,
}

impl Charge {
    pub(super) fn new(
        component: &Component,
        holidays: &Holidays,
        zone: &Zone,
        series: &[PriceSeries],
        time: Timestamp,
    ) -> Self {
        let rate_charge = |rate| RateCharge::new(rate, holidays, zone, series, time);
        match &component.terms {
            Terms::Energy(rate) => Self::Energy(rate_charge(rate)),
            Terms::Export(rate) => Self::Export(rate_charge(rate)),
            Terms::Demand { price, per } => Self::Demand(DemandCharge::new(*price, *per, zone)),
            Terms::Fixed { price, per } => Self::Fixed(FixedCharge {
                price: *price,
                per: *per,
                periods: Calendar::new(zone.clone(), per.interval()),
                amount: Amount::ZERO,
                count: Amount::ZERO,
            }),
            Terms::Tax { percent, of } => Self::Tax {
                percent: *percent,
                of: *of,
                amount: Amount::ZERO,
            },
        }
    }

    /// Goes on with other prices.
    pub(super) fn set_series(&mut self, series: &[PriceSeries]) {
        if let Self::Energy(rate) | Self::Export(rate) = self {
            rate.set_series(series);
        }
    }

    /// Until when nothing changes for it after `time`.
    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        let end = |calendar: &mut Calendar| calendar.bucket(time).end().saturating_add_millis(1);
        match self {
            Self::Energy(rate) | Self::Export(rate) => rate.at(time).1,
            Self::Demand(demand) => end(&mut demand.spans),
            Self::Fixed(fixed) => end(&mut fixed.periods),
            Self::Tax { .. } => Timestamp::MAX,
        }
    }

    /// After how much energy its tier ends that holds after so much: from the time on that was last
    /// asked for.
    pub(super) fn tier_end(&self, energy: MicroWh) -> Option<MicroWh> {
        match self {
            Self::Energy(rate) => rate.tier_end(energy),
            _ => None,
        }
    }

    pub(super) const fn demand(&self) -> Option<&DemandCharge> {
        match self {
            Self::Demand(demand) => Some(demand),
            _ => None,
        }
    }

    pub(super) const fn demand_mut(&mut self) -> Option<&mut DemandCharge> {
        match self {
            Self::Demand(demand) => Some(demand),
            _ => None,
        }
    }

    /// Whether energy before the range counts for it.
    pub(super) const fn has_tiers(&self) -> bool {
        matches!(self, Self::Energy(rate) if rate.has_tiers())
    }

    /// Adds a stretch of constant prices, with its energy if that is known, and whether the energy
    /// is complete. Returns unpriced energy.
    pub(super) fn add(
        &mut self,
        (from, to): (Timestamp, Timestamp),
        flow: Option<Flow>,
        is_whole: bool,
    ) -> Flow {
        let energy = flow.unwrap_or_default();
        let mut unpriced = Flow::default();
        match self {
            Self::Energy(rate) => {
                if !rate.add(from, energy.imported) {
                    unpriced.imported = energy.imported;
                }
            }
            Self::Export(rate) => {
                if !rate.add(from, energy.exported) {
                    unpriced.exported = energy.exported;
                }
            }
            Self::Demand(demand) => {
                let known = flow.filter(|_| is_whole);
                demand.add(from, to, known.map(|flow| flow.imported));
            }
            Self::Fixed(fixed) => fixed.add(from, to),
            Self::Tax { .. } => {}
        }
        unpriced
    }

    pub(super) fn lines(&self) -> Vec<ChargeLine> {
        match self {
            Self::Energy(rate) => rate.lines(LineKind::Energy),
            Self::Export(rate) => rate.lines(LineKind::Export),
            Self::Demand(demand) => demand.lines(),
            Self::Fixed(fixed) => vec![ChargeLine {
                kind: LineKind::Fixed,
                part: None,
                quantity: BilledQuantity::Time(fixed.count.rounded(), fixed.per),
                price: Some(fixed.price),
                amount: fixed.amount,
            }],
            Self::Tax {
                percent, amount, ..
            } => vec![ChargeLine {
                kind: LineKind::Tax,
                part: None,
                quantity: BilledQuantity::Percent(*percent),
                price: None,
                amount: *amount,
            }],
        }
    }
}

impl DemandCharge {
    fn new(price: Decimal, per: DemandSpan, zone: &Zone) -> Self {
        Self {
            price,
            per,
            spans: Calendar::new(zone.clone(), per.interval()),
            months: Calendar::new(zone.clone(), Interval::Month),
            zone: zone.clone(),
            span: None,
            peaks: Vec::new(),
            billed: None,
        }
    }

    pub(super) const fn per(&self) -> DemandSpan {
        self.per
    }

    /// Goes on after the same of the contract before: a peak of this month is billed once.
    pub(super) fn go_on_after(&mut self, before: &Self) {
        self.peaks.extend(before.peaks.last());
        self.billed = before.peaks.last().map(|(_, peak)| *peak);
    }

    /// Each month with a part of its peak to bill, and that part.
    fn due(&self) -> impl Iterator<Item = (Timestamp, MicroWh)> {
        let billed = iter::once(self.billed).chain(iter::repeat(None));
        let due = self.peaks.iter().zip(billed);
        due.filter(|((_, peak), billed)| billed.is_none_or(|billed| billed < *peak))
            .map(|(&(month, peak), billed)| (month, peak - billed.unwrap_or_default()))
    }

    fn add(&mut self, from: Timestamp, to: Timestamp, imported: Option<MicroWh>) {
        let span = self.spans.bucket(from);
        let before = if from == span.start() {
            Some(MicroWh::ZERO)
        } else {
            self.span
        };
        let energy = before.zip(imported).map(|(before, energy)| before + energy);
        self.span = energy;
        // A span counts once it is complete, and only if all of it is known.
        let end = span.end().saturating_add_millis(1);
        let Some(energy) = energy.filter(|_| to == end) else {
            return;
        };
        let length_ms = i128::from(end.millis() - span.start().millis());
        let an_hour = (i128::from(energy.millionths()) * 3_600_000).checked_div(length_ms);
        let mean = an_hour
            .and_then(|mean| i64::try_from(mean).ok())
            .map_or(MicroWh::MAX, MicroWh::new);
        let month = self.months.bucket(from).start();
        match self.peaks.last_mut().filter(|(of, _)| *of == month) {
            Some((_, peak)) => *peak = mean.max(*peak),
            None => self.peaks.push((month, mean)),
        }
    }

    fn amount(&self) -> Amount {
        // A kilowatt is a kilowatt-hour in an hour.
        self.due()
            .map(|(_, peak)| Amount::of(self.price, peak))
            .sum()
    }

    fn lines(&self) -> Vec<ChargeLine> {
        let line = |(month, peak): (Timestamp, MicroWh)| ChargeLine {
            kind: LineKind::Demand,
            part: Some(month_told(&self.zone, month)),
            quantity: BilledQuantity::Power(peak),
            price: Some(self.price),
            amount: Amount::of(self.price, peak),
        };
        self.due().map(line).collect()
    }
}

fn month_told(zone: &Zone, month: Timestamp) -> String {
    let date = LocalDate::at(month, zone);
    format!("{:04}-{:02}", date.year(), date.month())
}

impl FixedCharge {
    fn add(&mut self, from: Timestamp, to: Timestamp) {
        let period = self.periods.bucket(from);
        let start_ms = period.start().millis();
        let length_ms = period.end().millis() + 1 - start_ms;
        // Both ends are measured from the period's beginning, so that the slots add up to the whole
        // exactly.
        let between = |price: Decimal| {
            let until = |time: Timestamp| Amount::share(price, time.millis() - start_ms, length_ms);
            until(to) - until(from)
        };
        self.amount = self.amount + between(self.price);
        self.count = self.count + between(Decimal::ONE);
    }
}

/// The amounts of charges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChargeSums {
    /// Costs and taxes.
    pub(super) costs: Amount,
    pub(super) credits: Amount,
}

impl ChargeSums {
    /// Adds up charges in their order, and makes each tax the part that it is of those before it.
    pub(super) fn of(charges: &mut [Charge]) -> Self {
        let mut sums = Self::default();
        for charge in charges {
            match charge {
                Charge::Energy(rate) => sums.costs = sums.costs + rate.amount(),
                Charge::Export(rate) => sums.credits = sums.credits + rate.amount(),
                Charge::Demand(demand) => sums.costs = sums.costs + demand.amount(),
                Charge::Fixed(fixed) => sums.costs = sums.costs + fixed.amount,
                Charge::Tax {
                    percent,
                    of,
                    amount,
                } => {
                    *amount = sums.base(*of).percent(*percent);
                    sums.costs = sums.costs + *amount;
                }
            }
        }
        sums
    }

    /// The base of a tax.
    pub(super) fn base(self, of: TaxBase) -> Amount {
        match of {
            TaxBase::Net => self.costs - self.credits,
            TaxBase::Costs => self.costs,
        }
    }
}
