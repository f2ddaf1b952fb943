//! The first energy of each period.

use super::period::Periods;
use crate::domain::{MicroWh, Timestamp};

/// The energy of a period so far, up to a limit.
#[derive(Clone, Debug)]
pub(super) struct EnergyLimit {
    most: MicroWh,
    /// `None` for one period without an end.
    periods: Option<Periods>,
    end: Timestamp,
    counted: MicroWh,
}

impl EnergyLimit {
    pub(super) const fn new(most: MicroWh, periods: Option<Periods>) -> Self {
        Self {
            most,
            periods,
            end: Timestamp::MIN,
            counted: MicroWh::ZERO,
        }
    }

    /// The energy of all periods, counted one by one.
    pub(super) const fn unlimited(periods: Periods) -> Self {
        Self::new(MicroWh::MAX, Some(periods))
    }

    /// Whether another period begins at a time.
    pub(super) fn is_over(&self, time: Timestamp) -> bool {
        self.end <= time
    }

    /// The period that contains a time: its start and its end, exclusive.
    pub(super) fn period(&mut self, time: Timestamp) -> (Timestamp, Timestamp) {
        let periods = self.periods.as_mut();
        let all = (Timestamp::MIN, Timestamp::MAX);
        periods.map_or(all, |periods| periods.containing(time))
    }

    /// The energy of the period so far.
    pub(super) const fn counted(&self) -> MicroWh {
        self.counted
    }

    /// Begins the period that contains a time, and returns its end.
    pub(super) fn begin(&mut self, time: Timestamp) -> Timestamp {
        if self.end <= time {
            let periods = self.periods.as_mut();
            let end = periods.map(|periods| periods.containing(time).1);
            (self.end, self.counted) = (end.unwrap_or(Timestamp::MAX), MicroWh::ZERO);
        }
        self.end
    }

    /// Goes on where that of the contract before ended at `time`. Returns whether both have this
    /// period.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) -> bool {
        let Some((periods, of)) = self.periods.as_mut().zip(before.periods.as_ref()) else {
            return false;
        };
        let period = periods.going_on(of, time);
        let is_same = period.is_some_and(|(_, end)| end == before.end);
        if is_same {
            (self.end, self.counted) = (before.end, before.counted);
        }
        is_same
    }

    /// How much energy is left in the period.
    pub(super) fn left(&self) -> MicroWh {
        (self.most - self.counted).max(MicroWh::ZERO)
    }

    /// Counts energy, and returns the part of it that is among the first.
    pub(super) fn add(&mut self, energy: MicroWh) -> MicroWh {
        let before = self.counted.min(self.most);
        self.counted = self.counted + energy;
        self.counted.min(self.most) - before
    }
}
