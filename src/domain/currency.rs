//! Currencies.

use std::sync::Arc;

use thiserror::Error;

use super::name::check_name;

/// A currency: 1 to [`Self::MAX_CHARACTERS`] characters without control characters and without
/// white space at the ends, such as `EUR` or `€`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Currency(Arc<str>);

/// Why a text is not a currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected a currency of 1 to 8 characters, such as EUR, € or $")]
pub struct NotCurrency;

/// Signs of currencies, each with the codes that it can mean.
const SIGNS: [(&str, &str); 14] = [
    ("€", "EUR"),
    ("EURO", "EUR"),
    ("£", "GBP EGP GIP FKP"),
    ("$", "USD AUD CAD NZD SGD HKD MXN CLP COP ARS TWD"),
    ("¥", "JPY CNY"),
    ("KR", "SEK NOK DKK ISK"),
    ("KR.", "SEK NOK DKK ISK"),
    ("ZŁ", "PLN"),
    ("KČ", "CZK"),
    ("FT", "HUF"),
    ("FR.", "CHF"),
    ("LEI", "RON MDL"),
    ("₺", "TRY"),
    ("₹", "INR"),
];

impl Currency {
    /// The maximum number of characters.
    pub const MAX_CHARACTERS: usize = 8;

    /// Parses a currency.
    ///
    /// # Errors
    /// [`NotCurrency`] if it is empty, too long, or has control characters or white space at its
    /// ends.
    pub fn new(text: &str) -> Result<Self, NotCurrency> {
        let is_short = text.chars().count() <= Self::MAX_CHARACTERS;
        // The length was checked in characters: `check_name` only checks for control characters and
        // an empty text.
        let is_bare = text.trim() == text;
        if !is_short || !is_bare || check_name(text, text.len()).is_err() {
            return Err(NotCurrency);
        }
        Ok(Self(Arc::from(text)))
    }

    /// Whether it is that of exchange rates, such as `SEK/EUR`: kronor for a euro.
    #[must_use]
    pub fn is_rate(&self) -> bool {
        self.0.contains('/')
    }

    /// Whether both may be one currency: `€` is `EUR`, and `kr` can be `SEK` or `NOK`.
    #[must_use]
    pub fn may_be(&self, other: &Self) -> bool {
        let [one, other] = [self, other].map(|it| it.0.to_uppercase());
        let codes = |text: &str| {
            let known = SIGNS.iter().find(|(sign, _)| *sign == text);
            known.map_or_else(|| text.to_owned(), |(_, codes)| (*codes).to_owned())
        };
        let [one, other] = [codes(&one), codes(&other)];
        one.split(' ')
            .any(|code| other.split(' ').any(|it| it == code))
    }

    /// The currency as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_may_be_several_currencies() {
        for (one, other, expected) in [
            ("EUR", "€", true),
            ("eur", "Euro", true),
            ("kr", "SEK", true),
            ("kr", "NOK", true),
            ("kr", "EUR", false),
            ("SEK", "EUR", false),
            ("zł", "PLN", true),
            ("$", "CAD", true),
            ("$", "£", false),
            ("Taler", "EUR", false),
            ("Taler", "taler", true),
        ] {
            let [one, other] = [one, other].map(|text| Currency::new(text).unwrap());
            assert_eq!(one.may_be(&other), expected, "{one:?} {other:?}");
            assert_eq!(other.may_be(&one), expected, "{other:?} {one:?}");
        }
    }

    #[test]
    fn a_currency_is_short() {
        for text in ["", " ", "EUR ", "a\nb", "123456789"] {
            assert_eq!(Currency::new(text), Err(NotCurrency), "{text:?}");
        }
        for text in ["EUR", "€", "$", "Fr.", "12345678", "€€€€€€€€"] {
            assert_eq!(Currency::new(text).unwrap().as_str(), text);
        }
    }
}
