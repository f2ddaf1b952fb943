//! Scans: a sensor's readings in order, hot rows merged over blocks, one block at a time.

use std::sync::Arc;

use crate::domain::{Reading, SensorId, TimeRange};
use crate::store::backend::ReadingsBackend;
use crate::store::blocks::seal::overlay;
use crate::store::blocks::source::decode_block;
use crate::store::error::StoreError;
use crate::store::read::window::{ReadAhead, Window, WindowsAhead};

/// A scan under way. Holds no lock between two calls, and sees concurrent changes after the blocks
/// it has read.
pub struct Scan {
    backend: Arc<dyn ReadingsBackend>,
    sensor: SensorId,
    ahead: WindowsAhead,
}

/// Consecutive readings, as they are stored.
pub(crate) struct StoredRun {
    /// Ascending.
    pub(crate) readings: Vec<Reading>,
    /// The block of exactly these readings, if there is one.
    pub(crate) block: Option<Vec<u8>>,
}

impl Scan {
    pub(crate) fn new(
        backend: Arc<dyn ReadingsBackend>,
        sensor: SensorId,
        range: TimeRange,
    ) -> Self {
        Self {
            backend,
            sensor,
            ahead: WindowsAhead::new(range, ReadAhead::Values),
        }
    }

    /// The next readings, ascending and never empty; `None` after the last. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if something cannot be read or is damaged.
    pub fn next_run(&mut self) -> Result<Option<Vec<Reading>>, StoreError> {
        Ok(self.next_stored()?.map(|stored| stored.readings))
    }

    /// As [`Self::next_run`], with the bytes of the block if the readings are exactly those of one
    /// block.
    pub(crate) fn next_stored(&mut self) -> Result<Option<StoredRun>, StoreError> {
        loop {
            let Some(window) = self.ahead.next(&*self.backend, &self.sensor, |_| false)? else {
                return Ok(None);
            };
            let stored = StoredRun::of(window, &self.sensor)?;
            // Empty if the range is inside a gap within a block.
            if !stored.readings.is_empty() {
                return Ok(Some(stored));
            }
        }
    }
}

impl StoredRun {
    fn of(window: Window, sensor: &SensorId) -> Result<Self, StoreError> {
        let Some((block, bytes)) = window.block else {
            return Ok(Self {
                readings: window.hot,
                block: None,
            });
        };
        let mut sealed = decode_block(sensor, block.first, &bytes)?;
        let count = sealed.len();
        let end = sealed.partition_point(|reading| reading.time <= window.range.end());
        sealed.truncate(end);
        let start = sealed.partition_point(|reading| reading.time < window.range.start());
        sealed.drain(..start);
        // Then a backup copies the bytes, instead of encoding the readings again.
        let is_whole = sealed.len() == count && window.hot.is_empty();
        Ok(Self {
            readings: overlay(sealed, &window.hot),
            block: is_whole.then_some(bytes),
        })
    }
}
