//! What an upload becomes, in whatever home: rows, with a time for each reading, and an arrival of its sensor.

use std::collections::BTreeMap;

use crate::domain::{Measures, Reading, Timestamp};
use crate::store::error::StoreError;
use crate::store::home::uploads::Append;
use crate::store::rows::Activity;

/// The rows of one upload.
pub(crate) type UploadedRows = BTreeMap<Timestamp, Measures>;

/// What a home has of a sensor, including earlier uploads that are not committed yet.
pub(crate) trait StoredTimes {
    /// The row at `time`, if the home does not by itself lay a new row over the measures of an older one.
    fn row(&self, time: Timestamp) -> Option<Measures>;

    /// Whether there is a reading at `time`, as a row or in a block.
    ///
    /// # Errors
    /// [`StoreError`] if that cannot be read.
    fn is_taken(&mut self, time: Timestamp) -> Result<bool, StoreError>;
}

/// The rows of an upload to a sensor with this `activity`, and its activity after it.
pub(crate) fn place(
    append: &Append,
    activity: Activity,
    stored: &mut impl StoredTimes,
) -> Result<(UploadedRows, Activity), StoreError> {
    let arrival = append.arrival;
    let mut activity = activity.arrived(arrival);
    let mut rows = UploadedRows::new();
    // Readings with a time come first: the others get times that these leave free.
    let readings = append.upload.readings().iter();
    let timed = readings.clone().filter(|uploaded| uploaded.time.is_some());
    let untimed = readings.filter(|uploaded| uploaded.time.is_none());
    for uploaded in timed.chain(untimed) {
        let time = match uploaded.time {
            Some(time) => time,
            None => assign(&mut activity, arrival, &rows, stored)?,
        };
        let older = rows.get(&time).copied().or_else(|| stored.row(time));
        // As uploaded: what an older row had counts already.
        let measures = uploaded.measures;
        activity = activity.with_reading(&Reading { time, measures });
        // A row has all of its measures, so readers need no older one.
        rows.insert(
            time,
            older.map_or(measures, |older| older.overlaid_by(measures)),
        );
    }
    Ok((rows, activity))
}

/// The time for a reading without one: `arrival`, or the first millisecond after the last one assigned at which
/// the sensor has no reading, `rows` being those of the same upload.
fn assign(
    activity: &mut Activity,
    arrival: Timestamp,
    rows: &UploadedRows,
    stored: &mut impl StoredTimes,
) -> Result<Timestamp, StoreError> {
    let mut time = first_to_assign(activity, arrival);
    loop {
        let is_taken = rows.contains_key(&time) || stored.is_taken(time)?;
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
