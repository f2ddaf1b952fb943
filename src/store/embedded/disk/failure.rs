//! The reason why a store accepts no more changes, set by the first failed write or sync.

use std::sync::OnceLock;

use crate::store::error::StoreError;

/// The failure of a store, if it has one. It lasts until the store is opened again: after a failed
/// write, the content of the medium is unknown until it is read again.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    cause: OnceLock<StoreError>,
}

impl Failure {
    /// Records that nothing may be written any more, and logs the first cause. Returns the error
    /// for callers.
    pub(crate) fn set(&self, doing: &str, error: &StoreError) -> StoreError {
        // Only the first cause is kept and logged: later errors usually follow from it.
        let failure = self.cause.get_or_init(|| {
            log::error!("{doing} failed, so the store accepts no more changes until wattkeeper is restarted: {error}");
            StoreError::Poisoned(error.to_string())
        });
        failure.clone()
    }

    /// The failure, if there is one.
    pub(crate) fn get(&self) -> Option<StoreError> {
        self.cause.get().cloned()
    }

    /// Returns an error once there is a failure.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.get().map_or(Ok(()), Err)
    }
}
