//! Dates and times as people read them, by the clocks of a zone. The examples are English.

use time::macros::format_description;

use crate::domain::{Interval, LocalDate, Timestamp, Zone};
use crate::texts::{Language, TextValue};

/// A date: `8 Jul 2026`.
#[must_use]
pub fn date(time: Timestamp, zone: &Zone, language: &Language) -> String {
    language.fill("date-day", parts(time, zone))
}

/// A date and time of day: `8 Jul 2026 14:05`.
#[must_use]
pub fn moment(time: Timestamp, zone: &Zone, language: &Language) -> String {
    format!("{} {}", date(time, zone, language), clock(time, zone))
}

/// The time of day: `14:05`.
#[must_use]
pub fn clock(time: Timestamp, zone: &Zone) -> String {
    zone.format(time, format_description!("[hour]:[minute]"))
}

/// The name of the bucket of `interval` that begins at `time`: `8 Jul 2026 14:00`, `Jul 2026`.
#[must_use]
pub fn bucket_name(
    time: Timestamp,
    interval: Interval,
    zone: &Zone,
    language: &Language,
) -> String {
    match interval {
        Interval::Year => zone.shown_at(time).civil_date().0.to_string(),
        Interval::Month => language.fill("date-month-of-year", parts(time, zone)),
        Interval::Week => language.fill("date-week", parts(time, zone)),
        Interval::Day => date(time, zone, language),
        _ => moment(time, zone, language),
    }
}

/// A day of a year that is clear: `8 Jul`.
pub(super) fn day_of_year(time: Timestamp, zone: &Zone, language: &Language) -> String {
    language.fill("date-day-of-year", parts(time, zone))
}

/// A month of a year that is clear: `Jul`.
pub(super) fn month(time: Timestamp, zone: &Zone, language: &Language) -> String {
    language.fill("date-month", parts(time, zone))
}

/// A day among a week's: `Mon 6`, in short `Mo 6`.
pub(super) fn weekday(
    time: Timestamp,
    (zone, language): (&Zone, &Language),
    is_short: bool,
) -> String {
    let date = LocalDate::of_shown(zone.shown_at(time));
    // From Monday, which is 1.
    let number = date.weekday().days_after_monday() + 1;
    let weekday = language.fill("date-weekday", [("weekday", number.into())]);
    let letters = if is_short { 2 } else { usize::MAX };
    let weekday: String = weekday.chars().take(letters).collect();
    format!("{weekday} {}", date.day())
}

/// The values that the texts of dates may hold.
fn parts(time: Timestamp, zone: &Zone) -> [(&'static str, TextValue<'static>); 3] {
    let (year, month, day) = zone.shown_at(time).civil_date();
    [
        ("year", year.into()),
        ("month", month.into()),
        ("day", day.into()),
    ]
}
