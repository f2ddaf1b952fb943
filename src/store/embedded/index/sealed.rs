//! The sealed readings: locations and summaries of blocks come from the index, the blocks
//! themselves from the volumes.

use std::ops::Bound;
use std::sync::Arc;

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::blocks::source::{BlockSource, damaged};
use crate::store::blocks::summary::Summary;
use crate::store::blocks::summary_record::decode;
use crate::store::embedded::blocks::Volumes;
use crate::store::embedded::disk::Mark;
use crate::store::embedded::index::current::Index;
use crate::store::embedded::index::entry::IndexEntry;
use crate::store::error::StoreError;
use crate::store::records::Order;
use crate::store::records::keys;

/// Access to all blocks and their summaries.
#[derive(Clone)]
pub(crate) struct Sealed {
    pub(crate) index: Arc<Index>,
    pub(crate) volumes: Arc<Volumes>,
    pub(crate) mark: Mark,
}

/// Access to the blocks of one sensor.
#[derive(Clone, Copy)]
pub(crate) struct SealedOf<'a> {
    sealed: &'a Sealed,
    sensor: &'a SensorId,
}

impl Sealed {
    /// The blocks of `sensor`.
    pub(crate) const fn of<'a>(&'a self, sensor: &'a SensorId) -> SealedOf<'a> {
        SealedOf {
            sealed: self,
            sensor,
        }
    }

    /// Reads the bytes of the block of `key`, using its entry in the index.
    pub(crate) fn bytes_at(&self, key: &[u8], entry: &IndexEntry) -> Result<Vec<u8>, StoreError> {
        let placed = entry.placed.as_ref();
        let placed = placed.ok_or_else(|| StoreError::Damaged("the block is gone".into()))?;
        self.volumes
            .read(placed.location, key, entry.number, self.mark)
    }
}

impl SealedOf<'_> {
    /// The number of the commit that made the block that covers this time, if there is one.
    pub(crate) fn number_at(&self, time: Timestamp) -> Result<Option<u64>, StoreError> {
        let before = self.at_or_before(time)?;
        let Some(block) = before.filter(|block| time <= block.last) else {
            return Ok(None);
        };
        let entry = self
            .sealed
            .index
            .get(&keys::key(self.sensor, block.first))?;
        Ok(entry.map(|entry| entry.number))
    }
}

impl BlockSource for SealedOf<'_> {
    fn sensor(&self) -> &SensorId {
        self.sensor
    }

    fn summaries(
        &self,
        range: TimeRange,
        order: Order,
        most: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        let (from, to) = keys::keys(self.sensor, range).into_inner();
        let range = (Bound::Included(from), Bound::Included(to));
        let found = self.sealed.index.range(range, order, most)?;
        let summaries = found.iter().map(|(key, entry)| {
            let placed = entry.placed.as_ref();
            let summary = placed.and_then(|placed| decode(&placed.summary));
            summary.ok_or_else(|| {
                StoreError::Damaged(format!("invalid summary {}", key.escape_ascii()))
            })
        });
        summaries.collect()
    }

    fn bytes(&self, first: Timestamp) -> Result<Vec<u8>, StoreError> {
        let Self { sealed, sensor } = self;
        let key = keys::key(sensor, first);
        let entry = sealed.index.get(&key)?;
        let bytes = match entry {
            Some(entry) => sealed.bytes_at(&key, &entry),
            None => Err(sealed.index.failed("a block is missing that it had before")),
        };
        bytes.map_err(|error| match error {
            StoreError::Damaged(why) => damaged(sensor, first, why),
            other => other,
        })
    }
}
