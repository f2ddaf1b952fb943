//! The cheapest time in a window: in one piece, or its cheapest quarters of an hour.

use std::ops::Range;

use super::stretch::{PricedStretch, mean_price};
use crate::domain::{Decimal, TimeRange, Timestamp};
use crate::house::day_prices::{DayPrices, PriceStep};

/// The time that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheapestWindow {
    /// It begins no sooner.
    pub start: Timestamp,
    /// It is over by then.
    pub end: Timestamp,
    /// Its length in milliseconds, more than 0.
    pub length_ms: i64,
    /// Whether it may be in several pieces. These are whole quarters of an hour, so its length is a
    /// multiple of one.
    pub is_split: bool,
}

/// The cheapest time in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheapestTime {
    /// Its pieces with their mean prices, in time order; at least one.
    pub pieces: Vec<PriceStep>,
    /// Its mean price.
    pub mean: Decimal,
}

/// The known prices of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownPrices {
    /// Their mean over time.
    pub mean: Decimal,
    /// The end of the last one.
    pub until: Timestamp,
    /// The time in the window without a price, in milliseconds.
    pub missing_ms: i64,
    /// Whether all are equal, so that no time is cheaper than another.
    pub are_equal: bool,
}

/// A quarter of an hour.
pub(super) const QUARTER_MS: i64 = 900_000;

impl CheapestWindow {
    /// From its start until its end.
    #[must_use]
    pub const fn range(&self) -> Range<Timestamp> {
        self.start..self.end
    }

    /// The same as a range of the store.
    #[must_use]
    pub fn time_range(&self) -> TimeRange {
        TimeRange::new(self.start, self.end).unwrap_or(TimeRange::at(self.start))
    }

    /// Whether such a time fits into it at all.
    #[must_use]
    pub fn has_room(&self) -> bool {
        let usable = if self.is_split {
            let [first, last] = whole_quarters(&self.range());
            last.saturating_sub(first).saturating_mul(QUARTER_MS)
        } else {
            self.end.millis().saturating_sub(self.start.millis())
        };
        self.length_ms <= usable
    }
}

impl CheapestTime {
    /// When its first piece begins.
    #[must_use]
    pub fn start(&self) -> Option<Timestamp> {
        self.pieces.first().map(|piece| piece.from)
    }

    /// When its last piece ends.
    #[must_use]
    pub fn end(&self) -> Option<Timestamp> {
        self.pieces.last().map(|piece| piece.to)
    }
}

impl DayPrices {
    /// The cheapest time in a window, the first one of several; `None` if prices are not known for
    /// so long.
    #[must_use]
    pub fn cheapest(&self, window: &CheapestWindow) -> Option<CheapestTime> {
        let stretches = PricedStretch::all(self, &window.range());
        if window.is_split {
            cheapest_quarters(&stretches, window.length_ms)
        } else {
            cheapest_piece(&stretches, window.length_ms)
        }
    }

    /// The known prices of a range; `None` if there are none.
    #[must_use]
    pub fn known_in(&self, range: &Range<Timestamp>) -> Option<KnownPrices> {
        let stretches = PricedStretch::all(self, range);
        let known_ms = stretches.iter().map(PricedStretch::length_ms).sum();
        let cost = stretches.iter().map(PricedStretch::cost).sum();
        let mut prices = stretches.iter().flat_map(PricedStretch::steps);
        let first = prices.next()?.price;
        Some(KnownPrices {
            mean: mean_price(cost, known_ms),
            until: stretches.last()?.end(),
            missing_ms: range.end.millis() - range.start.millis() - known_ms,
            are_equal: prices.all(|step| step.price == first),
        })
    }
}

/// Where prices change, the cost of a piece bends. So the cheapest one begins or ends there, or at
/// an end of the window.
fn cheapest_piece(stretches: &[PricedStretch], length_ms: i64) -> Option<CheapestTime> {
    let pieces = stretches.iter().flat_map(|stretch| {
        let begins = stretch.steps().map(|step| step.from);
        let ends = stretch.steps().map(|step| step.to);
        let starts = begins.chain(ends.map(move |to| to.saturating_add_millis(-length_ms)));
        starts.filter_map(move |from| {
            let to = from.saturating_add_millis(length_ms);
            let is_known = stretch.start() <= from && to <= stretch.end();
            is_known.then(|| (stretch.cost_of(&(from..to)), from, to))
        })
    });
    let (cost, from, to) = pieces.min()?;
    let mean = mean_price(cost, length_ms);
    let price = mean;
    Some(CheapestTime {
        pieces: vec![PriceStep { from, to, price }],
        mean,
    })
}

