//! Charges from the components of a contract.

use super::amount::Amount;
use super::announced::Announced;
use super::cap_count::CapCount;
use super::charge::Charge;
use super::charge_base::{ChargeBase, EarlierComponents};
use super::clock_finder::{ClockFinder, Surroundings};
use super::component::{Component, Terms};
use super::conditions::Conditions;
use super::demand_charge::DemandCharge;
use super::energy_terms::{EnergyTerms, ExportTerms};
use super::fixed_charge::FixedCharge;
use super::list::Contract;
use super::peaks::{PeakMeasure, PeakMeter};
use super::period::{DayShares, Period, Periods};
use super::period_amount::PeriodAmount;
use super::price_finder::PriceFinder;
use super::rate::Rate;
use super::rate_charge::{NetAccount, RateCharge};
use super::scope::{EnergyScope, ScopeCount};
use super::step_charge::StepCharge;
use super::tier_count::TierCount;
use crate::domain::{Decimal, SensorId, Timestamp, Zone};

/// A contract and its surroundings, to make charges from.
pub(super) struct ChargeMaker<'a> {
    pub(super) contract: &'a Contract,
    pub(super) zone: &'a Zone,
    pub(super) announced: &'a Announced,
    /// The sensors of the pricer.
    pub(super) sensors: &'a [SensorId],
    /// The start: no energy before it is added.
    pub(super) time: Timestamp,
    /// When the next contract begins.
    pub(super) until: Timestamp,
}

impl ChargeMaker<'_> {
    /// The charges of all components.
    pub(super) fn charges(&self) -> Vec<Charge> {
        let components = self.contract.components().iter().enumerate();
        components
            .map(|(place, component)| self.charge(place, component))
            .collect()
    }

    fn charge(&self, place: usize, component: &Component) -> Charge {
        let base = |EarlierComponents { of, on }: &EarlierComponents| ChargeBase {
            of: *of,
            on: (!on.is_empty()).then(|| self.contract.places(on, place)),
        };
        match &component.terms {
            Terms::Energy(terms) => self.energy(terms),
            Terms::Export(terms) => self.export(terms),
            Terms::Demand(terms) => {
                let (holidays, billing) = (self.contract.holidays(), self.contract.billing());
                let measure = PeakMeasure::new(&terms.measure, holidays, billing);
                let meter = PeakMeter::new(measure, self.zone, &self.announced.days, self.time);
                let charge = DemandCharge::new(terms, meter, self.zone, self.in_force());
                Charge::Demand(charge)
            }
            Terms::Steps { steps, per } => {
                let shares = DayShares::new(self.periods(*per), self.zone);
                let periods = self.periods(steps.period);
                Charge::Steps(StepCharge::new(steps, (*per, shares), periods))
            }
            Terms::Maximum {
                price,
                period,
                base: earlier,
            } => Charge::Maximum {
                price: *price,
                most: Amount::ZERO,
                base: base(earlier),
                excess: PeriodAmount::new(self.periods(*period)),
            },
            Terms::Fixed { price, per, of } => Charge::Fixed(self.fixed(*price, *per, of)),
            Terms::Minimum {
                price,
                per,
                base: earlier,
            } => Charge::Minimum {
                least: self.fixed(*price, *per, &[]),
                base: base(earlier),
                shortfall: PeriodAmount::new(self.periods(*per)),
            },
            Terms::Tax {
                percent,
                base: earlier,
            }
            | Terms::Discount {
                percent,
                base: earlier,
            } => Charge::Tax {
                percent: *percent,
                base: base(earlier),
                amount: Amount::ZERO,
                is_discount: matches!(component.terms, Terms::Discount { .. }),
            },
        }
    }

    fn fixed(&self, price: Decimal, per: Period, of: &[SensorId]) -> FixedCharge {
        let shares = DayShares::new(self.periods(per), self.zone);
        FixedCharge::new(price, per, shares, of)
    }

    fn energy(&self, terms: &EnergyTerms) -> Charge {
        let EnergyTerms {
            rate,
            of,
            scope,
            netting,
            cap,
        } = terms;
        let finder = PriceFinder::new(rate, self.around(), self.time);
        let netting = netting.map(|it| {
            let zones = it.by_zone.then(|| finder.parts());
            let surplus = it.period.as_period().map(|_| it.surplus);
            let periods = it.period.periods(self.contract.billing(), self.zone);
            NetAccount::new(periods, zones, (it.factor, surplus))
        });
        let cap = cap.as_ref().map(|cap| {
            let period = cap.allowance.map(|(_, period)| self.periods(period));
            let clock = || ClockFinder::new(vec![cap.when.clone()], self.around(), self.time);
            let clock = (cap.when != Conditions::ALWAYS).then(clock);
            CapCount::new(cap, clock, period)
        });
        let finder = (finder, self.scope(scope));
        Charge::Energy {
            rate: RateCharge::new(finder, self.tiers(rate), netting, cap),
            of: self.places(of),
        }
    }

    fn places(&self, of: &[SensorId]) -> Vec<usize> {
        let place = |id: &SensorId| self.sensors.iter().position(|known| known == id);
        of.iter().filter_map(place).collect()
    }

    fn export(&self, terms: &ExportTerms) -> Charge {
        let ExportTerms {
            rate,
            scope,
            netting,
            at_most,
        } = terms;
        let of_energy = self.contract.netting_of_spans();
        let against = of_energy.filter(|_| netting.is_none());
        let against = against.map(|(_, of)| self.places(of));
        let netting = netting.or(of_energy.map(|(span, _)| span));
        let netting = netting.map(|span| {
            let periods = Periods::of_spans(span, self.zone);
            NetAccount::new(periods, None, (Decimal::ONE, None))
        });
        let limit = at_most.map(|_| PeriodAmount::new(self.periods(Period::Billing)));
        let finder = PriceFinder::new(rate, self.around(), self.time);
        let finder = (finder, self.scope(scope));
        Charge::Export {
            rate: RateCharge::new(finder, self.tiers(rate), netting, None),
            against,
            above_limit: limit,
        }
    }

    const fn around(&self) -> Surroundings<'_> {
        Surroundings {
            holidays: self.contract.holidays(),
            zone: self.zone,
            announced: self.announced,
        }
    }

    fn scope(&self, scope: &EnergyScope) -> Option<ScopeCount> {
        ScopeCount::new(scope, self.around(), self.time, |it| self.periods(it))
    }

    /// Where the contract begins and ends.
    fn in_force(&self) -> (Timestamp, Timestamp) {
        (self.contract.from().start(self.zone), self.until)
    }

    fn tiers(&self, rate: &Rate) -> Option<TierCount> {
        let tiers = rate.tiers()?;
        let periods = self.periods(tiers.period);
        Some(TierCount::new(tiers, periods, self.zone, self.in_force()))
    }

    fn periods(&self, period: Period) -> Periods {
        Periods::new(period, self.contract.billing(), self.zone)
    }
}
