//! A setting that nobody is shown.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};
use subtle::ConstantTimeEq as _;

/// What a secret shows instead of itself.
const HIDDEN: &str = "(set, not shown)";

/// A secret; empty where there is none. Printed, logged or written as settings it says only whether it is set.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// A secret of this text.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// Whether there is any.
    #[must_use]
    pub const fn is_set(&self) -> bool {
        !self.0.is_empty()
    }

    /// The text itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Whether `shown` is this secret, in a time that does not tell how much of it is right.
    #[must_use]
    pub fn is(&self, shown: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(shown).into()
    }

    const fn shown(&self) -> &'static str {
        if self.is_set() { HIDDEN } else { "" }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shown())
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.shown())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_shows_only_whether_it_is_set() {
        let secret = Secret::new("hunter2".into());
        let written = toml::Value::try_from(&secret).unwrap().to_string();
        for text in [written, format!("{secret:?}")] {
            assert!(text.contains("set") && !text.contains("hunter2"), "{text}");
        }
        assert!(secret.is(b"hunter2") && !secret.is(b"hunter") && !secret.is(b""));
        let none = Secret::default();
        assert_eq!(
            (none.is_set(), format!("{none:?}").as_str()),
            (false, "\"\"")
        );
    }
}
