//! Prices as lines of a table, and read again.

use std::collections::VecDeque;

use super::SeriesPrice;
use super::spacing::{DAILY_MS, IN_A_ROW, LONGEST_MS, SHORTEST_MS};
use crate::domain::{Decimal, Timestamp};

/// A line of a price table: the price from a time on, or the end of prices.
pub type PriceLine = (Timestamp, Option<Decimal>);

/// Writes prices as lines that, read again with the usual length, give the same prices and gaps.
///
/// A price gets a line for its end where there is a gap after it, and where a reader could take it
/// for shorter: unless it is one of many equally long ones.
#[derive(Clone, Debug, Default)]
pub struct PriceLines {
    /// Prices of equal length, not yet written, as too few are known: less than [`IN_A_ROW`].
    waiting: VecDeque<SeriesPrice>,
    /// The last price, if it is written, but not its end.
    open: Option<SeriesPrice>,
    /// The last lengths are equal, and so many that nobody takes them for chance.
    is_row: bool,
    /// The length of all prices so far, if there is one.
    all_ms: Option<i64>,
    has_lengths: bool,
}

impl PriceLines {
    /// The lines that the next price decides; those of the last ones follow later.
    pub fn of(&mut self, price: &SeriesPrice) -> impl Iterator<Item = PriceLine> + use<> {
        let mut lines = Vec::new();
        let length_ms = price.length_ms();
        let last = self.waiting.back().or(self.open.as_ref());
        let is_equal = last.is_some_and(|last| last.length_ms() == length_ms);
        if !is_equal {
            self.flush(&mut lines, false);
            self.is_row = false;
            self.all_ms = Some(length_ms).filter(|_| !self.has_lengths);
            self.has_lengths = true;
        }
        self.waiting.push_back(*price);
        let can_be_row = (SHORTEST_MS..=LONGEST_MS).contains(&length_ms);
        self.is_row |= can_be_row && self.waiting.len() >= IN_A_ROW;
        if self.is_row || !can_be_row {
            self.flush(&mut lines, self.is_row);
        }
        lines.into_iter()
    }

    /// The lines after the last price. Its end is left out if there are several, all as long, and
    /// shorter than a day: any reader takes it for as long as the one before it.
    pub fn end(mut self) -> impl Iterator<Item = PriceLine> {
        let mut lines = Vec::new();
        let is_alone = self.open.is_none() && self.waiting.len() < 2;
        let all_ms = self.all_ms.filter(|_| !is_alone);
        let all_ms = all_ms.filter(|all| (SHORTEST_MS..DAILY_MS).contains(all));
        self.flush(&mut lines, all_ms.is_some());
        let last = self.open.filter(|_| all_ms.is_none());
        lines.extend(last.map(|last| (last.to, None)));
        lines.into_iter()
    }

    /// Writes the waiting prices. If their lengths are certain, only gaps tell ends.
    fn flush(&mut self, lines: &mut Vec<PriceLine>, is_certain: bool) {
        for price in self.waiting.drain(..) {
            lines.extend(self.open.take().and_then(|last| end(&last, &price)));
            lines.push((price.from, Some(price.price)));
            if is_certain {
                self.open = Some(price);
            } else {
                lines.push((price.to, None));
            }
        }
    }
}

/// The end of a price of certain length before the next one.
fn end(last: &SeriesPrice, next: &SeriesPrice) -> Option<PriceLine> {
    (last.to != next.from).then_some((last.to, None))
}
