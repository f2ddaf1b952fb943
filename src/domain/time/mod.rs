//! Points in time and ranges of them: UTC, to the millisecond, in the forms accepted on the wire.
//!
//! Every time on the wire is a date-time (`2026-01-05T10:00:00`, optionally with a fraction of a
//! second and with `Z` or an offset); the ends of a range may also be dates alone. Other forms are
//! refused, never guessed: a wrong time would store a reading where nobody looks for it.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;
use time::format_description::StaticFormatDescription;
use time::{Date, Month, SignedDuration, UtcDateTime};

const MS_PER_SECOND: i64 = 1_000;
/// Milliseconds of a minute.
pub const MS_PER_MINUTE: i64 = 60 * MS_PER_SECOND;
/// Milliseconds in an hour.
pub const MS_PER_HOUR: i64 = 60 * MS_PER_MINUTE;
/// Milliseconds of a UTC day. Leap seconds do not exist here, so all days have the same length.
pub const MS_PER_DAY: i64 = 24 * MS_PER_HOUR;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z, within the years 0000 to 9999.
///
/// ```
/// use wattkeeper::Timestamp;
///
/// let time = Timestamp::parse("2013-01-18T21:52:13").unwrap();
/// assert_eq!(time.to_string(), "2013-01-18T21:52:13.000Z");
/// assert_eq!(Timestamp::parse("2013-01-18T22:52:13+01:00").unwrap(), time);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// Why a text is not a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TimeError {
    /// The text is not in an accepted form.
    #[error(
        "expected YYYY-MM-DDTHH:MM:SS, optionally with a fraction and with Z or an offset such as +01:00"
    )]
    Form,
    /// The form is right, but no such date or time of day exists.
    #[error("no such date or time of day")]
    NoSuchTime,
    /// Outside the years 0000 to 9999 in UTC.
    #[error("the years 0000 to 9999 are supported")]
    OutOfRange,
}

