//! The head of a file of facts.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..8 | `wkstore`, 0 |
//! | 8..12 | format of the store, u32 little-endian |
//! | 12..20 | mark of the store (`record.rs`) |
//! | 20..28 | number of the last change in the snapshot, u64 little-endian |
//! | 28..32 | number of the records of the snapshot, u32 little-endian |
//! | 32..36 | CRC-32 of all these, little-endian |

use crate::store::embedded::disk::record::Mark;

/// The format of the store.
pub(crate) const FORMAT: u32 = 7;
const BEGIN: [u8; 8] = *b"wkstore\0";
/// The length of the head, in bytes.
pub(crate) const BYTES: usize = 36;

/// The head of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileHead {
    pub(crate) format: u32,
    pub(crate) mark: Mark,
    /// The number of the last change in the snapshot.
    pub(crate) base: u64,
    /// The number of records of the snapshot.
    pub(crate) snapshot: u32,
}

impl FileHead {
    pub(crate) fn encode(self) -> Vec<u8> {
        let mut bytes = BEGIN.to_vec();
        bytes.extend(self.format.to_le_bytes());
        bytes.extend(self.mark.0);
        bytes.extend(self.base.to_le_bytes());
        bytes.extend(self.snapshot.to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads the head of a file with this content; `None` if it is damaged.
    pub(crate) fn decode(file: &[u8]) -> Option<Self> {
        let (checked, checksum) = file.get(..BYTES)?.split_last_chunk::<4>()?;
        if crc32fast::hash(checked) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let rest = checked.strip_prefix(&BEGIN)?;
        let (format, rest) = rest.split_first_chunk::<4>()?;
        let (mark, rest) = rest.split_first_chunk::<8>()?;
        let (base, rest) = rest.split_first_chunk::<8>()?;
        let (snapshot, _) = rest.split_first_chunk::<4>()?;
        Some(Self {
            format: u32::from_le_bytes(*format),
            mark: Mark(*mark),
            base: u64::from_le_bytes(*base),
            snapshot: u32::from_le_bytes(*snapshot),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_round_trip_and_damage_is_noticed() {
        let head = FileHead {
            format: FORMAT,
            mark: Mark(*b"ourstore"),
            base: 7,
            snapshot: 3,
        };
        let bytes = head.encode();
        assert_eq!(bytes.len(), BYTES);
        assert!(FileHead::decode(&bytes) == Some(head));
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            assert!(FileHead::decode(&damaged).is_none(), "{place}");
            assert!(FileHead::decode(&bytes[..place]).is_none(), "{place}");
        }
    }
}
