//! Locks of the standard library, taken whether or not an earlier holder panicked.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The lock for reading. A panic of another holder does not matter: what is behind these locks is replaced whole.
pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// The lock for writing; see [`read`].
pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