impl Timestamp {
    /// 0000-01-01T00:00:00.000Z.
    pub const MIN: Self = Self(-62_167_219_200_000);
    /// 9999-12-31T23:59:59.999Z.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// The time `ms` milliseconds after 1970-01-01T00:00:00Z; `None` outside [`Self::MIN`] to
    /// [`Self::MAX`].
    #[must_use]
    pub const fn from_millis(ms: i64) -> Option<Self> {
        if ms < Self::MIN.0 || ms > Self::MAX.0 {
            None
        } else {
            Some(Self(ms))
        }
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// This time moved by `ms` milliseconds, limited to the supported years.
    #[must_use]
    pub const fn saturating_add_millis(self, ms: i64) -> Self {
        let sum = self.0.saturating_add(ms);
        if sum < Self::MIN.0 {
            Self::MIN
        } else if sum > Self::MAX.0 {
            Self::MAX
        } else {
            Self(sum)
        }
    }

    /// This time moved earlier by `duration`, limited to [`Self::MIN`].
    #[must_use]
    pub fn saturating_sub(self, duration: Duration) -> Self {
        self.saturating_add_millis(-i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
    }

    /// This time moved later by `duration`, limited to [`Self::MAX`].
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        // More milliseconds than fit in an i64 are beyond the supported years anyway.
        self.saturating_add_millis(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
    }

    /// Parses a date-time: `YYYY-MM-DDTHH:MM:SS`, then optionally `.` and digits (cut to
    /// milliseconds), then optionally `Z`, `+hh:mm` or `-hh:mm`. Without a zone it is UTC. A leap
    /// second, `:60`, is the second after it.
    ///
    /// # Errors
    /// A [`TimeError`] for any other text.
    pub fn parse(text: &str) -> Result<Self, TimeError> {
        let bytes = text.as_bytes();
        let (date, rest) = bytes.split_at_checked(10).ok_or(TimeError::Form)?;
        let day_ms = parse_date(date)?;
        let (clock, rest) = rest.split_at_checked(9).ok_or(TimeError::Form)?;
        let [b'T', h1, h2, b':', m1, m2, b':', s1, s2] = *clock else {
            return Err(TimeError::Form);
        };
        let (hour, minute, second) = (
            two_digits(h1, h2)?,
            two_digits(m1, m2)?,
            two_digits(s1, s2)?,
        );
        // A leap second (60) is the second after it, because it has no milliseconds of its own.
        if hour > 23 || minute > 59 || second > 60 {
            return Err(TimeError::NoSuchTime);
        }
        let (fraction_ms, rest) = parse_fraction(rest)?;
        let offset_ms = parse_offset(rest)?;
        let second_ms = i64::from(second) * MS_PER_SECOND + fraction_ms;
        let local_ms = day_ms + clock_ms(hour, minute) + second_ms;
        // In UTC the first or the last day may be outside the supported years.
        Self::from_millis(local_ms - offset_ms).ok_or(TimeError::OutOfRange)
    }

    /// Parses the same forms as [`Self::parse`], and also a date alone, which is its midnight in
    /// UTC.
    ///
    /// # Errors
    /// A [`TimeError`] for any other text.
    pub fn parse_or_date(text: &str) -> Result<Self, TimeError> {
        // The shortest date-time has 19 characters.
        if text.len() == 10 {
            Self::parse_date(text)
        } else {
            Self::parse(text)
        }
    }

    /// Parses a date alone, `YYYY-MM-DD`: its midnight in UTC.
    ///
    /// # Errors
    /// A [`TimeError`] for any other text.
    pub fn parse_date(text: &str) -> Result<Self, TimeError> {
        Ok(Self(parse_date(text.as_bytes())?))
    }

    /// Milliseconds since the midnight (UTC) before this time.
    #[must_use]
    pub const fn millis_of_day(self) -> i64 {
        self.0.rem_euclid(MS_PER_DAY)
    }

    /// Year, month and day of month in UTC.
    #[must_use]
    pub fn civil_date(self) -> (i32, u8, u8) {
        let date = self.date();
        (date.year(), date.month().into(), date.day())
    }

    /// The date in UTC.
    pub(super) fn date(self) -> Date {
        self.civil().date()
    }

    /// Date and time of day in UTC.
    fn civil(self) -> UtcDateTime {
        UtcDateTime::UNIX_EPOCH.saturating_add(SignedDuration::milliseconds(self.0))
    }

    /// This time as text, in UTC.
    #[must_use]
    pub fn format(self, form: StaticFormatDescription) -> String {
        // Fails for components that UTC does not have, such as a zone.
        self.civil().format(form).unwrap_or_default()
    }

    /// The midnight (UTC) at the start of `date`; the nearest supported time if it is outside the
    /// supported years.
    pub(super) fn midnight_of(date: Date) -> Self {
        Self(0).saturating_add_millis(midnight_ms(date))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).map_err(de::Error::custom)
    }
}

/// `YYYY-MM-DDTHH:MM:SS.mmmZ`: exactly three fractional digits, always UTC.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.civil();
        let (hour, minute, second, ms) = shown.time().as_hms_milli();
        let mut text = *b"0000-00-00T00:00:00.000Z";
        // Exports write one for each reading, and formatting by `time` or the standard library
        // takes three times as long.
        for (last, digits, number) in [
            (3, 4, shown.year().unsigned_abs()),
            (6, 2, u8::from(shown.month()).into()),
            (9, 2, shown.day().into()),
            (12, 2, hour.into()),
            (15, 2, minute.into()),
            (18, 2, second.into()),
            (22, 3, ms.into()),
        ] {
            let mut left: u32 = number;
            for digit in text.iter_mut().take(last + 1).rev().take(digits) {
                *digit += u8::try_from(left % 10).unwrap_or_default();
                left /= 10;
            }
        }
        f.write_str(str::from_utf8(&text).unwrap_or_default())
    }
}

fn two_digits(tens: u8, ones: u8) -> Result<u8, TimeError> {
    match (tens, ones) {
        (b'0'..=b'9', b'0'..=b'9') => Ok(10 * (tens - b'0') + ones - b'0'),
        _ => Err(TimeError::Form),
    }
}

/// The midnight (UTC) of a date in milliseconds since 1970.
fn midnight_ms(date: Date) -> i64 {
    const EPOCH: i32 = UtcDateTime::UNIX_EPOCH.to_julian_day();
    i64::from(date.to_julian_day() - EPOCH) * MS_PER_DAY
}

