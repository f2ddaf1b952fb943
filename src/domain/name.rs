//! Names of sensors, accounts and credentials.

use thiserror::Error;

/// Why a text is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected 1 to {max_bytes} bytes of text without control characters")]
pub struct NameError {
    max_bytes: usize,
}

/// Checks a name: not empty, at most `max_bytes`, no control characters.
pub(crate) fn check_name(text: &str, max_bytes: usize) -> Result<(), NameError> {
    let fits = (1..=max_bytes).contains(&text.len());
    // These include 0x00, which ends an id in the keys of the store (docs/STORAGE.md).
    if fits && !text.chars().any(char::is_control) {
        Ok(())
    } else {
        Err(NameError { max_bytes })
    }
}

/// Defines a type of names, which are checked once. Clones share one text.
macro_rules! name {
    ($(#[$meta:meta])* $name:ident, $max_bytes:literal) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(std::sync::Arc<str>);

        impl $name {
            /// The maximum length in bytes.
            pub const MAX_BYTES: usize = $max_bytes;

            /// Parses a name.
            ///
            /// # Errors
            /// [`NameError`](crate::domain::name::NameError) if it is empty, longer than
            /// [`Self::MAX_BYTES`] or has control characters.
            pub fn new(text: &str) -> Result<Self, $crate::domain::name::NameError> {
                $crate::domain::name::check_name(text, Self::MAX_BYTES)?;
                Ok(Self(text.into()))
            }

            /// The name as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = <String as serde::Deserialize>::deserialize(from)?;
                Self::new(&text).map_err(serde::de::Error::custom)
            }
        }

        // Without the type's name, so that errors and logs show only the text.
        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.0, f)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
pub(crate) use name;
