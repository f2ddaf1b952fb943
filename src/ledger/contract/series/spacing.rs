//! How long prices apply that only have a beginning.

use std::collections::{BTreeMap, VecDeque};
use std::iter;

use super::{PriceLength, PriceLine, SeriesError, SeriesPrice};
use crate::domain::Timestamp;

/// The length of a single price.
const LONE_MS: i64 = 3_600_000;
/// The longest time that a price applies whose end is not stated: a month. One in which the clocks
/// go back is longer than its days by an hour, and by two in some zones.
pub(super) const LONGEST_MS: i64 = 31 * 86_400_000 + 2 * 3_600_000;
/// Between the beginnings of two prices of an upload lies a minute. Markets have quarters of an
/// hour, some five minutes.
pub(super) const SHORTEST_MS: i64 = 60_000;
/// The number of steps before and after a price that tell the usual one: a day of hours.
const NEAR: usize = 24;
/// So many equal steps on one side of a price tell that it is usual to be so far apart: with few,
/// missing prices look the same.
const ENOUGH: usize = 8;
/// So many equal steps in a row are no chance, even if others are usual around them.
pub(super) const IN_A_ROW: usize = 12;
/// One price a day is at least so far from the next one: a day can have 23 hours.
pub(super) const DAILY_MS: i64 = 23 * 3_600_000;

/// A price's beginning, the time from there to the next line, if there is one, and whether that line
/// is its end.
type LineStep = (Timestamp, Option<i64>, bool);

/// Prices from lines in order of time, of one time the end before the price: each ends where the
/// next line begins, or sooner.
///
/// # Errors
/// [`SeriesError`] if two lines are for one time, or prices begin within a minute.
pub(super) fn with_ends(
    lines: &[PriceLine],
    length: PriceLength,
) -> Result<Vec<SeriesPrice>, SeriesError> {
    let nexts = lines.iter().skip(1).map(Some).chain([None]);
    let mut steps: Vec<LineStep> = Vec::with_capacity(lines.len());
    let mut prices = Vec::with_capacity(lines.len());
    for (&(from, price), next) in lines.iter().zip(nexts) {
        let Some(price) = price else {
            continue;
        };
        if next.is_some_and(|(next, _)| *next == from) {
            return Err(SeriesError::Twice(from));
        }
        let step_ms = next.map(|(next, _)| next.millis() - from.millis());
        let is_end = next.is_some_and(|(_, price)| price.is_none());
        if let Some((next, _)) = next.filter(|_| !is_end && step_ms < Some(SHORTEST_MS)) {
            return Err(SeriesError::TooClose(*next));
        }
        steps.push((from, step_ms, is_end));
        prices.push(price);
    }
    let lengths = lengths(&steps, length);
    let ends = steps.iter().zip(lengths).zip(prices);
    let prices = ends.map(|((&(from, ..), length_ms), price)| SeriesPrice {
        from,
        to: from.saturating_add_millis(length_ms),
        price,
    });
    Ok(prices.collect())
}

/// How long each price applies.
fn lengths(steps: &[LineStep], length: PriceLength) -> Vec<i64> {
    let most = |most: i64| {
        let lengths = steps
            .iter()
            .map(|(_, step, _)| step.unwrap_or(most).min(most));
        lengths.collect()
    };
    match length {
        PriceLength::Hour => most(3_600_000),
        PriceLength::Quarter => most(900_000),
        PriceLength::UntilNext => until_next(steps),
        PriceLength::Spacing => as_usual(steps),
    }
}

/// Each price until the next one, as [`PriceLength::UntilNext`].
fn until_next(steps: &[LineStep]) -> Vec<i64> {
    let lengths = steps.iter().map(|&(_, step, is_end)| match step {
        Some(step) if is_end => step,
        step => step.unwrap_or(LONGEST_MS).min(LONGEST_MS),
    });
    let mut lengths: Vec<i64> = lengths.collect();
    // The last of many a day is followed by another one soon.
    if let [.., (_, before, _), (_, None, _)] = steps
        && let Some(before_ms) = before.filter(|it| *it < DAILY_MS)
        && let Some(last) = lengths.last_mut()
    {
        *last = before_ms;
    }
    lengths
}

