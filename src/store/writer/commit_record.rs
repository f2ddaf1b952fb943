//! A commit as the journal has it: the record.
//!
//! | bytes | content |
//! | --- | --- |
//! | 0..4 | CRC-32 of all that follows, up to the end of the rows, little-endian |
//! | 4..8 | number of bytes after the first 16, u32 little-endian |
//! | 8..16 | number of the commit, u64 little-endian: one more than that of the record before |
//! | 16..18 | number of activities, u16 little-endian |
//! | | activities: length of the sensor's id (1 byte), the id, length of the value (1 byte), the value (`rows/activity.rs`) |
//! | | rows, up to the end: length of the key (1 byte), the key, length of the value (1 byte), the value (`rows/hot.rs`) |

use crate::domain::{SensorId, Upload};
use crate::store::rows::{Activities, Rows, activity, hot};

/// Records begin at multiples of the unit in which the system writes files.
pub(super) const PAGE: usize = 4_096;
const CHECKSUM_BYTES: usize = 4;
const HEAD_BYTES: usize = 16;
/// The most that an activity takes besides the sensor's id: two lengths, and the value.
const MAX_ACTIVITY_BYTES: usize = 1 + 1 + 64;
/// The most that a row takes besides the sensor's id: two lengths, the end of the key, and the value.
const MAX_ROW_BYTES: usize = 1 + 8 + 1 + 17;

/// What one commit stores.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Commit {
    /// Hot rows, each with all of its measures.
    pub(crate) rows: Rows,
    /// The activities of their sensors.
    pub(crate) activities: Activities,
}

/// The record of a commit of these uploads is not longer than this.
pub(crate) fn longest<'a>(uploads: impl Iterator<Item = &'a Upload>) -> usize {
    let bytes = uploads.map(|upload| {
        let id = upload.sensor().as_str().len();
        id + MAX_ACTIVITY_BYTES + upload.readings().len() * (id + MAX_ROW_BYTES)
    });
    HEAD_BYTES + 2 + bytes.sum::<usize>()
}

/// A record with the right checksum.
pub(super) struct Record<'a> {
    pub(super) number: u64,
    content: &'a [u8],
    /// Its length in pages.
    pub(super) pages: usize,
}

impl<'a> Record<'a> {
    /// The record at the start of `bytes`.
    pub(super) fn first_of(bytes: &'a [u8]) -> Option<Self> {
        let (checksum, checked) = bytes.split_first_chunk::<CHECKSUM_BYTES>()?;
        let (length, rest) = checked.split_first_chunk::<4>()?;
        let (number, rest) = rest.split_first_chunk::<8>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let content = rest.get(..length)?;
        let bytes = HEAD_BYTES + length;
        let checked = checked.get(..bytes - CHECKSUM_BYTES)?;
        (crc32fast::hash(checked) == u32::from_le_bytes(*checksum)).then(|| Self {
            number: u64::from_le_bytes(*number),
            content,
            pages: bytes.div_ceil(PAGE),
        })
    }

    pub(super) fn commit(&self) -> Option<Commit> {
        let (count, mut rest) = self.content.split_first_chunk::<2>()?;
        let mut commit = Commit::default();
        for _ in 0..u16::from_le_bytes(*count) {
            let sensor = SensorId::new(std::str::from_utf8(take(&mut rest)?).ok()?).ok()?;
            let activity = activity::decode(take(&mut rest)?)?;
            commit.activities.insert(sensor, activity);
        }
        while !rest.is_empty() {
            let key = take(&mut rest)?.to_vec();
            let measures = hot::decode(take(&mut rest)?).ok()?;
            commit.rows.insert(key, measures);
        }
        Some(commit)
    }
}

/// The record of a commit, padded to whole pages; `None` if it is too long for one.
pub(super) fn encode(number: u64, commit: &Commit) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    let activities = u16::try_from(commit.activities.len()).ok()?;
    content.extend(activities.to_le_bytes());
    for (sensor, activity) in &commit.activities {
        put(&mut content, sensor.as_str().as_bytes())?;
        put(&mut content, &activity::encode(activity).ok()?)?;
    }
    for (key, measures) in &commit.rows {
        put(&mut content, key)?;
        put(&mut content, &hot::encode(*measures))?;
    }
    let length = u32::try_from(content.len()).ok()?;
    let checked = [&length.to_le_bytes()[..], &number.to_le_bytes(), &content].concat();
    let checksum = crc32fast::hash(&checked);
    let mut record = [&checksum.to_le_bytes()[..], &checked].concat();
    record.resize(record.len().next_multiple_of(PAGE), 0);
    Some(record)
}

/// Appends the length of `bytes`, then `bytes`.
fn put(record: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    record.push(u8::try_from(bytes.len()).ok()?);
    record.extend_from_slice(bytes);
    Some(())
}

/// Removes what [`put`] appended.
fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first()?;
    let (bytes, behind) = behind.split_at_checked(usize::from(*length))?;
    *rest = behind;
    Some(bytes)
}

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::{CHECKSUM_BYTES, Commit, HEAD_BYTES, Record, encode};

    /// A record that can be decoded round-trips. Its length and checksum are corrected first, or few inputs would get past
    /// them.
    ///
    /// # Panics
    /// If it does not.
    pub fn journal(bytes: &[u8]) {
        let mut record = bytes.to_vec();
        if let Some(length) = record.len().checked_sub(HEAD_BYTES) {
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            record
                .splice(CHECKSUM_BYTES..8, length.to_le_bytes())
                .for_each(drop);
            let checksum = crc32fast::hash(record.get(CHECKSUM_BYTES..).unwrap_or_default());
            record
                .splice(..CHECKSUM_BYTES, checksum.to_le_bytes())
                .for_each(drop);
        }
        if let Some((number, commit)) = decode(&record)
            && let Some(anew) = encode(number, &commit)
        {
            assert_eq!(decode(&anew), Some((number, commit)));
        }
    }

    fn decode(bytes: &[u8]) -> Option<(u64, Commit)> {
        let record = Record::first_of(bytes)?;
        Some((record.number, record.commit()?))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{Arrivals, Measures, Timestamp, UploadedReading};
    use crate::store::engine::keys;
    use crate::store::rows::{Activity, Power};

    /// A commit of so many readings of one sensor.
    pub(in crate::store::writer) fn commit(readings: i64) -> Commit {
        let sensor = SensorId::new("house").unwrap();
        let at = |ms| Timestamp::from_millis(ms).unwrap();
        let row = |ms: i64| {
            let measures = Measures::new(Some(1.5), (ms % 2 == 0).then_some(2.0)).unwrap();
            (keys::key(&sensor, at(ms)), measures)
        };
        Commit {
            rows: (0..readings).map(row).collect(),
            activities: [(sensor.clone(), Activity::default().arrived(at(7)))].into(),
        }
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
                let rows = (0..count).map(|n| (keys::key(&sensor, time(n)), measures));
                let commit = Commit {
                    rows: rows.collect(),
                    activities: [(sensor.clone(), activity)].into(),
                };
                let longest = longest([&upload].into_iter()).next_multiple_of(PAGE);
                assert!(encode(1, &commit).unwrap().len() <= longest);
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 16..200)) {
            fuzz::journal(&bytes);
        }

        #[test]
        fn changed_bytes_round_trip_if_they_decode(
            readings in 1_i64..20,
            changes in proptest::collection::vec((16_usize..200, any::<u8>()), 0..3),
        ) {
            let mut record = encode(7, &commit(readings)).unwrap();
            for (place, byte) in changes {
                record[place] = byte;
            }
            fuzz::journal(&record);
        }
    }
}
