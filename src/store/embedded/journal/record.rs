//! The record of a commit in the journal.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..4 | CRC-32 of all that follows, up to the end of the groups, little-endian |
//! | 4..8 | number of bytes after the first 32, u32 little-endian |
//! | 8..16 | number of the commit, u64 little-endian: one more than that of the record before |
//! | 16..24 | position up to which the log was durable at that time, u64 little-endian |
//! | 24..32 | number of the last change of facts that was durable at that time, u64 little-endian |
//! | 32.. | groups (`rows/group.rs`), each with an activity, none of them a restart |
//!
//! The first page of 4,096 bytes contains as much of this as fits. Every continuation page starts
//! with [`MARK`], which cannot start a record. Without it, once the first page is overwritten, a
//! continuation page could be mistaken for a record if a client uploaded readings that look like
//! one: a checksum without a secret is no obstacle.

use crate::domain::Upload;
use crate::store::embedded::disk::Positions;
use crate::store::embedded::rows::commit::{Commit, CommittedSensor};
use crate::store::embedded::rows::compact::{MAX_ACTIVITY_BYTES, MAX_ROW_BYTES};
use crate::store::embedded::rows::group;

/// Records begin at multiples of the system's page size.
pub(crate) const PAGE: usize = 4_096;
/// In a record, these bytes contain its length, which is never so large.
const MARK: [u8; 8] = [0xFF; 8];
/// The bytes of a record in each continuation page.
const NEXT_BYTES: usize = PAGE - MARK.len();
const CHECKSUM_BYTES: usize = 4;
const HEAD_BYTES: usize = 32;
/// The maximum size of a group without the sensor's id, the activity and the rows: the id's length,
/// and the number of rows.
const MAX_GROUP_BYTES: usize = 1 + 5;

/// The maximum length of the record of a commit of these uploads, in whole pages.
pub(crate) fn longest<'a>(uploads: impl Iterator<Item = &'a Upload>) -> usize {
    let bytes = uploads.map(|upload| {
        let id = upload.sensor().as_str().len();
        id + MAX_GROUP_BYTES + MAX_ACTIVITY_BYTES + upload.readings().len() * MAX_ROW_BYTES
    });
    pages(HEAD_BYTES + bytes.sum::<usize>()) * PAGE
}

/// The number of pages for this many bytes of a record.
const fn pages(bytes: usize) -> usize {
    1 + bytes.saturating_sub(PAGE).div_ceil(NEXT_BYTES)
}

/// A record with the right checksum.
pub(super) struct Record {
    pub(super) number: u64,
    /// How far the other files were durable.
    pub(super) durable: Positions,
    /// Its groups.
    content: Vec<u8>,
    /// Its length in pages.
    pub(super) pages: usize,
}

impl Record {
    /// Reads the record at the start of `bytes`.
    pub(super) fn first_of(bytes: &[u8]) -> Option<Self> {
        let (head, _) = bytes.split_first_chunk::<HEAD_BYTES>()?;
        let (checksum, rest) = head.split_first_chunk::<CHECKSUM_BYTES>()?;
        let (length, number) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let mut content = unmarked(bytes, HEAD_BYTES.checked_add(length)?)?;
        let checked = content.get(CHECKSUM_BYTES..)?;
        if crc32fast::hash(checked) != u32::from_le_bytes(*checksum) {
            return None;
        }
        let (number, durable) = number.split_first_chunk::<8>()?;
        let (log, facts) = durable.split_first_chunk::<8>()?;
        let number = u64::from_le_bytes(*number);
        let durable = Positions {
            log: u64::from_le_bytes(*log),
            facts: u64::from_le_bytes(facts.try_into().ok()?),
            ..Positions::default()
        };
        content.drain(..HEAD_BYTES);
        Some(Self {
            number,
            durable,
            content,
            pages: pages(HEAD_BYTES + length),
        })
    }

