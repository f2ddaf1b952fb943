//! The components of a contract at work: each adds up its own amount, slot by slot.

use super::amount::Amount;
use super::bill::{BilledQuantity, ChargeLine, LineKind, LinePart};
use super::charge_base::{ChargeBase, ChargeSums};
use super::demand_charge::DemandCharge;
use super::fixed_charge::FixedCharge;
use super::peaks::PeakMeter;
use super::percent::Percent;
use super::period::share_until;
use super::period_amount::PeriodAmount;
use super::rate_charge::RateCharge;
use super::series::PriceSeries;
use crate::domain::{Decimal, MicroWh, Timestamp};
use crate::ledger::stretch::Flow;

/// A component and its amount so far.
#[derive(Clone, Debug)]
pub(super) enum Charge {
    Energy {
        rate: RateCharge,
        /// The sensors whose energy it counts, by their places among those of the pricer; if
        /// empty, what none of the contract names.
        of: Vec<usize>,
    },
    Export {
        rate: RateCharge,
        /// Where it is netted as energy is: the sensors of that energy, as `of` has them.
        against: Option<Vec<usize>>,
        /// What the credit is higher than the cost of energy.
        too_much: Option<PeriodAmount>,
    },
    Demand(DemandCharge),
    Fixed(FixedCharge),
    Minimum {
        price: Decimal,
        base: ChargeBase,
        lacking: PeriodAmount,
    },
    Tax {
        percent: Percent,
        base: ChargeBase,
        amount: Amount,
    },
}

/// The energy of a slot, as charges count it.
#[derive(Clone, Debug)]
pub(super) struct CountedEnergy {
    /// Of the house; `None` if that is unknown.
    pub(super) flow: Option<Flow>,
    /// What the house drew less the sensors that the contract names.
    pub(super) rest: MicroWh,
    /// What each sensor drew that contracts name, less those inside it that the contract names.
    pub(super) named: Vec<MicroWh>,
    /// Whether that is all that was drawn.
    pub(super) is_whole: bool,
}

impl CountedEnergy {
    /// The energy of these sensors, or of the rest if there are none.
    pub(super) fn of(&self, of: &[usize]) -> MicroWh {
        if of.is_empty() {
            return self.rest;
        }
        let named = of.iter().filter_map(|place| self.named.get(*place));
        named.copied().sum()
    }
}

impl Charge {
    /// Goes on with other prices.
    pub(super) fn set_series(&mut self, series: &[PriceSeries]) {
        if let Self::Energy { rate, .. } | Self::Export { rate, .. } = self {
            rate.set_series(series);
        }
    }

