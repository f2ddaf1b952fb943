//! Turns an upload into rows, with a time for each reading, and an arrival of its sensor. Every
//! backend uses it.

use crate::domain::{Measures, Reading, Timestamp};
use crate::store::backend::uploads::Append;
use crate::store::error::StoreError;
use crate::store::rows::Activity;
use crate::store::rows::sensor_rows::{at_time, merge_into};

/// The stored times of a sensor, including those of earlier uploads that are not committed yet.
pub(crate) trait StoredTimes {
    /// The row at `time`, unless the backend merges the measures of an older row itself.
    fn row(&self, time: Timestamp) -> Option<Measures>;

    /// Whether there is a reading at `time`, as a row or in a block.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be read.
    fn is_taken(&mut self, time: Timestamp) -> Result<bool, StoreError>;
}

/// Returns the rows of an upload to a sensor with this `activity`, ascending, and the sensor's
/// activity after it.
pub(crate) fn place(
    append: &Append,
    activity: Activity,
    stored: &mut impl StoredTimes,
) -> Result<(Vec<Reading>, Activity), StoreError> {
    let arrival = append.arrival;
    let mut activity = activity.arrived(arrival);
    // Readings with a time come first: the others get times that these leave free.
    let readings = append.upload.readings();
    let mut rows = Vec::with_capacity(readings.len());
    rows.extend(readings.iter().filter_map(|uploaded| {
        let (time, measures) = (uploaded.time?, uploaded.measures);
        Some(Reading { time, measures })
    }));
    // A stable sort: of several readings at one time, the later one still comes later.
    rows.sort_by_key(|reading| reading.time);
    // As uploaded: the measures of older rows are counted already.
    activity = rows.iter().fold(activity, Activity::with_reading);
    // A row has all its measures, so readers need no older one.
    rows.dedup_by(|later, earlier| {
        let is_same = later.time == earlier.time;
        if is_same {
            earlier.measures = earlier.measures.overlaid_by(later.measures);
        }
        is_same
    });
    for row in &mut rows {
        let older = stored.row(row.time);
        row.measures = older.map_or(row.measures, |older| older.overlaid_by(row.measures));
    }
    let mut assigned: Vec<Reading> = Vec::new();
    for uploaded in readings.iter().filter(|uploaded| uploaded.time.is_none()) {
        let time = assign(&mut activity, arrival, &rows, stored)?;
        let measures = uploaded.measures;
        activity = activity.with_reading(&Reading { time, measures });
        // An assigned time is free, except for the last millisecond of all, which is assigned
        // repeatedly.
        let older = at_time(&assigned, time).or_else(|| at_time(&rows, time));
        let older = older.or_else(|| stored.row(time));
        let measures = older.map_or(measures, |older| older.overlaid_by(measures));
        merge_into(&mut assigned, &[Reading { time, measures }]);
    }
    merge_into(&mut rows, &assigned);
    Ok((rows, activity))
}

/// The time for a reading without one: `arrival`, or the first millisecond after the last assigned
/// time at which the sensor has no reading. `rows` are the readings of the same upload that had a
/// time.
fn assign(
    activity: &mut Activity,
    arrival: Timestamp,
    rows: &[Reading],
    stored: &mut impl StoredTimes,
) -> Result<Timestamp, StoreError> {
    let mut time = first_to_assign(activity, arrival);
    loop {
        let is_taken = at_time(rows, time).is_some() || stored.is_taken(time)?;
        if !is_taken || time == Timestamp::MAX {
            activity.last_assigned = Some(time);
            return Ok(time);
        }
        time = time.saturating_add_millis(1);
    }
}

