//! Percentages of taxes, which have more digits than prices.

use std::fmt;

use thiserror::Error;

use crate::domain::Decimal;

/// A percentage with up to eight digits after the point; not negative.
///
/// ```
/// use wattkeeper::Percent;
///
/// assert_eq!(Percent::parse("5.11269632").unwrap().to_string(), "5.11269632");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(u64);

/// Why a text is no percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a percentage from 0 to 999999.99999999 with up to eight decimals, such as 19")]
pub struct NotPercent;

/// Hundred-millionths in one.
const ONE: u64 = 100_000_000;

impl Percent {
    /// Parses a percentage.
    ///
    /// # Errors
    /// [`NotPercent`] for any other text, also for more digits: a rounded tax would be wrong.
    pub fn parse(text: &str) -> Result<Self, NotPercent> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        // Six digits as in prices, and two more.
        let (first, last) = decimals.split_at_checked(6).unwrap_or((decimals, ""));
        let last = match last.as_bytes() {
            [] => 0,
            [tens] if tens.is_ascii_digit() => (tens - b'0') * 10,
            [tens, ones] if tens.is_ascii_digit() && ones.is_ascii_digit() => {
                (tens - b'0') * 10 + ones - b'0'
            }
            _ => return Err(NotPercent),
        };
        let first = Decimal::parse_price(&format!("{whole}.{first}")).map_err(|_| NotPercent)?;
        let first = u64::try_from(first.millionths()).map_err(|_| NotPercent)?;
        let is_negative = text.starts_with('-');
        let percent = Self(first * 100 + u64::from(last));
        (!is_negative).then_some(percent).ok_or(NotPercent)
    }

    /// In hundred-millionths.
    #[must_use]
    pub const fn hundred_millionths(self) -> u64 {
        self.0
    }
}

/// The form that [`Percent::parse`] reads, without trailing zeros.
impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}.{:08}", self.0 / ONE, self.0 % ONE);
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_exact() {
        for (text, printed) in [
            ("19", "19"),
            ("0.0", "0"),
            ("5.11269632", "5.11269632"),
            ("7.70", "7.7"),
            ("0.00000001", "0.00000001"),
            ("999999.99999999", "999999.99999999"),
        ] {
            assert_eq!(Percent::parse(text).unwrap().to_string(), printed);
        }
        for text in [
            "",
            "-1",
            "-0",
            "1e2",
            "5.112696321",
            "5.1126963x",
            "1000000",
            "1.",
            ".5",
        ] {
            assert_eq!(Percent::parse(text), Err(NotPercent), "{text}");
        }
    }
}
