//! Chunks: settled rows and activities as the log has them (`rows/log_files/mod.rs`), many in one value.
//!
//! The key is the number of the chunk: 49 bits as seven digits of seven bits, the highest first, so no byte is 0xFF. The value:
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | version, 2 |
//! | | groups, up to the end; at least one |
//!
//! A group is about one sensor:
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | length of the sensor's id |
//! | | the id |
//! | varint | four times the number of rows, plus 2 if there is an activity, plus 1 if the group is anew: earlier ones of this sensor no longer count |
//! | | the activity |
//! | | rows, ascending |
//!
//! `rows/compact.rs` has the bytes of an activity and of a row. The journal has groups, too (`writer/commit_record.rs`).

use std::borrow::Cow;

use crate::domain::{Reading, SensorId};
use crate::store::blocks::block::varint;
use crate::store::embedded::rows::compact::{MAX_ACTIVITY_BYTES, MAX_ROW_BYTES, Preceding};
use crate::store::error::StoreError;
use crate::store::rows::activity::Activity;

const VERSION: u8 = 2;
const IS_ANEW: u64 = 1;
const HAS_ACTIVITY: u64 = 2;
const ROW: u64 = 4;
/// The most bytes of a value: what is lost with a byte of a damaged file.
pub(crate) const MAX_BYTES: usize = 1_400;
/// The most bytes that a group takes besides its id, its activity and its rows: the id's length, and the count of all rows
/// that a chunk has room for.
const MAX_HEAD_BYTES: usize = 1 + 2;
const DIGITS: usize = 7;
const DIGIT_BITS: usize = 7;
const DIGIT: u8 = 0x7F;

/// Some rows of a sensor, and its activity with them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RowGroup<'a> {
    pub(crate) sensor: SensorId,
    /// Whether earlier groups of the sensor no longer count: this is all that there is of it. Without an activity, there is
    /// nothing: the sensor was removed.
    pub(crate) is_anew: bool,
    /// Its activity; `None` if an earlier group has it.
    pub(crate) activity: Option<Activity>,
    /// Ascending.
    pub(crate) rows: Cow<'a, [Reading]>,
}

impl RowGroup<'_> {
    /// Roughly what it takes, in rows: what begins a group takes as much as one, and an activity as another.
    pub(crate) fn weight(&self) -> usize {
        1 + usize::from(self.activity.is_some()) + self.rows.len()
    }

    /// Whether it says that the sensor was removed.
    pub(crate) const fn is_end(&self) -> bool {
        self.is_anew && self.activity.is_none()
    }

    /// Whether it has a meaning: the end of a sensor has no rows, and another group has something.
    fn is_valid(&self) -> bool {
        self.activity.is_some() || self.is_anew == self.rows.is_empty()
    }
}

/// The key of the chunk of this number.
pub(crate) fn key(number: u64) -> [u8; DIGITS] {
    let mut key = [0; DIGITS];
    for (place, digit) in key.iter_mut().rev().enumerate() {
        *digit = (number >> (DIGIT_BITS * place)).to_le_bytes()[0] & DIGIT;
    }
    key
}

/// The number of a chunk.
pub(crate) fn number_of(key: &[u8]) -> Result<u64, StoreError> {
    let digits = <[u8; DIGITS]>::try_from(key).ok();
    let digits = digits.filter(|digits| digits.iter().all(|&digit| digit <= DIGIT));
    let digits = digits.ok_or_else(|| {
        let key = key.escape_ascii();
        StoreError::Damaged(format!("rows under the invalid key {key}"))
    })?;
    let number = digits.iter();
    Ok(number.fold(0, |number, &digit| number << DIGIT_BITS | u64::from(digit)))
}

/// A value with groups.
#[derive(Default)]
pub(crate) struct RowChunk {
    pub(crate) value: Vec<u8>,
    /// See [`RowGroup::weight`].
    pub(crate) weight: usize,
}

/// Where a group is.
pub(crate) struct PackedGroup {
    /// Its first chunk, counted from 0.
    pub(crate) first_chunk: usize,
    /// The weight of its parts.
    pub(crate) weight: usize,
}

