//! The components of a contract at work: each adds up its own amount, slot by slot.

use super::amount::Amount;
use super::bill::{BilledQuantity, ChargeLine, LineKind, LinePart};
use super::charge_base::{ChargeBase, ChargeSums};
use super::demand_charge::DemandCharge;
use super::fixed_charge::FixedCharge;
use super::peaks::PeakMeter;
use super::percent::Percent;
use super::period_amount::PeriodAmount;
use super::rate_charge::RateCharge;
use super::series::PriceSeries;
use super::step_charge::StepCharge;
use crate::domain::{Decimal, MicroWh, Timestamp};
use crate::ledger::stretch::Flow;

/// A component and its amount so far.
#[derive(Clone, Debug)]
pub(super) enum Charge {
    Energy {
        rate: RateCharge,
        /// The sensors whose energy it counts, by their places in the pricer. Empty for the energy
        /// that is left.
        of: Vec<usize>,
    },
    Export {
        rate: RateCharge,
        /// The energy that it is netted against, as in `of`; `None` if it is not netted.
        against: Option<Vec<usize>>,
        /// The part of the credit above the cost of energy.
        above_limit: Option<PeriodAmount>,
    },
    Demand(DemandCharge),
    Fixed(FixedCharge),
    Steps(StepCharge),
    Maximum {
        /// The price of a kilowatt-hour, and the highest cost so far.
        price: Decimal,
        most: Amount,
        base: ChargeBase,
        excess: PeriodAmount,
    },
    Minimum {
        /// The lowest cost so far.
        least: FixedCharge,
        base: ChargeBase,
        shortfall: PeriodAmount,
    },
    Tax {
        percent: Percent,
        base: ChargeBase,
        amount: Amount,
        /// Whether the amount is taken off.
        is_discount: bool,
    },
}

/// The energy of a slot, in the form that charges count.
#[derive(Clone, Debug)]
pub(super) struct CountedEnergy {
    /// Of the house; `None` if that is unknown.
    pub(super) flow: Option<Flow>,
    /// The energy that the house drew, without that of the sensors named by the contract.
    pub(super) rest: MicroWh,
    /// The energy that each named sensor drew, without that of the named sensors inside it.
    pub(super) named: Vec<MicroWh>,
    /// Whether all drawn energy is known.
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
            Self::Export {
                rate, above_limit, ..
            } => {
                let until = above_limit.as_mut().map(|limit| limit.until(time));
                rate.until(time).min(until.unwrap_or(Timestamp::MAX))
            }
            Self::Demand(demand) => demand.until(time),
            Self::Fixed(fixed) => fixed.until(time),
            Self::Steps(steps) => steps.until(time),
            Self::Maximum { excess, .. } => excess.until(time),
            Self::Minimum {
                least, shortfall, ..
            } => least.until(time).min(shortfall.until(time)),
            Self::Tax { .. } => Timestamp::MAX,
        }
    }

    /// Whether energy before the bill matters: to this charge, or to one that looks at all others.
    pub(super) fn counts_before(&self, looks_at_all: bool) -> bool {
        match self {
            Self::Energy { rate, .. } | Self::Export { rate, .. } => {
                looks_at_all || rate.has_periods()
            }
            // Spans before the bill do not count.
            Self::Demand(_) => false,
            Self::Steps(_) => true,
            Self::Fixed(_) | Self::Minimum { .. } | Self::Maximum { .. } | Self::Tax { .. } => {
                looks_at_all
            }
        }
    }

    /// Whether its amount depends on other charges of the period.
    pub(super) const fn looks_at_others(&self) -> bool {
        matches!(
            self,
            Self::Minimum { .. }
                | Self::Maximum { .. }
                | Self::Export {
                    above_limit: Some(_),
                    ..
                }
        )
    }

    /// Goes on where the same charge of the contract before ended at `time`: amounts of a period
    /// that began before count on.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) {
        match (self, before) {
            (Self::Energy { rate, .. }, Self::Energy { rate: before, .. }) => {
                rate.continue_from(before, time);
            }
            (
                Self::Export {
                    rate, above_limit, ..
                },
                Self::Export {
                    rate: before,
                    above_limit: limit_before,
                    ..
                },
            ) => {
                rate.continue_from(before, time);
                if let Some((limit, before)) = above_limit.as_mut().zip(limit_before.as_ref()) {
                    limit.continue_from(before, time);
                }
            }
            (
                Self::Minimum { shortfall, .. },
                Self::Minimum {
                    shortfall: before, ..
                },
            ) => shortfall.continue_from(before, time),
            (Self::Maximum { excess, .. }, Self::Maximum { excess: before, .. }) => {
                excess.continue_from(before, time);
            }
            (Self::Steps(steps), Self::Steps(before)) => steps.continue_from(before, time),
            _ => {}
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
            Self::Fixed(fixed) | Self::Minimum { least: fixed, .. } => fixed.add(from, to),
            Self::Steps(steps) => steps.add(from, to, Flow { imported, exported }),
            Self::Maximum { price, most, .. } => *most = *most + Amount::of(*price, imported),
            Self::Tax { .. } => {}
        }
        unpriced
    }

    /// Starts the bill: energy and amounts added so far only count for their periods.
    pub(super) fn start_bill(&mut self) {
        match self {
            Self::Energy { rate, .. } => rate.start_bill(),
            Self::Export {
                rate, above_limit, ..
            } => {
                rate.start_bill();
                if let Some(limit) = above_limit {
                    limit.start_bill();
                }
            }
            Self::Fixed(fixed) => fixed.start_bill(),
            Self::Steps(steps) => steps.start_bill(),
            Self::Maximum { most, excess, .. } => {
                *most = Amount::ZERO;
                excess.start_bill();
            }
            Self::Minimum {
                least, shortfall, ..
            } => {
                least.start_bill();
                shortfall.start_bill();
            }
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
            Self::Export {
                rate, above_limit, ..
            } => {
                let mut lines = rate.lines(LineKind::Export);
                let less = above_limit.as_ref().map(PeriodAmount::amount);
                let less = less.filter(|less| *less != Amount::ZERO);
                lines.extend(less.map(|less| ChargeLine {
                    part: Some(LinePart::AtMostEnergy),
                    ..one(LineKind::Export, BilledQuantity::None, None, less)
                }));
                lines
            }
            Self::Demand(demand) => demand.lines(),
            Self::Fixed(fixed) => vec![fixed.line()],
            Self::Steps(steps) => steps.lines(),
            Self::Maximum { excess, .. } => {
                let amount = -excess.amount();
                vec![one(LineKind::Maximum, BilledQuantity::None, None, amount)]
            }
            Self::Minimum { shortfall, .. } => {
                let amount = shortfall.amount();
                vec![one(LineKind::Minimum, BilledQuantity::None, None, amount)]
            }
            Self::Tax {
                percent,
                amount,
                is_discount,
                ..
            } => {
                let kind = if *is_discount {
                    LineKind::Discount
                } else {
                    LineKind::Tax
                };
                let percent = BilledQuantity::Percent(*percent);
                vec![one(kind, percent, None, *amount)]
            }
        }
    }
}