/// The first time that a reading without one may get.
pub(crate) fn first_to_assign(activity: &Activity, arrival: Timestamp) -> Timestamp {
    let last = activity.last_assigned;
    last.map_or(arrival, |last| arrival.max(last.saturating_add_millis(1)))
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::domain::{Upload, UploadedReading};
    use crate::store::tests::{at, house};

    /// A sensor as a backend stores it: rows that hide the measures of older ones, and blocks.
    struct PlainTimes {
        rows: BTreeMap<i64, Measures>,
        sealed: BTreeSet<i64>,
    }

    impl StoredTimes for PlainTimes {
        fn row(&self, time: Timestamp) -> Option<Measures> {
            self.rows.get(&time.millis()).copied()
        }

        fn is_taken(&mut self, time: Timestamp) -> Result<bool, StoreError> {
            let ms = time.millis();
            Ok(self.rows.contains_key(&ms) || self.sealed.contains(&ms))
        }
    }

    /// Adds one reading after the other to a map by time, those with a time first.
    fn plainly(
        readings: &[UploadedReading],
        arrival: i64,
        last: Option<i64>,
        stored: &PlainTimes,
    ) -> BTreeMap<i64, Measures> {
        let mut rows = BTreeMap::new();
        let mut next = last.map_or(arrival, |last| arrival.max(last + 1));
        let timed = readings.iter().filter(|reading| reading.time.is_some());
        let untimed = readings.iter().filter(|reading| reading.time.is_none());
        for reading in timed.chain(untimed) {
            let ms = reading.time.map_or_else(
                || {
                    let is_taken = |ms: &i64| {
                        let is_stored = stored.rows.contains_key(ms) || stored.sealed.contains(ms);
                        is_stored || rows.contains_key(ms)
                    };
                    (next..i64::MAX).find(|ms| !is_taken(ms)).unwrap()
                },
                Timestamp::millis,
            );
            if reading.time.is_none() {
                next = ms + 1;
            }
            let older = rows.get(&ms).or(stored.rows.get(&ms)).copied();
            let measures = reading.measures;
            let measures = older.map_or(measures, |older: Measures| older.overlaid_by(measures));
            rows.insert(ms, measures);
        }
        rows
    }

    fn any_measures() -> impl Strategy<Value = Measures> {
        let number = || proptest::option::of((0_i32..9).prop_map(f64::from));
        (number(), number()).prop_filter_map("nothing", |(watts, watthours)| {
            Measures::new(watts, watthours).ok()
        })
    }

    proptest! {
        #[test]
        fn rows_are_those_of_a_plain_map(
            readings in proptest::collection::vec(
                (proptest::option::of(0_i64..20), any_measures()), 1..20,
            ),
            rows in proptest::collection::btree_map(0_i64..40, any_measures(), 0..20),
            sealed in proptest::collection::btree_set(0_i64..40, 0..20),
            arrival in 0_i64..20,
            last in proptest::option::of(0_i64..20),
        ) {
            let readings = readings.into_iter().map(|(ms, measures)| UploadedReading {
                time: ms.map(at),
                measures,
            });
            let append = Append {
                account: None,
                upload: Upload::new(house(), readings.collect()).unwrap(),
                arrival: at(arrival),
            };
            let mut stored = PlainTimes { rows, sealed };
            let plain = plainly(append.upload.readings(), arrival, last, &stored);
            let known = Activity {
                last_assigned: last.map(at),
                ..Activity::default()
            };
            let (rows, activity) = place(&append, known, &mut stored).unwrap();
            let placed = rows.iter().map(|row| (row.time.millis(), row.measures));
            prop_assert!(placed.eq(plain));
            prop_assert_eq!(activity.arrivals, known.arrived(at(arrival)).arrivals);
        }
    }

    /// At the last millisecond there is no next one, so an untimed reading overwrites the reading
    /// that is there.
    #[test]
    fn the_last_time_of_all_is_taken_more_than_once() {
        let reading = |time, watts, watthours| UploadedReading {
            time,
            measures: Measures::new(watts, watthours).unwrap(),
        };
        let readings = vec![
            reading(Some(Timestamp::MAX), Some(1.0), None),
            reading(None, None, Some(2.0)),
            reading(None, None, Some(3.0)),
        ];
        let append = Append {
            account: None,
            upload: Upload::new(house(), readings).unwrap(),
            arrival: Timestamp::MAX,
        };
        let mut stored = PlainTimes {
            rows: BTreeMap::new(),
            sealed: BTreeSet::new(),
        };
        let (rows, activity) = place(&append, Activity::default(), &mut stored).unwrap();
        let expected = Reading {
            time: Timestamp::MAX,
            measures: Measures::new(Some(1.0), Some(3.0)).unwrap(),
        };
        assert_eq!(rows, [expected]);
        assert_eq!(activity.last_assigned, Some(Timestamp::MAX));
    }
}
