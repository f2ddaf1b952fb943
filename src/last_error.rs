//! The last error that was logged, kept so that a person who looks at the service sees it.
//!
//! There is one log in a process, so there is one last error.

use std::sync::{Mutex, PoisonError};

use crate::domain::time::Timestamp;

/// What is kept of a text at most, in bytes.
const LONGEST_BYTES: usize = 2_000;

static LAST: Mutex<Option<LastError>> = Mutex::new(None);

/// An error that was logged. Like all of the log it holds no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    /// When.
    pub time: Timestamp,
    /// What the log says.
    pub text: String,
}

/// Keeps `text` as the last error.
pub fn keep(time: Timestamp, mut text: String) {
    let end = (0..=LONGEST_BYTES)
        .rev()
        .find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or(0));
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    *last = Some(LastError { time, text });
}

/// The last error since the process began.
#[must_use]
pub fn last() -> Option<LastError> {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    last.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_one_is_kept_and_not_at_any_length() {
        keep(Timestamp::MIN, "first".to_owned());
        let text = "é".repeat(5_000);
        keep(Timestamp::MAX, text.clone());
        let kept = last().unwrap();
        assert_eq!(kept.time, Timestamp::MAX);
        assert_eq!(kept.text, text[..2_000]);
        keep(Timestamp::MIN, format!("a{text}"));
        assert_eq!(last().unwrap().text.len(), 1_999);
    }
}
