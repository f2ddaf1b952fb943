//! The positions that the files of a store know of each other: how far each is durable. So a file that is
//! older than another one allows is noticed.
//!
//! A file of facts has a page for them:
//!
//! | bytes of the page | content |
//! | --- | --- |
//! | 0..8 | number of the last change that is durable in both files of facts, u64 little-endian |
//! | 8..16 | last position up to which the log is durable, u64 little-endian |
//! | 16..24 | number of the last commit with readings that is durable in the journal, u64 little-endian |
//! | 24..28 | CRC-32 of the mark of the store and of these, little-endian |
//!
//! The page is overwritten in place, within one sector, and no sync is made for it. Each number is
//! true before it is written, and stays true. So after a power cut an older page only proves less.

use crate::store::embedded::disk::Mark;

/// The offset of the page in a file. The head is in the page before it, and the records begin in
/// the page after it: a torn write of a page damages neither.
pub(crate) const AT: usize = 4_096;
/// The offset of the first record of a file.
pub(crate) const RECORDS_AT: usize = 2 * AT;
/// The length of the content, in bytes.
pub(crate) const BYTES: usize = 28;

/// How far the files are known to be durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Positions {
    /// The number of the last change of facts.
    pub(crate) facts: u64,
    /// The last position of the log.
    pub(crate) log: u64,
    /// The number of the last commit with readings in the journal.
    pub(crate) journal: u64,
}

impl Positions {
    pub(crate) fn encode(self, mark: Mark) -> Vec<u8> {
        let mut bytes = [self.facts, self.log, self.journal]
            .map(u64::to_le_bytes)
            .concat();
        bytes.extend(checksum(mark, &bytes).to_le_bytes());
        bytes
    }

    /// Reads the page of a file with this content; `None` if it is damaged.
    pub(crate) fn decode(file: &[u8], mark: Mark) -> Option<Self> {
        let (checked, found) = file.get(AT..AT + BYTES)?.split_last_chunk::<4>()?;
        if checksum(mark, checked) != u32::from_le_bytes(*found) {
            return None;
        }
        let (numbers, _) = checked.as_chunks::<8>();
        let [facts, log, journal] = *numbers else {
            return None;
        };
        Some(Self {
            facts: u64::from_le_bytes(facts),
            log: u64::from_le_bytes(log),
            journal: u64::from_le_bytes(journal),
        })
    }

    /// The greater of each number.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            facts: self.facts.max(other.facts),
            log: self.log.max(other.log),
            journal: self.journal.max(other.journal),
        }
    }
}

fn checksum(mark: Mark, bytes: &[u8]) -> u32 {
    crc32fast::hash(&[&mark.0[..], bytes].concat())
}
