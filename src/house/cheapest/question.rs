//! The window of a search, as programs and people type it.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::search::{CheapestWindow, QUARTER_MS};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{Decimal, LocalDate, LocalTime, Timestamp, Zone};
use crate::house::nights::AccountDays;
use crate::store::StoreError;

/// The fields of a search as typed; `None` for the default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheapestForm {
    /// How many hours it takes: 0.25 to 24, by default 3.
    pub hours: Option<String>,
    /// When it is to be over: a clock time, the next one that leaves room for it, or a time. By default
    /// the end of the day after the start.
    pub before: Option<String>,
    /// The first time; by default the next minute.
    pub start: Option<String>,
    /// Whether it may be in several pieces.
    pub is_split: bool,
}

/// A search: a form whose fields are valid by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheapestQuestion {
    length_ms: i64,
    before: Option<TypedEnd>,
    start: Option<TypedTime>,
    is_split: bool,
}

/// A typed time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypedTime {
    At(Timestamp),
    /// The beginning of this day by the account's clock.
    Date(LocalDate),
}

/// A typed end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TypedEnd {
    /// Milliseconds after midnight by the account's clock.
    Clock(i64),
    Time(TypedTime),
}

/// A field of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheapestField {
    /// [`CheapestForm::hours`].
    Hours,
    /// [`CheapestForm::before`].
    Before,
    /// [`CheapestForm::start`].
    Start,
}

/// Why a search has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CheapestError {
    /// Not a length of time that is offered.
    #[error("expected hours from 0.25 to 24, such as 3 or 1.5")]
    Hours,
    /// Quarters of an hour cannot make up this length.
    #[error("expected whole quarters of an hour, such as 1.25, because the time may be split")]
    Quarters,
    /// Not an end.
    #[error("expected a clock time such as 07:00, or a time such as 2026-01-05T07:00:00Z")]
    Before,
    /// Not a time.
    #[error("expected a time such as 2026-01-05T22:00:00Z, or a date alone")]
    Start,
    /// It would end before it starts.
    #[error("expected a time after the start of the search, {0}")]
    Past(Timestamp),
    /// The hours do not fit before the end.
    #[error("expected a time that leaves room for the hours after the start of the search, {0}")]
    TooSoon(Timestamp),
    /// The window is too long.
    #[error("expected a time at most 7 days after the start of the search, {0}")]
    TooLate(Timestamp),
    /// The account has no contract.
    #[error("the account has no contract, so nothing has a price: add one first")]
    NoContract,
    /// Nothing in the window has a price.
    #[error("no price is known from {0} to {1}: upload prices, or choose another time")]
    NoPrices(Timestamp, Timestamp),
    /// Prices are known for a part that is too short.
    #[error(
        "prices are not known for so long: those from {0} on end at {1}; upload prices, or choose fewer hours"
    )]
    TooFewPrices(Timestamp, Timestamp),
    /// The store failed.
    #[error("{0}")]
    Store(#[from] StoreError),
}

const HOUR_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;
const LONGEST_MS: i64 = 24 * HOUR_MS;
/// Prices may change each minute, and those of the window are in memory together.
const LONGEST_WINDOW_MS: i64 = 7 * MS_PER_DAY;

impl CheapestError {
    /// The field at fault, if one is.
    #[must_use]
    pub const fn field(&self) -> Option<CheapestField> {
        Some(match self {
            Self::Hours | Self::Quarters => CheapestField::Hours,
            Self::Before | Self::Past(_) | Self::TooSoon(_) | Self::TooLate(_) => {
                CheapestField::Before
            }
            Self::Start => CheapestField::Start,
            Self::NoContract | Self::NoPrices(..) | Self::TooFewPrices(..) | Self::Store(_) => {
                return None;
            }
        })
    }
}

impl CheapestForm {
    /// Its fields, each checked by itself.
    ///
    /// # Errors
    /// [`CheapestError`] for the first invalid one.
    pub fn question(&self) -> Result<CheapestQuestion, CheapestError> {
        let usual = Some(CheapestQuestion::USUAL.length_ms);
        let length_ms = self.hours.as_deref().map_or(usual, length);
        let length_ms = length_ms.ok_or(CheapestError::Hours)?;
        if self.is_split && length_ms % QUARTER_MS != 0 {
            return Err(CheapestError::Quarters);
        }
        let before = self.before.as_deref().map(|text| match clock(text) {
            Some(clock_ms) => Some(TypedEnd::Clock(clock_ms)),
            None => typed(text).map(TypedEnd::Time),
        });
        let start = self.start.as_deref().map(typed);
        Ok(CheapestQuestion {
            length_ms,
            before: before
                .map(|it| it.ok_or(CheapestError::Before))
                .transpose()?,
            start: start.map(|it| it.ok_or(CheapestError::Start)).transpose()?,
            is_split: self.is_split,
        })
    }
}

