//! Whether a kilowatt-hour is cheap now, for switches, and when it is next.

use std::ops::Range;

use super::question::CheapestQuestion;
use super::search::CheapestTime;
use super::stretch::PricedStretch;
use crate::domain::{Timestamp, Zone};
use crate::house::day_prices::DayPrices;
use crate::house::nights::AccountDays;

/// Less than this share of the day may be cheaper: of 24 hours, six.
const CHEAPER_SHARE: i64 = 4;
/// The price is at least this part of the day's mean below it: a tenth.
const BELOW_MEAN: i128 = 10;

impl DayPrices {
    /// The cheapest time of [`CheapestQuestion::USUAL`], as if `from` were now; `None` if it is not
    /// known, or if all prices until then are equal.
    #[must_use]
    pub fn usual_cheapest(&self, from: Timestamp, zone: &Zone) -> Option<CheapestTime> {
        let window = CheapestQuestion::USUAL.window(zone, from).ok()?;
        let known = self.known_in(&window.range())?;
        self.cheapest(&window).filter(|_| !known.are_equal)
    }

    /// The same within a range; `None` if the hours do not fit into it.
    #[must_use]
    pub fn usual_cheapest_within(&self, range: Range<Timestamp>) -> Option<CheapestTime> {
        let window = CheapestQuestion::USUAL.within(range)?;
        let known = self.known_in(&window.range())?;
        self.cheapest(&window).filter(|_| !known.are_equal)
    }

    /// Whether it is cheap at `now`, compared with the known prices of the same day by the clock of
    /// `zone`: less than a quarter of their time is cheaper, and the price is at least a tenth below
    /// their mean. `None` if the price is not known.
    #[must_use]
    pub fn is_cheap(&self, now: Timestamp, zone: &Zone) -> Option<bool> {
        let price = self.at(now)?.price;
        let days = AccountDays::new(zone.clone(), now);
        let today = PricedStretch::all(self, &(days.start(0)?..days.start(-1)?));
        let known_ms: i64 = today.iter().map(PricedStretch::length_ms).sum();
        let cost: i128 = today.iter().map(PricedStretch::cost).sum();
        let steps = today.iter().flat_map(PricedStretch::steps);
        let cheaper = steps.filter(|step| step.price < price);
        let cheaper_ms: i64 = cheaper
            .map(|step| step.to.millis() - step.from.millis())
            .sum();
        // The cost of this price all day, less the cost of the day.
        let above = i128::from(price.millionths()) * i128::from(known_ms) - cost;
        let is_below = above < 0 && -above * BELOW_MEAN >= cost.abs();
        Some(is_below && cheaper_ms * CHEAPER_SHARE < known_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Currency, Decimal, TimeRange};
    use crate::house::day_prices::PriceStep;
    use crate::house::tests::at;

    const HOUR_MS: i64 = 3_600_000;

    /// The hours of a day in Berlin that are cheap, by its prices in hundredths.
    fn cheap_hours(cents: [i64; 24]) -> Vec<i64> {
        let start = at("2026-03-01T23:00:00");
        let hour = |nth: i64| start.saturating_add_millis(nth * HOUR_MS);
        // Tomorrow's prices do not count.
        let all = cents.into_iter().chain([-100; 24]);
        let steps = (0..).zip(all).map(|(nth, cents)| PriceStep {
            from: hour(nth),
            to: hour(nth + 1),
            price: Decimal::from_millionths(cents * 10_000),
        });
        let known = DayPrices {
            range: TimeRange::new(start, hour(48)).unwrap(),
            currency: Currency::new("EUR").unwrap(),
            credits: Vec::new(),
            prices: steps.collect(),
        };
        let zone = Zone::parse("Europe/Berlin").unwrap();
        assert_eq!(known.is_cheap(hour(48), &zone), None);
        let is_cheap = |nth: &i64| known.is_cheap(hour(*nth), &zone).unwrap();
        (0..24).filter(is_cheap).collect()
    }

    #[test]
    fn the_cheapest_quarter_of_a_day_is_cheap() {
        let mut rising = [0; 24];
        (10..)
            .zip(&mut rising)
            .for_each(|(cents, price)| *price = cents);
        assert_eq!(cheap_hours(rising), [0, 1, 2, 3, 4, 5]);
        // Two prices: all hours of the lower one.
        let mut night = [35; 24];
        night[..8].fill(24);
        assert_eq!(cheap_hours(night), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_day_without_differences_has_nothing_cheap() {
        assert_eq!(cheap_hours([30; 24]), [0_i64; 0]);
        // 25 is less than a tenth below the mean of 27.5.
        let mut nearly = [28; 24];
        nearly[12..16].fill(25);
        assert_eq!(cheap_hours(nearly), [0_i64; 0]);
        nearly[12..16].fill(24);
        assert_eq!(cheap_hours(nearly), [12, 13, 14, 15]);
        // Also below zero: a tenth of the mean's size.
        let mut negative = [-10; 24];
        negative[3] = -11;
        negative[4] = -12;
        assert_eq!(cheap_hours(negative), [4]);
    }
}
