//! Waiting for what a home does, for a caller that may block.

use std::future::Future;

use crate::store::error::StoreError;

/// Waits for `future` on this thread, which must not be one that serves requests.
pub(crate) fn wait<T>(
    future: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    // An engine that is silent is waited for in vain.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let runtime = runtime.map_err(|error| StoreError::io("waiting for the store", &error))?;
    runtime.block_on(future)
}
