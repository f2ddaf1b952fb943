//! The reason why a store accepts no more changes, set by the first failed write or sync. A full
//! disk is no such reason: the write is tried again.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use crate::locks::lock;
use crate::store::error::StoreError;

/// A shortage is over once there was none for so long: attempts follow each other each second.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// The failure of a store, if it has one. It lasts until the store is opened again: after a failed
/// write, the content of the medium is unknown until it is read again.
#[derive(Debug, Default)]
pub(crate) struct Failure {
    cause: OnceLock<StoreError>,
    /// How often there was no space.
    shortages: AtomicU64,
    /// When there was no space the last time.
    last_short: Mutex<Option<Instant>>,
}

/// Whether a write or sync failed for lack of space: a later attempt may succeed.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

/// The same of the text of an error, as it is left after it passed through sled.
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
        let now = Instant::now();
        let last = lock(&self.last_short).replace(now);
        // Once in a shortage, also where some writes succeed meanwhile.
        if last.is_none_or(|last| now.duration_since(last) > LONGEST_PAUSE) {
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
