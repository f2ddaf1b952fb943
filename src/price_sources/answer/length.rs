//! How long prices without an end apply.

use crate::domain::Decimal;
use crate::domain::Timestamp;
use crate::ledger::contract::SeriesPrice;
use crate::price_sources::error::SourceError;

/// The longest time that a price without an end applies.
const LONGEST_MS: i64 = 3_600_000;

/// A time, its end and its price, if the answer has them.
pub(super) type TimedPrice = (Timestamp, Option<Timestamp>, Option<Decimal>);

/// The prices of an answer, in order. A price without an end applies as long as the shorter one of
/// the steps to its neighbours, at most an hour: so a day of quarters with a missing one has a gap,
/// and the last hour before the first quarter stays an hour. Where prices have ends, one without an end
/// applies until the next one, or until `open`.
///
/// # Errors
/// [`SourceError::Twice`] if two prices are for one time.
pub(super) fn with_ends(
    mut prices: Vec<TimedPrice>,
    open: Option<Timestamp>,
) -> Result<Vec<SeriesPrice>, SourceError> {
    prices.sort_by_key(|(time, ..)| *time);
    // Pages of an answer may overlap.
    prices.dedup();
    let mut found: Vec<SeriesPrice> = Vec::with_capacity(prices.len());
    for (index, &(from, end, price)) in prices.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| prices.get(index));
        let after = prices.get(index + 1);
        if after.is_some_and(|(after, ..)| *after == from) {
            return Err(SourceError::Twice(from));
        }
        let Some(price) = price else {
            continue;
        };
        let steps = [
            before.map(|(before, ..)| from.millis() - before.millis()),
            after.map(|(after, ..)| after.millis() - from.millis()),
        ];
        let step_ms = steps.into_iter().flatten().min();
        let step_ms = step_ms.unwrap_or(LONGEST_MS).min(LONGEST_MS);
        let next = after.map(|(after, ..)| *after);
        let to = match end.or(open.map(|open| next.unwrap_or(open))) {
            Some(to) => to,
            None => from.saturating_add_millis(step_ms),
        };
        if to <= from {
            continue;
        }
        if found.last().is_some_and(|last| from < last.to) {
            return Err(SourceError::Twice(from));
        }
        found.push(SeriesPrice { from, to, price });
    }
    Ok(found)
}
