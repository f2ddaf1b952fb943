//! Days to come with their range, and days of the past as they would have been forecast.

use std::ops::Range;

use super::errors::ErrorBounds;
use super::method::{DayForecast, ForecastMethod};
use super::sums::DailySums;

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

/// A period of the past as it would have been forecast, in watt-hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestedForecast {
    /// The forecast: the part measured by then, and the rest.
    pub predicted: LikelyRange,
    /// The measured energy.
    pub actual: f64,
}

/// The energy of `days` in watt-hours, as of the beginning of the first one. `None` if too little is
/// known.
#[must_use]
pub fn rest(sums: &DailySums, days: Range<usize>, method: ForecastMethod) -> Option<LikelyRange> {
    let forecast = DayForecast::new(sums, days.start, method)?;
    let asked = (days.start, days.len());
    let bounds = ErrorBounds::of_past(sums, asked, method, forecast.has_last_year());
    Some(LikelyRange::within(forecast.sum(days), bounds))
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

impl TestedForecast {
    /// The forecast of the days of `period` as of the beginning of the day `today`. `None` if too
    /// little was known then, or one of the days is not known.
    #[must_use]
    pub fn of(
        sums: &DailySums,
        period: Range<usize>,
        today: usize,
        method: ForecastMethod,
    ) -> Option<Self> {
        let actual = sums.sum(period.clone())?;
        let before = sums.sum(period.start..today)?;
        let rest = rest(sums, today..period.end, method)?;
        Some(Self {
            predicted: rest.plus(before),
            actual,
        })
    }

    /// Whether the range held.
    #[must_use]
    pub fn is_within(&self) -> bool {
        self.predicted.low <= self.actual && self.actual <= self.predicted.high
    }

    /// How far the forecast was off, as a share of the energy; `None` without energy.
    #[must_use]
    pub fn error(&self) -> Option<f64> {
        let off = self.predicted.likely - self.actual;
        (self.actual > 0.0).then(|| off / self.actual)
    }

    /// The median of how far these were off, without the sign; `None` without forecasts.
    #[must_use]
    pub fn median_error(tested: impl Iterator<Item = Self>) -> Option<f64> {
        let errors = tested.filter_map(|it| it.error());
        let mut errors: Vec<f64> = errors.map(f64::abs).collect();
        errors.sort_unstable_by(f64::total_cmp);
        let upper = errors.get(errors.len() / 2)?;
        let lower = errors.get(errors.len().saturating_sub(1) / 2)?;
        Some(f64::midpoint(*lower, *upper))
    }
}
