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

/// The price of a kilowatt-hour from the grid in each quarter of a range, and the credit of one that
/// is fed in, by all components of the contracts in force: those that hold when it begins. At 13:00 those of the next day become
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
        let found = steps.at(store, account, start_of(quarter.number))?;
        known.push(found, until);
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
    prices: StepReader,
    credits: StepReader,
}

/// Steps in time order.
#[derive(Default)]
struct StepReader {
    rest: std::vec::IntoIter<PriceStep>,
    step: Option<PriceStep>,
}

impl PriceReader {
    fn new(range: Range<Timestamp>) -> Self {
        Self {
            read_until: range.start,
            range,
            prices: StepReader::default(),
            credits: StepReader::default(),
        }
    }

    /// The price and the credit at a time, which must not be before an earlier one; `None` if there is
    /// none.
    fn at(
        &mut self,
        store: &Store,
        account: &Account,
        time: Timestamp,
    ) -> Result<(Option<Decimal>, Option<Decimal>), StoreError> {
        // The first quarter may begin before the range.
        let time = time.max(self.range.start);
        if time >= self.read_until {
            let end = time.saturating_add_millis(PIECE_MS).min(self.range.end);
            let piece = TimeRange::new(time, end).unwrap_or(TimeRange::at(time));
            let prices = DayPrices::within(store, account, piece)?;
            let (prices, credits) = prices.map(|it| (it.prices, it.credits)).unwrap_or_default();
            self.prices = StepReader::new(prices);
            self.credits = StepReader::new(credits);
            self.read_until = end.max(time.saturating_add_millis(1));
        }
        Ok((self.prices.at(time), self.credits.at(time)))
    }
}

impl StepReader {
    fn new(steps: Vec<PriceStep>) -> Self {
        let mut rest = steps.into_iter();
        Self {
            step: rest.next(),
            rest,
        }
    }

    /// The price at a time, which must not be before an earlier one.
    fn at(&mut self, time: Timestamp) -> Option<Decimal> {
        while self.step.is_some_and(|step| step.to <= time) {
            self.step = self.rest.next();
        }
        let holding = self.step.filter(|step| step.from <= time);
        holding.map(|step| step.price)
    }
}