impl CheapestQuestion {
    /// The hours that are looked for by default: those of a dishwasher or a washing machine.
    pub const HOURS: i64 = 3;

    /// The question of an empty form.
    pub const USUAL: Self = Self {
        length_ms: Self::HOURS * HOUR_MS,
        before: None,
        start: None,
        is_split: false,
    };

    /// The window that begins and ends with a range; `None` if the hours do not fit into it.
    pub(super) fn within(&self, range: Range<Timestamp>) -> Option<CheapestWindow> {
        let window = CheapestWindow {
            start: next_minute(range.start),
            end: range.end,
            length_ms: self.length_ms,
            is_split: self.is_split,
        };
        (window.start < window.end && window.has_room()).then_some(window)
    }

    /// The window by the clock of `zone` at `now`.
    ///
    /// # Errors
    /// [`CheapestError`] if the hours do not fit into it, or if it is too long.
    pub fn window(&self, zone: &Zone, now: Timestamp) -> Result<CheapestWindow, CheapestError> {
        let start = self
            .start
            .map_or_else(|| next_minute(now), |start| start.of(zone));
        let until = |end| CheapestWindow {
            start,
            end,
            length_ms: self.length_ms,
            is_split: self.is_split,
        };
        let window = match self.before {
            None => until(default_end(start, zone)),
            Some(TypedEnd::Time(time)) => until(time.of(zone)),
            Some(TypedEnd::Clock(clock_ms)) => {
                let today = LocalDate::at(start, zone);
                // After a day and the hours, which are a day at most, there has been one.
                let days = (0..=3).filter_map(|days| today.plus_days(days));
                let times = days.map(|date| showing(date, clock_ms, zone));
                let mut windows = times.filter(|end| start < *end).map(until);
                let fits = windows.find(CheapestWindow::has_room);
                fits.ok_or(CheapestError::TooSoon(start))?
            }
        };
        if window.end <= start {
            Err(CheapestError::Past(start))
        } else if window.end.millis().saturating_sub(start.millis()) > LONGEST_WINDOW_MS {
            Err(CheapestError::TooLate(start))
        } else if window.has_room() {
            Ok(window)
        } else {
            Err(CheapestError::TooSoon(start))
        }
    }
}

impl TypedTime {
    fn of(self, zone: &Zone) -> Timestamp {
        match self {
            Self::At(time) => time,
            Self::Date(date) => date.start(zone),
        }
    }
}

/// The end of the day after `start`, and never so soon that a day does not fit: day-ahead prices are
/// known until then.
fn default_end(start: Timestamp, zone: &Zone) -> Timestamp {
    let days = AccountDays::new(zone.clone(), start);
    let at_least = start.saturating_add_millis(LONGEST_MS + QUARTER_MS);
    days.start(-2).unwrap_or(at_least).max(at_least)
}

/// When the clock shows this time on a date, first.
fn showing(date: LocalDate, clock_ms: i64, zone: &Zone) -> Timestamp {
    let shown = date.midnight().saturating_add_millis(clock_ms);
    match zone.local(shown) {
        LocalTime::Once(time) | LocalTime::Twice(time, _) | LocalTime::Skipped(time) => time,
    }
}

fn next_minute(now: Timestamp) -> Timestamp {
    let left_ms = now.millis().saturating_neg().rem_euclid(MINUTE_MS);
    now.saturating_add_millis(left_ms)
}

/// The length of so many hours, in milliseconds.
fn length(hours: &str) -> Option<i64> {
    let hours = Decimal::parse(hours.trim()).ok()?.millionths();
    // A millionth of an hour is 3.6 ms.
    let length_ms = hours.checked_mul(36)? / 10;
    (QUARTER_MS..=LONGEST_MS)
        .contains(&length_ms)
        .then_some(length_ms)
}

/// Milliseconds after midnight of a clock time such as 07:00.
pub(in crate::house) fn clock(text: &str) -> Option<i64> {
    let (hour, minute) = text.trim().split_once(':')?;
    let number = |text: &str, most: i64| {
        let is_number = (1..=2).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
        let number: i64 = text.parse().ok().filter(|_| is_number)?;
        (number < most).then_some(number)
    };
    let minutes = number(hour, 24)? * 60 + number(minute, 60).filter(|_| minute.len() == 2)?;
    Some(minutes * MINUTE_MS)
}

