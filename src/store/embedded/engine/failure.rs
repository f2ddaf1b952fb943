//! Why a store takes no more changes: set once, by whoever sees the first failed write or sync.

use std::sync::OnceLock;

use tokio::sync::watch;

use crate::store::error::StoreError;

impl From<sled::Error> for StoreError {
    fn from(error: sled::Error) -> Self {
        match error {
            // sled says neither which tree nor which key is concerned.
            sled::Error::Corruption { .. } => {
                Self::Damaged("a page of its database is not as it was written".into())
            }

            other => Self::io("reading or writing the store", &other),
        }
    }
}

/// The failure of a store, if it has one. It lasts until the store is opened again: what the medium holds after a failed
/// write is unknown until it is read anew.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    cause: OnceLock<StoreError>,
    /// Whether the committing thread may hang in the write that failed.
    is_stuck: watch::Sender<bool>,
}

impl Failure {
    /// Records that nothing may be written any more, and logs the first cause. Returns the error for callers.
    pub(crate) fn set(&self, doing: &str, error: &StoreError) -> StoreError {
        // Only the first cause is kept and logged: the errors after it usually follow from it.
        let failure = self.cause.get_or_init(|| {
            log::error!("{doing} failed, so the store takes no more changes until wattkeeper is restarted: {error}");
            StoreError::Poisoned(error.to_string())
        });
        failure.clone()
    }

    /// The failure, if there is one.
    pub(crate) fn get(&self) -> Option<StoreError> {
        self.cause.get().cloned()
    }

    /// An error once there is a failure.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        self.get().map_or(Ok(()), Err)
    }

    /// Records that nobody should wait for the committing thread any longer.
    pub(crate) fn set_stuck(&self) {
        // Not `send`, which changes nothing while nobody is subscribed.
        self.is_stuck.send_replace(true);
    }

    pub(crate) fn is_stuck(&self) -> bool {
        *self.is_stuck.borrow()
    }

    /// Completes once the committing thread may hang.
    pub(crate) async fn stuck(&self) {
        // An error would mean that the sender is gone, but `self` holds it.
        let _ = self.is_stuck.subscribe().wait_for(|stuck| *stuck).await;
    }
}
