//! Means of prices over hours, days and months.

use super::{PriceSeries, SeriesPrice};
use crate::domain::words::words;
use crate::domain::{Calendar, Decimal, Interval, TimeRange, Timestamp, Zone};

/// The period whose mean price applies to all of its energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MeanPeriod {
    /// An hour of the clock.
    Hour,
    /// A day.
    Day,
    /// A month of the calendar.
    Month,
}

words! { MeanPeriod: Hour "hour", Day "day", Month "month"; "\"hour\", \"day\" or \"month\"" }

/// The prices of a period so far, of one part of its time.
#[derive(Clone, Copy, Debug, Default)]
struct PriceSum {
    /// Millionths of the currency times milliseconds.
    sum: i128,
    ms: i128,
}

/// The periods of means, by the clocks of a zone.
#[derive(Clone, Debug)]
pub struct MeanPeriods {
    calendar: Calendar,
    /// Whether a period that is not over has the mean of its prices so far.
    so_far: bool,
}

impl MeanPeriods {
    /// The periods of a kind.
    #[must_use]
    pub fn new(period: MeanPeriod, zone: &Zone) -> Self {
        let interval = match period {
            MeanPeriod::Hour => Interval::Hour,
            MeanPeriod::Day => Interval::Day,
            MeanPeriod::Month => Interval::Month,
        };
        Self {
            calendar: Calendar::new(zone.clone(), interval),
            so_far: period == MeanPeriod::Month,
        }
    }

    /// The period that contains a time: its start and its end, exclusive.
    pub fn containing(&mut self, time: Timestamp) -> (Timestamp, Timestamp) {
        let bucket = self.calendar.bucket(time);
        (bucket.start(), bucket.end().saturating_add_millis(1))
    }

    /// A range, extended to whole periods.
    #[must_use]
    pub fn around(mut self, range: TimeRange) -> TimeRange {
        let last = range.end().saturating_add_millis(-1).max(range.start());
        let (start, _) = self.containing(range.start());
        let (_, end) = self.containing(last);
        TimeRange::new(start, end).unwrap_or(range)
    }
}

impl PriceSeries {
    /// Whether it has the prices of another one, without comparing them.
    pub(in crate::ledger::contract) fn shares_prices_of(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&self.prices, &other.prices)
    }

    /// The mean prices of periods, weighted by time and rounded to a millionth. For each of `parts`
    /// parts of the time there is one series; `part_at` tells the part of a time, and until when
    /// that is so.
    ///
    /// A period with a hole has no mean. A month that goes on after the last price has the mean of
    /// its prices so far, up to that price.
    pub(in crate::ledger::contract) fn means(
        &self,
        periods: &mut MeanPeriods,
        parts: usize,
        mut part_at: impl FnMut(Timestamp) -> (Option<usize>, Timestamp),
    ) -> Vec<Self> {
        let mut all = vec![Vec::new(); parts];
        let mut sums = vec![PriceSum::default(); parts];
        let mut at = None;
        let mut rest = self.prices.iter().copied().peekable();
        while let Some(first) = rest.peek() {
            let (start, end) = periods.containing(first.from);
            sums.fill(PriceSum::default());
            let mut known = start.max(at.unwrap_or(start));
            let mut is_whole = known == start;
            while let Some(price) = rest.peek_mut().filter(|price| price.from < end) {
                is_whole &= price.from <= known;
                let to = price.to.min(end);
                let mut from = price.from;
                while from < to {
                    let (part, until) = part_at(from);
                    let until = until.clamp(from.saturating_add_millis(1), to);
                    if let Some(sum) = part.and_then(|part| sums.get_mut(part)) {
                        sum.add(price.price, until.millis() - from.millis());
                    }
                    from = until;
                }
                known = to;
                if price.to > end {
                    price.from = end;
                    break;
                }
                rest.next();
            }
            at = Some(known);
            let goes_on = known < end && periods.so_far && rest.peek().is_none();
            if !is_whole || !(known == end || goes_on) {
                continue;
            }
            for (prices, sum) in all.iter_mut().zip(&sums) {
                prices.extend(sum.mean().map(|price| SeriesPrice {
                    from: start,
                    to: known,
                    price,
                }));
            }
        }
        let of_part = |prices: Vec<SeriesPrice>| Self {
            prices: prices.into(),
            ..self.clone()
        };
        all.into_iter().map(of_part).collect()
    }
}

