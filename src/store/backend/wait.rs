//! Waiting for a backend, for callers that may block.

use std::future::Future;

use crate::store::error::StoreError;

/// Waits for `future` on this thread, which must not be one that serves requests.
pub(crate) fn wait<T>(
    future: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    // Calls to PostgreSQL have a deadline, so the runtime needs a timer.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.map_err(|error| StoreError::io("waiting for the store", &error))?;
    runtime.block_on(future)
}
