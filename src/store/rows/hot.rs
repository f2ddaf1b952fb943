//! The hot rows: one for each reading that is not sealed yet.
//!
//! A value is
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | bit 0: watts follow; bit 1: watt-hours follow; no other bit |
//! | 0 or 8 | watts, f64 little-endian |
//! | 0 or 8 | watt-hours, f64 little-endian |

use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::{RwLock, RwLockReadGuard};

use crate::domain::{Measures, Reading, SensorId, TimeRange, Timestamp};
use crate::store::blocks::{Measure, MeasuredValue};
use crate::store::engine::keys;
use crate::store::engine::locks::{read, write};
use crate::store::error::StoreError;

const WATTS: u8 = 1;
const WATTHOURS: u8 = 2;

/// Rows by their keys.
pub(crate) type Rows = BTreeMap<Vec<u8>, Measures>;

/// How many rows of a commit are new in the store, for each sensor.
pub(crate) type NewRows = HashMap<SensorId, usize>;

/// The tree of hot rows, and the rows in memory that are not in the tree yet. A row is young, then frozen, then in the tree or
/// sealed. Readers look in this order, because a row is in two places for a moment, and may be in each with other measures:
/// the later upload is in the earlier place. Each row has all of its measures.
pub(crate) struct Hot {
    pub(crate) tree: sled::Tree,
    held: RwLock<HeldRows>,
    /// The latest time at which each sensor may have a row in the tree, if it ever had one.
    written_until: RwLock<HashMap<SensorId, Timestamp>>,
}

/// The rows in memory. The journal has them, or they wait for it in interval mode.
#[derive(Default)]
pub(crate) struct HeldRows {
    /// New ones.
    young: Rows,
    /// Those that are on their way into the database. The journal has all of them.
    frozen: Rows,
}

impl HeldRows {
    /// How many rows wait to be frozen.
    pub(crate) fn young(&self) -> usize {
        self.young.len()
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.young.is_empty() && self.frozen.is_empty()
    }

    /// How many rows are frozen.
    pub(crate) fn frozen(&self) -> usize {
        self.frozen.len()
    }

    /// The keys of all rows; of some twice.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &Vec<u8>> {
        self.young.keys().chain(self.frozen.keys())
    }

    fn get(&self, key: &[u8]) -> Option<Measures> {
        self.young
            .get(key)
            .or_else(|| self.frozen.get(key))
            .copied()
    }

    /// The rows in a range of keys, ascending.
    fn range(&self, keys: &RangeInclusive<Vec<u8>>) -> Vec<Result<Reading, StoreError>> {
        let young = self.young.range(keys.clone()).map(held_reading);
        let frozen = self.frozen.range(keys.clone()).map(held_reading);
        overlaid(young, frozen).collect()
    }
}

impl Hot {
    pub(crate) fn new(tree: sled::Tree) -> Self {
        Self {
            tree,
            held: RwLock::default(),
            written_until: RwLock::default(),
        }
    }

    /// Records that the tree has, or is about to have, a row of `sensor` at `time`.
    pub(crate) fn note_written(&self, sensor: SensorId, time: Timestamp) {
        let mut until = write(&self.written_until);
        let until = until.entry(sensor).or_insert(time);
        *until = time.max(*until);
    }

    /// Holds `rows` in memory, where readers see them.
    pub(crate) fn hold(&self, rows: Rows) {
        // `append` would rebuild the whole map.
        write(&self.held).young.extend(rows);
    }

