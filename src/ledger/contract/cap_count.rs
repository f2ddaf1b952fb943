//! A price cap at work.

use super::amount::{Amount, PricedEnergy};
use super::clock_finder::ClockFinder;
use super::energy_terms::PriceCap;
use super::period::Periods;
use crate::domain::{Decimal, MicroWh, Timestamp};

/// The energy of a period so far under a cap.
#[derive(Clone, Debug)]
pub(super) struct CapCount {
    cap: PriceCap,
    /// Its times; `None` for all.
    clock: Option<ClockFinder>,
    /// Whether it applies at the time of the last query.
    applies: bool,
    /// `None` if the cap applies to all energy.
    periods: Option<Periods>,
    end: Timestamp,
    counted: MicroWh,
    pub(super) of_capped: PricedEnergy,
}

impl CapCount {
    pub(super) const fn new(
        cap: PriceCap,
        clock: Option<ClockFinder>,
        periods: Option<Periods>,
    ) -> Self {
        Self {
            cap,
            clock,
            applies: true,
            periods,
            end: Timestamp::MIN,
            counted: MicroWh::ZERO,
            of_capped: PricedEnergy(MicroWh::ZERO, Amount::ZERO),
        }
    }

    /// Begins the period that contains a time.
    pub(super) fn begin(&mut self, time: Timestamp) {
        if self.end <= time {
            let periods = self.periods.as_mut();
            let end = periods.map(|periods| periods.containing(time).1);
            (self.end, self.counted) = (end.unwrap_or(Timestamp::MAX), MicroWh::ZERO);
        }
    }

    /// Goes on where that of the contract before ended at `time`.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) {
        if let Some((periods, of)) = self.periods.as_mut().zip(before.periods.as_ref())
            && let Some((_, end)) = periods.going_on(of, time)
            && end == before.end
        {
            (self.end, self.counted) = (end, before.counted);
        }
    }

    /// Finds out whether it applies at a time, and until when that or its period goes on.
    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        let Some(clock) = &mut self.clock else {
            return self.end;
        };
        let (found, until) = clock.at(time);
        self.applies = found.is_some();
        self.end.min(until)
    }

    /// How much energy is left under it at the time of the last query.
    pub(super) fn left(&self) -> MicroWh {
        if self.applies {
            self.cap.end() - self.counted
        } else {
            MicroWh::ZERO
        }
    }

    /// The highest price under it.
    pub(super) const fn price(&self) -> Decimal {
        self.cap.price
    }

    /// Counts energy that costs `price`, and takes off what is above the cap.
    pub(super) fn add(&mut self, price: Decimal, energy: MicroWh) {
        if !self.applies {
            return;
        }
        let end = self.cap.end();
        let before = self.counted.min(end);
        self.counted = self.counted + energy;
        let within = self.counted.min(end) - before;
        if price > self.cap.price {
            let PricedEnergy(energy, amount) = self.of_capped;
            let less = Amount::of(self.cap.price, within) - Amount::of(price, within);
            self.of_capped = PricedEnergy(energy + within, amount + less);
        }
    }
}
