//! Months of the past as they would have been forecast, and days to come by the method that they
//! choose.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::basis::{DayBasis, count};
use super::errors::{ErrorBounds, LikelyRange};
use super::method::ForecastMethod;
use super::sums::DailySums;

/// Months of the past, each as of the beginning of its 10th.
#[derive(Clone, Debug)]
pub struct BackTest<'a> {
    sums: &'a DailySums,
    months: Vec<PastMonth<'a>>,
}

/// A month of the past.
#[derive(Clone, Debug)]
struct PastMonth<'a> {
    days: Range<usize>,
    /// The days before its 10th.
    basis: DayBasis<'a>,
    so_far: f64,
    actual: f64,
}

/// The forecast of days to come by one method.
#[derive(Clone, Debug)]
pub struct DayForecast<'a> {
    basis: DayBasis<'a>,
    method: ForecastMethod,
}

/// Why a method was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChoiceReason {
    /// It is the first choice, and fewer than twelve months have tested it.
    Untested,
    /// It is the first choice, and no other one was clearly nearer in the last twelve months.
    FirstChoice,
    /// It was clearly nearer than the first choice in the last twelve months.
    Nearer,
}

/// A month of the past as it would have been forecast, in watt-hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestedForecast {
    /// The first day of the month.
    pub begin: usize,
    /// The method.
    pub method: ForecastMethod,
    /// The forecast: the part measured by then, and the rest.
    pub predicted: LikelyRange,
    /// The measured energy.
    pub actual: f64,
}

/// How well a method did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodScore {
    /// The method.
    pub method: ForecastMethod,
    /// The number of months that tested it.
    pub tested: usize,
    /// The number of them that ended within its range.
    pub held: usize,
    /// How far it was off.
    #[serde(flatten)]
    pub errors: ErrorSpread,
}

/// How far forecasts were off, without the sign, as shares of the energy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorSpread {
    /// Their median.
    pub median_error: f64,
    /// Nine of ten were at most that.
    pub p90_error: f64,
}

/// The whole days of a month that are known when it is forecast.
const KNOWN_DAYS: usize = 9;
/// As many months choose a method.
const MONTHS: usize = 12;
/// Another method than the first choice has at most this part of its errors.
const NEARER: f64 = 0.8;

impl<'a> BackTest<'a> {
    /// The test in these months, which are over, the oldest first. A month without energy, with a
    /// day whose energy is missing, or with too little known before it, is left out.
    #[must_use]
    pub fn of(sums: &'a DailySums, months: impl IntoIterator<Item = Range<usize>>) -> Self {
        let months = months.into_iter().filter_map(|days| {
            let tenth = days.start + KNOWN_DAYS;
            let month = PastMonth {
                basis: DayBasis::new(sums, tenth, KNOWN_DAYS)?,
                so_far: sums.sum(days.start..tenth)?,
                actual: sums.sum(days.clone())?,
                days,
            };
            (month.actual > 0.0).then_some(month)
        });
        Self {
            sums,
            months: months.collect(),
        }
    }

    /// The forecast of days to come, at the beginning of the day `today`, which is so many days after
    /// the beginning of a month, and why it has its method. `None` if too little is known.
    #[must_use]
    pub fn choose(
        &self,
        today: usize,
        month_days: usize,
    ) -> Option<(DayForecast<'a>, ChoiceReason)> {
        let basis = DayBasis::new(self.sums, today, month_days)?;
        let (method, reason) = choice(&self.months, &basis);
        Some((DayForecast { basis, method }, reason))
    }

    /// Each month as it would have been forecast: by the method that the months before it choose.
    pub fn forecasts(&self) -> impl DoubleEndedIterator<Item = TestedForecast> {
        self.months.iter().enumerate().map(|(nth, month)| {
            let before = self.months.get(..nth).unwrap_or_default();
            let (method, _) = choice(before, &month.basis);
            let [bounds] = ErrorBounds::of_past(&month.basis, month.days.end, [method]);
            month.tested(method, bounds)
        })
    }

    /// The last twelve of these months, or all if there are fewer.
    #[must_use]
    pub fn last_forecasts(&self) -> Vec<TestedForecast> {
        let mut last: Vec<TestedForecast> = self.forecasts().rev().take(MONTHS).collect();
        last.reverse();
        last
    }

