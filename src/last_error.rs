//! The last logged error, for the status page.
//!
//! A process has one log, so it has one last error, which is therefore static.

use std::sync::Mutex;

use crate::domain::Timestamp;
use crate::locks::lock;

/// The maximum length in bytes; longer texts are cut.
const LONGEST_BYTES: usize = 2_000;

static LAST: Mutex<Option<LastError>> = Mutex::new(None);

/// A logged error. Like the log, it contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastError {
    /// The time when it was logged.
    pub time: Timestamp,
    /// The message in the log.
    pub text: String,
}

/// Records `text` as the last error.
pub fn keep(time: Timestamp, mut text: String) {
    // `truncate` panics within a character.
    text.truncate(text.floor_char_boundary(LONGEST_BYTES));
    let mut last = lock(&LAST);
    *last = Some(LastError { time, text });
}

/// The last error since the process started.
#[must_use]
pub fn last() -> Option<LastError> {
    let last = lock(&LAST);
    last.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_error_is_kept_and_cut() {
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
