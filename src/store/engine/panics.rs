//! Panics of sled, which panics on some damage where it could say so.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// How the names of sled's own threads begin.
const SLEDS: &str = "sled-io-";

/// How often a thread of sled's panicked in this process.
static NOTED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether a panic of this thread is caught and told by who catches it.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Begins to take note of panics in sled's own threads. What such a thread was to write is never written, and sled wakes
/// nobody who waits for it.
pub(crate) fn note() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if thread::current()
                .name()
                .is_some_and(|name| name.starts_with(SLEDS))
            {
                NOTED.fetch_add(1, Ordering::SeqCst);
            }
            if !IS_CAUGHT.get() {
                before(panic);
            }
        }));
    });
}

/// How many panics of sled's own threads were noted.
pub(crate) fn noted() -> u64 {
    NOTED.load(Ordering::SeqCst)
}

/// What `work` returns; where it panics, what the panic says, and nothing is printed.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = IS_CAUGHT.replace(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(before);
    outcome.map_err(|panic| said(&*panic).to_owned())
}

/// What a panic says of its cause.
pub(crate) fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no cause is known")
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