/// Each price as long as it is usual around it, as [`PriceLength::Spacing`].
fn as_usual(steps: &[LineStep]) -> Vec<i64> {
    let known = |step: &LineStep| step.1;
    let before = usual(steps.iter().map(known));
    let mut after = usual(steps.iter().rev().map(known));
    after.reverse();
    let around = before.into_iter().zip(after).zip(in_a_row(steps));
    let mut last_ms = None;
    let lengths =
        steps
            .iter()
            .zip(around)
            .map(|(&(_, step, is_end), ((before, after), in_a_row))| {
                let both = || before.into_iter().chain(after);
                let least = both().map(|(it, _)| it).min();
                let certain = || {
                    let certain = both().filter(|(_, count)| *count >= ENOUGH);
                    certain.map(|(it, _)| it)
                };
                // Where one is a part of the other, prices are missing on one side.
                let is_part = |part: &i64| certain().all(|it| it % part == 0);
                let usual = certain().min().filter(is_part).or(certain().max());
                let usual = usual.or(least);
                let length_ms = match step {
                    Some(step) if is_end => return *last_ms.insert(step),
                    Some(step) if in_a_row >= IN_A_ROW => step,
                    // Up to a quarter more is no hole: days and months have different lengths.
                    Some(step) if usual.is_none_or(|it| step <= it + it / 4) => step,
                    Some(step) => least.unwrap_or(step),
                    None => least.into_iter().chain(last_ms).min().unwrap_or(LONE_MS),
                };
                *last_ms.insert(length_ms.min(LONGEST_MS))
            });
    lengths.collect()
}

/// For each price, how many steps in a row, with its own, are equal.
fn in_a_row(steps: &[LineStep]) -> impl Iterator<Item = usize> {
    let runs = steps.chunk_by(|one, next| one.1 == next.1);
    runs.flat_map(|run| iter::repeat_n(run.len(), run.len()))
}