/// Chunks being filled with groups.
#[derive(Default)]
pub(crate) struct ChunkPacker {
    full: Vec<RowChunk>,
    last: RowChunk,
    /// The activity and the rows of the group that is being added.
    content: Vec<u8>,
}

impl ChunkPacker {
    /// Adds a group; if it is long, in parts, of which the first has the activity.
    pub(crate) fn add(&mut self, group: &RowGroup<'_>) -> PackedGroup {
        let head = MAX_HEAD_BYTES + group.sensor.as_str().len();
        let least = head + MAX_ACTIVITY_BYTES + MAX_ROW_BYTES;
        let (mut rest, mut is_anew) = (group.rows.as_ref(), group.is_anew);
        let mut activity = group.activity.as_ref();
        let (mut first_chunk, mut weight) = (None, 0);
        loop {
            if self.last.value.len() + least > MAX_BYTES {
                self.full.push(std::mem::take(&mut self.last));
            }
            if self.last.value.is_empty() {
                self.last.value.reserve(MAX_BYTES);
                self.last.value.push(VERSION);
            }
            let room = MAX_BYTES.saturating_sub(self.last.value.len() + head);
            let count = self.pack(activity, rest, room);
            let value = &mut self.last.value;
            put_head(value, &group.sensor, is_anew, activity, count);
            value.extend_from_slice(&self.content);
            let part = 1 + usize::from(activity.is_some()) + count;
            self.last.weight += part;
            weight += part;
            let first_chunk = *first_chunk.get_or_insert(self.full.len());
            rest = rest.get(count..).unwrap_or_default();
            if rest.is_empty() {
                return PackedGroup {
                    first_chunk,
                    weight,
                };
            }
            (is_anew, activity) = (false, None);
        }
    }

    /// Packs the activity and the first of `rows`, in up to `room` bytes. Returns how many rows these are.
    fn pack(&mut self, activity: Option<&Activity>, rows: &[Reading], room: usize) -> usize {
        self.content.clear();
        let mut before = Preceding::default();
        if let Some(activity) = activity {
            before.put_activity(&mut self.content, activity);
        }
        for (count, row) in rows.iter().enumerate() {
            let length = self.content.len();
            before.put_row(&mut self.content, row);
            if self.content.len() > room {
                self.content.truncate(length);
                return count;
            }
        }
        rows.len()
    }

    /// All chunks.
    pub(crate) fn finish(mut self) -> Vec<RowChunk> {
        if !self.last.value.is_empty() {
            self.full.push(self.last);
        }
        self.full
    }
}

/// Appends a group that is not anew, however long it gets.
pub(crate) fn put(bytes: &mut Vec<u8>, sensor: &SensorId, activity: &Activity, rows: &[Reading]) {
    put_head(bytes, sensor, false, Some(activity), rows.len());
    let mut before = Preceding::default();
    before.put_activity(bytes, activity);
    for row in rows {
        before.put_row(bytes, row);
    }
}

fn put_head(
    bytes: &mut Vec<u8>,
    sensor: &SensorId,
    is_anew: bool,
    activity: Option<&Activity>,
    rows: usize,
) {
    let id = sensor.as_str().as_bytes();
    bytes.extend(u8::try_from(id.len()));
    bytes.extend_from_slice(id);
    let flags = IS_ANEW * u64::from(is_anew) + HAS_ACTIVITY * u64::from(activity.is_some());
    varint::put(bytes, ROW * rows as u64 + flags);
}

/// The groups in a value.
pub(crate) fn decode(value: &[u8]) -> Result<Vec<RowGroup<'static>>, StoreError> {
    let damaged = || {
        let start = value.get(..value.len().min(16)).unwrap_or_default();
        StoreError::Damaged(format!(
            "rows in a value of {} bytes that begins with {}",
            value.len(),
            start.escape_ascii()
        ))
    };
    let groups = match value.split_first() {
        Some((&VERSION, groups)) if !groups.is_empty() => groups,
        _ => return Err(damaged()),
    };
    let mut rest = groups;
    let mut groups = Vec::new();
    while !rest.is_empty() {
        groups.push(take(&mut rest).ok_or_else(damaged)?);
    }
    Ok(groups)
}

