//! Panics of sled, which panics on some damage instead of returning an error.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crate::store::error::StoreError;

/// The prefix of the names of sled's own threads.
const SLED_THREADS: &str = "sled-io-";

/// How often one of sled's threads panicked in this process.
static NOTED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether a panic of this thread is caught, and reported by the catcher.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Starts counting panics of sled's own threads. What such a thread should have written is lost, and sled does not wake
/// those who wait for it.
pub(crate) fn note() {
    static ONCE: Once = Once::new();
    // Once per process: with two hooks, each panic would count twice.
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if thread::current()
                .name()
                .is_some_and(|name| name.starts_with(SLED_THREADS))
            {
                // Nobody can catch a panic of sled's own threads: only this hook sees it.
                NOTED.fetch_add(1, Ordering::SeqCst);
            }
            // Whoever catches a panic reports it, so printing it here would report it twice.
            if !IS_CAUGHT.get() {
                before(panic);
            }
        }));
    });
}

/// How many panics of sled's own threads were counted.
pub(crate) fn noted() -> u64 {
    NOTED.load(Ordering::SeqCst)
}

/// Runs `work`. Returns the message if it panics, and prints nothing.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    // Calls nest: a salvage catches panics inside of work that is caught as a whole.
    let before = IS_CAUGHT.replace(true);
    // After a panic, callers only read on or give up the store: nothing relies on a change left half done.
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(before);
    outcome.map_err(|panic| said(&*panic).to_owned())
}

/// Runs `work`, which uses sled. A panic becomes [`StoreError::Damaged`].
pub(crate) fn caught_as_damage<T>(
    work: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    caught(work).unwrap_or_else(|panic| Err(StoreError::Damaged(format!("sled panicked: {panic}"))))
}

/// The message of a panic.
pub(crate) fn said(panic: &(dyn Any + Send)) -> &str {
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
        assert!(!IS_CAUGHT.get());
    }
}
