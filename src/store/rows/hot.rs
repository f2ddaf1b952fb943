//! The hot rows: one for each reading that is not sealed yet.
//!
//! A value is
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | bit 0: watts follow; bit 1: watt-hours follow; no other bit |
//! | 0 or 8 | watts, f64 little-endian |
//! | 0 or 8 | watt-hours, f64 little-endian |

use std::collections::{BTreeMap, BTreeSet, HashMap};
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

/// The tree of hot rows, and the rows in memory that are not in the tree yet.
pub(crate) struct Hot {
    pub(crate) tree: sled::Tree,
    /// Rows that the journal has, or that wait for it in interval mode, each with all of its measures. Readers look here
    /// first and at the tree second, because rows move from here to there, and are in both for a moment.
    held: RwLock<Rows>,
    /// The latest time at which each sensor may have a row in the tree, if it ever had one.
    written_until: RwLock<HashMap<SensorId, Timestamp>>,
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
        write(&self.held).extend(rows);
    }

    /// The rows that are held in memory.
    pub(crate) fn held(&self) -> RwLockReadGuard<'_, Rows> {
        read(&self.held)
    }

    /// Drops the rows held in memory: they are in the tree now.
    pub(crate) fn clear_held(&self) {
        write(&self.held).clear();
    }

    /// Removes the rows of `sensor` at the times of `readings`.
    pub(crate) fn remove(&self, sensor: &SensorId, readings: &[Reading]) -> Result<(), StoreError> {
        let keys = readings.iter().map(|row| keys::key(sensor, row.time));
        let keys: BTreeSet<Vec<u8>> = keys.collect();
        let (Some(first), Some(last)) = (keys.first(), keys.last()) else {
            return Ok(());
        };
        let mut batch = sled::Batch::default();
        // Some rows may be in memory only: then there is nothing to remove from the tree.
        for key in self.tree.range::<&[u8], _>(&**first..=&**last).keys() {
            let key = key?;
            if keys.contains(&*key) {
                batch.remove(key);
            }
        }
        self.tree.apply_batch(batch)?;
        write(&self.held).retain(|key, _| !keys.contains(key));
        Ok(())
    }

    /// The hot row of `sensor` at `time`.
    pub(crate) fn get(
        &self,
        sensor: &SensorId,
        time: Timestamp,
    ) -> Result<Option<Measures>, StoreError> {
        let key = keys::key(sensor, time);
        if let Some(measures) = self.held().get(&key) {
            return Ok(Some(*measures));
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
        let keys = keys::keys(sensor, range);
        // Copied, so that nobody waits for the lock while the caller works through the rows.
        let held: Vec<_> = self.held().range(keys).map(held_reading).collect();
        let mut held = held.into_iter().peekable();
        let mut written = self.written(sensor, range).peekable();
        std::iter::from_fn(move || match (held.peek(), written.peek()) {
            (Some(Ok(row)), Some(Ok(older))) if row.time == older.time => {
                written.next();
                held.next()
            }
            (Some(Ok(row)), Some(Ok(later))) if row.time < later.time => held.next(),
            (Some(_), None) => held.next(),
            _ => written.next(),
        })
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
        let keys = keys::keys(sensor, range);
        let held = first_of(self.held().range(keys).rev().map(held_reading), measure)?;
        let written = first_of(self.written(sensor, range).rev(), measure)?;
        let is_written_later = written.map(|value| value.time) > held.map(|value| value.time);
        Ok(if is_written_later { written } else { held })
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
