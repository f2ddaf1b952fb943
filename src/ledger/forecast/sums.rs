//! The energy of consecutive days.

use std::ops::Range;

/// The energy of consecutive days in watt-hours, each known or not. Days are numbered from 0, so two
/// numbers with the same remainder by 7 are the same day of the week.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DailySums(Vec<Option<f64>>);

impl DailySums {
    /// The sums of these days.
    #[must_use]
    pub const fn new(days: Vec<Option<f64>>) -> Self {
        Self(days)
    }

    /// The energy of a day; `None` if it is not known.
    #[must_use]
    pub fn day(&self, day: usize) -> Option<f64> {
        self.0.get(day).copied().flatten()
    }

    /// The days whose energy is known, with that energy.
    pub fn known(&self, days: Range<usize>) -> impl Iterator<Item = (usize, f64)> {
        days.filter_map(|day| Some((day, self.day(day)?)))
    }

    /// The energy of all these days; `None` if that of one is not known.
    #[must_use]
    pub fn sum(&self, mut days: Range<usize>) -> Option<f64> {
        days.try_fold(0.0, |sum, day| Some(sum + self.day(day)?))
    }
}