/// A percentage of an amount: a tax on it, or a discount.
pub(super) fn share_of(amount: Amount, percent: Percent, is_discount: bool) -> Amount {
    let share = amount.percent(percent);
    if is_discount { -share } else { share }
}

/// Adds up the charges in order after a slot that begins at `from`. A tax is its percentage of the charges before it, and
/// a minimum is the difference to its price.
pub(super) fn sums_after(charges: &mut [Charge], from: Timestamp) -> ChargeSums {
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
            Charge::Export {
                rate, above_limit, ..
            } => {
                sums.credits = rate.amounts().0;
                if let Some(limit) = above_limit {
                    limit.add(from, [sums.credits, of_energy], |[credit, energy]| {
                        (credit - energy.max(Amount::ZERO)).max(Amount::ZERO)
                    });
                    sums.credits = sums.credits - limit.amount();
                }
            }
            Charge::Demand(demand) => sums.costs = demand.amount(),
            Charge::Fixed(fixed) => sums.costs = fixed.amount(),
            Charge::Steps(steps) => sums.costs = steps.amount(),
            Charge::Maximum {
                most, base, excess, ..
            } => {
                excess.add(from, [base.amount(&all), *most], |[costs, most]| {
                    (costs - most.max(Amount::ZERO)).max(Amount::ZERO)
                });
                sums.costs = -excess.amount();
            }
            Charge::Minimum {
                least,
                base,
                shortfall,
            } => {
                let both = [base.amount(&all), least.amount()];
                shortfall.add(from, both, |[costs, least]| {
                    (least - costs).max(Amount::ZERO)
                });
                sums.costs = shortfall.amount();
            }
            Charge::Tax {
                percent,
                base,
                amount,
                is_discount,
            } => {
                *amount = share_of(base.amount(&all), *percent, *is_discount);
                sums.costs = *amount;
            }
        }
        all.push(sums);
    }
    all.into_iter().sum()
}