/// Takes the first group; `None` if the bytes are invalid.
pub(crate) fn take(rest: &mut &[u8]) -> Option<RowGroup<'static>> {
    let length = rest.split_off_first()?;
    let id = rest.split_off(..usize::from(*length))?;
    let sensor = SensorId::new(std::str::from_utf8(id).ok()?).ok()?;
    let head = varint::take(rest).ok()?;
    let mut before = Preceding::default();
    let activity = match head & HAS_ACTIVITY {
        0 => None,
        _ => Some(before.take_activity(rest)?),
    };
    let mut rows = Vec::new();
    for _ in 0..head / ROW {
        rows.push(before.take_row(rest)?);
    }
    let group = RowGroup {
        sensor,
        is_anew: head & IS_ANEW != 0,
        activity,
        rows: rows.into(),
    };
    group.is_valid().then_some(group)
}

/// What a fuzzer calls.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    use super::{ChunkPacker, MAX_BYTES, RowGroup, decode};
    use crate::domain::{SensorId, Timestamp};
    use crate::store::rows::activity::Activity;

    /// A chunk that can be decoded round-trips, whatever its groups and their parts.
    ///
    /// # Panics
    /// If it does not.
    pub fn rows(bytes: &[u8]) {
        let Ok(groups) = decode(bytes) else {
            return;
        };
        let mut packer = ChunkPacker::default();
        for group in &groups {
            packer.add(group);
        }
        let chunks = packer.finish();
        assert!(chunks.iter().all(|chunk| chunk.value.len() <= MAX_BYTES));
        let anew = chunks.iter().filter_map(|chunk| decode(&chunk.value).ok());
        assert_eq!(joined(anew.flatten()), joined(groups.into_iter()));
    }

    type RowBits = (Timestamp, Option<u64>, Option<u64>);

    /// A group as bits, because -0.0 equals 0.0.
    type GroupBits = (
        SensorId,
        bool,
        Option<(Activity, Option<u64>)>,
        Vec<RowBits>,
    );

    /// Groups with the parts of each put together.
    pub(super) fn joined<'a>(groups: impl Iterator<Item = RowGroup<'a>>) -> Vec<GroupBits> {
        let mut joined: Vec<GroupBits> = Vec::new();
        for group in groups {
            let rows = group.rows.iter().map(|row| {
                let (watts, watthours) = (row.measures.watts(), row.measures.watthours());
                let bits = |number: Option<f64>| number.map(f64::to_bits);
                (row.time, bits(watts), bits(watthours))
            });
            let is_part = group.activity.is_none() && !group.is_anew;
            match joined.last_mut() {
                Some((sensor, _, _, all)) if *sensor == group.sensor && is_part => all.extend(rows),
                _ => {
                    let power =
                        |activity: &Activity| activity.newest_power.map(|it| it.watts.to_bits());
                    let activity = group.activity.map(|activity| (activity, power(&activity)));
                    joined.push((group.sensor, group.is_anew, activity, rows.collect()));
                }
            }
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::fuzz::joined;
    use super::*;
    use crate::domain::{Measures, Timestamp};
    use crate::store::embedded::rows::compact::tests::{any_activity, any_number};
    use crate::store::tests::{at, house, reading};

    fn any_group() -> impl Strategy<Value = RowGroup<'static>> {
        let whole = Timestamp::MIN.millis()..=Timestamp::MAX.millis();
        let ms = prop_oneof![whole, 0_i64..2_000_000];
        let number = || proptest::option::weighted(0.8, any_number());
        let row = (number(), number()).prop_filter_map("nothing", |(watts, watthours)| {
            Measures::new(watts, watthours).ok()
        });
        let rows = proptest::collection::btree_map(ms, row, 0..300);
        let activity = proptest::option::of(any_activity());
        ("[a-c]|[^\\p{Cc}]{1,16}", any::<bool>(), activity, rows).prop_map(
            |(id, is_anew, activity, rows)| {
                let rows = rows.into_iter().map(|(ms, measures)| Reading {
                    time: at(ms),
                    measures,
                });
                let rows: Vec<Reading> = rows.collect();
                let has_activity = activity.is_some();
                RowGroup {
                    sensor: SensorId::new(&id).unwrap(),
                    is_anew: if has_activity {
                        is_anew
                    } else {
                        rows.is_empty()
                    },
                    activity,
                    rows: rows.into(),
                }
            },
        )
    }

    fn packed(groups: &[RowGroup<'_>]) -> Vec<Vec<u8>> {
        let mut packer = ChunkPacker::default();
        for group in groups {
            packer.add(group);
        }
        let chunks = packer.finish();
        for RowChunk { value, weight } in &chunks {
            let groups = decode(value).unwrap();
            assert_eq!(*weight, groups.iter().map(RowGroup::weight).sum::<usize>());
        }
        chunks.into_iter().map(|chunk| chunk.value).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn groups_round_trip(groups in proptest::collection::vec(any_group(), 1..20)) {
            let values = packed(&groups);
            prop_assert!(values.iter().all(|value| value.len() <= MAX_BYTES));
            let unpacked = values.iter().flat_map(|value| decode(value).unwrap());
            prop_assert_eq!(joined(unpacked), joined(groups.into_iter()));
        }

        #[test]
        fn no_bytes_panic(
            group in any_group(),
            changes in proptest::collection::vec((0_usize..200, any::<u8>()), 0..3),
        ) {
            let mut value = packed(&[group]).remove(0);
            for (place, byte) in changes {
                let place = place % value.len();
                value[place] = byte;
            }
            fuzz::rows(&value);
        }

        #[test]
        fn keys_are_in_order(a in 0_u64..1 << 49, b in 0_u64..1 << 49) {
            prop_assert_eq!(number_of(&key(a)).unwrap(), a);
            prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
            prop_assert!(!key(a).contains(&0xFF));
        }
    }

    #[test]
    fn a_row_takes_a_dozen_bytes() {
        let row = |n: i32| Reading {
            time: at(1_700_000_000_000 + 10_000 * i64::from(n)),
            measures: Measures::new(
                Some(200.0 + f64::from(n * 7 % 50)),
                Some(1e6 + f64::from(n) / 10.0),
            )
            .unwrap(),
        };
        let rows: Vec<Reading> = (0..1_000).map(row).collect();
        let group = RowGroup {
            sensor: house(),
            is_anew: false,
            activity: None,
            rows: rows.into(),
        };
        let bytes: usize = packed(&[group]).iter().map(Vec::len).sum();
        assert!(bytes < 13_000, "{bytes}");
    }

    #[test]
    fn other_bytes_are_damage() {
        let group = RowGroup {
            sensor: house(),
            is_anew: false,
            activity: None,
            rows: vec![reading(0, 1.0), reading(5, 2.0)].into(),
        };
        let value = packed(&[group]).remove(0);
        for length in 0..value.len() {
            assert!(decode(&value[..length]).is_err(), "{length}");
        }
        let of_house = |rest: &[u8]| [&[VERSION, 5][..], b"house", rest].concat();
        // Nothing, a sensor that was removed with a row, and an activity with an unknown flag.
        let (nothing, unknown) = (of_house(&[0]), of_house(&[2, 16]));
        let removed = of_house(&[5, 0, 0x70, 1, 0xFF]);
        assert!(decode(&of_house(&[4, 0, 0x70, 1, 0xFF])).is_ok());
        let version = [&[VERSION + 1][..], &value[1..]].concat();
        for wrong in [
            nothing,
            removed,
            unknown,
            version,
            [&value[..], &[5]].concat(),
        ] {
            assert!(decode(&wrong).is_err(), "{wrong:?}");
        }
        for key in [&[0; 6][..], &[0; 8], &[0x80, 0, 0, 0, 0, 0, 0]] {
            assert!(number_of(key).is_err());
        }
    }
}
