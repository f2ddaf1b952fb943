//! The record: the unit of the facts, the log and the volumes.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..8 | the mark of the store: eight secret random bytes |
//! | 8..12 | CRC-32 of bytes 12.. up to the end of the keys, little-endian |
//! | 12..16 | CRC-32 of the values, little-endian |
//! | 16..20 | length of the keys, u32 little-endian |
//! | 20..24 | length of the values, u32 little-endian |
//! | 24..32 | number, u64 little-endian |
//! | 32.. | the keys, then the values |
//!
//! So records are found after damage, and the keys of a record with damaged values tell which data
//! is lost. Clients cannot forge a record in their uploads, because they do not know the mark.

use std::iter;
use std::ops::Range;

use crate::store::error::StoreError;

const CHECKED_FROM: usize = 12;
/// The length of a record without its keys and its values.
pub(crate) const HEAD_BYTES: usize = 32;

/// The mark of a store.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Mark(pub(crate) [u8; 8]);

impl Mark {
    /// Creates the mark of a new store.
    pub(crate) fn random() -> Result<Self, StoreError> {
        let mut mark = [0; 8];
        getrandom::fill(&mut mark).map_err(|error| StoreError::io("creating a store", &error))?;
        Ok(Self(mark))
    }
}

/// A record with intact keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoredRecord<'a> {
    /// Its offset.
    pub(crate) at: usize,
    /// Its length, also beyond the end of a truncated file: nothing may be appended inside of it.
    pub(crate) length: usize,
    pub(crate) number: u64,
    pub(crate) keys: &'a [u8],
    /// `None` if they are damaged.
    pub(crate) values: Option<&'a [u8]>,
}

/// Appends a record.
pub(crate) fn put(bytes: &mut Vec<u8>, mark: Mark, number: u64, keys: &[u8], values: &[u8]) {
    // A record is far shorter than 4 GiB.
    let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let mut checked = Vec::with_capacity(HEAD_BYTES - CHECKED_FROM + keys.len());
    checked.extend(crc32fast::hash(values).to_le_bytes());
    checked.extend(length(keys).to_le_bytes());
    checked.extend(length(values).to_le_bytes());
    checked.extend(number.to_le_bytes());
    checked.extend_from_slice(keys);
    bytes.extend(mark.0);
    bytes.extend(crc32fast::hash(&checked).to_le_bytes());
    bytes.extend(checked);
    bytes.extend_from_slice(values);
}

/// Reads the record at the offset `at`.
pub(crate) fn at(bytes: &[u8], at: usize, mark: Mark) -> Option<StoredRecord<'_>> {
    let rest = bytes.get(at..)?;
    let head = rest.get(..HEAD_BYTES)?.strip_prefix(&mark.0)?;
    let mut numbers = head.chunks_exact(4).map(|part| {
        let bytes = <[u8; 4]>::try_from(part).unwrap_or_default();
        u32::from_le_bytes(bytes)
    });
    let (checksum, of_values) = (numbers.next()?, numbers.next()?);
    let mut length = || usize::try_from(numbers.next()?).ok();
    let (keys_length, values_length) = (length()?, length()?);
    let end_of_keys = HEAD_BYTES.checked_add(keys_length)?;
    let end = end_of_keys.checked_add(values_length)?;
    if crc32fast::hash(rest.get(CHECKED_FROM..end_of_keys)?) != checksum {
        return None;
    }
    let number = head.last_chunk::<8>().copied().map(u64::from_le_bytes)?;
    let values = rest.get(end_of_keys..end);
    Some(StoredRecord {
        at,
        length: end,
        number,
        keys: rest.get(HEAD_BYTES..end_of_keys)?,
        values: values.filter(|values| crc32fast::hash(values) == of_values),
    })
}

