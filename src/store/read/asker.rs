//! Cancels a reading job once nobody waits for it.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use crate::store::error::StoreError;

thread_local! {
    /// The caller that waits for the work on this thread; `None` if the work is not to be
    /// cancelled.
    static WAITING: RefCell<Option<Weak<()>>> = const { RefCell::new(None) };
}

/// A caller that waits for work on another thread, until this is dropped.
#[derive(Default)]
pub(crate) struct Asker(Arc<()>);

/// Resets [`WAITING`] when the work ends, also by a panic.
struct Working(Option<Weak<()>>);

impl Asker {
    /// The same work, which stops reading with [`StoreError::Unasked`] once this is dropped.
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

/// Checks that somebody still waits for the work on this thread.
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
        // The next work on this thread has another caller.
        assert!(is_awaited().is_ok());
    }
}