    /// Until when nothing changes for it after `time`.
    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        match self {
            Self::Energy { rate, .. } => rate.until(time),
            Self::Export { rate, too_much, .. } => {
                let until = too_much.as_mut().map(|limit| limit.until(time));
                rate.until(time).min(until.unwrap_or(Timestamp::MAX))
            }
            Self::Demand(demand) => demand.until(time),
            Self::Fixed(fixed) => fixed.until(time),
            Self::Minimum { lacking, .. } => lacking.until(time),
            Self::Tax { .. } => Timestamp::MAX,
        }
    }

    /// Whether energy before the bill counts for it, or for a charge that looks at all others.
    pub(super) const fn counts_before(&self, looks_at_all: bool) -> bool {
        match self {
            Self::Energy { rate, .. } | Self::Export { rate, .. } => {
                looks_at_all || rate.has_periods()
            }
            // Spans before the bill do not count.
            Self::Demand(_) => false,
            Self::Fixed(_) | Self::Minimum { .. } | Self::Tax { .. } => looks_at_all,
        }
    }

    /// Whether its amount depends on those of others in its period.
    pub(super) const fn looks_at_others(&self) -> bool {
        matches!(
            self,
            Self::Minimum { .. }
                | Self::Export {
                    too_much: Some(_),
                    ..
                }
        )
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

    /// Adds a stretch of constant prices, with its energy. `meters` have measured earlier peaks.
    /// Returns unpriced energy.
    pub(super) fn add(
        &mut self,
        (from, to): (Timestamp, Timestamp),
        energy: &CountedEnergy,
        meters: &[PeakMeter],
    ) -> Flow {
        let Flow { imported, exported } = energy.flow.unwrap_or_default();
        let mut unpriced = Flow::default();
        match self {
            Self::Energy { rate, of } => {
                unpriced.imported = rate.add(from, energy.of(of), exported);
            }
            Self::Export { rate, against, .. } => {
                let drawn = against.as_ref().map_or(imported, |of| energy.of(of));
                unpriced.exported = rate.add(from, exported, drawn);
            }
            Self::Demand(demand) => {
                let known = energy.flow.filter(|_| energy.is_whole);
                let history = meters.iter().find(|it| it.measure() == demand.measure());
                demand.add((from, to), known.map(|flow| flow.imported), history);
            }
            Self::Fixed(fixed) => fixed.add(from, to),
            Self::Minimum { .. } | Self::Tax { .. } => {}
        }
        unpriced
    }

    /// Begins to bill: what was added so far only counts for its periods.
    pub(super) fn forget(&mut self) {
        match self {
            Self::Energy { rate, .. } => rate.forget(),
            Self::Export { rate, too_much, .. } => {
                rate.forget();
                if let Some(limit) = too_much {
                    limit.forget();
                }
            }
            Self::Fixed(fixed) => fixed.forget(),
            Self::Minimum { lacking, .. } => lacking.forget(),
            // Spans before the bill do not count, and a tax has no periods.
            Self::Demand(_) | Self::Tax { .. } => {}
        }
    }

    pub(super) fn lines(&self) -> Vec<ChargeLine> {
        let one = |kind, quantity, price, amount| ChargeLine {
            kind,
            part: None,
            quantity,
            price,
            amount,
        };
        match self {
            Self::Energy { rate, .. } => rate.lines(LineKind::Energy),
            Self::Export { rate, too_much, .. } => {
                let mut lines = rate.lines(LineKind::Export);
                let less = too_much.as_ref().map(PeriodAmount::amount);
                let less = less.filter(|less| *less != Amount::ZERO);
                lines.extend(less.map(|less| ChargeLine {
                    part: Some(LinePart::AtMostEnergy),
                    ..one(LineKind::Export, BilledQuantity::None, None, less)
                }));
                lines
            }
            Self::Demand(demand) => demand.lines(),
            Self::Fixed(fixed) => vec![fixed.line()],
            Self::Minimum { lacking, .. } => {
                let amount = lacking.amount();
                vec![one(LineKind::Minimum, BilledQuantity::None, None, amount)]
            }
            Self::Tax {
                percent, amount, ..
            } => {
                let percent = BilledQuantity::Percent(*percent);
                vec![one(LineKind::Tax, percent, None, *amount)]
            }
        }
    }
}

/// Adds up charges in their order after a slot. Each tax is the part that it is of those before
/// it, and each minimum what they lack.
pub(super) fn sums_after(charges: &mut [Charge], (from, to): (Timestamp, Timestamp)) -> ChargeSums {
    let of_energy = charges.iter().map(|charge| match charge {
        Charge::Energy { rate, .. } => rate.amounts().0,
        _ => Amount::ZERO,
    });
    let of_energy: Amount = of_energy.sum();
    let mut all: Vec<ChargeSums> = Vec::with_capacity(charges.len());
    for charge in charges {
        let mut sums = ChargeSums::default();
        match charge {
            Charge::Energy { rate, .. } => (sums.costs, sums.credits) = rate.amounts(),
            Charge::Export { rate, too_much, .. } => {
                sums.credits = rate.amounts().0;
                if let Some(limit) = too_much {
                    limit.add(from, [sums.credits, of_energy], |_, _, [credit, energy]| {
                        (credit - energy.max(Amount::ZERO)).max(Amount::ZERO)
                    });
                    sums.credits = sums.credits - limit.amount();
                }
            }
            Charge::Demand(demand) => sums.costs = demand.amount(),
            Charge::Fixed(fixed) => sums.costs = fixed.amount(),
            Charge::Minimum {
                price,
                base,
                lacking,
            } => {
                let costs = base.amount(&all);
                lacking.add(from, [costs, Amount::ZERO], |period, begin, [costs, _]| {
                    let share = |time| share_until(*price, period, time);
                    (share(to) - share(begin) - costs).max(Amount::ZERO)
                });
                sums.costs = lacking.amount();
            }
            Charge::Tax {
                percent,
                base,
                amount,
            } => {
                *amount = base.amount(&all).percent(*percent);
                sums.costs = *amount;
            }
        }
        all.push(sums);
    }
    all.into_iter().sum()
}
