//! Threads of a test that go on until a flag tells them to stop.

use std::sync::atomic::{AtomicBool, Ordering};

/// Sets the flag when it is dropped, so also where the test panics. A scope waits for its threads: if they went on, the test would
/// neither end nor say what failed.
pub(crate) struct Stops<'a>(pub(crate) &'a AtomicBool);

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