    /// How well each method did in the last twelve months, as far as enough was known for it.
    #[must_use]
    pub fn scores(&self) -> Vec<MethodScore> {
        let mut tested: [Vec<TestedForecast>; ForecastMethod::COUNT] = Default::default();
        for month in self.months.iter().rev().take(MONTHS) {
            let all = ForecastMethod::ALL;
            let bounds = ErrorBounds::of_past(&month.basis, month.days.end, all);
            for ((tested, method), bounds) in tested.iter_mut().zip(all).zip(bounds) {
                let is_known = month.basis.offers(method);
                tested.extend(is_known.then(|| month.tested(method, bounds)));
            }
        }
        let scores = ForecastMethod::ALL.into_iter().zip(tested);
        let scores = scores.filter_map(|(method, tested)| {
            Some(MethodScore {
                method,
                tested: tested.len(),
                held: tested.iter().filter(|it| it.is_within()).count(),
                errors: ErrorSpread::of(tested.iter().map(TestedForecast::error))?,
            })
        });
        scores.collect()
    }
}

/// The method that these months choose, and why. Only the last twelve count.
fn choice(months: &[PastMonth<'_>], basis: &DayBasis<'_>) -> (ForecastMethod, ChoiceReason) {
    let first = basis.first_choice();
    let from = months.len().checked_sub(MONTHS);
    let last = from.and_then(|from| months.get(from..));
    let errors = |method: ForecastMethod| {
        let all: Option<Vec<f64>> = last?.iter().map(|month| month.error(method)).collect();
        let spread = ErrorSpread::of(all?.into_iter())?;
        Some(spread.median_error + spread.p90_error)
    };
    let Some(of_first) = errors(first) else {
        return (first, ChoiceReason::Untested);
    };
    let offered = ForecastMethod::ALL.into_iter();
    let offered = offered.filter(|method| basis.offers(*method));
    let all = offered.filter_map(|method| Some((method, errors(method)?)));
    let nearest = all.min_by(|(_, one), (_, other)| one.total_cmp(other));
    match nearest {
        Some((method, errors)) if errors < of_first * NEARER => (method, ChoiceReason::Nearer),
        _ => (first, ChoiceReason::FirstChoice),
    }
}

impl DayForecast<'_> {
    /// Whether last year counts.
    #[must_use]
    pub const fn has_last_year(&self) -> bool {
        self.basis.has_last_year
    }

    /// Its method.
    #[must_use]
    pub const fn method(&self) -> ForecastMethod {
        self.method
    }

    /// The most likely energy of a day, in watt-hours.
    #[must_use]
    pub fn day(&self, day: usize) -> f64 {
        self.basis.parts(day).by(self.method)
    }

    /// The bounds of the days from today until before `end`.
    #[must_use]
    pub fn bounds(&self, end: usize) -> ErrorBounds {
        let [bounds] = ErrorBounds::of_past(&self.basis, end, [self.method]);
        bounds
    }
}

impl PastMonth<'_> {
    fn rest(&self, method: ForecastMethod) -> f64 {
        let rest = self.basis.today..self.days.end;
        let [energy] = self.basis.sums([method], rest);
        energy
    }

    /// How far a method was off; `None` if too little was known for it.
    fn error(&self, method: ForecastMethod) -> Option<f64> {
        let is_known = self.basis.offers(method);
        is_known.then(|| (self.so_far + self.rest(method) - self.actual).abs() / self.actual)
    }

    fn tested(&self, method: ForecastMethod, bounds: ErrorBounds) -> TestedForecast {
        TestedForecast {
            begin: self.days.start,
            method,
            predicted: LikelyRange::within(self.rest(method), bounds).plus(self.so_far),
            actual: self.actual,
        }
    }
}

impl TestedForecast {
    /// Whether the range held.
    #[must_use]
    pub fn is_within(&self) -> bool {
        self.predicted.low <= self.actual && self.actual <= self.predicted.high
    }

    /// How far the forecast was off, as a share of the energy.
    #[must_use]
    pub fn error(&self) -> f64 {
        (self.predicted.likely - self.actual).abs() / self.actual
    }
}

impl ErrorSpread {
    /// That of these errors; `None` without any.
    #[must_use]
    pub fn of(errors: impl Iterator<Item = f64>) -> Option<Self> {
        let mut errors: Vec<f64> = errors.collect();
        errors.sort_unstable_by(f64::total_cmp);
        Some(Self {
            median_error: at(&errors, 0.5)?,
            p90_error: at(&errors, 0.9)?,
        })
    }
}

/// The value at a share of the way from the first to the last, between two if it lies there.
fn at(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * count(sorted.len().checked_sub(1)?);
    let before = sorted
        .iter()
        .zip(1..)
        .take_while(|(_, next)| count(*next) <= place);
    let before = before.count();
    let one = sorted.get(before)?;
    let next = sorted.get(before + 1).unwrap_or(one);
    Some(one + (next - one) * (place - count(before)))
}
