//! Who waits for a reading job. Once nobody does, reading ends.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use crate::store::error::StoreError;

thread_local! {
    /// Who waits for the work on this thread; `None` if the work goes on in any case.
    static WAITING: RefCell<Option<Weak<()>>> = const { RefCell::new(None) };
}

/// Somebody who waits for work on another thread, until this is dropped.
#[derive(Default)]
pub(crate) struct Asker(Arc<()>);

/// Ends the work that somebody waits for, also by a panic.
struct Working(Option<Weak<()>>);

impl Asker {
    /// The same work, which reads no further once this is dropped: it gets [`StoreError::Unasked`] then.
    pub(crate) fn awaits<T, W: FnOnce() -> T>(&self, work: W) -> impl FnOnce() -> T + use<T, W> {
        let waiting = Arc::downgrade(&self.0);
        move || {
            let _working = Working(WAITING.replace(Some(waiting)));
            work()
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        WAITING.set(self.0.take());
    }
}

/// Whether somebody still waits for the work on this thread.
///
/// # Errors
/// [`StoreError::Unasked`] if nobody does.
pub(super) fn is_awaited() -> Result<(), StoreError> {
    let is_left = |waiting: &Weak<()>| waiting.strong_count() == 0;
    if WAITING.with_borrow(|waiting| waiting.as_ref().is_some_and(is_left)) {
        return Err(StoreError::Unasked);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_for_somebody_who_left() {
        let (asker, other) = (Asker::default(), Asker::default());
        let work = asker.awaits(|| {
            let inner = other.awaits(is_awaited);
            drop(other);
            (is_awaited(), inner(), is_awaited())
        });
        let (before, inner, after) = work();
        assert!(before.is_ok() && after.is_ok());
        assert!(matches!(inner, Err(StoreError::Unasked)), "{inner:?}");
        let late = asker.awaits(is_awaited);
        drop(asker);
        assert!(late().is_err());
        // The next work on this thread is somebody else's.
        assert!(is_awaited().is_ok());
    }
}
