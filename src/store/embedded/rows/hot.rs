//! The hot rows and the activities in memory, for readers.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::domain::Timestamp;
use crate::locks::{read, write};
use crate::store::embedded::rows::hot_sensors::HotSensors;

/// Means no time.
const NEVER: i64 = i64::MIN;

/// The hot rows and activities in memory.
#[derive(Debug)]
pub(crate) struct Hot {
    held: RwLock<HotSensors>,
    /// [`HotSensors::newest_arrival`] in milliseconds, or [`NEVER`]. Each upload reads it, and
    /// should not wait for the lock.
    newest_arrival: AtomicI64,
}

/// The hot rows and activities, locked for a change.
pub(crate) struct HotChange<'a> {
    held: RwLockWriteGuard<'a, HotSensors>,
    newest_arrival: &'a AtomicI64,
}

impl Hot {
    pub(crate) fn of(sensors: HotSensors) -> Self {
        let hot = Self {
            held: RwLock::new(sensors),
            newest_arrival: AtomicI64::new(NEVER),
        };
        drop(hot.change());
        hot
    }

    /// Locks them for reading.
    pub(crate) fn held(&self) -> RwLockReadGuard<'_, HotSensors> {
        read(&self.held)
    }

    /// Locks them for a change: by the committing thread, and at start.
    pub(crate) fn change(&self) -> HotChange<'_> {
        HotChange {
            held: write(&self.held),
            newest_arrival: &self.newest_arrival,
        }
    }

    /// The newest arrival of all sensors.
    pub(crate) fn newest_arrival(&self) -> Option<Timestamp> {
        Timestamp::from_millis(self.newest_arrival.load(Ordering::Acquire))
    }
}

impl Deref for HotChange<'_> {
    type Target = HotSensors;

    fn deref(&self) -> &HotSensors {
        &self.held
    }
}

impl DerefMut for HotChange<'_> {
    fn deref_mut(&mut self) -> &mut HotSensors {
        &mut self.held
    }
}

impl Drop for HotChange<'_> {
    fn drop(&mut self) {
        let newest = self.held.newest_arrival().map_or(NEVER, Timestamp::millis);
        self.newest_arrival.store(newest, Ordering::Release);
    }
}
