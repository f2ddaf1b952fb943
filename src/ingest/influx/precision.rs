//! The units of timestamps.

use std::str::FromStr;

use thiserror::Error;

use crate::domain::Timestamp;

/// The unit of a request's timestamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `ns` or `n`.
    #[default]
    Nanoseconds,
    /// `us` or `u`.
    Microseconds,
    /// `ms`.
    Milliseconds,
    /// `s`.
    Seconds,
    /// `m`.
    Minutes,
    /// `h`.
    Hours,
}

/// The error for an unknown precision, in InfluxDB's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("invalid precision (use ns, u, ms, s, m or h)")]
pub struct UnknownPrecision;

impl Precision {
    /// Its name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::Minutes => "m",
            Self::Hours => "h",
        }
    }

    /// Its length as a fraction of milliseconds.
    const fn millis(self) -> (i64, i64) {
        match self {
            Self::Nanoseconds => (1, 1_000_000),
            Self::Microseconds => (1, 1_000),
            Self::Milliseconds => (1, 1),
            Self::Seconds => (1_000, 1),
            Self::Minutes => (60_000, 1),
            Self::Hours => (3_600_000, 1),
        }
    }

    /// The time `number` units after 1970, rounded down to the millisecond; `None` outside the
    /// supported years.
    #[must_use]
    pub fn time(self, number: i64) -> Option<Timestamp> {
        let (millis, parts) = self.millis();
        // A client may send any number. Times before 1970 are rounded down too.
        Timestamp::from_millis(number.checked_mul(millis)?.div_euclid(parts))
    }

    /// A time as a number of units since 1970, rounded down; `None` if it is too large.
    #[must_use]
    pub fn number(self, time: Timestamp) -> Option<i64> {
        let (millis, parts) = self.millis();
        // An i64 can count nanoseconds only up to the year 2262.
        Some(time.millis().checked_mul(parts)?.div_euclid(millis))
    }
}

/// As a parameter of requests; the two versions of InfluxDB have different names.
impl FromStr for Precision {
    type Err = UnknownPrecision;

    fn from_str(text: &str) -> Result<Self, UnknownPrecision> {
        Ok(match text {
            "n" | "ns" => Self::Nanoseconds,
            "u" | "us" | "µ" | "µs" => Self::Microseconds,
            "ms" => Self::Milliseconds,
            "s" => Self::Seconds,
            "m" => Self::Minutes,
            "h" => Self::Hours,
            _ => return Err(UnknownPrecision),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_versions_are_known() {
        let ms = |word: &str, number| {
            let precision: Precision = word.parse().unwrap();
            precision.time(number).map(Timestamp::millis)
        };
        assert_eq!(ms("n", 1_999_999), Some(1));
        assert_eq!(ms("ns", -1), Some(-1));
        assert_eq!(ms("us", 2_500), Some(2));
        assert_eq!(ms("u", 2_500), Some(2));
        assert_eq!(ms("ms", 5), Some(5));
        assert_eq!(ms("s", 5), Some(5_000));
        assert_eq!(ms("m", 5), Some(300_000));
        assert_eq!(ms("h", 5), Some(18_000_000));
        assert_eq!(ms("s", i64::MAX), None);
        assert_eq!(ms("ms", i64::MAX), None);
        for word in ["", "d", "S", "seconds"] {
            assert!(word.parse::<Precision>().is_err(), "{word:?}");
        }
        let time = Timestamp::from_millis(1_500).unwrap();
        assert_eq!(Precision::Seconds.number(time), Some(1));
        assert_eq!(Precision::Nanoseconds.number(time), Some(1_500_000_000));
        assert_eq!(Precision::Nanoseconds.number(Timestamp::MAX), None);
    }
}
