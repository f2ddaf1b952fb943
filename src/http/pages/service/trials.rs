//! Tests of settings, such as that of the connection to the broker.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::http::pages::frame::PageError;
use crate::http::wire::body::in_background;

/// Allows one test at a time: each takes a thread for up to ten seconds.
pub(crate) struct Trials(Arc<Semaphore>);

impl Trials {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }

    /// Runs a test, which may block, and returns its result; `None` if another one is running.
    pub(in crate::http::pages) async fn run<T: Send + 'static>(
        &self,
        test: impl FnOnce() -> T + Send + 'static,
    ) -> Result<Option<T>, PageError> {
        let Ok(turn) = Arc::clone(&self.0).try_acquire_owned() else {
            return Ok(None);
        };
        let tested = in_background(move || {
            // Held until the test ends, even if the visitor leaves.
            let _turn = turn;
            test()
        });
        Ok(Some(tested.await?))
    }
}
