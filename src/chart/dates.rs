//! Dates and times as people read them, by the clocks of a zone. The examples are English.

use time::macros::format_description;

use crate::domain::{Interval, LocalDate, Timestamp, Zone};
use crate::texts::{Language, TextValue};

/// How a visitor reads what is said about an account: in the visitor's language, by the account's clock.
#[derive(Clone, Copy, Debug)]
pub struct Wording<'a> {
    /// The account's clock.
    pub zone: &'a Zone,
    /// The visitor's language.
    pub language: &'a Language,
}

impl Wording<'_> {
    /// A date: `8 Jul 2026`.
    #[must_use]
    pub fn date(self, time: Timestamp) -> String {
        self.fill("date-day", time)
    }

    /// A date and time of day: `8 Jul 2026 14:05`.
    #[must_use]
    pub fn moment(self, time: Timestamp) -> String {
        format!("{} {}", self.date(time), self.clock(time))
    }

    /// The time of day: `14:05`.
    #[must_use]
    pub fn clock(self, time: Timestamp) -> String {
        self.zone
            .format(time, format_description!("[hour]:[minute]"))
    }

    /// The name of the bucket of `interval` that begins at `time`: `8 Jul 2026 14:00`, `Jul 2026`.
    #[must_use]
    pub fn bucket_name(self, time: Timestamp, interval: Interval) -> String {
        match interval {
            Interval::Year => self.zone.shown_at(time).civil_date().0.to_string(),
            Interval::Month => self.fill("date-month-of-year", time),
            Interval::Week => self.fill("date-week", time),
            Interval::Day => self.date(time),
            _ => self.moment(time),
        }
    }

    /// A day of a year that is clear: `8 Jul`.
    pub(super) fn day_of_year(self, time: Timestamp) -> String {
        self.fill("date-day-of-year", time)
    }

    /// A month of a year that is clear: `Jul`.
    pub(super) fn month(self, time: Timestamp) -> String {
        self.fill("date-month", time)
    }

    /// A day among a week's: `Mon 6`, in short `Mo 6`.
    pub(super) fn weekday(self, time: Timestamp, is_short: bool) -> String {
        let date = LocalDate::at(time, self.zone);
        // From Monday, which is 1.
        let number = date.weekday().days_after_monday() + 1;
        let weekday = [("weekday", number.into())];
        let weekday = self.language.fill("date-weekday", weekday);
        let letters = if is_short { 2 } else { usize::MAX };
        let weekday: String = weekday.chars().take(letters).collect();
        format!("{weekday} {}", date.day())
    }

    /// A text that may hold the parts of a date.
    fn fill(self, text: &str, time: Timestamp) -> String {
        let (year, month, day) = self.zone.shown_at(time).civil_date();
        let parts: [(&str, TextValue<'static>); 3] = [
            ("year", year.into()),
            ("month", month.into()),
            ("day", day.into()),
        ];
        self.language.fill(text, parts)
    }
}

pub fn date(time: Timestamp, zone: &Zone, language: &Language) -> String {
    Wording { zone, language }.date(time)
}
pub fn moment(time: Timestamp, zone: &Zone, language: &Language) -> String {
    Wording { zone, language }.moment(time)
}
pub fn clock(time: Timestamp, zone: &Zone) -> String {
    zone.format(time, format_description!("[hour]:[minute]"))
}
pub fn bucket_name(
    time: Timestamp,
    interval: Interval,
    zone: &Zone,
    language: &Language,
) -> String {
    Wording { zone, language }.bucket_name(time, interval)
}
pub(super) fn day_of_year(time: Timestamp, zone: &Zone, language: &Language) -> String {
    Wording { zone, language }.day_of_year(time)
}
pub(super) fn month(time: Timestamp, zone: &Zone, language: &Language) -> String {
    Wording { zone, language }.month(time)
}
pub(super) fn weekday(
    time: Timestamp,
    (zone, language): (&Zone, &Language),
    is_short: bool,
) -> String {
    Wording { zone, language }.weekday(time, is_short)
}
