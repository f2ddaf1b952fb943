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
    count: usize,
}

impl Rows {
    /// How many rows there are.
    pub(crate) const fn len(&self) -> usize {
        self.count
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Of how many sensors they are.
    pub(crate) fn count_sensors(&self) -> usize {
        self.of_sensors.len()
    }

    /// Makes room for so many further sensors.
    pub(crate) fn reserve(&mut self, sensors: usize) {
        self.of_sensors.reserve(sensors);
    }

    /// The rows of a sensor, ascending.
    pub(crate) fn of(&self, sensor: &SensorId) -> &[Reading] {
        self.of_sensors.get(sensor).map_or(&[], Vec::as_slice)
    }

    /// The rows of a sensor in `range`, ascending.
    pub(crate) fn in_range(&self, sensor: &SensorId, range: TimeRange) -> &[Reading] {
        let rows = self.of(sensor);
        let start = rows.partition_point(|row| row.time < range.start());
        let end = rows.partition_point(|row| row.time <= range.end());
        rows.get(start..end).unwrap_or_default()
    }

    /// The measures of a sensor at `time`.
    pub(crate) fn get(&self, sensor: &SensorId, time: Timestamp) -> Option<Measures> {
        let rows = self.of(sensor);
        // Most readings are newer than all rows.
        let last = rows.last().filter(|last| time <= last.time)?;
        if last.time == time {
            return Some(last.measures);
        }
        let found = rows.binary_search_by_key(&time, |row| row.time).ok()?;
        rows.get(found).map(|row| row.measures)
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
                self.count += newer.len();
                place.insert(newer);
            }
            Entry::Occupied(mut known) => {
                let rows = known.get_mut();
                let before = rows.len();
                merge_into(rows, &newer);
                self.count += rows.len() - before;
            }
        }
    }

    /// Adds the rows of `newer`, which replace those at the same times.
    pub(crate) fn extend(&mut self, newer: Self) {
        for (sensor, rows) in newer.of_sensors {
            self.merge(sensor, rows);
        }
    }

    /// Puts these rows, ascending, in the place of all rows of the sensor.
    pub(crate) fn replace(&mut self, sensor: &SensorId, rows: Vec<Reading>) {
        self.count += rows.len();
        let replaced = if rows.is_empty() {
            self.of_sensors.remove(sensor)
        } else {
            self.of_sensors.insert(sensor.clone(), rows)
        };
        self.count -= replaced.map_or(0, |replaced| replaced.len());
    }

    /// Removes the rows of a sensor at the times of `gone`, which are ascending.
    pub(crate) fn remove(&mut self, sensor: &SensorId, gone: &[Reading]) {
        let left = without(self.of(sensor), gone);
        self.replace(sensor, left);
    }
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
                        rows.remove(&house(), batch);
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
                prop_assert_eq!(rows.len(), all.len());
                prop_assert_eq!(rows.iter().count(), usize::from(!all.is_empty()));
            }
            for ms in 0..40 {
                let expected = model.get(&at(ms)).map(|row| row.measures);
                prop_assert_eq!(rows.get(&house(), at(ms)), expected);
            }
            let (start, end) = (range.0.min(range.1), range.0.max(range.1));
            let expected: Vec<Reading> =
                model.range(at(start)..=at(end)).map(|(_, row)| *row).collect();
            let found = rows.in_range(&house(), TimeRange::new(at(start), at(end)).unwrap());
            prop_assert_eq!(found, &expected);
        }
    }
}
