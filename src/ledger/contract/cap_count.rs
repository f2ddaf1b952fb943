//! A price cap at work.

use super::amount::{Amount, PricedEnergy};
use super::clock_finder::ClockFinder;
use super::energy_limit::EnergyLimit;
use super::energy_terms::PriceCap;
use super::period::Periods;
use crate::domain::{Decimal, MicroWh, Timestamp};

/// The highest price of the first energy of each period, and the amount that it subtracted.
#[derive(Clone, Debug)]
pub(super) struct CapCount {
    price: Decimal,
    /// Its times; `None` for all.
    clock: Option<ClockFinder>,
    /// Whether it applies at the time of the last query.
    applies: bool,
    limit: EnergyLimit,
    pub(super) of_capped: PricedEnergy,
}

impl CapCount {
    pub(super) fn new(
        cap: &PriceCap,
        clock: Option<ClockFinder>,
        periods: Option<Periods>,
    ) -> Self {
        Self {
            price: cap.price,
            clock,
            applies: true,
            limit: EnergyLimit::new(cap.end(), periods),
            of_capped: PricedEnergy(MicroWh::ZERO, Amount::ZERO),
        }
    }

    /// Goes on where that of the contract before ended at `time`.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) {
        self.limit.continue_from(&before.limit, time);
    }

    /// Begins the period that contains a time, finds out whether it applies then, and until when that
    /// or its period goes on.
    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        let end = self.limit.begin(time);
        let Some(clock) = &mut self.clock else {
            return end;
        };
        let (found, until) = clock.at(time);
        self.applies = found.is_some();
        end.min(until)
    }

    /// How much energy is left under it at the time of the last query.
    pub(super) fn left(&self) -> MicroWh {
        if self.applies {
            self.limit.left()
        } else {
            MicroWh::ZERO
        }
    }

    /// The highest price under it.
    pub(super) const fn price(&self) -> Decimal {
        self.price
    }

    /// Counts energy that costs `price`, and takes off what is above the cap.
    pub(super) fn add(&mut self, price: Decimal, energy: MicroWh) {
        if !self.applies {
            return;
        }
        let within = self.limit.add(energy);
        if price > self.price {
            let PricedEnergy(energy, amount) = self.of_capped;
            let less = Amount::of(self.price, within) - Amount::of(price, within);
            self.of_capped = PricedEnergy(energy + within, amount + less);
        }
    }
}