/// The records in `bytes` with intact keys, in order. Skips anything else.
pub(crate) fn all(bytes: &[u8], mark: Mark) -> impl Iterator<Item = StoredRecord<'_>> {
    let mut next = 0;
    iter::from_fn(move || {
        loop {
            let rest = bytes.get(next..)?;
            let begin = rest
                .windows(mark.0.len())
                .position(|found| found == mark.0)?;
            let found = at(bytes, next + begin, mark);
            // Without a record, the mark is part of a damaged one. Damaged values may be torn, with
            // another record after the remaining part.
            next += begin
                + match &found {
                    Some(record) if record.values.is_some() => record.length,
                    Some(record) => HEAD_BYTES + record.keys.len(),
                    None => 1,
                };
            if found.is_some() {
                return found;
            }
        }
    })
}

/// Whether `bytes` contain, from `from` on, anything but zeros outside of `records`.
pub(crate) fn has_others(
    bytes: &[u8],
    from: usize,
    records: impl Iterator<Item = Range<usize>>,
) -> bool {
    let end = bytes.len();
    let mut begin = from;
    records.chain(iter::once(end..end)).any(|record| {
        let between = bytes.get(begin..record.start).unwrap_or_default();
        begin = record.end;
        between.iter().any(|byte| *byte != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: Mark = Mark(*b"ourstore");

    fn file() -> Vec<u8> {
        let mut bytes = Vec::new();
        put(&mut bytes, MARK, 1, b"one", b"first");
        // A record whose values look like the beginning of another record.
        put(
            &mut bytes,
            MARK,
            2,
            b"two",
            &[&MARK.0[..], b"second"].concat(),
        );
        put(&mut bytes, MARK, 3, b"", b"");
        put(&mut bytes, MARK, 4, b"four", b"last");
        bytes
    }

    /// A damaged byte, or a truncated file, costs only the record or its values.
    #[test]
    fn records_are_found_past_damage() {
        let whole = file();
        let found: Vec<StoredRecord<'_>> = all(&whole, MARK).collect();
        assert_eq!(found.len(), 4);
        for place in 0..whole.len() {
            let hit = found
                .iter()
                .position(|it| place < it.at + it.length)
                .unwrap();
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            let left: Vec<StoredRecord<'_>> = all(&damaged, MARK).collect();
            let mut expected = found.clone();
            let of_values = found[hit].at + HEAD_BYTES + found[hit].keys.len();
            if place < of_values {
                expected.remove(hit);
            } else {
                expected[hit].values = None;
            }
            assert_eq!(left, expected, "{place}");
            let cut = all(&whole[..place], MARK).filter(|it| it.values.is_some());
            assert_eq!(cut.count(), hit, "{place}");
        }
        assert_eq!(all(&whole, Mark(*b"another!")).count(), 0);
    }

    /// A power cut may leave a record without its end. The next one is appended after it.
    #[test]
    fn a_record_behind_a_torn_one_is_found() {
        let mut torn = Vec::new();
        put(&mut torn, MARK, 1, b"keys", &[7; 200]);
        for length in HEAD_BYTES + 4..torn.len() {
            let mut bytes = torn[..length].to_vec();
            put(&mut bytes, MARK, 2, b"next", b"values");
            put(&mut bytes, MARK, 3, b"last", b"");
            let found = all(&bytes, MARK).filter(|it| it.values.is_some());
            let numbers: Vec<u64> = found.map(|it| it.number).collect();
            assert_eq!(numbers, [2, 3], "{length}");
        }
    }

    #[test]
    fn bytes_between_records_are_found() {
        let mut bytes = file();
        bytes.extend([0; 9]);
        let end = bytes.len();
        bytes.extend(b"torn");
        let others = |bytes: &[u8], from| {
            let records = all(bytes, MARK).map(|it| it.at..it.at + it.length);
            has_others(bytes, from, records)
        };
        assert!(others(&bytes, 0));
        assert!(!others(&bytes[..end], 0));
        let torn = [&b"torn"[..], &bytes[..end]].concat();
        assert!(others(&torn, 0));
        assert!(!others(&torn, 4));
    }
}
