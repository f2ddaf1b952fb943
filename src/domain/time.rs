//! Points in time and ranges of them: UTC, to the millisecond, with the forms the wire accepts.
//!
//! Every time on the wire is either a date-time (`2026-01-05T10:00:00`, optionally with a fraction
//! of a second and with `Z` or an offset) or, where a range is asked for, a date alone. Nothing else
//! is guessed at: a wrong time would file a reading where nobody looks for it.

use std::fmt;
use std::time::Duration;

use thiserror::Error;
use time::{Date, Month, OffsetDateTime};

const MS_PER_SECOND: i64 = 1_000;
const MS_PER_MINUTE: i64 = 60 * MS_PER_SECOND;
const MS_PER_HOUR: i64 = 60 * MS_PER_MINUTE;
/// Milliseconds of a UTC day; UTC days have no other length here (leap seconds are smeared away).
pub const MS_PER_DAY: i64 = 24 * MS_PER_HOUR;

/// A point in time: milliseconds since 1970-01-01T00:00:00Z, within the years 0000 to 9999.
///
/// ```
/// use wattkeeper::domain::time::Timestamp;
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
    /// Not of an accepted form.
    #[error(
        "expected YYYY-MM-DDTHH:MM:SS, optionally with a fraction and with Z or an offset such as +01:00"
    )]
    Form,
    /// Of the form, but no such date or time of day exists.
    #[error("no such date or time of day")]
    NoSuchTime,
    /// Outside the years 0000 to 9999 once it is in UTC.
    #[error("the years 0000 to 9999 are supported")]
    OutOfRange,
}

impl Timestamp {
    /// 0000-01-01T00:00:00.000Z.
    pub const MIN: Self = Self(-62_167_219_200_000);
    /// 9999-12-31T23:59:59.999Z.
    pub const MAX: Self = Self(253_402_300_799_999);

    /// The time `ms` milliseconds after 1970-01-01T00:00:00Z; `None` outside [`Self::MIN`] to [`Self::MAX`].
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

    /// This time moved by `ms` milliseconds; it stops at the ends of the supported years.
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

    /// This time moved earlier by `duration`; it stops at [`Self::MIN`].
    #[must_use]
    pub fn saturating_sub(self, duration: Duration) -> Self {
        self.saturating_add_millis(-i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
    }

    /// This time moved later by `duration`; it stops at [`Self::MAX`].
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        self.saturating_add_millis(i64::try_from(duration.as_millis()).unwrap_or(i64::MAX))
    }

    /// Reads a date-time: `YYYY-MM-DDTHH:MM:SS`, then optionally `.` and digits (cut to milliseconds),
    /// then optionally `Z`, `+hh:mm` or `-hh:mm`. Without a zone it is UTC.
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
        if hour > 23 || minute > 59 || second > 59 {
            return Err(TimeError::NoSuchTime);
        }
        let (fraction_ms, rest) = parse_fraction(rest)?;
        let offset_ms = parse_offset(rest)?;
        let local_ms = day_ms
            + hour * MS_PER_HOUR
            + minute * MS_PER_MINUTE
            + second * MS_PER_SECOND
            + fraction_ms;
        Self::from_millis(local_ms - offset_ms).ok_or(TimeError::OutOfRange)
    }

    /// Reads what [`Self::parse`] reads, and also a date alone, which is its midnight in UTC.
    ///
    /// # Errors
    /// A [`TimeError`] for any other text.
    pub fn parse_or_date(text: &str) -> Result<Self, TimeError> {
        if text.len() == 10 {
            Self::parse_date(text)
        } else {
            Self::parse(text)
        }
    }

    /// Reads a date alone, `YYYY-MM-DD`: its midnight in UTC.
    ///
    /// # Errors
    /// A [`TimeError`] for any other text.
    pub fn parse_date(text: &str) -> Result<Self, TimeError> {
        Self::from_millis(parse_date(text.as_bytes())?).ok_or(TimeError::OutOfRange)
    }

    /// Milliseconds since the midnight (UTC) before this time.
    #[must_use]
    pub const fn millis_of_day(self) -> i64 {
        self.0.rem_euclid(MS_PER_DAY)
    }

    /// Year, month and day of month in UTC.
    #[must_use]
    pub fn civil_date(self) -> (i32, u8, u8) {
        let date = OffsetDateTime::from_unix_timestamp(self.0.div_euclid(MS_PER_SECOND))
            .map_or(Date::MIN, OffsetDateTime::date);
        (date.year(), u8::from(date.month()), date.day())
    }
}

