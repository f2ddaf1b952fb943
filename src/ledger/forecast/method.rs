//! The methods of a forecast.

use serde::{Deserialize, Serialize};

/// A simple method, which says what the days of the coming month will be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForecastMethod {
    /// The mean of `LastDays` and `LastYear`.
    LastDaysAndLastYear,
    /// The days of the week in the last eight weeks, at the level of the last days.
    LastDays,
    /// The mean of the month's days so far.
    MonthSoFar,
    /// The days of the week in the last eight weeks.
    LastWeeks,
    /// The same days of last year.
    LastYear,
    /// The same days of last year, at the level of the last sixteen weeks.
    LastYearScaled,
    /// The mean of `MonthSoFar` and `LastYear`.
    MonthSoFarAndLastYear,
    /// The mean of `LastDays` and `LastYearScaled`.
    LastDaysAndLastYearScaled,
}

/// The days of the last weeks that a method looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NearDays {
    Last,
    Month,
    Weeks,
}

/// How a method takes a day of last year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum YearAgo {
    AsItWas,
    Scaled,
}

impl ForecastMethod {
    /// The number of methods.
    pub const COUNT: usize = Self::ALL.len();

    /// All of them. Where two are equally near, the first one counts.
    pub const ALL: [Self; 8] = [
        Self::LastDaysAndLastYear,
        Self::LastDays,
        Self::MonthSoFar,
        Self::LastWeeks,
        Self::LastYear,
        Self::LastYearScaled,
        Self::MonthSoFarAndLastYear,
        Self::LastDaysAndLastYearScaled,
    ];

    /// Its parts. With two of them, it is their mean.
    pub(super) const fn parts(self) -> (Option<NearDays>, Option<YearAgo>) {
        match self {
            Self::LastDaysAndLastYear => (Some(NearDays::Last), Some(YearAgo::AsItWas)),
            Self::LastDays => (Some(NearDays::Last), None),
            Self::MonthSoFar => (Some(NearDays::Month), None),
            Self::LastWeeks => (Some(NearDays::Weeks), None),
            Self::LastYear => (None, Some(YearAgo::AsItWas)),
            Self::LastYearScaled => (None, Some(YearAgo::Scaled)),
            Self::MonthSoFarAndLastYear => (Some(NearDays::Month), Some(YearAgo::AsItWas)),
            Self::LastDaysAndLastYearScaled => (Some(NearDays::Last), Some(YearAgo::Scaled)),
        }
    }
}
