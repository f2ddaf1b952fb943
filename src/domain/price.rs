//! The price of energy.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::decimal::Decimal;
use super::name::check_name;
use super::number::finite;

/// The price of a kilowatt-hour: an exact decimal in a currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    millionths: u64,
    currency: Currency,
}

/// What money is counted in: 1 to [`Self::MAX_CHARACTERS`] characters without control characters and without white space at the
/// ends, such as `EUR` or `€`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Currency(Arc<str>);

/// Why something is not a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PriceError {
    /// Not a decimal, or one with too many digits.
    #[error(
        "expected a price per kWh from 0 to 999999.999999 with up to six decimals, such as 0.3215"
    )]
    NoDecimal,
    /// Not a currency.
    #[error("expected a currency of 1 to 8 characters, such as EUR, € or $")]
    NoCurrency,
}

impl Currency {
    /// The most characters.
    pub const MAX_CHARACTERS: usize = 8;

    /// The currency that `text` names.
    ///
    /// # Errors
    /// [`PriceError::NoCurrency`] if it is empty, too long, or has control characters or white space at its ends.
    pub fn new(text: &str) -> Result<Self, PriceError> {
        let is_short = text.chars().count() <= Self::MAX_CHARACTERS;
        // The length was checked in characters: `check_name` looks for control characters and an empty text only.
        let is_bare = text.trim() == text;
        if !is_short || !is_bare || check_name(text, text.len()).is_err() {
            return Err(PriceError::NoCurrency);
        }
        Ok(Self(Arc::from(text)))
    }

    /// The currency as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Price {
    /// The highest price, in millionths.
    pub const MAX_MILLIONTHS: u64 = 999_999_999_999;

    /// The price of `millionths` of the currency per kilowatt-hour.
    ///
    /// # Errors
    /// [`PriceError`] if the price is a million or more, or as [`Currency::new`].
    pub fn new(millionths: u64, currency: &str) -> Result<Self, PriceError> {
        if millionths > Self::MAX_MILLIONTHS {
            return Err(PriceError::NoDecimal);
        }
        let currency = Currency::new(currency)?;
        Ok(Self {
            millionths,
            currency,
        })
    }

    /// The price that the decimal `amount` of `currency` spells, such as `0.3215` and `EUR`.
    ///
    /// # Errors
    /// [`PriceError`] if `amount` is not digits, or digits, a point and up to six digits; and as [`Self::new`].
    pub fn parse(amount: &str, currency: &str) -> Result<Self, PriceError> {
        let amount = Decimal::parse(amount).map_err(|_| PriceError::NoDecimal)?;
        let millionths = u64::try_from(amount.millionths()).map_err(|_| PriceError::NoDecimal)?;
        Self::new(millionths, currency)
    }

    /// Millionths of the currency per kilowatt-hour.
    #[must_use]
    pub const fn millionths(&self) -> u64 {
        self.millionths
    }

    /// The currency.
    #[must_use]
    pub fn currency(&self) -> &str {
        self.currency.as_str()
    }

    /// The price as a decimal, without the currency and without trailing zeros.
    #[must_use]
    pub fn amount(&self) -> String {
        // A price is below 10^12 millionths.
        Decimal::from_millionths(self.millionths.cast_signed()).to_string()
    }

    /// The cost of `watthours` in the currency; negative for energy that was fed back. Finite.
    #[must_use]
    pub fn of(&self, watthours: f64) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "below 10^12: a f64 has all its digits"
        )]
        let millionths = self.millionths as f64;
        finite(watthours / 1_000.0 * (millionths / 1e6))
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.amount(), self.currency())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (text, millionths, amount) in [
            ("0.3215", 321_500, "0.3215"),
            ("0", 0, "0"),
            ("12", 12_000_000, "12"),
            ("1.50", 1_500_000, "1.5"),
            ("0.000001", 1, "0.000001"),
            ("999999.999999", 999_999_999_999, "999999.999999"),
            ("100", 100_000_000, "100"),
        ] {
            let price = Price::parse(text, "EUR").unwrap();
            assert_eq!(price.millionths(), millionths);
            assert_eq!(price.amount(), amount);
            assert_eq!(Price::parse(amount, "EUR"), Ok(price));
        }
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for text in [
            "",
            ".",
            ".5",
            "1.",
            "-1",
            "+1",
            "1e3",
            "0,32",
            "0.1234567",
            " 1",
            "1000000",
            "NaN",
        ] {
            assert_eq!(
                Price::parse(text, "EUR"),
                Err(PriceError::NoDecimal),
                "{text}"
            );
        }
        for currency in ["", " ", "EUR ", "a\nb", "123456789"] {
            let refused = Price::parse("1", currency);
            assert_eq!(refused, Err(PriceError::NoCurrency), "{currency:?}");
        }
        for currency in ["EUR", "€", "$", "Fr.", "12345678", "€€€€€€€€"] {
            assert!(Price::parse("1", currency).is_ok(), "{currency}");
        }
    }

    #[test]
    fn energy_has_its_cost() {
        let price = Price::parse("0.25", "€").unwrap();
        assert_eq!(price.of(2_000.0), 0.5);
        assert_eq!(price.of(-4_000.0), -1.0);
        assert_eq!(price.to_string(), "0.25 €");
        let dear = Price::parse("999999", "€").unwrap();
        assert_eq!(dear.of(f64::MAX), f64::MAX);
    }
}
