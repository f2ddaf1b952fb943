//! Panics of sled, which on some damage panics instead of returning an error.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};

/// Runs `work`. Returns the message if it panics.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // After a panic, callers discard the data that it worked on: nothing relies on an unfinished
    // change.
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    outcome.map_err(|panic| said(&*panic).to_owned())
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("unknown cause")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_that_is_caught_says_why() {
        assert_eq!(caught(|| 5), Ok(5));
        assert_eq!(caught(|| panic!("at {}", 7)), Err::<(), _>("at 7".into()));
    }
}
