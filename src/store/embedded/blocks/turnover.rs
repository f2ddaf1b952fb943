//! Blocks added and removed together.

use std::collections::BTreeMap;

use crate::domain::{SensorId, Timestamp};
use crate::store::blocks::seal::Pack;
use crate::store::blocks::summary_record;
use crate::store::error::StoreError;
use crate::store::records::keys;

/// A block to write: its bytes, and its summary, encoded.
pub(crate) struct NewBlock {
    pub(crate) bytes: Vec<u8>,
    pub(crate) summary: Vec<u8>,
}

/// Blocks to write and to remove in one commit, by their keys.
#[derive(Default)]
pub(crate) struct Turnover(pub(crate) BTreeMap<Vec<u8>, Option<NewBlock>>);

impl Turnover {
    /// Removes the blocks of `sensor` that begin at `removed`, and adds these.
    pub(crate) fn of(
        sensor: &SensorId,
        removed: Vec<Timestamp>,
        packs: Vec<Pack>,
    ) -> Result<Self, StoreError> {
        let mut turnover = Self::default();
        for first in removed {
            turnover.remove(keys::key(sensor, first));
        }
        for pack in packs {
            let summary = summary_record::encode(&pack.summary)?;
            let key = keys::key(sensor, pack.summary.first);
            turnover.insert(key, pack.bytes, summary);
        }
        Ok(turnover)
    }

    pub(crate) fn remove(&mut self, key: Vec<u8>) {
        self.0.insert(key, None);
    }

    pub(crate) fn insert(&mut self, key: Vec<u8>, bytes: Vec<u8>, summary: Vec<u8>) {
        self.0.insert(key, Some(NewBlock { bytes, summary }));
    }

    /// Adds the changes of `other`, which affect other blocks.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
