//! Exact decimals.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// A decimal with up to six digits after the point: whole millionths.
///
/// ```
/// use wattkeeper::Decimal;
///
/// let price = Decimal::parse("-0.020").unwrap();
/// assert_eq!(price.millionths(), -20_000);
/// assert_eq!(price.to_string(), "-0.02");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i64);

/// Why a text is not a decimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a decimal of up to nine digits before and six after the point, such as 0.3215")]
pub struct NotDecimal;

/// Why a text is not a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "expected a price from -999999.999999 to 999999.999999 with up to six decimals, such as 0.3215"
)]
pub struct NotPrice;

/// Millionths in one.
const ONE: i64 = 1_000_000;

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// A sum may have more digits than people may type.
impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::read(&text, 13).ok_or_else(|| D::Error::custom(NotDecimal))
    }
}

impl Decimal {
    /// Nothing.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self(ONE);

    /// This many millionths.
    #[must_use]
    pub const fn from_millionths(millionths: i64) -> Self {
        Self(millionths)
    }

    /// Parses a decimal: digits, or digits, a point and up to six digits; preceded by a minus if it
    /// is negative.
    ///
    /// # Errors
    /// [`NotDecimal`] for any other text: a rounded price would be a wrong one.
    pub fn parse(text: &str) -> Result<Self, NotDecimal> {
        Self::read(text, 9).ok_or(NotDecimal)
    }

    /// The same with so many digits before the point. Leading zeros are harmless.
    fn read(text: &str, most: usize) -> Option<Self> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text),
        };
        let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
        let whole = number(whole, most)?;
        let places = u32::try_from(decimals.len()).ok()?;
        let filled = number(decimals, 6)? * 10_i64.pow(6_u32.saturating_sub(places));
        let millionths = whole.checked_mul(ONE)?.checked_add(filled)?;
        Some(Self(sign * millionths))
    }

    /// Parses the price of a kilowatt-hour, or a factor: a decimal whose absolute value is less
    /// than a million.
    ///
    /// # Errors
    /// [`NotPrice`] for any other text.
    pub fn parse_price(text: &str) -> Result<Self, NotPrice> {
        let price = Self::parse(text).map_err(|_| NotPrice)?;
        price.is_price().then_some(price).ok_or(NotPrice)
    }

    /// Whether its absolute value is less than a million.
    #[must_use]
    pub const fn is_price(self) -> bool {
        self.0.unsigned_abs() < 1_000_000 * ONE.unsigned_abs()
    }

    /// In millionths.
    #[must_use]
    pub const fn millionths(self) -> i64 {
        self.0
    }

    /// The nearest floating-point number, which prints the same up to fifteen digits.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "beyond 2^53 millionths a f64 has no place for a millionth"
        )]
        let millionths = self.0 as f64;
        millionths / 1e6
    }

    /// The sum, limited to the range of the type.
    #[must_use]
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// Parses 1 to `most` digits, where `most` is at most 18.
fn number(text: &str, most: usize) -> Option<i64> {
    let is_number =
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| {
        text.bytes()
            .fold(0, |number, digit| number * 10 + i64::from(digit - b'0'))
    })
}

/// In the form read by [`Decimal::parse`], without trailing zeros.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.unsigned_abs();
        let one = ONE.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let text = format!("{sign}{}.{:06}", size / one, size % one);
        // There always is a point, so no zeros before it are cut.
        f.write_str(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (text, millionths, printed) in [
            ("0.3215", 321_500, "0.3215"),
            ("-0.02", -20_000, "-0.02"),
            ("-0.0", 0, "0"),
            ("007", 7_000_000, "7"),
            ("100", 100_000_000, "100"),
            ("0.000001", 1, "0.000001"),
            (
                "-999999999.999999",
                -999_999_999_999_999,
                "-999999999.999999",
            ),
        ] {
            let decimal = Decimal::parse(text).unwrap();
            assert_eq!(decimal.millionths(), millionths, "{text}");
            assert_eq!(decimal.to_string(), printed);
        }
        let least = Decimal::from_millionths(i64::MIN);
        assert_eq!(least.to_string(), "-9223372036854.775808");
        assert_eq!(least.saturating_add(Decimal::from_millionths(-1)), least);
    }

    #[test]
    fn what_is_no_decimal_is_refused() {
        for text in [
            "",
            "-",
            ".",
            ".5",
            "1.",
            "--1",
            "+1",
            "1e3",
            "0,32",
            "0.1234567",
            " 1",
            "1234567890",
            "NaN",
            "-.1",
            "1.-1",
            "١",
        ] {
            assert_eq!(Decimal::parse(text), Err(NotDecimal), "{text}");
        }
    }

    #[test]
    fn a_price_is_less_than_a_million() {
        for text in ["999999.999999", "-999999.999999", "0"] {
            assert_eq!(Decimal::parse_price(text).unwrap().to_string(), text);
        }
        for text in ["1000000", "-1000000", "", "0,5"] {
            assert_eq!(Decimal::parse_price(text), Err(NotPrice), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read(millionths in -999_999_999_999_999_i64..=999_999_999_999_999) {
            let decimal = Decimal::from_millionths(millionths);
            prop_assert_eq!(Decimal::parse(&decimal.to_string()), Ok(decimal));
        }
    }
}
