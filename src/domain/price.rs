//! The price of energy.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::name::check_name;
use super::number::finite;

/// The price of a kilowatt-hour: an exact decimal in a currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    millionths: u64,
    currency: Arc<str>,
}

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

/// Millionths in one.
const ONE: u64 = 1_000_000;

impl Price {
    /// The most characters of a currency.
    pub const MAX_CURRENCY: usize = 8;
    /// The highest price, in millionths.
    const MAX_MILLIONTHS: u64 = 1_000_000 * ONE - 1;

    /// The price of `millionths` of the currency per kilowatt-hour.
    ///
    /// # Errors
    /// [`PriceError`] if the price is a million or more, or if `currency` is not 1 to [`Self::MAX_CURRENCY`] characters without
    /// control characters and without white space at its ends.
    pub fn new(millionths: u64, currency: &str) -> Result<Self, PriceError> {
        if millionths > Self::MAX_MILLIONTHS {
            return Err(PriceError::NoDecimal);
        }
        let is_short = currency.chars().count() <= Self::MAX_CURRENCY;
        // The length was checked in characters: `check_name` looks for control characters and an empty text only.
        let is_bare = currency.trim() == currency;
        if !is_short || !is_bare || check_name(currency, currency.len()).is_err() {
            return Err(PriceError::NoCurrency);
        }
        Ok(Self {
            millionths,
            currency: Arc::from(currency),
        })
    }

    /// The price that the decimal `amount` of `currency` spells, such as `0.3215` and `EUR`.
    ///
    /// # Errors
    /// [`PriceError`] if `amount` is not digits, or digits, a point and up to six digits; and as [`Self::new`].
    pub fn parse(amount: &str, currency: &str) -> Result<Self, PriceError> {
        Self::new(millionths(amount).ok_or(PriceError::NoDecimal)?, currency)
    }

    /// Millionths of the currency per kilowatt-hour.
    #[must_use]
    pub const fn millionths(&self) -> u64 {
        self.millionths
    }

    /// The currency.
    #[must_use]
    pub fn currency(&self) -> &str {
        &self.currency
    }

    /// The price as a decimal, without the currency and without trailing zeros.
    #[must_use]
    pub fn amount(&self) -> String {
        let text = format!(
            "{}.{:06}",
            self.millionths / ONE,
            self.millionths.checked_rem(ONE).unwrap_or_default()
        );
        // There always is a point, so no zeros before it are cut.
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
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
        write!(f, "{} {}", self.amount(), self.currency)
    }
}

fn millionths(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str, most: usize| {
        (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    // Nine digits, as leading zeros are harmless: such numbers cannot overflow, and `Price::new` has the real limit.
    if !is_digits(whole, 9) || !is_digits(decimals, 6) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    // Filled with zeros to six digits, the decimals are millionths.
    let decimals: u64 = format!("{decimals:0<6}").parse().ok()?;
    whole.checked_mul(ONE)?.checked_add(decimals)
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