    pub(super) fn commit(&self) -> Option<Commit> {
        let mut rest = self.content.as_slice();
        let mut commit = Commit::default();
        while !rest.is_empty() {
            let group = group::take(&mut rest).filter(|group| group.replaced.is_none())?;
            commit.add(group.sensor, group.rows.into_owned(), group.activity?);
        }
        Some(commit)
    }
}

/// The first `length` bytes of the record at the start of `bytes`, without marks; `None` if it is
/// shorter, or a mark is missing.
fn unmarked(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    // Checked before copying: without a record, the length may be anything.
    if bytes.len() < length {
        return None;
    }
    let (first, mut rest) = bytes.split_at_checked(PAGE.min(length))?;
    let mut record = Vec::with_capacity(length);
    record.extend_from_slice(first);
    while record.len() < length {
        let next = rest.strip_prefix(&MARK)?;
        let (next, behind) = next.split_at_checked(NEXT_BYTES.min(length - record.len()))?;
        record.extend_from_slice(next);
        rest = behind;
    }
    Some(record)
}

/// Encodes a commit as a record, padded to whole pages; `None` if it is too long for one.
pub(super) fn encode(number: u64, durable: Positions, commit: &Commit) -> Option<Vec<u8>> {
    // Most records fit into a page.
    let mut content = Vec::with_capacity(PAGE);
    for (sensor, CommittedSensor { rows, activity }) in commit.iter() {
        group::put(&mut content, sensor, activity, rows);
    }
    framed(number, durable, &content)
}

/// The record with this content, padded to whole pages.
fn framed(number: u64, durable: Positions, content: &[u8]) -> Option<Vec<u8>> {
    let mut record = vec![0; HEAD_BYTES];
    record.extend_from_slice(content);
    // Shorter than the length that a mark would mean.
    let length = u32::try_from(content.len()).ok();
    let length = length.filter(|length| *length < u32::MAX)?;
    let (head, _) = record.split_first_chunk_mut::<HEAD_BYTES>()?;
    head[4..8].copy_from_slice(&length.to_le_bytes());
    head[8..16].copy_from_slice(&number.to_le_bytes());
    head[16..24].copy_from_slice(&durable.log.to_le_bytes());
    head[24..].copy_from_slice(&durable.facts.to_le_bytes());
    let (checksum, checked) = record.split_first_chunk_mut::<CHECKSUM_BYTES>()?;
    *checksum = crc32fast::hash(checked).to_le_bytes();
    let (first, rest) = record.split_at_checked(PAGE).unwrap_or((&record, &[]));
    let mut paged = first.to_vec();
    for next in rest.chunks(NEXT_BYTES) {
        paged.extend_from_slice(&MARK);
        paged.extend_from_slice(next);
    }
    paged.resize(paged.len().next_multiple_of(PAGE), 0);
    Some(paged)
}

/// Entry points for the fuzzer.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::{Commit, Positions, Record, encode, framed};

    /// Checks that content that can be decoded round-trips, in a record around it. Length, checksum
    /// and marks are recomputed; otherwise few inputs would get past them.
    ///
    /// # Panics
    /// If it does not round-trip.
    pub fn journal(bytes: &[u8]) {
        drop(decode(bytes));
        let Some((number, content)) = bytes.split_first_chunk::<8>() else {
            return;
        };
        let record =
            framed(u64::from_le_bytes(*number), Positions::default(), content).unwrap_or_default();
        if let Some((number, commit)) = decode(&record)
            && let Some(again) = encode(number, Positions::default(), &commit)
        {
            assert_eq!(decode(&again), Some((number, commit)));
        }
    }

    fn decode(bytes: &[u8]) -> Option<(u64, Commit)> {
        let record = Record::first_of(bytes)?;
        Some((record.number, record.commit()?))
    }
}