fn parse_date(bytes: &[u8]) -> Result<i64, TimeError> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *bytes else {
        return Err(TimeError::Form);
    };
    let year = 100 * i32::from(two_digits(y1, y2)?) + i32::from(two_digits(y3, y4)?);
    let (month, day) = (two_digits(m1, m2)?, two_digits(d1, d2)?);
    let month = Month::try_from(month).map_err(|_| TimeError::NoSuchTime)?;
    let date = Date::from_calendar_date(year, month, day);
    date.map(midnight_ms).map_err(|_| TimeError::NoSuchTime)
}

fn clock_ms(hours: u8, minutes: u8) -> i64 {
    i64::from(hours) * MS_PER_HOUR + i64::from(minutes) * MS_PER_MINUTE
}

/// The milliseconds of a fraction of a second, and the remaining bytes. Digits after the third are
/// cut off, because times are kept to the millisecond.
fn parse_fraction(bytes: &[u8]) -> Result<(i64, &[u8]), TimeError> {
    let Some((b'.', digits)) = bytes.split_first() else {
        return Ok((0, bytes));
    };
    let length = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (digits, rest) = digits.split_at_checked(length).ok_or(TimeError::Form)?;
    if digits.is_empty() {
        return Err(TimeError::Form);
    }
    // Two zeros suffice, because there is at least one digit.
    let padded = digits.iter().copied().chain([b'0', b'0']).take(3);
    let ms = padded.fold(0, |ms, byte| ms * 10 + i64::from(byte - b'0'));
    Ok((ms, rest))
}

/// The milliseconds by which the written time is ahead of UTC.
fn parse_offset(bytes: &[u8]) -> Result<i64, TimeError> {
    match *bytes {
        [] | [b'Z'] => Ok(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (two_digits(h1, h2)?, two_digits(m1, m2)?);
            if hours > 23 || minutes > 59 {
                return Err(TimeError::NoSuchTime);
            }
            let ahead_ms = clock_ms(hours, minutes);
            Ok(if sign == b'+' { ahead_ms } else { -ahead_ms })
        }
        _ => Err(TimeError::Form),
    }
}

/// A range from a start to an end that is not before it. For power, both ends are inclusive; for
/// energy, the start is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRange {
    start: Timestamp,
    end: Timestamp,
}

impl TimeRange {
    /// All of time.
    pub const ALL: Self = Self {
        start: Timestamp::MIN,
        end: Timestamp::MAX,
    };

    /// The range from `start` to `end`; `None` if `start` is after `end`.
    #[must_use]
    pub fn new(start: Timestamp, end: Timestamp) -> Option<Self> {
        (start <= end).then_some(Self { start, end })
    }

    /// The range of one moment.
    #[must_use]
    pub const fn at(time: Timestamp) -> Self {
        Self {
            start: time,
            end: time,
        }
    }

    /// The earlier end.
    #[must_use]
    pub const fn start(self) -> Timestamp {
        self.start
    }

    /// The later end.
    #[must_use]
    pub const fn end(self) -> Timestamp {
        self.end
    }

    /// Milliseconds from its start to its end.
    #[must_use]
    pub const fn length_ms(self) -> i64 {
        self.end.0 - self.start.0
    }

    /// The range without its start; `None` if nothing is left.
    #[must_use]
    pub fn after_start(self) -> Option<Self> {
        let is_left = self.start < self.end;
        is_left.then_some(Self {
            start: self.start.saturating_add_millis(1),
            end: self.end,
        })
    }

    /// Whether it contains `time`, both ends included.
    #[must_use]
    pub fn contains(self, time: Timestamp) -> bool {
        self.start <= time && time <= self.end
    }
}

/// The time in a test: milliseconds since 1970, or a text for [`Timestamp::parse_or_date`].
#[cfg(test)]
pub(crate) fn at(time: impl NamedTime) -> Timestamp {
    time.time().unwrap()
}

#[cfg(test)]
pub(crate) trait NamedTime {
    fn time(self) -> Option<Timestamp>;
}

#[cfg(test)]
impl NamedTime for i64 {
    fn time(self) -> Option<Timestamp> {
        Timestamp::from_millis(self)
    }
}

#[cfg(test)]
impl NamedTime for &str {
    fn time(self) -> Option<Timestamp> {
        Timestamp::parse_or_date(self).ok()
    }
}

#[cfg(test)]
mod tests;