/// A time or a date. A space was the `+` of an offset.
fn typed(text: &str) -> Option<TypedTime> {
    let text = text.trim();
    if let Ok(date) = LocalDate::parse(text) {
        return Some(TypedTime::Date(date));
    }
    let time = Timestamp::parse_or_date(&text.replace(' ', "+"));
    time.ok().map(TypedTime::At)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::tests::at;

    fn form(hours: &str, before: &str, start: &str) -> CheapestForm {
        let typed = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        CheapestForm {
            hours: typed(hours),
            before: typed(before),
            start: typed(start),
            is_split: false,
        }
    }

    /// At 11:10:20 in Berlin.
    fn window(form: &CheapestForm) -> Result<CheapestWindow, CheapestError> {
        let zone = Zone::parse("Europe/Berlin").unwrap();
        form.question()?.window(&zone, at("2026-01-06T10:10:20"))
    }

    fn ends(form: &CheapestForm) -> [String; 2] {
        let window = window(form).unwrap();
        [window.start, window.end].map(|time| time.to_string()[..16].to_owned())
    }

    #[test]
    fn windows_are_by_the_clock_of_the_account() {
        for (hours, before, start, expected) in [
            ("", "", "", ["2026-01-06T10:11", "2026-01-07T23:00"]),
            ("3", "07:00", "", ["2026-01-06T10:11", "2026-01-07T06:00"]),
            ("3", "14:11", "", ["2026-01-06T10:11", "2026-01-06T13:11"]),
            // An hour and less does not suffice today.
            ("3", "12:00", "", ["2026-01-06T10:11", "2026-01-07T11:00"]),
            ("24", "7:00", "", ["2026-01-06T10:11", "2026-01-08T06:00"]),
            (
                "0.25",
                "2026-01-06T11:00:00+01:00",
                "2026-01-06",
                ["2026-01-05T23:00", "2026-01-06T10:00"],
            ),
            (
                "1.5",
                "2026-01-08",
                "2026-01-07T20:00:00Z",
                ["2026-01-07T20:00", "2026-01-07T23:00"],
            ),
            // When clocks go forward, seven o'clock comes six hours after midnight.
            (
                "7",
                "07:00",
                "2026-03-28T23:00:00Z",
                ["2026-03-28T23:00", "2026-03-30T05:00"],
            ),
        ] {
            assert_eq!(
                ends(&form(hours, before, start)),
                expected,
                "{hours} {before} {start}"
            );
        }
    }

    #[test]
    fn split_hours_need_whole_quarters() {
        let split = |hours, before| {
            let form = CheapestForm {
                is_split: true,
                ..form(hours, before, "")
            };
            window(&form)
        };
        assert_eq!(split("1.3", ""), Err(CheapestError::Quarters));
        // From 11:15 until 12:15, although it is 11:11.
        let end = |window: CheapestWindow| window.end.to_string()[..16].to_owned();
        assert_eq!(split("1", "12:15").map(end), Ok("2026-01-06T11:15".into()));
        assert_eq!(split("1", "12:14").map(end), Ok("2026-01-07T11:14".into()));
    }

    #[test]
    fn mistakes_name_their_field() {
        use CheapestField::{Before, Hours, Start};
        for hours in ["0.2", "24.01", "-3", "1e1", "999999999", "three"] {
            let error = window(&form(hours, "", "")).unwrap_err();
            assert_eq!((error.field(), error), (Some(Hours), CheapestError::Hours));
        }
        for before in ["25:00", "7:5", "07:60", "soon", "2026-13-01"] {
            let error = window(&form("", before, "")).unwrap_err();
            assert_eq!(
                (error.field(), error),
                (Some(Before), CheapestError::Before)
            );
        }
        let error = window(&form("", "", "7:00")).unwrap_err();
        assert_eq!((error.field(), error), (Some(Start), CheapestError::Start));
        let start = at("2026-01-06T10:11:00");
        for (before, expected) in [
            ("2026-01-06", CheapestError::Past(start)),
            ("2026-01-06T13:00:00Z", CheapestError::TooSoon(start)),
            ("2026-01-13T10:11:01Z", CheapestError::TooLate(start)),
        ] {
            let error = window(&form("3", before, "")).unwrap_err();
            assert_eq!((error.field(), error), (Some(Before), expected));
        }
    }

    #[test]
    fn windows_at_the_ends_of_time_are_no_panic() {
        for start in ["0000-01-01", "9999-12-31", "9999-12-31T23:59:59Z"] {
            for before in ["", "07:00", "9999-12-31T23:59:59Z"] {
                for hours in ["0.25", "24"] {
                    drop(window(&form(hours, before, start)));
                }
            }
        }
    }
}