/// `YYYY-MM-DDTHH:MM:SS.mmmZ`: exactly three fractional digits, always UTC.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.civil_date();
        let ms = self.millis_of_day();
        let (hour, minute, second) = (
            ms / MS_PER_HOUR,
            ms / MS_PER_MINUTE % 60,
            ms / MS_PER_SECOND % 60,
        );
        let fraction = ms % MS_PER_SECOND;
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:03}Z"
        )
    }
}

fn digit(byte: u8) -> Result<i64, TimeError> {
    if byte.is_ascii_digit() {
        Ok(i64::from(byte - b'0'))
    } else {
        Err(TimeError::Form)
    }
}

fn two_digits(tens: u8, ones: u8) -> Result<i64, TimeError> {
    Ok(digit(tens)? * 10 + digit(ones)?)
}

/// The midnight of a date in milliseconds since 1970.
fn parse_date(bytes: &[u8]) -> Result<i64, TimeError> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *bytes else {
        return Err(TimeError::Form);
    };
    let year = two_digits(y1, y2)? * 100 + two_digits(y3, y4)?;
    let (month, day) = (two_digits(m1, m2)?, two_digits(d1, d2)?);
    let date = u8::try_from(month)
        .ok()
        .and_then(|month| Month::try_from(month).ok())
        .zip(i32::try_from(year).ok().zip(u8::try_from(day).ok()))
        .and_then(|(month, (year, day))| Date::from_calendar_date(year, month, day).ok())
        .ok_or(TimeError::NoSuchTime)?;
    let days = date.to_julian_day() - OffsetDateTime::UNIX_EPOCH.to_julian_day();
    Ok(i64::from(days) * MS_PER_DAY)
}

/// Milliseconds of a fraction of a second, and what follows it. Digits past the third are cut off:
/// a time is kept to the millisecond.
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
    let padded = digits.iter().copied().chain([b'0', b'0']).take(3);
    let ms = padded.fold(0, |ms, byte| ms * 10 + i64::from(byte - b'0'));
    Ok((ms, rest))
}

/// Milliseconds that the written time is ahead of UTC.
fn parse_offset(bytes: &[u8]) -> Result<i64, TimeError> {
    match *bytes {
        [] | [b'Z'] => Ok(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (two_digits(h1, h2)?, two_digits(m1, m2)?);
            if hours > 23 || minutes > 59 {
                return Err(TimeError::NoSuchTime);
            }
            let ahead = hours * MS_PER_HOUR + minutes * MS_PER_MINUTE;
            Ok(if sign == b'+' { ahead } else { -ahead })
        }
        _ => Err(TimeError::Form),
    }
}