impl PriceSum {
    fn add(&mut self, price: Decimal, ms: i64) {
        self.sum += i128::from(price.millionths()) * i128::from(ms);
        self.ms += i128::from(ms);
    }

    /// Rounded to a millionth, half of one away from zero.
    fn mean(self) -> Option<Decimal> {
        let half = self.sum.signum() * self.ms / 2;
        let mean = (self.sum + half).checked_div(self.ms)?;
        i64::try_from(mean).ok().map(Decimal::from_millionths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::contract::Label;

    const HOUR_MS: i64 = 3_600_000;

    fn series(prices: &[(i64, i64, i64)]) -> PriceSeries {
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let prices = prices.iter().map(|&(from, to, price)| SeriesPrice {
            from: at(from),
            to: at(to),
            price: Decimal::from_millionths(price),
        });
        PriceSeries::new(Label::new("spot").unwrap(), prices.collect()).unwrap()
    }

    fn means(series: &PriceSeries, period: MeanPeriod) -> Vec<(i64, i64, i64)> {
        let mut periods = MeanPeriods::new(period, &Zone::UTC);
        let found = series.means(&mut periods, 1, |_| (Some(0), Timestamp::MAX));
        let told = |it: &SeriesPrice| (it.from.millis(), it.to.millis(), it.price.millionths());
        found[0].prices().iter().map(told).collect()
    }

    #[test]
    fn an_hour_has_the_mean_of_its_quarters_if_it_has_all_of_them() {
        let quarter = HOUR_MS / 4;
        let of = |places: &[i64]| {
            let prices = places
                .iter()
                .map(|it| (it * quarter, (it + 1) * quarter, it * 10));
            means(&series(&prices.collect::<Vec<_>>()), MeanPeriod::Hour)
        };
        assert_eq!(of(&[0, 1, 2, 3]), [(0, HOUR_MS, 15)]);
        // Half of a millionth is rounded away from zero.
        let odd = series(&[(0, HOUR_MS / 2, 1), (HOUR_MS / 2, HOUR_MS, 2)]);
        assert_eq!(means(&odd, MeanPeriod::Hour), [(0, HOUR_MS, 2)]);
        for places in [[0, 1, 2, 4], [1, 2, 3, 4], [0, 2, 3, 4]] {
            assert_eq!(of(&places), [], "{places:?}");
        }
        let two = of(&[0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(two, [(0, HOUR_MS, 15), (2 * HOUR_MS, 3 * HOUR_MS, 95)]);
        // A price that is longer than an hour.
        let long = series(&[(0, 3 * HOUR_MS, 7)]);
        let each = [0, 1, 2].map(|it| (it * HOUR_MS, (it + 1) * HOUR_MS, 7));
        assert_eq!(means(&long, MeanPeriod::Hour), each);
    }

    #[test]
    fn a_month_that_goes_on_has_the_mean_so_far() {
        const DAY_MS: i64 = 24 * HOUR_MS;
        let days = |days: &[i64]| {
            let prices = days
                .iter()
                .map(|it| (it * DAY_MS, (it + 1) * DAY_MS, it * 10));
            means(&series(&prices.collect::<Vec<_>>()), MeanPeriod::Month)
        };
        assert_eq!(days(&[0, 1, 2]), [(0, 3 * DAY_MS, 10)]);
        // A hole, a late beginning, and a month that ended early.
        assert_eq!(days(&[0, 1, 3]), []);
        assert_eq!(days(&[1, 2, 3]), []);
        assert_eq!(days(&[0, 1, 2, 40]), []);
    }
}
