//! Prices without a gap, and the cost of a steady load.

use std::ops::Range;

use crate::domain::{Decimal, Timestamp};
use crate::house::day_prices::{DayPrices, PriceStep};

/// Prices that follow each other without a gap; at least one.
#[derive(Debug)]
pub(super) struct PricedStretch {
    /// In time order, each with the cost until it begins.
    steps: Vec<(PriceStep, i128)>,
    start: Timestamp,
    end: Timestamp,
}

impl PricedStretch {
    /// The stretches of a range, in time order.
    pub(super) fn all(known: &DayPrices, range: &Range<Timestamp>) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let within = known.prices.iter().map(|step| PriceStep {
            from: step.from.max(range.start),
            to: step.to.min(range.end),
            ..*step
        });
        for step in within.filter(|step| step.from < step.to) {
            match all.last_mut().filter(|last| last.end == step.from) {
                Some(last) => {
                    let cost = last.cost();
                    last.steps.push((step, cost));
                    last.end = step.to;
                }
                None => all.push(Self {
                    steps: vec![(step, 0)],
                    start: step.from,
                    end: step.to,
                }),
            }
        }
        all
    }

    /// Where it begins.
    pub(super) const fn start(&self) -> Timestamp {
        self.start
    }

    /// Where it ends.
    pub(super) const fn end(&self) -> Timestamp {
        self.end
    }

    /// Its length in milliseconds.
    pub(super) const fn length_ms(&self) -> i64 {
        self.end.millis() - self.start.millis()
    }

    /// Its prices.
    pub(super) fn steps(&self) -> impl Iterator<Item = &PriceStep> {
        self.steps.iter().map(|(step, _)| step)
    }

    /// The cost of all of it, as [`Self::cost_of`].
    pub(super) fn cost(&self) -> i128 {
        self.cost_until(self.end)
    }

    /// The cost of a steady load of a kilowatt between two times in it: in millionths of the
    /// currency times milliseconds, which is exact.
    pub(super) fn cost_of(&self, time: &Range<Timestamp>) -> i128 {
        self.cost_until(time.end) - self.cost_until(time.start)
    }

    fn cost_until(&self, time: Timestamp) -> i128 {
        let next = self.steps.partition_point(|(step, _)| step.from < time);
        let last = next.checked_sub(1).and_then(|place| self.steps.get(place));
        last.map_or(0, |(step, before)| {
            let until = time.min(step.to);
            let length_ms = until.millis() - step.from.millis();
            before + i128::from(step.price.millionths()) * i128::from(length_ms)
        })
    }
}

/// The mean price of a cost over so many milliseconds: to a millionth, half of one away from zero.
pub(super) fn mean_price(cost: i128, length_ms: i64) -> Decimal {
    let length_ms = i128::from(length_ms.max(1));
    let mean = (2 * cost + cost.signum() * length_ms) / (2 * length_ms);
    // A mean lies between the prices, so it is no larger than one of them.
    Decimal::from_millionths(i64::try_from(mean).unwrap_or_default())
}
