//! The known days as of one day, and the energy of days to come by each method.

use std::ops::Range;

use super::method::{ForecastMethod, NearDays, YearAgo};
use super::sums::DailySums;

/// The known days, as of the beginning of one day.
#[derive(Clone, Debug)]
pub struct DayBasis<'a> {
    pub(super) sums: &'a DailySums,
    pub(super) today: usize,
    /// The days of the month before today.
    pub(super) month_days: usize,
    /// The mean energy of each day of the week in the last eight weeks.
    weekdays: [f64; WEEK],
    /// The energy of the last days, as a multiple of that of their days of the week.
    level: f64,
    /// The mean energy of the month's days so far; `None` if none was measured.
    month: Option<f64>,
    /// The energy of the last sixteen weeks, as a multiple of that of the same days a year before;
    /// `None` if too little is known of both.
    ratio: Option<f64>,
    /// Whether the days of the coming month are known a year before.
    pub(super) has_last_year: bool,
}

/// The parts of a day to come that methods choose from.
#[derive(Clone, Copy, Debug)]
pub(super) struct DayParts {
    /// Whether it is more than a month ahead.
    is_later: bool,
    weekday: f64,
    level: f64,
    month: Option<f64>,
    year_ago: Option<f64>,
    ratio: f64,
}

pub(super) const WEEK: usize = 7;
/// A method says this many days ahead what they will be like; later ones are like those of last year.
pub(super) const MONTH: usize = 31;
/// The same day of the week, a year before.
const YEAR: usize = 52 * WEEK;
/// The least days of the last eight weeks that must be measured.
const LEAST_DAYS: usize = 2 * WEEK;
/// The least days of the coming month that must be known a year before.
const LEAST_OF_MONTH: usize = 4 * WEEK;
/// The days that are compared with those a year before, and the least that must be known of both.
const COMPARED: usize = 16 * WEEK;
const LEAST_PAIRS: usize = 4 * WEEK;
/// The bounds of that ratio: an empty house a year ago says nothing about the months to come.
const LEAST_RATIO: f64 = 0.5;
const MOST_RATIO: f64 = 2.0;
/// The least days that count as the month so far.
const LEAST_SO_FAR: usize = 9;
/// A day of the last days counts half as much as the one so many days after it.
const HALF_LIFE_DAYS: f64 = 3.5;

impl<'a> DayBasis<'a> {
    /// The last eight weeks, in days.
    pub const RECENT: usize = 8 * WEEK;

    /// The days known at the beginning of the day `today`, which is so many days after the beginning
    /// of a month. `None` if fewer than two weeks of the last eight were measured.
    #[must_use]
    pub fn new(sums: &'a DailySums, today: usize, month_days: usize) -> Option<Self> {
        let recent = today.saturating_sub(Self::RECENT)..today;
        if sums.measured(recent.clone()).count() < LEAST_DAYS {
            return None;
        }
        let weekdays = weekday_means(sums, recent.clone());
        let of_month = today.saturating_sub(month_days.max(LEAST_SO_FAR))..today;
        let year_ago = today.checked_sub(YEAR);
        let coming = year_ago.map(|begin| sums.measured(begin..begin + MONTH).count());
        Some(Self {
            level: level(sums, recent, &weekdays),
            month: mean(sums.measured(of_month)),
            ratio: ratio(sums, today.saturating_sub(COMPARED)..today),
            has_last_year: coming.is_some_and(|known| known >= LEAST_OF_MONTH),
            weekdays,
            sums,
            today,
            month_days,
        })
    }

    /// Whether enough is known for a method.
    #[must_use]
    pub fn offers(&self, method: ForecastMethod) -> bool {
        let (near, year_ago) = method.parts();
        let has_near = near != Some(NearDays::Month) || self.month.is_some();
        let has_ratio = year_ago != Some(YearAgo::Scaled) || self.ratio.is_some();
        has_near && has_ratio && (year_ago.is_none() || self.has_last_year)
    }

    /// The method that counts until another one has proved to be nearer.
    #[must_use]
    pub const fn first_choice(&self) -> ForecastMethod {
        if self.has_last_year {
            ForecastMethod::LastDaysAndLastYear
        } else {
            ForecastMethod::LastDays
        }
    }

