//! Dates of the calendar, without a zone.

use std::fmt;

use serde::{Serialize, Serializer};
use time::{Date, Month, SignedDuration};

use super::calendar::Zone;
use super::time::{TimeError, Timestamp};
use super::words::words;

/// A date of the local calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocalDate(Date);

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

words! {
    Weekday: Monday "mon", Tuesday "tue", Wednesday "wed", Thursday "thu", Friday "fri", Saturday "sat", Sunday "sun";
    "mon, tue, wed, thu, fri, sat or sun"
}

impl Serialize for LocalDate {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl LocalDate {
    /// The date of a year, a month (1 to 12) and a day of the month; `None` if there is no such
    /// date.
    #[must_use]
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let month = Month::try_from(month).ok()?;
        Date::from_calendar_date(year, month, day).ok().map(Self)
    }

    /// Parses a date in the form `YYYY-MM-DD`.
    ///
    /// # Errors
    /// A [`TimeError`] for any other text.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        Timestamp::parse_date(text).map(Self::of_shown)
    }

    /// The date that somebody typed: `2026-01-31` or `31.1.2026`.
    ///
    /// # Errors
    /// A [`TimeError`] for any other text.
    pub fn typed(text: &str) -> Result<Self, TimeError> {
        let text = text.trim();
        let mut parts = text.split('.');
        if let (Some(day), Some(month), Some(year), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
            && year.len() == 4
        {
            return Self::parse(&format!("{year}-{month:0>2}-{day:0>2}"));
        }
        Self::parse(text)
    }

    /// The date of a local time that is written as if it were UTC.
    #[must_use]
    pub fn of_shown(shown: Timestamp) -> Self {
        Self(shown.date())
    }

    /// The local date in a zone.
    #[must_use]
    pub fn at(time: Timestamp, zone: &Zone) -> Self {
        Self::of_shown(zone.shown_at(time))
    }

    /// Easter Sunday of the year `y`, by the Gregorian calendar.
    #[must_use]
    pub fn easter(y: i32) -> Option<Self> {
        // J.-M. Oudin's form of the rule: the first Sunday after the full moon on or after 21
        // March.
        let (century, golden) = (y.div_euclid(100), y.rem_euclid(19));
        let epact = (century - century / 4 - (8 * century + 13) / 25 + 19 * golden + 15) % 30;
        let moon =
            epact - epact / 28 * (1 - epact / 28 * (29 / (epact + 1)) * ((21 - golden) / 11));
        let weekday = (y + y / 4 + moon + 2 - century + century / 4) % 7;
        // Days after 28 February.
        let after = moon - weekday;
        Self::new(y, 3, 28)?.plus_days(after)
    }

    /// The `nth` such weekday of a month, counted from its end if negative; `None` if there is no
    /// such day.
    #[must_use]
    pub fn nth_weekday(year: i32, month: u8, nth: i8, weekday: Weekday) -> Option<Self> {
        let first = Self::new(year, month, 1)?;
        let last = Self::new(year, month, first.0.month().length(year))?;
        let days_to = |from: Weekday, to: Weekday| {
            let [from, to] = [from, to].map(|weekday| i32::from(weekday.days_after_monday()));
            (to - from).rem_euclid(7)
        };
        let weeks = 7 * (i32::from(nth.unsigned_abs()) - 1);
        let day = if nth > 0 {
            1 + days_to(first.weekday(), weekday) + weeks
        } else {
            i32::from(last.day()) - days_to(weekday, last.weekday()) - weeks
        };
        Self::new(year, month, u8::try_from(day).ok()?)
    }

    /// The date this many days later; `None` outside the supported years.
    #[must_use]
    pub fn plus_days(self, days: i32) -> Option<Self> {
        let days = SignedDuration::days(days.into());
        let later = self.0.checked_add(days).map(Self);
        later.filter(|date| date.year() >= 0)
    }

    /// Its year.
    #[must_use]
    pub fn year(self) -> i32 {
        self.0.year()
    }

    /// Its month, 1 to 12.
    #[must_use]
    pub fn month(self) -> u8 {
        self.0.month().into()
    }

    /// Its day of the month, from 1.
    #[must_use]
    pub fn day(self) -> u8 {
        self.0.day()
    }

    /// The day of the year, from 1.
    #[must_use]
    pub fn day_of_year(self) -> u16 {
        self.0.ordinal()
    }

    /// The date on a day of a year, counted from 1; `None` if there is no such date.
    #[must_use]
    pub fn of_day_of_year(year: i32, day: u16) -> Option<Self> {
        let date = Date::from_ordinal_date(year, day).ok().map(Self);
        date.filter(|date| date.year() >= 0)
    }

    /// Its day of the week.
    #[must_use]
    pub fn weekday(self) -> Weekday {
        match self.0.weekday() {
            time::Weekday::Monday => Weekday::Monday,
            time::Weekday::Tuesday => Weekday::Tuesday,
            time::Weekday::Wednesday => Weekday::Wednesday,
            time::Weekday::Thursday => Weekday::Thursday,
            time::Weekday::Friday => Weekday::Friday,
            time::Weekday::Saturday => Weekday::Saturday,
            time::Weekday::Sunday => Weekday::Sunday,
        }
    }

    /// Its midnight, written as if it were UTC.
    #[must_use]
    pub fn midnight(self) -> Timestamp {
        Timestamp::midnight_of(self.0)
    }

    /// The start of the day in a zone.
    #[must_use]
    pub fn start(self, zone: &Zone) -> Timestamp {
        zone.start_of_day(self.midnight())
    }
}

