//! The readings of a sensor, sealed and in memory.

use std::sync::RwLockReadGuard;

use crate::domain::{Reading, SensorId, TimeRange, Timestamp};
use crate::locks::read;
use crate::store::backend::{ReadingsBackend, ReadingsView};
use crate::store::blocks::{BlockSource, Measure, Summary};
use crate::store::embedded::index::SealedOf;
use crate::store::embedded::rows::Hot;
use crate::store::embedded::state::shared::Shared;
use crate::store::error::StoreError;
use crate::store::records::Order;

/// The number of blocks that are read under one guard. Looking up a block takes as long as reading
/// it; a range of several is one lookup.
const BLOCKS_AHEAD: usize = 8;

/// The readings of one sensor.
pub(crate) struct StoredSensor<'a> {
    sealed: SealedOf<'a>,
    hot: &'a Hot,
    /// Without it a row could move into a block between two reads and be missed by both, or a
    /// volume could be removed.
    _unswapped: Option<RwLockReadGuard<'a, ()>>,
}

impl Shared {
    /// The readings of `sensor` for the committing thread, the only one that moves rows into
    /// blocks.
    pub(crate) const fn stored<'a>(&'a self, sensor: &'a SensorId) -> StoredSensor<'a> {
        StoredSensor {
            sealed: self.sealed.of(sensor),
            hot: &self.hot,
            _unswapped: None,
        }
    }

    /// The readings of `sensor` while no row moves into a block.
    pub(crate) fn unswapped<'a>(&'a self, sensor: &'a SensorId) -> StoredSensor<'a> {
        StoredSensor {
            _unswapped: Some(read(&self.swap)),
            ..self.stored(sensor)
        }
    }
}

impl ReadingsBackend for Shared {
    fn view<'a>(&'a self, sensor: &'a SensorId) -> Result<Box<dyn ReadingsView + 'a>, StoreError> {
        Ok(Box::new(self.unswapped(sensor)))
    }
}

impl BlockSource for StoredSensor<'_> {
    fn sensor(&self) -> &SensorId {
        self.sealed.sensor()
    }

    fn summaries(
        &self,
        range: TimeRange,
        order: Order,
        most: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        self.sealed.summaries(range, order, most)
    }

    fn bytes(&self, first: Timestamp) -> Result<Vec<u8>, StoreError> {
        self.sealed.bytes(first)
    }
}

impl ReadingsView for StoredSensor<'_> {
    fn rows(
        &self,
        range: TimeRange,
        measure: Option<Measure>,
        order: Order,
        most: usize,
    ) -> Result<Vec<Reading>, StoreError> {
        let held = self.hot.held();
        Ok(held.rows(self.sensor(), range, measure, order, most))
    }

    fn blocks_ahead(&self) -> usize {
        BLOCKS_AHEAD
    }
}
