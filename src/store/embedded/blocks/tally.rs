//! The tally of the blocks: their number and a sum of checksums, so that a missing or outdated block is noticed.
//!
//! If a segment in the middle of sled's log is damaged, sled silently reverts its pages and keeps the newest commits. So each
//! transaction that changes blocks updates the tally in `meta`, and each start verifies it.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..8 | number of blocks, u64 little-endian |
//! | 8..16 | sum of the CRC-32 of each key and value, of the summaries and of the blocks' locations, u64 little-endian |

use std::collections::BTreeMap;
use std::path::Path;

use sled::IVec;

use crate::domain::{SensorId, Timestamp};
use crate::store::blocks::seal::Pack;
use crate::store::blocks::summary_record;
use crate::store::embedded::blocks::sealed::Sealed;
use crate::store::embedded::blocks::volumes::Location;
use crate::store::embedded::engine::open;
use crate::store::error::StoreError;
use crate::store::records::keys;

/// Its key in `meta`.
pub(crate) const KEY: &str = "blocks";

/// The tally.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct BlockTally {
    blocks: u64,
    sum: u64,
}

impl BlockTally {
    /// Counts what the trees hold.
    fn of(blocks: &sled::Tree, summaries: &sled::Tree) -> Result<Self, StoreError> {
        let mut tally = Self::default();
        for row in summaries {
            let (key, value) = row?;
            tally.blocks += 1;
            tally.add(&key, &value);
        }
        for row in blocks {
            let (key, value) = row?;
            tally.add(&key, &value);
        }
        Ok(tally)
    }

    /// Counts what the trees hold, and compares that with `meta`. `dir` is for the error.
    pub(crate) fn checked(
        dir: &Path,
        meta: &sled::Tree,
        blocks: &sled::Tree,
        summaries: &sled::Tree,
    ) -> Result<Self, StoreError> {
        let found = Self::of(blocks, summaries)?;
        // A store without blocks has no tally yet.
        let value = meta.get(KEY)?;
        let expected = value.map_or(Some(Self::default()), |value| Self::decode(&value));
        let damage = match expected {
            Some(expected) if expected == found => return Ok(found),
            Some(Self { blocks, .. }) if blocks == found.blocks => {
                "some blocks of readings are outdated".to_owned()
            }
            Some(Self { blocks, .. }) => {
                format!(
                    "{blocks} blocks of readings were stored, {} were found",
                    found.blocks
                )
            }
            None => "invalid tally of its blocks".to_owned(),
        };
        Err(open::damaged(dir, &damage))
    }

    fn add(&mut self, key: &[u8], value: &[u8]) {
        // A sum, because it can be updated for one key without reading the others, in any order.
        self.sum = self.sum.wrapping_add(checksum(key, value));
    }

    /// Counts a change of `tree` that `batch` is to make: `key` gets the value `new`, or is removed. Returns its old value.
    fn change(
        &mut self,
        tree: &sled::Tree,
        batch: &mut sled::Batch,
        key: Vec<u8>,
        new: Option<Vec<u8>>,
    ) -> Result<Option<IVec>, StoreError> {
        // Only the committing thread writes, so this is the value that the batch replaces.
        let old = tree.get(&key)?;
        if let Some(old) = &old {
            self.sum = self.sum.wrapping_sub(checksum(&key, old));
        }
        match new {
            Some(new) => {
                self.add(&key, &new);
                batch.insert(key, new);
            }
            None => batch.remove(key),
        }
        Ok(old)
    }

    /// Encodes the tally as a value of `meta`.
    pub(crate) fn encode(self) -> Vec<u8> {
        [self.blocks.to_le_bytes(), self.sum.to_le_bytes()].concat()
    }

    fn decode(value: &[u8]) -> Option<Self> {
        let (blocks, rest) = value.split_first_chunk::<8>()?;
        let sum: &[u8; 8] = rest.try_into().ok()?;
        Some(Self {
            blocks: u64::from_le_bytes(*blocks),
            sum: u64::from_le_bytes(*sum),
        })
    }
}

fn checksum(key: &[u8], value: &[u8]) -> u64 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(key);
    hasher.update(value);
    u64::from(hasher.finalize())
}

/// Blocks to insert and to remove in one transaction, with their summaries.
#[derive(Default)]
pub(crate) struct Turnover {
    blocks: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
    summaries: BTreeMap<Vec<u8>, Option<Vec<u8>>>,
}

