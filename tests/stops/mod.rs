//! Threads of a test that go on until a flag says that they stop.

use std::sync::atomic::{AtomicBool, Ordering};

/// Sets the flag when it is dropped, so also where the test panics: a scope waits for its threads, and with threads that go on the test
/// would never end, nor say what failed.
pub(crate) struct Stops<'a>(pub(crate) &'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
