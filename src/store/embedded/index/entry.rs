//! The entry of a block in the index, under the block's key (`records/keys.rs`).
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..8 | number of the commit that made the block or removed it, u64 little-endian |
//! | | for an existing block: volume, offset and length of its record, varints; then its summary |
//!
//! The entry of a removed block stays until the log has passed the record of the removal: an absent
//! key proves nothing.

use crate::store::embedded::blocks::Location;
use crate::store::embedded::log::PutBlock;

/// An entry of the index.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IndexEntry {
    /// The number of the commit that made or removed the block.
    pub(crate) number: u64,
    /// `None` if the block was removed.
    pub(crate) placed: Option<PlacedBlock>,
}

/// An existing block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PlacedBlock {
    pub(crate) location: Location,
    /// Encoded (`summary_record`).
    pub(crate) summary: Vec<u8>,
}

impl IndexEntry {
    pub(crate) const fn removed(number: u64) -> Self {
        Self {
            number,
            placed: None,
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut value = self.number.to_le_bytes().to_vec();
        if let Some(placed) = &self.placed {
            placed.location.put(&mut value);
            value.extend_from_slice(&placed.summary);
        }
        value
    }

    pub(crate) fn decode(value: &[u8]) -> Option<Self> {
        let (number, mut rest) = value.split_first_chunk::<8>()?;
        let placed = if rest.is_empty() {
            None
        } else {
            let location = Location::take(&mut rest)?;
            let summary = rest.to_vec();
            Some(PlacedBlock { location, summary })
        };
        Some(Self {
            number: u64::from_le_bytes(*number),
            placed,
        })
    }

    /// The block as an item of the log; `None` if it was removed.
    pub(crate) fn put(self, key: &[u8]) -> Option<PutBlock> {
        let PlacedBlock { location, summary } = self.placed?;
        Some(PutBlock {
            key: key.to_vec(),
            number: self.number,
            location,
            summary,
        })
    }
}

impl From<PutBlock> for IndexEntry {
    fn from(block: PutBlock) -> Self {
        Self {
            number: block.number,
            placed: Some(PlacedBlock {
                location: block.location,
                summary: block.summary,
            }),
        }
    }
}
