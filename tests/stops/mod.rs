//! Threads of a test that run until a flag stops them.

use std::sync::atomic::{AtomicBool, Ordering};

/// Sets the flag when it is dropped, so also if the test panics. A scope waits for its threads: if
/// they continued, the test would neither end nor report its failure.
pub(crate) struct Stops<'a>(pub(crate) &'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
