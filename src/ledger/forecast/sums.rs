//! The energy of consecutive days.

use std::ops::Range;

/// The energy of a day in watt-hours, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DaySum {
    /// Measured on that day.
    Measured(f64),
    /// A part of a sum that was measured over a longer time: it counts in sums of many days, but it
    /// does not tell what such a day has.
    Estimated(f64),
    /// Missing.
    Unknown,
}

/// The energy of consecutive days. Days are numbered from 0, so two numbers with the same remainder
/// by 7 are the same day of the week.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DailySums(Vec<DaySum>);

impl DailySums {
    /// The sums of these days.
    #[must_use]
    pub const fn new(days: Vec<DaySum>) -> Self {
        Self(days)
    }

    /// The energy of a day that was measured.
    #[must_use]
    pub fn day(&self, day: usize) -> Option<f64> {
        match self.0.get(day)? {
            DaySum::Measured(energy) => Some(*energy),
            DaySum::Estimated(_) | DaySum::Unknown => None,
        }
    }

    /// The measured ones of these days, with their energy.
    pub fn measured(&self, days: Range<usize>) -> impl Iterator<Item = (usize, f64)> {
        days.filter_map(|day| Some((day, self.day(day)?)))
    }

    /// The energy of all these days; `None` if that of one is missing.
    #[must_use]
    pub fn sum(&self, mut days: Range<usize>) -> Option<f64> {
        days.try_fold(0.0, |sum, day| match self.0.get(day)? {
            DaySum::Measured(energy) | DaySum::Estimated(energy) => Some(sum + energy),
            DaySum::Unknown => None,
        })
    }
}
