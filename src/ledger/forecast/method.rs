//! The energy of a day to come, from last year's day and the last weeks.

use std::ops::Range;

use super::sums::DailySums;

/// The basis of a forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForecastMethod {
    /// The mean of the two below, as pages and the API show it.
    Both,
    /// The same day of last year, scaled by the last eight weeks. Only to compare with.
    LastYear,
    /// The same day of the week in the last eight weeks.
    Recent,
}

/// The forecast of single days, as of the beginning of one day.
#[derive(Clone, Debug)]
pub struct DayForecast<'a> {
    sums: &'a DailySums,
    today: usize,
    method: ForecastMethod,
    /// The mean energy of each day of the week in the last eight weeks.
    weekdays: [f64; WEEK],
    /// The energy of the last eight weeks, as a multiple of that of the same days a year before;
    /// `None` if too little is known of both.
    ratio: Option<f64>,
}

const WEEK: usize = 7;
/// The same day of the week, a year before.
const YEAR: usize = 52 * WEEK;
/// The least days that must be known of the last eight weeks, and of both years.
const LEAST_DAYS: usize = 2 * WEEK;
const LEAST_PAIRS: usize = 4 * WEEK;

impl<'a> DayForecast<'a> {
    /// The last eight weeks, in days.
    pub const RECENT: usize = 8 * WEEK;

    /// The forecast as of the beginning of the day `today`, from the days before it. `None` if fewer
    /// than two weeks of the last eight are known.
    #[must_use]
    pub fn new(sums: &'a DailySums, today: usize, method: ForecastMethod) -> Option<Self> {
        let recent = today.saturating_sub(Self::RECENT)..today;
        if sums.known(recent.clone()).count() < LEAST_DAYS {
            return None;
        }
        Some(Self {
            weekdays: weekday_means(sums, recent.clone()),
            ratio: ratio(sums, recent).filter(|_| method != ForecastMethod::Recent),
            sums,
            today,
            method,
        })
    }

    /// Whether last year counts.
    #[must_use]
    pub const fn has_last_year(&self) -> bool {
        self.ratio.is_some()
    }

    /// The most likely energy of a day, in watt-hours.
    #[must_use]
    pub fn day(&self, day: usize) -> f64 {
        let recent = self.weekdays.get(day % WEEK).copied().unwrap_or_default();
        let before = day.checked_sub(YEAR).filter(|before| *before < self.today);
        let before = before.and_then(|before| self.sums.day(before));
        let Some((before, ratio)) = before.zip(self.ratio) else {
            return recent;
        };
        if self.method == ForecastMethod::LastYear {
            return before * ratio;
        }
        // A summer says little about the winter after it: the last weeks count half as much every
        // eight weeks.
        let fade = (-count(day.saturating_sub(self.today)) / count(Self::RECENT)).exp2();
        let last_year = before * (1.0 + (ratio - 1.0) * fade);
        last_year + (recent - last_year) * fade / 2.0
    }

    /// The most likely energy of several days, in watt-hours.
    #[must_use]
    pub fn sum(&self, days: Range<usize>) -> f64 {
        days.map(|day| self.day(day)).sum()
    }
}

/// The mean of each day of the week; where none is known, that of all known days.
fn weekday_means(sums: &DailySums, days: Range<usize>) -> [f64; WEEK] {
    let mut of_week = [(0.0, 0.0); WEEK];
    for (day, energy) in sums.known(days) {
        if let Some((sum, known)) = of_week.get_mut(day % WEEK) {
            *sum += energy;
            *known += 1.0;
        }
    }
    let (sum, known) = of_week
        .iter()
        .fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
    of_week.map(|(of_day, of_days)| {
        if of_days > 0.0 {
            of_day / of_days
        } else {
            sum / f64::max(known, 1.0)
        }
    })
}

/// The energy of these days as a multiple of that a year before, over the days known in both years.
fn ratio(sums: &DailySums, days: Range<usize>) -> Option<f64> {
    let pairs = sums.known(days).filter_map(|(day, energy)| {
        let before = sums.day(day.checked_sub(YEAR)?)?;
        Some((energy, before))
    });
    let (mut now, mut before, mut known) = (0.0, 0.0, 0);
    for (of_now, of_before) in pairs {
        now += of_now;
        before += of_before;
        known += 1;
    }
    (known >= LEAST_PAIRS && before > 0.0).then(|| now / before)
}

/// A number of days, for arithmetic.
pub(super) fn count(days: usize) -> f64 {
    u32::try_from(days).map_or(f64::MAX, f64::from)
}
