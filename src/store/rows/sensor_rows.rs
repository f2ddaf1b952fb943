//! Rows of many sensors, in memory.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use crate::domain::{Measures, Reading, SensorId, TimeRange, Timestamp};
use crate::store::rows::sensor_map::SensorMap;

/// Rows by sensor, those of each in ascending order of time. Each has all of its measures; of one time there is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rows {
    /// No sensor without rows.
    of_sensors: SensorMap<Vec<Reading>>,
}

impl Rows {
    /// The rows of a sensor, ascending.
    pub(crate) fn of(&self, sensor: &SensorId) -> &[Reading] {
        self.of_sensors.get(sensor).map_or(&[], Vec::as_slice)
    }

    /// The rows of each sensor, in any order of sensors.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&SensorId, &[Reading])> {
        let sensors = self.of_sensors.iter();
        sensors.map(|(sensor, rows)| (sensor, rows.as_slice()))
    }

    /// Adds rows, ascending. They replace those at the same times.
    pub(crate) fn merge(&mut self, sensor: SensorId, newer: Vec<Reading>) {
        if newer.is_empty() {
            return;
        }
        match self.of_sensors.entry(sensor) {
            Entry::Vacant(place) => {
                place.insert(newer);
            }
            Entry::Occupied(mut known) => merge_into(known.get_mut(), &newer),
        }
    }

    /// Puts these rows, ascending, in the place of all rows of the sensor.
    pub(crate) fn replace(&mut self, sensor: &SensorId, rows: Vec<Reading>) {
        if rows.is_empty() {
            self.of_sensors.remove(sensor);
        } else {
            self.of_sensors.insert(sensor.clone(), rows);
        }
    }
}

impl IntoIterator for Rows {
    type Item = (SensorId, Vec<Reading>);
    type IntoIter = std::collections::hash_map::IntoIter<SensorId, Vec<Reading>>;

    fn into_iter(self) -> Self::IntoIter {
        self.of_sensors.into_iter()
    }
}

/// Those of `rows`, ascending, that are in `range`.
pub(crate) fn in_range(rows: &[Reading], range: TimeRange) -> &[Reading] {
    let start = rows.partition_point(|row| row.time < range.start());
    let end = rows.partition_point(|row| row.time <= range.end());
    rows.get(start..end).unwrap_or_default()
}

/// The measures of the one of `rows`, ascending, that is at `time`.
pub(crate) fn at_time(rows: &[Reading], time: Timestamp) -> Option<Measures> {
    // Most readings are newer than all rows.
    let last = rows.last().filter(|last| time <= last.time)?;
    if last.time == time {
        return Some(last.measures);
    }
    let found = rows.binary_search_by_key(&time, |row| row.time).ok()?;
    rows.get(found).map(|row| row.measures)
}

/// Merges rows in ascending order of time. At equal times, that of `newer` wins.
pub(crate) fn merged(older: &[Reading], newer: &[Reading]) -> Vec<Reading> {
    let mut rows = older.to_vec();
    merge_into(&mut rows, newer);
    rows
}

/// Merges `newer` ones into rows, both in ascending order of time. At equal times, the newer one wins.
pub(crate) fn merge_into(rows: &mut Vec<Reading>, newer: &[Reading]) {
    let Some(first) = newer.first() else {
        return;
    };
    // Nearly always. Otherwise, a search would look at rows that no cache has.
    if rows.last().is_none_or(|last| last.time < first.time) {
        rows.extend_from_slice(newer);
        return;
    }
    let before = rows.partition_point(|row| row.time < first.time);
    let behind = rows.split_off(before);
    let (mut behind, mut newer) = (behind.as_slice(), newer);
    while let (Some((old, olds)), Some((new, news))) = (behind.split_first(), newer.split_first()) {
        match old.time.cmp(&new.time) {
            Ordering::Less => {
                rows.push(*old);
                behind = olds;
            }
            order => {
                rows.push(*new);
                newer = news;
                behind = if order == Ordering::Equal {
                    olds
                } else {
                    behind
                };
            }
        }
    }
    rows.extend_from_slice(behind);
    rows.extend_from_slice(newer);
}

/// `rows` less those at the times of `gone`; both are ascending.
pub(crate) fn without(rows: &[Reading], gone: &[Reading]) -> Vec<Reading> {
    let is_gone = |row: &&Reading| {
        gone.binary_search_by_key(&row.time, |gone| gone.time)
            .is_ok()
    };
    rows.iter().filter(|row| !is_gone(row)).copied().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::store::tests::{at, house, reading};

    fn batch() -> impl Strategy<Value = Vec<Reading>> {
        let rows = proptest::collection::btree_map(0_i64..40, 0_i32..9, 0..20);
        rows.prop_map(|rows| {
            let rows = rows.into_iter();
            rows.map(|(ms, watts)| reading(ms, f64::from(watts)))
                .collect()
        })
    }

    proptest! {
        /// Whatever is merged, removed and replaced, the rows are those of a sorted map.
        #[test]
        fn rows_are_those_of_a_plain_map(
            steps in proptest::collection::vec((0_u8..6, batch()), 1..12),
            range in (0_i64..40, 0_i64..40),
        ) {
            let (mut rows, mut model) = (Rows::default(), BTreeMap::new());
            let of_model = |batch: &[Reading]| -> BTreeMap<Timestamp, Reading> {
                batch.iter().map(|row| (row.time, *row)).collect()
            };
            for (kind, batch) in &steps {
                match kind {
                    0 => {
                        rows.replace(&house(), without(rows.of(&house()), batch));
                        model.retain(|time, _| batch.iter().all(|gone| gone.time != *time));
                    }
                    1 => {
                        rows.replace(&house(), batch.clone());
                        model = of_model(batch);
                    }
                    _ => {
                        rows.merge(house(), batch.clone());
                        model.extend(of_model(batch));
                    }
                }
                let all: Vec<Reading> = model.values().copied().collect();
                prop_assert_eq!(rows.of(&house()), &all);
                prop_assert_eq!(rows.iter().count(), usize::from(!all.is_empty()));
            }
            for ms in 0..40 {
                let expected = model.get(&at(ms)).map(|row| row.measures);
                prop_assert_eq!(at_time(rows.of(&house()), at(ms)), expected);
            }
            let (start, end) = (range.0.min(range.1), range.0.max(range.1));
            let expected: Vec<Reading> =
                model.range(at(start)..=at(end)).map(|(_, row)| *row).collect();
            let range = TimeRange::new(at(start), at(end)).unwrap();
            let found = in_range(rows.of(&house()), range);
            prop_assert_eq!(found, &expected);
        }
    }
}
