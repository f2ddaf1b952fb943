//! Records that are longer than an entry of the database may be (docs/STORAGE.md, "No blobs"): kept in pieces.
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

use sled::IVec;

use crate::store::error::StoreError;

const VERSION: u8 = 1;
const PIECE_BYTES: usize = 1_024;
/// The most pieces of a record.
const MOST_PIECES: usize = 17;
/// The longest content of a record in pieces.
pub(crate) const MOST_BYTES: usize = (MOST_PIECES - 1) * PIECE_BYTES;

/// Puts a record of at most [`MOST_BYTES`] in the place of the one with its key.
pub(crate) fn put(batch: &mut sled::Batch, key: &str, content: &[u8]) {
    let checksum = crc32fast::hash(content).to_le_bytes();
    let whole = [&[VERSION], checksum.as_slice(), content].concat();
    let mut pieces = whole.chunks(PIECE_BYTES);
    for number in 0..MOST_PIECES {
        match pieces.next() {
            Some(piece) => batch.insert(key_of(key, number).as_str(), piece),
            // Of a longer record that was there before.
            None => batch.remove(key_of(key, number).as_str()),
        }
    }
}

/// Removes the record with this key.
pub(crate) fn remove(batch: &mut sled::Batch, key: &str) {
    for number in 0..MOST_PIECES {
        batch.remove(key_of(key, number).as_str());
    }
}

fn key_of(key: &str, number: usize) -> String {
    format!("{key}{number:02x}")
}

/// All rows of a small tree, in order.
pub(crate) fn rows_of(tree: &sled::Tree) -> Result<Vec<(IVec, IVec)>, StoreError> {
    let rows = tree.iter().map(|row| row.map_err(StoreError::from));
    rows.collect()
}

/// The records in `rows`, which come in order of their keys: the key of each, and its content; `None` if that is damaged.
pub(crate) fn joined(
    rows: impl IntoIterator<Item = (IVec, IVec)>,
) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let mut records: Vec<(Vec<u8>, Option<Vec<u8>>)> = Vec::new();
    for (key, piece) in rows {
        // A key that is too short is no record's: it fails as one with no content.
        let of = key.len().checked_sub(2).and_then(|end| key.get(..end));
        let of = of.unwrap_or(&key).to_vec();
        match records.last_mut() {
            Some((last, Some(whole))) if *last == of => whole.extend_from_slice(&piece),
            _ => records.push((of, Some(piece.to_vec()))),
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
    use super::*;

    type Records = Vec<(Vec<u8>, Option<Vec<u8>>)>;

    fn tree() -> (tempfile::TempDir, sled::Tree) {
        let dir = tempfile::tempdir().unwrap();
        let tree = sled::open(dir.path()).unwrap().open_tree("pieces").unwrap();
        (dir, tree)
    }

    fn records(tree: &sled::Tree) -> Records {
        joined(rows_of(tree).unwrap())
    }

    fn apply(tree: &sled::Tree, change: impl FnOnce(&mut sled::Batch)) {
        let mut batch = sled::Batch::default();
        change(&mut batch);
        tree.apply_batch(batch).unwrap();
    }

    #[test]
    fn records_of_any_length_are_kept_replaced_and_removed() {
        let (_dir, tree) = tree();
        let longest = vec![7; MOST_BYTES];
        let (a, b) = (b"a\x00".to_vec(), b"b\x00".to_vec());
        for length in [0, 1, 1_019, 1_020, 5_000, MOST_BYTES, 3] {
            let content = longest[..length].to_vec();
            apply(&tree, |batch| {
                put(batch, "a\0", &content);
                put(batch, "b\0", b"beside");
            });
            let expected = [
                (a.clone(), Some(content)),
                (b.clone(), Some(b"beside".to_vec())),
            ];
            assert_eq!(records(&tree), expected, "{length}");
            let mut values = tree.iter().values();
            assert!(values.all(|value| value.unwrap().len() <= PIECE_BYTES));
        }
        apply(&tree, |batch| remove(batch, "a\0"));
        assert_eq!(records(&tree), [(b, Some(b"beside".to_vec()))]);
        assert_eq!(tree.len(), 1);
    }

    #[test]
    fn a_lost_piece_is_noticed() {
        let (_dir, tree) = tree();
        apply(&tree, |batch| put(batch, "a\0", &[7; 4_000]));
        // The last one, one in the middle, and the first.
        for lost in ["a\x0003", "a\x0001", "a\x0000"] {
            tree.remove(lost).unwrap();
            assert_eq!(records(&tree), [(b"a\x00".to_vec(), None)], "{lost:?}");
        }
        tree.insert("x", b"").unwrap();
        assert_eq!(records(&tree).last(), Some(&(b"x".to_vec(), None)));
    }
}