    /// The rows that are held in memory.
    pub(crate) fn held(&self) -> RwLockReadGuard<'_, HeldRows> {
        read(&self.held)
    }

    /// Freezes the young rows. No row may be frozen yet.
    pub(crate) fn freeze(&self) {
        let held = &mut *write(&self.held);
        held.frozen = std::mem::take(&mut held.young);
    }

    /// Writes up to `count` frozen rows into the tree, in the order of their keys, and drops them from memory. Returns
    /// whether there were any. A crash may leave some of them in the tree: a start replays the journal, which writes all.
    pub(crate) fn write_frozen(&self, count: usize) -> Result<bool, StoreError> {
        let rows: Vec<(Vec<u8>, Measures)> = {
            let held = self.held();
            let first = held.frozen.iter().take(count);
            first
                .map(|(key, measures)| (key.clone(), *measures))
                .collect()
        };
        if rows.is_empty() {
            return Ok(false);
        }
        let mut batch = sled::Batch::default();
        for (key, measures) in &rows {
            let (sensor, time) = keys::parse(key)?;
            self.note_written(sensor, time);
            batch.insert(key.as_slice(), encode(*measures));
        }
        // Half as much of sled's log as one by one.
        self.tree.apply_batch(batch)?;
        // Last: a reader finds each row here or in the tree.
        let frozen = &mut write(&self.held).frozen;
        for (key, _) in &rows {
            frozen.remove(key);
        }
        Ok(true)
    }

    /// Adds to `batch`, for the tree, the removal of the rows of `sensor` at the times of `readings`.
    pub(crate) fn remove_written(
        &self,
        sensor: &SensorId,
        readings: &[Reading],
        batch: &mut sled::Batch,
    ) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (readings.first(), readings.last()) else {
            return Ok(());
        };
        let until = read(&self.written_until).get(sensor).copied();
        let Some(range) = until.and_then(|until| TimeRange::new(first.time, last.time.min(until)))
        else {
            return Ok(());
        };
        // Some rows may be in memory only: then there is nothing to remove from the tree.
        for key in self.tree.range(keys::keys(sensor, range)).keys() {
            let key = key?;
            let time = keys::time_of(&key)?;
            if readings.binary_search_by_key(&time, |row| row.time).is_ok() {
                batch.remove(key);
            }
        }
        Ok(())
    }

    /// Drops the frozen rows of `sensor` at the times of `readings`. Returns how many of the readings have no hot row then,
    /// because none is young either.
    pub(crate) fn drop_frozen(&self, sensor: &SensorId, readings: &[Reading]) -> usize {
        let held = &mut *write(&self.held);
        let keys = readings.iter().map(|row| keys::key(sensor, row.time));
        let gone = keys.filter(|key| {
            held.frozen.remove(key);
            !held.young.contains_key(key)
        });
        gone.count()
    }

    /// The hot row of `sensor` at `time`.
    pub(crate) fn get(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Measures>, StoreError> {
        let key = keys::key(sensor, time);
        if let Some(measures) = self.held().get(&key) {
            return Ok(Some(measures));
        }
        // Most readings are newer than all rows in the tree: that spares a search in sled.
        let until = read(&self.written_until).get(sensor).copied();
        if until.is_none_or(|until| time > until) {
            return Ok(None);
        }
        self.tree.get(key)?.map(|value| decode(&value)).transpose()
    }

    /// The rows of `sensor` in `range`, ascending.
    pub(crate) fn range(
        &self,
        sensor: &SensorId,
        range: TimeRange,
    ) -> impl Iterator<Item = Result<Reading, StoreError>> + use<> {
        // Copied, so that nobody waits for the lock while the caller works through the rows.
        let held = self.held().range(&keys::keys(sensor, range));
        overlaid(held.into_iter(), self.written(sensor, range))
    }

    /// The rows of `sensor` in `range` that are not young, ascending.
    pub(crate) fn settled(
        &self,
        sensor: &SensorId,
        range: TimeRange,
    ) -> impl Iterator<Item = Result<Reading, StoreError>> + use<> {
        let held = self.held();
        let frozen = held.frozen.range(keys::keys(sensor, range));
        let frozen: Vec<_> = frozen.map(held_reading).collect();
        overlaid(frozen.into_iter(), self.written(sensor, range))
    }

    fn written(
        &self,
        sensor: &SensorId,
        range: TimeRange,
    ) -> impl DoubleEndedIterator<Item = Result<Reading, StoreError>> + use<> {
        self.tree.range(keys::keys(sensor, range)).map(|row| {
            let (key, value) = row?;
            Ok(Reading {
                time: keys::time_of(&key)?,
                measures: decode(&value)?,
            })
        })
    }

    /// The newest value of `measure` at or before `time` among the rows.
    pub(crate) fn newest(
        &self,
        sensor: &SensorId,
        time: Timestamp,
        measure: Measure,
    ) -> Result<Option<MeasuredValue>, StoreError> {
        let range = TimeRange::new(Timestamp::MIN, time).unwrap_or(TimeRange::ALL);
        let newest_of = |rows: &Rows| {
            let rows = rows.range(keys::keys(sensor, range)).rev();
            first_of(rows.map(held_reading), measure)
        };
        let (young, frozen) = {
            let held = self.held();
            (newest_of(&held.young)?, newest_of(&held.frozen)?)
        };
        let written = first_of(self.written(sensor, range).rev(), measure)?;
        let newest = [frozen, written].into_iter().fold(young, |newest, older| {
            let is_later = older.map(|value| value.time) > newest.map(|value| value.time);
            if is_later { older } else { newest }
        });
        Ok(newest)
    }

    /// The first value of `measure` among the rows.
    pub(crate) fn first(
        &self,
        sensor: &SensorId,
        measure: Measure,
    ) -> Result<Option<MeasuredValue>, StoreError> {
        first_of(self.range(sensor, TimeRange::ALL), measure)
    }
}