impl Turnover {
    /// The blocks of `sensor` that begin at `removed` go, and these come.
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
            turnover.insert(keys::key(sensor, pack.summary.first), pack)?;
        }
        Ok(turnover)
    }

    pub(crate) fn remove(&mut self, key: Vec<u8>) {
        self.blocks.insert(key.clone(), None);
        self.summaries.insert(key, None);
    }

    pub(crate) fn insert(&mut self, key: Vec<u8>, pack: Pack) -> Result<(), StoreError> {
        let summary = summary_record::encode(&pack.summary)?;
        self.blocks.insert(key.clone(), Some(pack.bytes));
        self.summaries.insert(key, Some(summary));
        Ok(())
    }

    /// Writes the block of `key` again, at another location.
    pub(crate) fn relocate(&mut self, key: Vec<u8>, bytes: Vec<u8>) {
        self.blocks.insert(key, Some(bytes));
    }

    /// Adds the changes of `other`, which concern other blocks.
    pub(crate) fn append(&mut self, mut other: Self) {
        self.blocks.append(&mut other.blocks);
        self.summaries.append(&mut other.summaries);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The blocks to write, each with its key.
    pub(crate) fn blocks(&self) -> Vec<(&[u8], &[u8])> {
        let blocks = self.blocks.iter();
        blocks
            .filter_map(|(key, bytes)| Some((key.as_slice(), bytes.as_deref()?)))
            .collect()
    }

    /// What it does to the trees of blocks and of summaries, and to `tally`, its blocks being written at `locations`.
    pub(crate) fn onto(
        self,
        sealed: &Sealed,
        mut tally: BlockTally,
        locations: Vec<Location>,
    ) -> Result<Batches, StoreError> {
        let (mut blocks, mut freed) = (sled::Batch::default(), Vec::new());
        // They are in the order of the keys, as `blocks` returned these.
        let mut new_locations = locations.iter();
        for (key, new) in self.blocks {
            // One location for each block to write; a removal takes none.
            let new = new.and_then(|_| new_locations.next()).map(|it| it.encode());
            let old = tally.change(&sealed.blocks, &mut blocks, key, new)?;
            freed.extend(old.and_then(|old| Location::decode(&old)));
        }
        let mut summaries = sled::Batch::default();
        for (key, new) in self.summaries {
            // The blocks are counted by their summaries: a block that only moves keeps its own.
            let added = u64::from(new.is_some());
            let old = tally.change(&sealed.summaries, &mut summaries, key, new)?;
            tally.blocks = (tally.blocks + added).wrapping_sub(u64::from(old.is_some()));
        }
        Ok(Batches {
            blocks,
            summaries,
            tally,
            added: locations,
            freed,
        })
    }
}

/// What is to be done in one transaction.
pub(crate) struct Batches {
    pub(crate) blocks: sled::Batch,
    pub(crate) summaries: sled::Batch,
    pub(crate) tally: BlockTally,
    /// Where blocks are from then on.
    pub(crate) added: Vec<Location>,
    /// Where none are.
    pub(crate) freed: Vec<Location>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally_of(blocks: u64, values: &[(&[u8], &[u8])]) -> BlockTally {
        let mut tally = BlockTally { blocks, sum: 0 };
        for (key, value) in values {
            tally.add(key, value);
        }
        tally
    }

    #[test]
    fn a_missing_or_outdated_block_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let config = sled::Config::new().path(dir.path()).flush_every_ms(None);
        let db = config.open().unwrap();
        let [meta, blocks, summaries] =
            ["meta", "blocks", "summaries"].map(|name| db.open_tree(name).unwrap());
        assert_eq!(
            BlockTally::checked(dir.path(), &meta, &blocks, &summaries).unwrap(),
            BlockTally::default()
        );
        summaries.insert("a", "1").unwrap();
        summaries.insert("b", "2").unwrap();
        let refused = || {
            let refused = BlockTally::checked(dir.path(), &meta, &blocks, &summaries).unwrap_err();
            refused.to_string()
        };
        assert!(refused().contains("0 blocks of readings were stored, 2"));
        let tally = tally_of(2, &[(b"a", b"1"), (b"b", b"2")]);
        meta.insert(KEY, tally.encode()).unwrap();
        assert_eq!(
            BlockTally::checked(dir.path(), &meta, &blocks, &summaries).unwrap(),
            tally
        );
        summaries.insert("b", "1").unwrap();
        assert!(refused().contains("outdated"));
        summaries.remove("b").unwrap();
        assert!(refused().contains("2 blocks of readings were stored, 1"));
        let one = tally_of(1, &[(b"a", b"1")]);
        meta.insert(KEY, one.encode()).unwrap();
        assert_eq!(
            BlockTally::checked(dir.path(), &meta, &blocks, &summaries).unwrap(),
            one
        );
        let placed = tally_of(1, &[(b"a", b"1"), (b"a", b"here")]);
        meta.insert(KEY, placed.encode()).unwrap();
        blocks.insert("a", "there").unwrap();
        assert!(refused().contains("outdated"));
        blocks.insert("a", "here").unwrap();
        assert_eq!(
            BlockTally::checked(dir.path(), &meta, &blocks, &summaries).unwrap(),
            placed
        );
        meta.insert(KEY, b"?").unwrap();
        assert!(refused().contains("invalid tally"));
    }
}
