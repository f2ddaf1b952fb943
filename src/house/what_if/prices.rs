//! The prices of a range in quarters of an hour, and how far they are known at each of them.

use std::ops::Range;

use super::clock::{ShownQuarter, quarters, start_of};
use crate::domain::time::{MS_PER_DAY, MS_PER_HOUR};
use crate::domain::{Account, Decimal, TimeRange, Timestamp};
use crate::house::day_prices::{DayPrices, PriceStep};
use crate::ledger::scenario::{HouseQuarter, PublishedPrices};
use crate::store::{Store, StoreError};

/// From this time of day on, the prices of the next day are known.
const PUBLISHED_MS: i64 = 13 * MS_PER_HOUR;
/// Prices are read for so long at once.
const PIECE_MS: i64 = 31 * MS_PER_DAY;

/// The price of a kilowatt-hour from the grid in each quarter of a range, by all components of the
/// contracts in force: the one that holds when it begins. At 13:00 those of the next day become
/// known; nothing is known of the time after the range. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub(super) fn known_prices(
    store: &Store,
    account: &Account,
    range: &Range<Timestamp>,
) -> Result<PublishedPrices, StoreError> {
    let ends = day_ends(range, account);
    let mut ends = ends.as_slice();
    let mut known = PublishedPrices::starting(HouseQuarter::number_of(range.start));
    let mut steps = PriceReader::new(range.clone());
    for quarter in quarters(range, &account.zone) {
        while let [(day, _), rest @ ..] = ends
            && *day < quarter.day
        {
            ends = rest;
        }
        let days = usize::from(quarter.time_ms >= PUBLISHED_MS);
        // The last day ends the range.
        let until = ends
            .get(days)
            .or(ends.last())
            .map_or(0, |(_, until)| *until);
        let price = steps.at(store, account, start_of(quarter.number))?;
        known.push(price, until);
    }
    Ok(known)
}

/// Each day of a range, with the number of the first quarter after it.
fn day_ends(range: &Range<Timestamp>, account: &Account) -> Vec<(i64, i64)> {
    let mut ends: Vec<(i64, i64)> = Vec::new();
    for ShownQuarter { number, day, .. } in quarters(range, &account.zone) {
        match ends.last_mut().filter(|(last, _)| *last == day) {
            Some((_, until)) => *until = number + 1,
            None => ends.push((day, number + 1)),
        }
    }
    ends
}

/// Reads ascending prices, some weeks at a time.
struct PriceReader {
    range: Range<Timestamp>,
    read_until: Timestamp,
    steps: std::vec::IntoIter<PriceStep>,
    step: Option<PriceStep>,
}

impl PriceReader {
    fn new(range: Range<Timestamp>) -> Self {
        Self {
            read_until: range.start,
            range,
            steps: Vec::new().into_iter(),
            step: None,
        }
    }

    /// The price at a time, which must not be before an earlier one; `None` if there is none.
    fn at(
        &mut self,
        store: &Store,
        account: &Account,
        time: Timestamp,
    ) -> Result<Option<Decimal>, StoreError> {
        // The first quarter may begin before the range.
        let time = time.max(self.range.start);
        if time >= self.read_until {
            let end = time.saturating_add_millis(PIECE_MS).min(self.range.end);
            let piece = TimeRange::new(time, end).unwrap_or(TimeRange::at(time));
            let prices = DayPrices::within(store, account, piece)?;
            let steps = prices.map_or_else(Vec::new, |found| found.prices);
            self.steps = steps.into_iter();
            self.step = self.steps.next();
            self.read_until = end.max(time.saturating_add_millis(1));
        }
        while self.step.is_some_and(|step| step.to <= time) {
            self.step = self.steps.next();
        }
        let holding = self.step.filter(|step| step.from <= time);
        Ok(holding.map(|step| step.price))
    }
}