/// Merges rows in ascending order of time. At equal times, the row of `newer` wins.
fn overlaid(
    newer: impl Iterator<Item = Result<Reading, StoreError>>,
    older: impl Iterator<Item = Result<Reading, StoreError>>,
) -> impl Iterator<Item = Result<Reading, StoreError>> {
    let (mut newer, mut older) = (newer.peekable(), older.peekable());
    std::iter::from_fn(move || match (newer.peek(), older.peek()) {
        (Some(Ok(row)), Some(Ok(same))) if row.time == same.time => {
            older.next();
            newer.next()
        }
        (Some(Ok(row)), Some(Ok(later))) if row.time < later.time => newer.next(),
        (Some(_), None) => newer.next(),
        _ => older.next(),
    })
}

fn held_reading((key, measures): (&Vec<u8>, &Measures)) -> Result<Reading, StoreError> {
    Ok(Reading {
        time: keys::time_of(key)?,
        measures: *measures,
    })
}

fn first_of(
    rows: impl Iterator<Item = Result<Reading, StoreError>>,
    measure: Measure,
) -> Result<Option<MeasuredValue>, StoreError> {
    for row in rows {
        let value = measure.of(&row?);
        if value.is_some() {
            return Ok(value);
        }
    }
    Ok(None)
}

/// The value of a row with these measures.
pub(crate) fn encode(measures: Measures) -> Vec<u8> {
    let (watts, watthours) = (measures.watts(), measures.watthours());
    let mut value = Vec::with_capacity(17);
    value.push((WATTS * u8::from(watts.is_some())) | (WATTHOURS * u8::from(watthours.is_some())));
    for number in watts.into_iter().chain(watthours) {
        value.extend_from_slice(&number.to_le_bytes());
    }
    value
}

/// The measures in the value of a row.
pub(crate) fn decode(value: &[u8]) -> Result<Measures, StoreError> {
    let damaged = || StoreError::Damaged(format!("a hot row is damaged: {}", value.escape_ascii()));
    let (flags, mut numbers) = value.split_first().ok_or_else(damaged)?;
    let mut next = |bit| -> Result<Option<f64>, StoreError> {
        if flags & bit == 0 {
            return Ok(None);
        }
        let (number, rest) = numbers.split_first_chunk::<8>().ok_or_else(damaged)?;
        numbers = rest;
        Ok(Some(f64::from_le_bytes(*number)))
    };
    let (watts, watthours) = (next(WATTS)?, next(WATTHOURS)?);
    if flags & !(WATTS | WATTHOURS) != 0 || !numbers.is_empty() {
        return Err(damaged());
    }
    Measures::new(watts, watthours).map_err(|_| damaged())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_round_trip() {
        for (watts, watthours) in [
            (Some(-0.0), None),
            (None, Some(1e300)),
            (Some(234.5), Some(882_301.1)),
        ] {
            let measures = Measures::new(watts, watthours).unwrap();
            let value = encode(measures);
            assert_eq!(decode(&value).unwrap(), measures);
            for length in 0..value.len() {
                assert!(decode(&value[..length]).is_err());
            }
        }
    }

    #[test]
    fn other_values_are_damage() {
        let nan = [&[WATTS][..], &f64::NAN.to_le_bytes()].concat();
        for value in [
            &[][..],
            &[0],
            &[4],
            &nan,
            &[WATTS, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ] {
            assert!(
                matches!(decode(value), Err(StoreError::Damaged(_))),
                "{value:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..24)) {
            if let Ok(measures) = decode(&bytes) {
                prop_assert_eq!(encode(measures), bytes);
            }
        }
    }
}
