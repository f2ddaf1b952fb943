//! The reason why a store accepts no more changes, set by the first failed write or sync. A full
//! disk is no such reason: the write is tried again.

use std::io;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::store::error::StoreError;

/// The failure of a store, if it has one. It lasts until the store is opened again: after a failed
/// write, the content of the medium is unknown until it is read again.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    cause: OnceLock<StoreError>,
    /// How often there was no space.
    shortages: AtomicU64,
    /// Whether the log of the service names the present shortage.
    is_short: AtomicBool,
}

/// Whether a write or sync failed for lack of space: a later attempt may succeed.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// The same of an error of which only the text is left, as after it passed through sled.
pub(crate) fn says_full(error: &str) -> bool {
    error.contains("No space left on device") || error.contains("Disk quota exceeded")
}

impl Failure {
    /// Records a failed write or sync. It is final, unless there was no space: then nothing was
    /// decided, and the caller may try again.
    pub(crate) fn of_write(&self, doing: &str, error: &io::Error) -> StoreError {
        if !is_full(error) {
            return self.set(doing, &StoreError::io(doing, error));
        }
        self.shortages.fetch_add(1, Ordering::Relaxed);
        // Once until there is space: attempts follow each other.
        if !self.is_short.swap(true, Ordering::Relaxed) {
            log::error!(
                "{doing} needs disk space, and is tried again until there is some: {error}"
            );
        }
        StoreError::NotForNow(format!("{doing}: {error}"))
    }

    /// How often there was no space.
    pub(crate) fn shortages(&self) -> u64 {
        self.shortages.load(Ordering::Relaxed)
    }

    /// Notes that writes succeed.
    pub(crate) fn end_shortage(&self) {
        self.is_short.store(false, Ordering::Relaxed);
    }

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
