//! Kinds of values in the configuration, as people write them: `30s`, `1MiB`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a text is no value of its kind. What is expected instead, the setting's rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not of the expected form")]
pub struct ValueError;

/// A span of time: a whole number and `ms`, `s`, `m` or `h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

/// The units of a span and their length in milliseconds, the longest first.
const SPAN_UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];

impl Span {
    /// So many seconds.
    #[must_use]
    pub const fn from_secs(secs: u64) -> Self {
        Self(Duration::from_secs(secs))
    }
}

impl FromStr for Span {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let ms = parse_units(text, &SPAN_UNITS)?;
        Ok(Self(Duration::from_millis(ms)))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX);
        write_units(f, ms, &SPAN_UNITS)
    }
}

/// A number of bytes: a whole number, alone or with `KiB`, `MiB` or `GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

/// The units of a size and their bytes, the largest first.
const SIZE_UNITS: [(&str, u64); 4] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("", 1),
];

impl Size {
    /// The bytes, as lengths in memory are counted.
    #[must_use]
    pub fn bytes(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl FromStr for Size {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        Ok(Self(parse_units(text, &SIZE_UNITS)?))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_units(f, self.0, &SIZE_UNITS)
    }
}

fn parse_units(text: &str, units: &[(&str, u64)]) -> Result<u64, ValueError> {
    let digits_end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(digits_end);
    let (_, size) = units
        .iter()
        .find(|(name, _)| *name == unit.trim_start())
        .ok_or(ValueError)?;
    let count: u64 = digits.parse().map_err(|_| ValueError)?;
    count.checked_mul(*size).ok_or(ValueError)
}

/// Writes `amount` in the largest unit that leaves a whole number.
fn write_units(f: &mut fmt::Formatter<'_>, amount: u64, units: &[(&str, u64)]) -> fmt::Result {
    let whole = |(_, size): &&(&str, u64)| amount > 0 && amount.is_multiple_of(*size);
    let Some((name, size)) = units.iter().find(whole).or(units.last()) else {
        return Ok(());
    };
    write!(f, "{}{name}", amount / size)
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parse_text(deserializer)
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(u64),
            Text(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(bytes) => Ok(Self(bytes)),
            Written::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}

pub(super) fn parse_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err = ValueError>,
{
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(serde::de::Error::custom)
}

/// `"always"`, or a [`Span`]: how [`Durability`](crate::store::Durability) is written.
pub(super) mod durability {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Span;
    use crate::store::Durability;

    const ALWAYS: &str = "always";

    pub(crate) fn serialize<S: Serializer>(
        durability: &Durability,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match durability {
            Durability::Always => serializer.serialize_str(ALWAYS),
            Durability::Interval(interval) => serializer.collect_str(&Span(*interval)),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Durability, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == ALWAYS {
            return Ok(Durability::Always);
        }
        let interval: Span = text.parse().map_err(serde::de::Error::custom)?;
        Ok(Durability::Interval(interval.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_written() {
        for (text, ms) in [
            ("500ms", 500),
            ("30s", 30_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
        ] {
            assert_eq!(text.parse(), Ok(Span(Duration::from_millis(ms))));
            assert_eq!(Span(Duration::from_millis(ms)).to_string(), text);
        }
        assert_eq!("90s".parse(), Ok(Span::from_secs(90)));
        assert_eq!(Span::from_secs(90).to_string(), "90s");
        assert_eq!(Span::from_secs(0).to_string(), "0ms");
        for text in [
            "",
            "30",
            "s",
            "1.5s",
            "-1s",
            "30S",
            "1d",
            "99999999999999999999h",
            "1h30m",
        ] {
            assert_eq!(text.parse::<Span>(), Err(ValueError), "{text:?}");
        }
    }

    #[test]
    fn sizes_are_read_and_written() {
        for (text, bytes) in [
            ("1MiB", 1 << 20),
            ("64KiB", 65_536),
            ("2GiB", 1 << 31),
            ("1000", 1000),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)));
            assert_eq!(Size(bytes).to_string(), text);
        }
        assert_eq!("1 MiB".parse(), Ok(Size(1 << 20)));
        for text in ["", "MiB", "1MB", "1.5MiB", "-1", "99999999999GiB"] {
            assert_eq!(text.parse::<Size>(), Err(ValueError), "{text:?}");
        }
    }
}