#[cfg(test)]
pub(in crate::store) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{Arrivals, Measures, Reading, SensorId, Timestamp, UploadedReading};
    use crate::store::rows::{Activity, Power};

    /// A commit of this many readings of one sensor.
    pub(in crate::store::embedded) fn commit(readings: i64) -> Commit {
        let sensor = SensorId::new("house").unwrap();
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let row = |ms: i64| {
            let measures = Measures::new(Some(1.5), (ms % 2 == 0).then_some(2.0)).unwrap();
            Reading {
                time: at(ms),
                measures,
            }
        };
        let mut commit = Commit::default();
        let activity = Activity::default().arrived(at(7));
        commit.add(sensor, (0..readings).map(row).collect(), activity);
        commit
    }

    /// A record with this content, in whole pages. The content need not be that of a commit:
    /// clients can upload any bytes.
    pub(in crate::store) fn with_content(number: u64, content: &[u8]) -> Vec<u8> {
        framed(number, Positions::default(), content).unwrap()
    }

    /// Content with `forged` at the start of the second page, with marks or without.
    pub(in crate::store) fn forging(forged: &[u8]) -> [Vec<u8>; 2] {
        [PAGE - HEAD_BYTES, PAGE - HEAD_BYTES - MARK.len()].map(|before| {
            let behind = vec![0; PAGE];
            [vec![b'x'; before], forged.to_vec(), behind].concat()
        })
    }

    /// A record of the commit of a reading.
    pub(in crate::store) fn forged(number: u64) -> Vec<u8> {
        encode(number, Positions::default(), &commit(1)).unwrap()
    }

    #[test]
    fn no_record_is_longer_than_expected() {
        let far = Timestamp::MAX;
        let activity = Activity {
            arrivals: Some(Arrivals::from_parts(Some(far), far, far)),
            newest_power: Some(Power {
                time: far,
                watts: f64::MAX,
            }),
            last_assigned: Some(far),
        };
        for id in ["a".to_owned(), "é".repeat(32)] {
            let sensor = SensorId::new(&id).unwrap();
            for count in [1, 2, 500] {
                let measures = Measures::new(Some(1.5), Some(2.5)).unwrap();
                let time = |n: i64| Timestamp::MIN.saturating_add_millis(n);
                let readings = (0..count).map(|n| UploadedReading {
                    time: Some(time(n)),
                    measures,
                });
                let upload = Upload::new(sensor.clone(), readings.collect()).unwrap();
                let row = |n| Reading {
                    time: time(n),
                    measures,
                };
                let mut commit = Commit::default();
                commit.add(sensor.clone(), (0..count).map(row).collect(), activity);
                let longest = longest([&upload].into_iter());
                assert!(encode(1, Positions::default(), &commit).unwrap().len() <= longest);
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 16..200)) {
            fuzz::journal(&bytes);
        }

        /// Readings can contain any bytes, such as other records.
        #[test]
        fn nothing_inside_of_a_record_is_one(
            mut content in proptest::collection::vec(any::<u8>(), 1..5 * PAGE),
            number in any::<u64>(), place in any::<proptest::sample::Index>(), is_begin in any::<bool>(),
        ) {
            let forged = forged(number);
            let begin = if is_begin { PAGE - HEAD_BYTES } else { 0 };
            let place = (begin + place.index(content.len()) / PAGE * PAGE).min(content.len());
            content.splice(place..place, forged);
            let record = with_content(7, &content);
            prop_assert_eq!(Record::first_of(&record).unwrap().pages * PAGE, record.len());
            for page in (PAGE..record.len()).step_by(PAGE) {
                prop_assert!(Record::first_of(&record[page..]).is_none(), "page at {}", page);
            }
        }

        #[test]
        fn changed_bytes_round_trip_if_they_decode(
            readings in 1_i64..20,
            changes in proptest::collection::vec((0_usize..200, any::<u8>()), 0..3),
        ) {
            let record = encode(7, Positions::default(), &commit(readings)).unwrap();
            // The number, and the groups without the padding of the page.
            let content = Record::first_of(&record).unwrap().content;
            let mut bytes = [&7_u64.to_le_bytes()[..], &content].concat();
            for (place, byte) in changes {
                let place = 8 + place % content.len();
                bytes[place] = byte;
            }
            fuzz::journal(&bytes);
        }
    }
}