fn cheapest_quarters(stretches: &[PricedStretch], length_ms: i64) -> Option<CheapestTime> {
    let count = usize::try_from(length_ms / QUARTER_MS).ok()?;
    let quarters = stretches.iter().flat_map(|stretch| {
        let [first, end] = whole_quarters(&(stretch.start()..stretch.end()));
        (first..end).filter_map(move |nth| {
            let from = Timestamp::from_millis(nth * QUARTER_MS)?;
            let to = from.saturating_add_millis(QUARTER_MS);
            Some((stretch.cost_of(&(from..to)), from, to))
        })
    });
    let mut chosen: Vec<(i128, Timestamp, Timestamp)> = quarters.collect();
    chosen.sort_unstable();
    if chosen.len() < count {
        return None;
    }
    chosen.truncate(count);
    let mean = mean_price(chosen.iter().map(|(cost, ..)| cost).sum(), length_ms);
    chosen.sort_unstable_by_key(|(_, from, _)| *from);
    let mut pieces: Vec<(i128, Timestamp, Timestamp)> = Vec::new();
    for (cost, from, to) in chosen {
        match pieces.last_mut().filter(|(.., end)| *end == from) {
            Some((sum, _, end)) => (*sum, *end) = (*sum + cost, to),
            None => pieces.push((cost, from, to)),
        }
    }
    let pieces = pieces.into_iter().map(|(cost, from, to)| PriceStep {
        from,
        to,
        price: mean_price(cost, to.millis() - from.millis()),
    });
    Some(CheapestTime {
        pieces: pieces.collect(),
        mean,
    })
}

