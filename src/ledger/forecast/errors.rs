//! How far a method was off in the house's own past.

use std::iter::successors;

use super::basis::{DayBasis, MONTH, WEEK, count};
use super::method::ForecastMethod;

/// A value with a range that holds 8 times in 10.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LikelyRange {
    /// Its lower end.
    pub low: f64,
    /// The most likely value.
    pub likely: f64,
    /// Its upper end.
    pub high: f64,
}

/// Bounds that hold 8 times in 10, as shares of a forecast: from `low`, more than -1, to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorBounds {
    /// Not positive.
    pub low: f64,
    /// Not negative.
    pub high: f64,
}

/// The sum of errors, each a share of the larger one of the forecast and the energy.
#[derive(Clone, Copy, Default)]
struct ErrorSum {
    errors: usize,
    sum: f64,
}

/// Eight of ten errors are at most so many times their mean: 1.61 where they are spread like a normal
/// or a Laplace distribution.
const WITHIN: f64 = 1.6;
/// So many errors are assumed beside those of the past.
const ASSUMED: f64 = 4.0;
/// Their size; and that beyond a month where nothing is known of other seasons.
const ASSUMED_ERROR: f64 = 0.15;
const ASSUMED_OF_SEASONS: f64 = 0.3;
/// The largest share: the range ends at a tenth and at ten times the forecast.
const MOST: f64 = 0.9;

impl ErrorBounds {
    /// Of what is certain.
    pub const NONE: Self = Self {
        low: 0.0,
        high: 0.0,
    };

    /// The bounds of the days from the basis' day until before `end`, by each of these methods: from
    /// the errors that it would have made with as many days as of the same day of each week before,
    /// as far as those days are over.
    pub(super) fn of_past<const N: usize>(
        basis: &DayBasis<'_>,
        end: usize,
        methods: [ForecastMethod; N],
    ) -> [Self; N] {
        let length = end.saturating_sub(basis.today);
        if length == 0 {
            return [Self::NONE; N];
        }
        let mut sums = [ErrorSum::default(); N];
        let last = basis.today.checked_sub(length.div_ceil(WEEK) * WEEK);
        for begin in successors(last, |begin| begin.checked_sub(WEEK)) {
            let Some(actual) = basis.sums.sum(begin..begin + length) else {
                continue;
            };
            let Some(past) = DayBasis::new(basis.sums, begin, basis.month_days) else {
                continue;
            };
            // Other seasons are known with last year alone.
            if length > MONTH && past.has_last_year != basis.has_last_year {
                continue;
            }
            let predicted = past.sums(methods, begin..begin + length);
            for ((sum, method), predicted) in sums.iter_mut().zip(methods).zip(predicted) {
                if past.offers(method) {
                    sum.add(predicted, actual);
                }
            }
        }
        let has_seasons = length <= MONTH || basis.has_last_year;
        sums.map(|sum| sum.bounds(length, has_seasons))
    }
}

impl ErrorSum {
    fn add(&mut self, predicted: f64, actual: f64) {
        let larger = predicted.max(actual);
        if larger > 0.0 {
            self.errors += 1;
            self.sum += (predicted - actual).abs() / larger;
        }
    }

    /// The bounds of a forecast of `length` days after these errors, which are a week apart.
    fn bounds(self, length: usize, has_seasons: bool) -> ErrorBounds {
        // Forecasts of the same days are wrong together.
        let apart = (count(WEEK) / count(length)).min(1.0);
        let errors = count(self.errors);
        let independent = if self.errors > 0 {
            1.0 + (errors - 1.0) * apart
        } else {
            0.0
        };
        let assumed = if has_seasons {
            ASSUMED_ERROR
        } else {
            ASSUMED_OF_SEASONS
        };
        let of_past = self.sum / errors.max(1.0) * independent;
        let mean = (of_past + assumed * ASSUMED) / (independent + ASSUMED);
        let share = (mean * WITHIN).min(MOST);
        // As a share of the larger one: the same factor less and more.
        ErrorBounds {
            low: -share,
            high: share / (1.0 - share),
        }
    }
}

impl LikelyRange {
    /// A value with these bounds.
    #[must_use]
    pub fn within(likely: f64, bounds: ErrorBounds) -> Self {
        Self {
            low: likely * (1.0 + bounds.low),
            likely,
            high: likely * (1.0 + bounds.high),
        }
    }

    /// The same with something that is certain.
    #[must_use]
    pub fn plus(self, certain: f64) -> Self {
        Self {
            low: self.low + certain,
            likely: self.likely + certain,
            high: self.high + certain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The percentages of so many equal errors.
    fn bounds(errors: usize, error: f64, length: usize) -> (f64, f64) {
        let sum = error * count(errors);
        let bounds = ErrorSum { errors, sum }.bounds(length, true);
        let percent = |bound: f64| (bound * 1_000.0).round() / 10.0;
        (percent(bounds.low), percent(bounds.high))
    }

    #[test]
    fn without_errors_some_are_assumed() {
        assert_eq!(bounds(0, 0.0, 21), (-24.0, 31.6));
        let without_seasons = ErrorSum::default().bounds(180, false);
        assert!((without_seasons.low + 0.48).abs() < 1e-9);
    }

    #[test]
    fn many_errors_tell_the_range() {
        // 96 independent ones of 10 %, and four of 15 %.
        assert_eq!(bounds(96, 0.1, 7), (-16.3, 19.5));
        // Of three weeks each, they are 32.7 that count.
        assert_eq!(bounds(96, 0.1, 21), (-16.9, 20.3));
    }

    #[test]
    fn a_range_ends_before_nothing() {
        assert_eq!(bounds(500, 0.9, 7), (-90.0, 900.0));
    }
}
