//! A text that is never shown.

use std::fmt;

use subtle::ConstantTimeEq as _;

/// The text shown for a secret.
pub(crate) const HIDDEN: &str = "(set, not shown)";

/// A secret; empty for none. Its `Debug` shows only whether it is set.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret with this text.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Whether it is set.
    #[must_use]
    pub const fn is_set(&self) -> bool {
        !self.0.is_empty()
    }

    /// The text itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether `shown` is this secret. The time it takes does not depend on how much of it is
    /// right.
    #[must_use]
    pub fn is(&self, shown: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(shown).into()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_set() { HIDDEN } else { "\"\"" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_only_whether_it_is_set() {
        let secret = Secret::new("hunter2".into());
        assert_eq!(format!("{secret:?}"), HIDDEN);
        assert!(secret.is(b"hunter2") && !secret.is(b"hunter") && !secret.is(b""));
        let none = Secret::default();
        assert!(!none.is_set());
        assert_eq!(format!("{none:?}"), "\"\"");
    }
}