impl Weekday {
    /// Days after Monday, 0 to 6.
    #[must_use]
    pub const fn days_after_monday(self) -> u8 {
        self as u8
    }
}

/// `YYYY-MM-DD`.
impl fmt::Display for LocalDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> LocalDate {
        LocalDate::parse(text).unwrap()
    }

    #[test]
    fn people_type_dates_in_two_ways() {
        for text in ["2026-01-31", "31.1.2026", " 31.01.2026 "] {
            assert_eq!(
                LocalDate::typed(text).unwrap(),
                date("2026-01-31"),
                "{text}"
            );
        }
        for text in ["", "31.1.", "1.31.2026", "31.1.26", "31.1.2026.", "1.2026"] {
            LocalDate::typed(text).unwrap_err();
        }
    }

    #[test]
    fn easter_moves() {
        for easter in [
            "1818-03-22",
            "1943-04-25",
            "1954-04-18",
            "1981-04-19",
            "2000-04-23",
            "2008-03-23",
            "2024-03-31",
            "2025-04-20",
            "2026-04-05",
            "2038-04-25",
            "2049-04-18",
            "2076-04-19",
            "2285-03-22",
        ] {
            let easter = date(easter);
            assert_eq!(LocalDate::easter(easter.year()), Some(easter));
        }
        for year in 0..=9_999 {
            let easter = LocalDate::easter(year).unwrap();
            assert_eq!(easter.weekday(), Weekday::Sunday, "{easter}");
            let ends =
                [(3, 22), (4, 25)].map(|(month, day)| LocalDate::new(year, month, day).unwrap());
            assert!(ends[0] <= easter && easter <= ends[1], "{easter}");
        }
    }

    #[test]
    fn weekdays_are_counted() {
        let nth = |nth, weekday| LocalDate::nth_weekday(2026, 5, nth, weekday);
        assert_eq!(nth(-1, Weekday::Monday), Some(date("2026-05-25")));
        assert_eq!(nth(1, Weekday::Friday), Some(date("2026-05-01")));
        assert_eq!(nth(2, Weekday::Thursday), Some(date("2026-05-14")));
        assert_eq!(nth(-4, Weekday::Sunday), Some(date("2026-05-10")));
        for none in [0, 5, -5, i8::MAX, i8::MIN] {
            assert_eq!(nth(none, Weekday::Thursday), None);
        }
        assert_eq!(date("2026-11-22").weekday(), Weekday::Sunday);
        assert_eq!(Weekday::Sunday.days_after_monday(), 6);
        for weekday in Weekday::ALL {
            assert_eq!(weekday.as_str().parse(), Ok(weekday));
        }
    }

    #[test]
    fn days_of_a_year_are_numbered() {
        assert_eq!(date("2024-12-31").day_of_year(), 366);
        for (year, day, expected) in [
            (2024, 366, Some("2024-12-31")),
            (2026, 1, Some("2026-01-01")),
            (2026, 366, None),
            (2026, 0, None),
            (-1, 1, None),
            (10_000, 1, None),
        ] {
            assert_eq!(LocalDate::of_day_of_year(year, day), expected.map(date));
        }
    }

    #[test]
    fn dates_end_with_the_years() {
        assert_eq!(date("9999-12-31").plus_days(1), None);
        assert_eq!(date("0000-01-01").plus_days(-1), None);
        assert_eq!(date("2024-02-28").plus_days(1), Some(date("2024-02-29")));
        assert_eq!(LocalDate::new(2026, 2, 29), None);
        assert_eq!(LocalDate::new(2026, 200, 29), None);
        assert_eq!(date("2026-06-04").to_string(), "2026-06-04");
    }
}