/// For each place, the usual one of the steps shortly before it and how often it occurs: the most
/// frequent one, and of equally frequent ones the shortest. Where a part of it is more than half as
/// frequent, prices are missing, and the part is the usual step.
fn usual(steps: impl Iterator<Item = Option<i64>>) -> Vec<Option<(i64, usize)>> {
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    let mut near: VecDeque<i64> = VecDeque::new();
    let usual = steps.map(|step| {
        let found = counts.iter().rev().max_by_key(|(_, count)| **count);
        let part = found.and_then(|(whole, most)| {
            let mut shorter = counts.range(..whole);
            shorter.find(|(step, count)| whole % **step == 0 && **count * 2 > *most)
        });
        let found = part.or(found).map(|(step, count)| (*step, *count));
        if let Some(step) = step {
            *counts.entry(step).or_default() += 1;
            near.push_back(step);
        }
        if near.len() > NEAR
            && let Some(old) = near.pop_front()
            && let Some(count) = counts.get_mut(&old)
        {
            *count -= 1;
            if *count == 0 {
                counts.remove(&old);
            }
        }
        found
    });
    usual.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::Decimal;
    use crate::domain::time::at;

    /// The lengths in minutes of prices that begin at these minutes.
    fn minutes(beginnings: &[i64], length: PriceLength) -> Vec<i64> {
        let line = |minute: &i64| (at(minute * 60_000), Some(Decimal::ONE));
        let lines: Vec<PriceLine> = beginnings.iter().map(line).collect();
        let prices = with_ends(&lines, length).unwrap();
        let length = |price: &SeriesPrice| (price.to.millis() - price.from.millis()) / 60_000;
        prices.iter().map(length).collect()
    }

    const DAY: i64 = 24 * 60;

    #[test]
    fn a_hole_is_a_hole() {
        let spacing = |beginnings: &[i64]| minutes(beginnings, PriceLength::Spacing);
        let hours: Vec<i64> = (0..24).chain(48..72).map(|hour| hour * 60).collect();
        assert_eq!(spacing(&hours), vec![60; 48]);
        let quarters: Vec<i64> = (0..96).filter(|it| it % 7 != 3).map(|it| it * 15).collect();
        assert_eq!(spacing(&quarters), vec![15; quarters.len()]);
        // A market changes from hours to quarters, and back.
        let change: Vec<i64> = (0..24)
            .map(|hour| hour * 60)
            .chain((96..192).map(|it| it * 15))
            .collect();
        let expected = [vec![60; 24], vec![15; 96]].concat();
        assert_eq!(spacing(&change), expected);
        let back: Vec<i64> = (0..96)
            .map(|it| it * 15)
            .chain((24..48).map(|hour| hour * 60))
            .collect();
        let expected = [vec![15; 96], vec![60; 24]].concat();
        assert_eq!(spacing(&back), expected);
        // One price a day, over changes of the clocks, with a missing day.
        let days = [
            0,
            DAY,
            2 * DAY - 60,
            3 * DAY - 60,
            5 * DAY - 60,
            6 * DAY,
            7 * DAY,
        ];
        assert_eq!(
            spacing(&days),
            [DAY, DAY - 60, DAY, DAY, DAY + 60, DAY, DAY]
        );
        // The first days of January to June.
        let months = [0, 31, 59, 90, 120, 151].map(|day| day * DAY);
        assert_eq!(
            spacing(&months)[..5],
            [31, 28, 31, 30, 31].map(|days| days * DAY)
        );
        assert_eq!(spacing(&[0]), [60]);
        assert_eq!(spacing(&[0, 30]), [30, 30]);
    }

    #[test]
    fn until_the_next_one_is_at_most_a_month() {
        let until_next = |beginnings: &[i64]| minutes(beginnings, PriceLength::UntilNext);
        let month = 31 * DAY + 2 * 60;
        assert_eq!(until_next(&[0, 60, 30 * DAY]), [60, 30 * DAY - 60, month]);
        assert_eq!(until_next(&[0, 40 * DAY]), [month; 2]);
        assert_eq!(until_next(&[0]), [month]);
        // Of many a day, the last one is as long as the one before it.
        assert_eq!(until_next(&[0, 60, 90]), [60, 30, 30]);
    }

    #[test]
    fn a_month_in_which_the_clocks_go_back_has_a_price_to_its_end() {
        // The first days of September to December in Europe/Berlin.
        let months = [0, 30 * DAY, 61 * DAY + 60, 91 * DAY + 60];
        for length in [PriceLength::UntilNext, PriceLength::Spacing] {
            let expected = [30 * DAY, 31 * DAY + 60, 30 * DAY];
            assert_eq!(minutes(&months, length)[..3], expected, "{length:?}");
        }
        // Twelve months and more are no row of equal steps.
        let days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        let mut begins = vec![0];
        for _ in 0..3 {
            for (nth, days) in days.into_iter().enumerate() {
                let change = match nth {
                    2 => -60,
                    9 => 60,
                    _ => 0,
                };
                begins.push(begins.last().unwrap() + days * DAY + change);
            }
        }
        let steps: Vec<i64> = begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
        for length in [PriceLength::UntilNext, PriceLength::Spacing] {
            assert_eq!(minutes(&begins, length)[..36], steps, "{length:?}");
        }
    }

    proptest! {
        /// With more missing ones, every second one may be there for half a day by chance: that
        /// looks like another spacing.
        #[test]
        fn missing_hours_have_no_price(there in proptest::collection::vec(prop::bool::weighted(0.85), 200), step in prop::sample::select(vec![5_i64, 15, 30, 60])) {
            let there: Vec<i64> = (0..).zip(there).filter(|(_, it)| *it).map(|(place, _)| place * step).collect();
            prop_assert_eq!(minutes(&there, PriceLength::Spacing), vec![step; there.len()]);
        }
    }
}