/// From a start to an end that does not lie before it. Whether the ends belong to it depends on what
/// is asked: both for power, all but the start for energy.
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

    /// The range from `start` to `end`; `None` where `start` lies after `end`.
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

    /// Whether `time` lies in it, both ends included.
    #[must_use]
    pub fn contains(self, time: Timestamp) -> bool {
        self.start <= time && time <= self.end
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ms(text: &str) -> i64 {
        Timestamp::parse(text).unwrap().millis()
    }

    #[test]
    fn accepted_forms() {
        assert_eq!(ms("1970-01-01T00:00:00"), 0);
        assert_eq!(ms("1970-01-01T00:00:01Z"), 1_000);
        assert_eq!(ms("1970-01-01T00:00:00.5"), 500);
        assert_eq!(ms("1970-01-01T00:00:00.25Z"), 250);
        assert_eq!(ms("1970-01-01T00:00:00.123456789Z"), 123);
        assert_eq!(ms("1970-01-01T01:00:00+01:00"), 0);
        assert_eq!(ms("1970-01-01T00:00:00.001-00:30"), 30 * 60_000 + 1);
        assert_eq!(ms("1969-12-31T23:59:59.999Z"), -1);
        assert_eq!(ms("2024-02-29T00:00:00"), 1_709_164_800_000);
        assert_eq!(ms("0000-01-01T00:00:00"), Timestamp::MIN.millis());
        assert_eq!(ms("9999-12-31T23:59:59.999"), Timestamp::MAX.millis());
    }

    #[test]
    fn refused_forms() {
        for text in [
            "",
            "now",
            "2026-01-05",
            "2026-01-05T10:00",
            "2026-01-05 10:00:00",
            "2026-01-05T10:00:00z",
            "2026-1-5T10:00:00",
            "2026-01-05T10:00:00.",
            "2026-01-05T10:00:00,5",
            "2026-01-05T10:00:00+0100",
            "2026-01-05T10:00:00+01",
            "2026-01-05T10:00:00ZZ",
            " 2026-01-05T10:00:00",
            "2026-01-05T10:00:00 ",
            "+026-01-05T10:00:00",
            "1767607200",
            "２026-01-05T10:00:00",
        ] {
            assert_eq!(Timestamp::parse(text), Err(TimeError::Form), "{text:?}");
        }
        for text in [
            "2026-02-29T00:00:00",
            "2026-13-01T00:00:00",
            "2026-00-01T00:00:00",
            "2026-01-00T00:00:00",
            "2026-01-32T00:00:00",
            "2026-01-05T24:00:00",
            "2026-01-05T23:60:00",
            "2026-01-05T23:59:60",
            "2026-01-05T10:00:00+24:00",
        ] {
            assert_eq!(
                Timestamp::parse(text),
                Err(TimeError::NoSuchTime),
                "{text:?}"
            );
        }
        for text in ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"] {
            assert_eq!(
                Timestamp::parse(text),
                Err(TimeError::OutOfRange),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_date_alone_is_its_midnight() {
        assert_eq!(
            Timestamp::parse_or_date("1970-01-02").unwrap().millis(),
            MS_PER_DAY
        );
        assert_eq!(
            Timestamp::parse_or_date("1970-01-02T00:00:00")
                .unwrap()
                .millis(),
            MS_PER_DAY
        );
        assert_eq!(
            Timestamp::parse_or_date("1970-02-30"),
            Err(TimeError::NoSuchTime)
        );
        assert_eq!(Timestamp::parse_or_date("1970-02-3"), Err(TimeError::Form));
    }

    #[test]
    fn ranges_do_not_run_backwards() {
        let (early, late) = (Timestamp(1), Timestamp(2));
        assert!(TimeRange::new(early, late).is_some());
        assert!(TimeRange::new(early, early).is_some());
        assert!(TimeRange::new(late, early).is_none());
    }

    proptest! {
        #[test]
        fn printing_and_reading_agree(ms in Timestamp::MIN.millis()..=Timestamp::MAX.millis()) {
            let time = Timestamp::from_millis(ms).unwrap();
            let text = time.to_string();
            prop_assert_eq!(text.len(), 24);
            prop_assert_eq!(Timestamp::parse(&text), Ok(time));
        }

        #[test]
        fn printed_order_is_time_order(a in Timestamp::MIN.millis()..=Timestamp::MAX.millis(), b in Timestamp::MIN.millis()..=Timestamp::MAX.millis()) {
            let (a, b) = (Timestamp(a), Timestamp(b));
            prop_assert_eq!(a.cmp(&b), a.to_string().cmp(&b.to_string()));
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,40}|[0-9T:.+Z-]{0,32}") {
            if let Ok(time) = Timestamp::parse_or_date(&text) {
                prop_assert!(Timestamp::MIN <= time && time <= Timestamp::MAX);
            }
        }
    }
}
