//! The range that a range is compared with: the one before it, or the same a year earlier.

use std::ops::Range;

use super::calendar::Zone;
use super::date::LocalDate;
use super::interval::{Calendar, Interval, SoFar};
use super::time::{TimeRange, Timestamp};
use super::words::words;

/// The other range of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The same range a year earlier.
    Year,
    /// The range before it.
    Before,
}

words! { Against: Year "year", Before "before"; "year or before" }

/// The way from a time to the same a year earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YearStep {
    /// By 364 days, so that Mondays are compared with Mondays.
    Weekday,
    /// To the same date; from 29 February to the 28th.
    Date,
}

impl YearStep {
    /// That of ranges of this length: months and years by their dates, shorter ones by weekdays.
    #[must_use]
    pub const fn of(interval: Interval) -> Self {
        match interval {
            Interval::Month | Interval::Year => Self::Date,
            _ => Self::Weekday,
        }
    }

    /// That of a range: whole months by their dates, others by weekdays.
    #[must_use]
    pub fn of_range(range: &Range<Timestamp>, zone: &Zone) -> Self {
        let mut months = Calendar::new(zone.clone(), Interval::Month);
        let mut begins = |time| months.bucket(time).start() == time;
        if begins(range.start) && begins(range.end) {
            Self::of(Interval::Month)
        } else {
            Self::of(Interval::Day)
        }
    }

    /// The same time of day a year earlier, by the clock of `zone`; of a midnight the beginning of
    /// the day. [`Timestamp::MIN`] before the first year.
    #[must_use]
    pub fn back(self, time: Timestamp, zone: &Zone) -> Timestamp {
        let shown = zone.shown_at(time);
        let Some(date) = self.date_back(LocalDate::of_shown(shown)) else {
            return Timestamp::MIN;
        };
        match shown.millis_of_day() {
            0 => date.start(zone),
            ms => zone.first_showing(date.midnight().saturating_add_millis(ms)),
        }
    }

    /// A range and the same a year earlier.
    #[must_use]
    pub fn compared(self, range: TimeRange, zone: &Zone) -> SoFar {
        let [start, end] = [range.start(), range.end()].map(|time| self.back(time, zone));
        SoFar {
            now: range,
            before: TimeRange::new(start, end).unwrap_or(TimeRange::at(start)),
        }
    }

    fn date_back(self, date: LocalDate) -> Option<LocalDate> {
        const WEEKS: i32 = 52;
        match self {
            Self::Weekday => date.plus_days(-7 * WEEKS),
            Self::Date => {
                let year = date.year().checked_sub(1)?;
                let same = LocalDate::new(year, date.month(), date.day());
                same.or_else(|| LocalDate::new(year, date.month(), date.day().checked_sub(1)?))
            }
        }
    }
}

/// The same range a year earlier; of a range that reaches beyond `now`, the same part of it.
#[must_use]
pub fn year_earlier(range: Range<Timestamp>, zone: &Zone, now: Timestamp) -> Range<Timestamp> {
    let step = YearStep::of_range(&range, zone);
    let until = range.end.min(now).max(range.start);
    let (start, end) = (step.back(range.start, zone), step.back(until, zone));
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::time::at;

    /// The local time a year before a local time in Berlin.
    fn back(step: YearStep, local: &str) -> String {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        let time = zone.first_showing(at(local));
        let shown = zone.shown_at(step.back(time, &zone)).to_string();
        shown[..16].to_owned()
    }

    /// The worked cases of docs/DECIDE.md.
    #[test]
    fn the_worked_cases_are_right() {
        let document = include_str!("../../docs/DECIDE.md");
        let (_, section) = document.split_once("## Same time last year\n").unwrap();
        let section = section.split("\n## ").next().unwrap();
        let (_, cases) = section.split_once("```text\n").unwrap();
        let cases = cases.split("```").next().unwrap().lines();
        let mut count = 0;
        for case in cases {
            let (step, times) = case.split_once(": ").unwrap();
            let (local, expected) = times.split_once(" -> ").unwrap();
            let step = match step {
                "day" => YearStep::of(Interval::Day),
                "week" => YearStep::of(Interval::Week),
                "month" => YearStep::of(Interval::Month),
                "year" => YearStep::of(Interval::Year),
                other => panic!("{other}"),
            };
            assert_eq!(back(step, &format!("{local}:00")), expected, "{case}");
            count += 1;
        }
        assert_eq!(count, 8);
    }

    #[test]
    fn whole_months_go_by_dates_and_running_ranges_end_now() {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        let local = |text: &str| zone.first_showing(at(text));
        let now = local("2026-04-15T14:05:00");
        let earlier = |from: &str, to: &str| {
            let range = local(from)..local(to);
            let range = year_earlier(range, &zone, now);
            [range.start, range.end].map(|time| zone.shown_at(time).to_string()[..16].to_owned())
        };
        for (from, to, earlier_from, earlier_to) in [
            (
                "2026-02-01T00:00:00",
                "2026-04-01T00:00:00",
                "2025-02-01T00:00",
                "2025-04-01T00:00",
            ),
            (
                "2026-04-01T00:00:00",
                "2026-05-01T00:00:00",
                "2025-04-01T00:00",
                "2025-04-15T14:05",
            ),
            (
                "2026-03-02T00:00:00",
                "2026-03-04T00:00:00",
                "2025-03-03T00:00",
                "2025-03-05T00:00",
            ),
            (
                "2026-05-02T00:00:00",
                "2026-05-04T00:00:00",
                "2025-05-03T00:00",
                "2025-05-03T00:00",
            ),
        ] {
            assert_eq!(earlier(from, to), [earlier_from, earlier_to], "{from}");
        }
    }

    #[test]
    fn weekdays_and_dates_are_kept() {
        for day in 1..=366 {
            let date = LocalDate::of_day_of_year(2028, day).unwrap();
            let week = YearStep::Weekday.date_back(date).unwrap();
            assert_eq!(week.weekday(), date.weekday());
            let same = YearStep::Date.date_back(date).unwrap();
            let is_leap_day = (date.month(), date.day()) == (2, 29);
            assert_eq!((same.year(), same.month()), (2027, date.month()));
            assert_eq!(same.day(), if is_leap_day { 28 } else { date.day() });
        }
    }

    #[test]
    fn the_ends_of_time_are_no_panic() {
        for step in [YearStep::Weekday, YearStep::Date] {
            for time in [Timestamp::MIN, Timestamp::MAX] {
                let compared = step.compared(TimeRange::at(time), &Zone::UTC);
                assert!(compared.before.start() <= time);
            }
        }
    }
}
