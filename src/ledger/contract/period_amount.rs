//! Amounts that depend on the whole of a period: the amount so far changes with each slot, up or
//! down.

use super::amount::Amount;
use super::period::Periods;
use crate::domain::Timestamp;

/// The amount of a period so far, and those of the periods before it.
#[derive(Clone, Debug)]
pub(super) struct PeriodAmount {
    periods: Periods,
    /// Its period: the start and the end.
    period: (Timestamp, Timestamp),
    /// From where on it counts in the period: a contract may begin later.
    begin: Timestamp,
    /// The sums that it depends on, at the beginning of the period and at the end of the newest
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
            period: (Timestamp::MIN, Timestamp::MIN),
            begin: Timestamp::MIN,
            first: [Amount::ZERO; 2],
            newest: [Amount::ZERO; 2],
            ended: Amount::ZERO,
            running: Amount::ZERO,
        }
    }

    /// Where the period of a time ends.
    pub(super) fn until(&mut self, time: Timestamp) -> Timestamp {
        self.periods.around(time).1
    }

    /// Adds a slot from a time on that leads to these sums. `amount` is the amount of a period by
    /// its start and its end, from where on it counts, and by how much each sum rose in it.
    pub(super) fn add(
        &mut self,
        from: Timestamp,
        sums: [Amount; 2],
        amount: impl Fn((Timestamp, Timestamp), Timestamp, [Amount; 2]) -> Amount,
    ) {
        if self.period.1 <= from {
            self.period = self.periods.around(from);
            self.begin = from;
            self.ended = self.ended + self.running;
            self.first = self.newest;
        }
        self.newest = sums;
        let [one, other] = sums;
        let rise = [one - self.first[0], other - self.first[1]];
        self.running = amount(self.period, self.begin, rise);
    }

    /// The amount so far.
    pub(super) fn amount(&self) -> Amount {
        self.ended + self.running
    }

    /// Begins to bill: the sums start again at zero, and what was added so far is not billed.
    pub(super) fn forget(&mut self) {
        for (first, newest) in self.first.iter_mut().zip(&mut self.newest) {
            *first = *first - *newest;
            *newest = Amount::ZERO;
        }
        self.ended = -self.running;
    }
}
