//! The sealed readings in the database: the locations of blocks, and summaries under the same keys.

use std::sync::Arc;

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::blocks::source::{BlockSource, damaged};
use crate::store::blocks::summary::Summary;
use crate::store::blocks::summary_record::decode;
use crate::store::embedded::blocks::volumes::{Location, Volumes};
use crate::store::error::StoreError;
use crate::store::records::Order;
use crate::store::records::keys;

/// The blocks and their summaries.
#[derive(Clone)]
pub(crate) struct Sealed {
    /// The location of each block.
    pub(crate) blocks: sled::Tree,
    /// The blocks themselves.
    pub(crate) volumes: Arc<Volumes>,
    pub(crate) summaries: sled::Tree,
}

/// Those of one sensor.
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

    /// The bytes of the block of `key`. `location` is its value in the tree.
    pub(crate) fn bytes_at(&self, key: &[u8], location: &[u8]) -> Result<Vec<u8>, StoreError> {
        let location = Location::decode(location)
            .ok_or_else(|| StoreError::Damaged("invalid location".into()))?;
        self.volumes.read(location, key)
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
        let mut rows = self.sealed.summaries.range(keys::keys(self.sensor, range));
        // The usual one takes no more memory than it needs.
        let mut summaries = Vec::with_capacity(most.min(8));
        while summaries.len() < most {
            let row = match order {
                Order::Ascending => rows.next(),
                // Steps backwards: safe only because no key has a byte 0xFF (`records/keys.rs`).
                Order::Descending => rows.next_back(),
            };
            let Some((key, value)) = row.transpose()? else {
                break;
            };
            summaries.push(decode(&value).ok_or_else(|| {
                StoreError::Damaged(format!("invalid summary {}", key.escape_ascii()))
            })?);
        }
        Ok(summaries)
    }

    fn bytes(&self, first: Timestamp) -> Result<Vec<u8>, StoreError> {
        let Self { sealed, sensor } = self;
        let key = keys::key(sensor, first);
        let location = sealed.blocks.get(&key)?.ok_or_else(|| {
            StoreError::Damaged(format!(
                "the block of sensor {sensor:?} from {first} is missing: only its summary exists"
            ))
        })?;
        let bytes = sealed.bytes_at(&key, &location);
        bytes.map_err(|error| match error {
            StoreError::Damaged(why) => damaged(sensor, first, why),
            other => other,
        })
    }
}
