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
    fn a_currency_is_short() {
        for text in ["", " ", "EUR ", "a\nb", "123456789"] {
            assert_eq!(Currency::new(text), Err(NotCurrency), "{text:?}");
        }
        for text in ["EUR", "€", "$", "Fr.", "12345678", "€€€€€€€€"] {
            assert_eq!(Currency::new(text).unwrap().as_str(), text);
        }
    }
}