    /// The most likely energy of several days by each of these methods, in watt-hours.
    pub(super) fn sums<const N: usize>(
        &self,
        methods: [ForecastMethod; N],
        days: Range<usize>,
    ) -> [f64; N] {
        let mut sums = [0.0; N];
        for day in days {
            let parts = self.parts(day);
            for (sum, method) in sums.iter_mut().zip(methods) {
                *sum += parts.by(method);
            }
        }
        sums
    }

    /// The parts of a day.
    pub(super) fn parts(&self, day: usize) -> DayParts {
        let weekday = self.weekdays.get(day % WEEK).copied().unwrap_or_default();
        let year_ago = day.checked_sub(YEAR).filter(|before| *before < self.today);
        DayParts {
            is_later: day >= self.today + MONTH,
            weekday,
            level: self.level,
            month: self.month,
            year_ago: year_ago.and_then(|before| self.sums.day(before)),
            ratio: self.ratio.unwrap_or(1.0),
        }
    }
}

impl DayParts {
    /// The most likely energy by a method.
    pub(super) fn by(self, method: ForecastMethod) -> f64 {
        if self.is_later {
            // Half of a change of the last months lasts; without last year, nothing is known of
            // other seasons.
            let year_ago = self.year_ago.map(|it| it * f64::midpoint(1.0, self.ratio));
            return year_ago.unwrap_or(self.weekday);
        }
        let (near, year_ago) = method.parts();
        let like_last = self.weekday * self.level;
        let near = near.map(|near| match near {
            NearDays::Last => like_last,
            NearDays::Month => self.month.unwrap_or(like_last),
            NearDays::Weeks => self.weekday,
        });
        let year_ago = year_ago.zip(self.year_ago).map(|(it, energy)| match it {
            YearAgo::AsItWas => energy,
            YearAgo::Scaled => energy * self.ratio,
        });
        match (near, year_ago) {
            (Some(near), Some(year_ago)) => f64::midpoint(near, year_ago),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => like_last,
        }
    }
}

fn mean(days: impl Iterator<Item = (usize, f64)>) -> Option<f64> {
    let (sum, known) = days.fold((0.0, 0.0), |(sum, known), (_, energy)| {
        (sum + energy, known + 1.0)
    });
    (known > 0.0).then(|| sum / known)
}

/// The mean of each day of the week; where none is known, that of all known days.
fn weekday_means(sums: &DailySums, days: Range<usize>) -> [f64; WEEK] {
    let mut of_week = [(0.0, 0.0); WEEK];
    for (day, energy) in sums.measured(days.clone()) {
        if let Some((sum, known)) = of_week.get_mut(day % WEEK) {
            *sum += energy;
            *known += 1.0;
        }
    }
    let of_all = mean(sums.measured(days)).unwrap_or_default();
    of_week.map(|(sum, known)| if known > 0.0 { sum / known } else { of_all })
}

/// The energy of these days as a multiple of that of their days of the week; the last ones count most.
fn level(sums: &DailySums, days: Range<usize>, weekdays: &[f64; WEEK]) -> f64 {
    let a_day_before = (-1.0 / HALF_LIFE_DAYS).exp2();
    let (mut energy, mut usual, mut weight) = (0.0, 0.0, 1.0);
    for day in days.rev() {
        if let Some(of_day) = sums.day(day) {
            energy += weight * of_day;
            usual += weight * weekdays.get(day % WEEK).copied().unwrap_or_default();
        }
        weight *= a_day_before;
    }
    if usual > 0.0 { energy / usual } else { 1.0 }
}

/// The energy of these days as a multiple of that a year before, over the days known in both years.
fn ratio(sums: &DailySums, days: Range<usize>) -> Option<f64> {
    let (mut now, mut before, mut known) = (0.0, 0.0, 0);
    for (day, energy) in sums.measured(days) {
        if let Some(year_ago) = day.checked_sub(YEAR).and_then(|day| sums.day(day)) {
            now += energy;
            before += year_ago;
            known += 1;
        }
    }
    (known >= LEAST_PAIRS && before > 0.0).then(|| (now / before).clamp(LEAST_RATIO, MOST_RATIO))
}

/// A number of days, for arithmetic.
pub(super) fn count(days: usize) -> f64 {
    u32::try_from(days).map_or(f64::MAX, f64::from)
}
