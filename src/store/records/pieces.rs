//! Long records, which are stored in pieces.
//!
//! | key | value |
//! | --- | --- |
//! | the record's key, number of the piece from 0 as two hexadecimal digits | up to 1,024 bytes |
//!
//! The pieces, one after the other, are:
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | version: 1 |
//! | 4 | CRC-32 (IEEE) of the content, little-endian: a piece may be lost or outdated in a damaged store |
//! | up to 16,384 | the content |

use super::changes::KindChanges;
use super::view::KeyedRecord;

const VERSION: u8 = 1;
const PIECE_BYTES: usize = 1_024;
/// The maximum number of pieces of a record.
const MOST_PIECES: usize = 17;
/// The longest content of a record in pieces.
pub(crate) const MOST_BYTES: usize = (MOST_PIECES - 1) * PIECE_BYTES;

/// Puts a record of at most [`MOST_BYTES`], replacing the one with its key.
pub(crate) fn put(changes: &mut KindChanges, key: &str, content: &[u8]) {
    let checksum = crc32fast::hash(content).to_le_bytes();
    let whole = [&[VERSION], checksum.as_slice(), content].concat();
    let mut pieces = whole.chunks(PIECE_BYTES);
    for number in 0..MOST_PIECES {
        match pieces.next() {
            Some(piece) => changes.insert(key_of(key, number), piece.to_vec()),
            // A remaining piece of a longer record.
            None => changes.remove(key_of(key, number)),
        }
    }
}

/// Removes the record with this key.
pub(crate) fn remove(changes: &mut KindChanges, key: &str) {
    for number in 0..MOST_PIECES {
        changes.remove(key_of(key, number));
    }
}

fn key_of(key: &str, number: usize) -> String {
    format!("{key}{number:02x}")
}

/// Joins `pieces`, which come in order of their keys. Returns the key of each record, and its
/// content; `None` if that is damaged.
pub(crate) fn joined(pieces: Vec<KeyedRecord>) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let mut records: Vec<(Vec<u8>, Option<Vec<u8>>)> = Vec::new();
    for (key, piece) in pieces {
        // A key that is too short belongs to no record: it fails like one without content.
        let of = key.len().checked_sub(2).and_then(|end| key.get(..end));
        let of = of.unwrap_or(&key).to_vec();
        match records.last_mut() {
            Some((last, Some(whole))) if *last == of => whole.extend_from_slice(&piece),
            _ => records.push((of, Some(piece))),
        }
    }
    for (_, whole) in &mut records {
        *whole = whole.take().and_then(|whole| content(&whole));
    }
    records
}

fn content(whole: &[u8]) -> Option<Vec<u8>> {
    let (version, rest) = whole.split_first()?;
    let (checksum, content) = rest.split_first_chunk::<4>()?;
    let is_whole = *version == VERSION && crc32fast::hash(content) == u32::from_le_bytes(*checksum);
    (is_whole && content.len() <= MOST_BYTES).then(|| content.to_vec())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    type Records = Vec<(Vec<u8>, Option<Vec<u8>>)>;

    type Kept = BTreeMap<Vec<u8>, Vec<u8>>;

    fn records(kept: &Kept) -> Records {
        joined(kept.clone().into_iter().collect())
    }

    fn apply(kept: &mut Kept, change: impl FnOnce(&mut KindChanges)) {
        let mut changes = KindChanges::default();
        change(&mut changes);
        for (key, value) in changes.into_records() {
            match value {
                Some(value) => drop(kept.insert(key, value)),
                None => drop(kept.remove(&key)),
            }
        }
    }

    #[test]
    fn records_of_any_length_are_kept_replaced_and_removed() {
        let mut kept = Kept::new();
        let longest = vec![7; MOST_BYTES];
        let (a, b) = (b"a\x00".to_vec(), b"b\x00".to_vec());
        for length in [0, 1, 1_019, 1_020, 5_000, MOST_BYTES, 3] {
            let content = longest[..length].to_vec();
            apply(&mut kept, |batch| {
                put(batch, "a\0", &content);
                put(batch, "b\0", b"beside");
            });
            let expected = [
                (a.clone(), Some(content)),
                (b.clone(), Some(b"beside".to_vec())),
            ];
            assert_eq!(records(&kept), expected, "{length}");
            assert!(kept.values().all(|value| value.len() <= PIECE_BYTES));
        }
        apply(&mut kept, |batch| remove(batch, "a\0"));
        assert_eq!(records(&kept), [(b, Some(b"beside".to_vec()))]);
        assert_eq!(kept.len(), 1);
    }

    #[test]
    fn a_lost_piece_is_noticed() {
        let mut kept = Kept::new();
        apply(&mut kept, |batch| put(batch, "a\0", &[7; 4_000]));
        // The last one, one in the middle, and the first.
        for lost in ["a\x0003", "a\x0001", "a\x0000"] {
            kept.remove(lost.as_bytes()).unwrap();
            assert_eq!(records(&kept), [(b"a\x00".to_vec(), None)], "{lost:?}");
        }
        kept.insert(b"x".to_vec(), Vec::new());
        assert_eq!(records(&kept).last(), Some(&(b"x".to_vec(), None)));
    }
}
