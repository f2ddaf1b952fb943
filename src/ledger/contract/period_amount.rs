//! Amounts that depend on a whole period: the amount so far rises or falls with each slot.

use super::amount::Amount;
use super::period::Periods;
use crate::domain::Timestamp;

/// The amount of a period so far, and of the periods before it.
#[derive(Clone, Debug)]
pub(super) struct PeriodAmount {
    periods: Periods,
    /// The end of the period.
    end: Timestamp,
    /// The sums that the amount depends on, at the beginning of the period and after the newest
    /// slot.
    first: [Amount; 2],
    newest: [Amount; 2],
    ended: Amount,
    running: Amount,
}

impl PeriodAmount {
    pub(super) const fn new(periods: Periods) -> Self {
        Self {
            periods,
            end: Timestamp::MIN,
            first: [Amount::ZERO; 2],
            newest: [Amount::ZERO; 2],
            ended: Amount::ZERO,
            running: Amount::ZERO,
        }
    }

    /// The end of the period that contains a time.
    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        self.periods.containing(time).1
    }

    /// Goes on where that of the contract before ended at `time`, if both have this period.
    pub(super) fn continue_from(&mut self, before: &Self, time: Timestamp) {
        let period = self.periods.going_on(&before.periods, time);
        if period.is_some_and(|(_, end)| end == before.end) {
            self.end = before.end;
            for (first, (start, end)) in self
                .first
                .iter_mut()
                .zip(before.first.into_iter().zip(before.newest))
            {
                *first = start - end;
            }
            (self.ended, self.running) = (-before.running, before.running);
        }
    }

    /// Adds a slot that begins at `from` and leads to these sums. `amount` computes the amount of a
    /// period from the rise of each sum in it.
    pub(super) fn add(
        &mut self,
        from: Timestamp,
        sums: [Amount; 2],
        amount: impl Fn([Amount; 2]) -> Amount,
    ) {
        if self.end <= from {
            self.end = self.periods.containing(from).1;
            self.ended = self.ended + self.running;
            self.first = self.newest;
        }
        self.newest = sums;
        let [one, other] = sums;
        self.running = amount([one - self.first[0], other - self.first[1]]);
    }

    /// The amount so far.
    pub(super) fn amount(&self) -> Amount {
        self.ended + self.running
    }

    /// Starts the bill: the sums return to zero, and amounts added so far are not billed.
    pub(super) fn start_bill(&mut self) {
        for (first, newest) in self.first.iter_mut().zip(&mut self.newest) {
            *first = *first - *newest;
            *newest = Amount::ZERO;
        }
        self.ended = -self.running;
    }
}
