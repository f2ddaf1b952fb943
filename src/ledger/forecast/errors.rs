//! How far the method was off in the house's own past.

use std::iter::successors;

use super::method::{DayForecast, ForecastMethod, count};
use super::sums::DailySums;

/// Bounds that hold 8 times in 10, as shares of a forecast: from `low`, at least -1, to `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorBounds {
    /// Not positive.
    pub low: f64,
    /// Not negative.
    pub high: f64,
}

const WEEK: usize = 7;
/// The share of forecasts that each bound may miss.
const MISSED: f64 = 0.1;
/// Fewer independent errors than this tell too little: the bounds are widened.
const ENOUGH: f64 = 4.0;
/// The least error that is assumed then.
const ASSUMED: f64 = 0.2;

impl ErrorBounds {
    /// Of what is certain.
    pub const NONE: Self = Self {
        low: 0.0,
        high: 0.0,
    };

    /// The bounds of a forecast of `length` days, made at the beginning of the day `today`: from the
    /// errors that it would have made from the same day of each week before, as far as the days it
    /// was about are over. Only forecasts that look at last year, or only those that do not, are
    /// alike.
    #[must_use]
    pub fn of_past(
        sums: &DailySums,
        (today, length): (usize, usize),
        method: ForecastMethod,
        has_last_year: bool,
    ) -> Self {
        let last = today.checked_sub(length.max(1).div_ceil(WEEK) * WEEK);
        let begins = successors(last, |begin| begin.checked_sub(WEEK));
        let errors = begins.filter_map(|begin| {
            let forecast = DayForecast::new(sums, begin, method)?;
            let actual = sums.sum(begin..begin + length)?;
            let predicted = forecast.sum(begin..begin + length);
            let is_alike = forecast.has_last_year() == has_last_year;
            (is_alike && predicted > 0.0).then(|| actual / predicted - 1.0)
        });
        Self::of(errors.collect(), length)
    }

    /// The bounds after these errors of forecasts of `length` days, which began a week apart.
    fn of(mut errors: Vec<f64>, length: usize) -> Self {
        errors.sort_unstable_by(f64::total_cmp);
        let smallest = errors.first().copied().unwrap_or_default();
        let largest = errors.last().copied().unwrap_or_default();
        // Forecasts of the same days are wrong together.
        let apart = (count(WEEK) / count(length.max(1))).min(1.0);
        let more = count(errors.len().saturating_sub(1));
        let independent = if errors.is_empty() {
            0.0
        } else {
            1.0 + more * apart
        };
        let (low, high) = if independent < ENOUGH {
            let wider = 2.0 - independent / ENOUGH;
            (smallest.min(-ASSUMED) * wider, largest.max(ASSUMED) * wider)
        } else {
            // The next error is as likely before the first, between any two or behind the last.
            let from_end = ((MISSED * (independent + 1.0) - 1.0) / (independent - 1.0)).max(0.0);
            (at(&errors, from_end), at(&errors, 1.0 - from_end))
        };
        Self {
            low: low.clamp(-1.0, 0.0),
            high: high.max(0.0),
        }
    }
}

/// The value at a share of the way from the first to the last, between two if it lies there.
fn at(sorted: &[f64], share: f64) -> f64 {
    let place = share * count(sorted.len().saturating_sub(1));
    let mut before = 0;
    while count(before + 1) <= place {
        before += 1;
    }
    let one = sorted.get(before).copied().unwrap_or_default();
    let next = sorted.get(before + 1).copied().unwrap_or(one);
    one + (next - one) * (place - count(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(errors: &[f64], length: usize) -> (f64, f64) {
        let bounds = ErrorBounds::of(errors.to_vec(), length);
        let rounded = |bound: f64| (bound * 1e6).round() / 1e6;
        (rounded(bounds.low), rounded(bounds.high))
    }

    #[test]
    fn eight_of_ten_errors_lie_within() {
        // 19 weeks: the second smallest and the second largest.
        let errors: Vec<f64> = (0..19).map(|n| f64::from(n - 9) / 100.0).collect();
        assert_eq!(bounds(&errors, 7), (-0.08, 0.08));
        // Of three weeks each, they are seven that count: the smallest and the largest.
        assert_eq!(bounds(&errors, 21), (-0.09, 0.09));
    }

    #[test]
    fn few_errors_make_a_wide_range() {
        assert_eq!(bounds(&[], 21), (-0.4, 0.4));
        assert_eq!(bounds(&[0.05], 21), (-0.35, 0.35));
        assert_eq!(bounds(&[-0.5, 0.6], 7), (-0.75, 0.9));
        // No energy can be less than none.
        assert_eq!(bounds(&[-0.9, 0.1], 7), (-1.0, 0.3));
    }

    #[test]
    fn bounds_contain_the_forecast() {
        let errors = [0.1; 20];
        assert_eq!(bounds(&errors, 7), (0.0, 0.1));
    }
}
