//! Charges from the components of a contract.

use super::Label;
use super::amount::Amount;
use super::charge::Charge;
use super::charge_base::ChargeBase;
use super::component::{Component, TaxBase, Terms};
use super::demand_charge::DemandCharge;
use super::energy_terms::{EnergyTerms, ExportTerms};
use super::fixed_charge::FixedCharge;
use super::list::Contract;
use super::peaks::{PeakMeasure, PeakMeter};
use super::period::{DayShares, Period, Periods};
use super::period_amount::PeriodAmount;
use super::price_finder::{Announced, PriceFinder};
use super::rate::Rate;
use super::rate_charge::{CapCount, NetAccount, RateCharge, TierCount};
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
        let base = |of: TaxBase, on: &[Label]| ChargeBase {
            of,
            on: (!on.is_empty()).then(|| self.contract.places(on, place)),
        };
        match &component.terms {
            Terms::Energy(terms) => self.energy(terms),
            Terms::Export(terms) => self.export(terms),
            Terms::Demand(terms) => {
                let (holidays, billing) = (self.contract.holidays(), self.contract.billing());
                let measure = PeakMeasure::new(&terms.measure, holidays, billing);
                let meter = PeakMeter::new(measure, self.zone, &self.announced.days, self.time);
                Charge::Demand(DemandCharge::new(terms, meter, self.zone))
            }
            Terms::Fixed { price, per, of } => Charge::Fixed(self.fixed(*price, *per, of)),
            Terms::Minimum { price, per, of, on } => Charge::Minimum {
                least: self.fixed(*price, *per, &[]),
                base: base(*of, on),
                shortfall: PeriodAmount::new(self.periods(*per)),
            },
            Terms::Tax { percent, of, on } => Charge::Tax {
                percent: *percent,
                base: base(*of, on),
                amount: Amount::ZERO,
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
            netting,
            cap,
        } = terms;
        let finder = self.finder(rate);
        let netting = netting.map(|it| {
            let zones = it.by_zone.then(|| finder.parts());
            let surplus = it.period.as_period().map(|_| it.surplus);
            let periods = it.period.periods(self.contract.billing(), self.zone);
            NetAccount::new(periods, zones, surplus)
        });
        let cap = cap.map(|cap| {
            let period = cap.allowance.map(|(_, period)| self.periods(period));
            CapCount::new(cap, period)
        });
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
            netting,
            at_most,
        } = terms;
        let of_energy = self.contract.netting_of_spans();
        let against = of_energy.filter(|_| netting.is_none());
        let against = against.map(|(_, of)| self.places(of));
        let netting = netting.or(of_energy.map(|(span, _)| span));
        let netting =
            netting.map(|span| NetAccount::new(Periods::of_spans(span, self.zone), None, None));
        let limit = at_most.map(|_| PeriodAmount::new(self.periods(Period::Billing)));
        Charge::Export {
            rate: RateCharge::new(self.finder(rate), self.tiers(rate), netting, None),
            against,
            above_limit: limit,
        }
    }

    fn finder(&self, rate: &Rate) -> PriceFinder {
        PriceFinder::new(
            rate,
            self.contract.holidays(),
            self.zone,
            self.announced,
            self.time,
        )
    }

    fn tiers(&self, rate: &Rate) -> Option<TierCount> {
        let tiers = rate.tiers()?;
        let from = self.contract.from().start(self.zone);
        let periods = self.periods(tiers.period);
        Some(TierCount::new(tiers, periods, (from, self.until)))
    }

    fn periods(&self, period: Period) -> Periods {
        Periods::new(period, self.contract.billing(), self.zone)
    }
}