/// The first whole quarter of an hour in a range, and the one after the last, counted from 1970.
fn whole_quarters(range: &Range<Timestamp>) -> [i64; 2] {
    let before_start = range.start.millis().saturating_sub(1);
    let first = before_start.div_euclid(QUARTER_MS) + 1;
    [first, range.end.millis().div_euclid(QUARTER_MS)]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::Currency;
    use crate::house::tests::at;

    const HOUR_MS: i64 = 3_600_000;
    const MINUTE_MS: i64 = 60_000;

    fn start() -> Timestamp {
        at("2026-03-01T00:00:00")
    }

    fn minute(nth: i64) -> Timestamp {
        start().saturating_add_millis(nth * MINUTE_MS)
    }

    /// Prices by their first and last minute, in hundredths.
    fn prices(steps: &[(i64, i64, i64)]) -> DayPrices {
        let steps = steps.iter().map(|&(from, to, cents)| PriceStep {
            from: minute(from),
            to: minute(to),
            price: Decimal::from_millionths(cents * 10_000),
        });
        DayPrices {
            range: TimeRange::new(start(), minute(24 * 60)).unwrap(),
            currency: Currency::new("EUR").unwrap(),
            credits: Vec::new(),
            prices: steps.collect(),
        }
    }

    fn hourly(all: &[(i64, i64)]) -> DayPrices {
        let steps = all
            .iter()
            .map(|(nth, cents)| (nth * 60, nth * 60 + 60, *cents));
        prices(&steps.collect::<Vec<_>>())
    }

    fn window(from: i64, length: i64, is_split: bool) -> CheapestWindow {
        CheapestWindow {
            start: minute(from),
            end: minute(24 * 60),
            length_ms: length * MINUTE_MS,
            is_split,
        }
    }

    /// The minute that it begins at, and its mean price in millionths.
    fn found(known: &DayPrices, window: &CheapestWindow) -> Option<(i64, i64)> {
        let time = known.cheapest(window)?;
        let [piece] = &time.pieces[..] else {
            panic!("{time:?}")
        };
        assert_eq!(piece.to.millis() - piece.from.millis(), window.length_ms);
        assert_eq!(piece.price, time.mean);
        let minute = (piece.from.millis() - start().millis()) / MINUTE_MS;
        Some((minute, time.mean.millionths()))
    }

    #[test]
    fn the_cheapest_hours_lie_ahead_and_have_no_gap() {
        let day = [
            (0, 10),
            (1, 11),
            (2, 40),
            (3, 20),
            (4, 22),
            (5, 20),
            (6, 22),
        ];
        let day = hourly(&day);
        let two = |from| found(&day, &window(from, 120, false));
        assert_eq!(two(0), Some((0, 105_000)));
        // A machine that starts now cannot use an earlier hour, but the rest of this one.
        assert_eq!(two(30), Some((30, 180_000)));
        assert_eq!(two(60), Some((180, 210_000)));
        let gap = hourly(&[(0, 50), (1, 60), (3, 10), (5, 10)]);
        assert_eq!(found(&gap, &window(0, 120, false)), Some((0, 550_000)));
        assert_eq!(two(360), None);
        let equal = hourly(&[(0, 10), (1, 10), (2, 10)]);
        assert!(equal.known_in(&(start()..minute(180))).unwrap().are_equal);
        assert_eq!(found(&equal, &window(20, 60, false)), Some((20, 100_000)));
    }

    #[test]
    fn a_piece_may_end_where_a_price_ends() {
        // An hour and a half before the price rises.
        let known = hourly(&[(0, 30), (1, 20), (2, 10), (3, 50)]);
        assert_eq!(found(&known, &window(0, 90, false)), Some((90, 133_333)));
    }

    #[test]
    fn quarters_are_chosen_apart() {
        let known = prices(&[(0, 15, 30), (15, 30, 10), (30, 60, 20), (60, 75, 5)]);
        let time = known.cheapest(&window(0, 45, true)).unwrap();
        let pieces = time.pieces.iter().map(|it| (it.from, it.to, it.price));
        let cents = |cents: i64| Decimal::from_millionths(cents * 10_000);
        assert_eq!(
            pieces.collect::<Vec<_>>(),
            [
                (minute(15), minute(45), cents(15)),
                (minute(60), minute(75), cents(5))
            ]
        );
        assert_eq!(time.mean.to_string(), "0.116667");
        // Of the running quarter the rest is too short.
        let late = known.cheapest(&window(16, 30, true)).unwrap();
        assert_eq!(late.start(), Some(minute(30)));
        assert_eq!(known.cheapest(&window(0, 90, true)), None);
    }

    #[test]
    fn what_is_known_of_a_window_is_told() {
        let known = hourly(&[(0, 10), (1, 30), (3, 50)]);
        let told = known.known_in(&(minute(30)..minute(300))).unwrap();
        assert_eq!(told.until, minute(240));
        assert_eq!(told.missing_ms, 2 * HOUR_MS);
        // Half an hour at 10, and an hour each at 30 and 50.
        assert_eq!(told.mean.to_string(), "0.34");
        assert_eq!(known.known_in(&(minute(240)..minute(300))), None);
    }

    #[test]
    fn means_are_rounded_away_from_zero() {
        for (cost, length_ms, mean) in [(3, 2, 2), (-3, 2, -2), (1, 3, 0), (5, 3, 2), (-4, 3, -1)] {
            assert_eq!(mean_price(cost, length_ms), Decimal::from_millionths(mean));
        }
    }

    /// The cost of a time, minute by minute; `None` where a price is missing.
    fn minutes(known: &DayPrices, from: i64, length: i64) -> Option<i64> {
        let of = |nth| known.at(minute(nth)).map(|step| step.price.millionths());
        (from..from + length).map(of).sum()
    }

    /// Steps of five to ninety minutes, some without a price.
    fn day() -> impl Strategy<Value = DayPrices> {
        let step = (1..19_i64, -3..40_i64, 0..8_u8);
        prop::collection::vec(step, 1..60).prop_map(|all| {
            let mut from = 0;
            let steps = all.into_iter().filter_map(|(fives, cents, gap)| {
                let begin = from;
                from += fives * 5;
                (gap > 0).then_some((begin, from, cents))
            });
            prices(&steps.collect::<Vec<_>>())
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn no_other_piece_is_cheaper(known in day(), from in 0..300_i64, length in 1..20_i64, end in 300..1_500_i64) {
            let length = length * 7;
            let window = CheapestWindow { end: minute(end), ..window(from, length, false) };
            // All steps begin at a minute, so some cheapest piece does, too.
            let all = (from..=end - length).filter_map(|begin| Some((minutes(&known, begin, length)?, begin)));
            let least = all.min();
            let time = known.cheapest(&window);
            prop_assert_eq!(time.as_ref().and_then(CheapestTime::start), least.map(|(_, begin)| minute(begin)));
            if let Some((time, (cost, _))) = time.zip(least) {
                prop_assert_eq!(time.mean, mean_price(i128::from(cost), length));
            }
        }

        #[test]
        fn no_other_quarters_are_cheaper(known in day(), from in 0..300_i64, count in 1..12_usize) {
            let window = window(from, i64::try_from(count).unwrap() * 15, true);
            let quarters = (0..96).map(|nth| nth * 15).filter(|begin| *begin >= from);
            let mut all: Vec<i64> = quarters.filter_map(|begin| minutes(&known, begin, 15)).collect();
            all.sort_unstable();
            let least = (all.len() >= count).then(|| all.iter().take(count).sum::<i64>());
            let time = known.cheapest(&window);
            prop_assert_eq!(time.is_some(), least.is_some());
            if let Some((time, cost)) = time.zip(least) {
                prop_assert_eq!(time.mean, mean_price(i128::from(cost), window.length_ms / MINUTE_MS));
                let length: i64 = time.pieces.iter().map(|it| it.to.millis() - it.from.millis()).sum();
                prop_assert_eq!(length, window.length_ms);
                prop_assert!(time.pieces.windows(2).all(|pair| pair[0].to < pair[1].from));
            }
        }
    }
}
