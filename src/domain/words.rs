//! Enums that people type and read as single words.

use thiserror::Error;

/// Why a text is not one of the expected words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected {expected}")]
pub struct UnknownWord {
    pub(crate) expected: &'static str,
}

/// Gives each variant of an enum its word: `ALL`, `as_str` and `FromStr`.
macro_rules! words {
    ($name:ident: $($variant:ident $word:literal),+; $expected:literal) => {
        #[allow(dead_code, reason = "of some enums nobody lists all words")]
        impl $name {
            /// All variants.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Its word, as typed and printed; case matters.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::domain::words::UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    _ => Err($crate::domain::words::UnknownWord { expected: $expected }),
                }
            }
        }
    };
}
pub(crate) use words;
