//! What a name may be: of sensors, accounts, credentials.

use thiserror::Error;

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected 1 to {longest} bytes of text without control characters")]
pub struct NameError {
    longest: usize,
}

/// Checks a name: not empty, at most `longest` bytes, no control characters.
pub(crate) fn check_name(text: &str, longest: usize) -> Result<(), NameError> {
    let fits = (1..=longest).contains(&text.len());
    if fits && !text.chars().any(char::is_control) {
        Ok(())
    } else {
        Err(NameError { longest })
    }
}
