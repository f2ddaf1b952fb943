//! Uploads that are committed together, as hot rows and activities: missing times assigned, repeated readings merged.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::domain::{Measures, Reading, SensorId, Timestamp};
use crate::store::blocks::{BlockSource as _, Finder};
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::commit_record::Commit;
use crate::store::error::StoreError;
use crate::store::home::Append;
use crate::store::records::locks::read;
use crate::store::registry::Registry;
use crate::store::rows::{Activity, SensorMap};

/// The rows of one upload.
type UploadedRows = BTreeMap<Timestamp, Measures>;

/// Uploads that are committed together. A group only reads the store.
pub(crate) struct Group<'a> {
    shared: &'a Shared,
    registry: Arc<Registry>,
    /// The commit of all uploads.
    pub(crate) commit: Commit,
    finder: Finder,
    /// The end of each sensor's blocks. Nothing is sealed while a group is gathered.
    sealed_until: SensorMap<Option<Timestamp>>,
}

impl<'a> Group<'a> {
    /// A group for so many uploads.
    pub(crate) fn new(shared: &'a Shared, uploads: usize) -> Self {
        let mut commit = Commit::default();
        commit.rows.reserve(uploads);
        commit.activities.reserve(uploads);
        Self {
            shared,
            registry: Arc::clone(&read(&shared.registry)),
            commit,
            finder: Finder::default(),
            sealed_until: SensorMap::default(),
        }
    }

    /// Adds an upload: all of it or, with an error, nothing. Returns the number of its readings.
    pub(crate) fn add(&mut self, append: &Append) -> Result<usize, StoreError> {
        let (upload, arrival) = (&append.upload, append.arrival);
        let sensor = upload.sensor();
        // While the upload was queued, the sensor may have been removed or moved to another account.
        let known = match &append.account {
            Some(account) => self.registry.authorized_sensor(account, sensor),
            None => self.registry.sensor(sensor),
        };
        known.ok_or_else(|| StoreError::UnknownSensor(sensor.as_str().to_owned()))?;
        let known = self.commit.activities.get(sensor).copied();
        let known = known.or_else(|| read(&self.shared.activity).get(sensor));
        let mut activity = known.unwrap_or_default().arrived(arrival);
        let mut rows = UploadedRows::new();
        // Readings with a time come first: the others get times that these leave free.
        let readings = upload.readings().iter();
        let timed = readings.clone().filter(|uploaded| uploaded.time.is_some());
        let untimed = readings.filter(|uploaded| uploaded.time.is_none());
        for uploaded in timed.chain(untimed) {
            let time = match uploaded.time {
                Some(time) => time,
                None => self.assign(sensor, &mut activity, arrival, &rows)?,
            };
            let older = rows.get(&time).copied();
            let older = older.or_else(|| self.hot_row(sensor, time));
            // As uploaded: what an older row had counts already.
            let measures = uploaded.measures;
            activity = activity.with_reading(&Reading { time, measures });
            // A row has all of its measures, so readers need no older one.
            rows.insert(
                time,
                older.map_or(measures, |older| older.overlaid_by(measures)),
            );
        }
        let rows = rows.into_iter();
        let rows: Vec<Reading> = rows
            .map(|(time, measures)| Reading { time, measures })
            .collect();
        self.commit.rows.merge(sensor, &rows);
        let activities = &mut self.commit.activities;
        activities.insert(sensor.clone(), activity);
        Ok(upload.readings().len())
    }

    /// The row of `sensor` at `time` in earlier uploads of the group, or before.
    fn hot_row(&self, sensor: &SensorId, time: Timestamp) -> Option<Measures> {
        let row = self.commit.rows.get(sensor, time);
        row.or_else(|| self.shared.trees.hot.get(sensor, time))
    }

    /// The time for a reading without one: `arrival`, or the first millisecond after the last one assigned at which
    /// the sensor has no reading, `rows` being those of the same upload.
    fn assign(
        &mut self,
        sensor: &SensorId,
        activity: &mut Activity,
        arrival: Timestamp,
        rows: &UploadedRows,
    ) -> Result<Timestamp, StoreError> {
        let last = activity.last_assigned;
        let mut time = last.map_or(arrival, |last| arrival.max(last.saturating_add_millis(1)));
        loop {
            let is_taken = rows.contains_key(&time)
                || self.hot_row(sensor, time).is_some()
                || self.is_sealed(sensor, time)?;
            if !is_taken || time == Timestamp::MAX {
                activity.last_assigned = Some(time);
                return Ok(time);
            }
            time = time.saturating_add_millis(1);
        }
    }

    fn is_sealed(&mut self, sensor: &SensorId, time: Timestamp) -> Result<bool, StoreError> {
        let sealed = self.shared.trees.sealed.of(sensor);
        if !self.sealed_until.contains_key(sensor) {
            let until = sealed.last()?.map(|block| block.last);
            self.sealed_until.insert(sensor.clone(), until);
        }
        let until = self.sealed_until.get(sensor).copied().flatten();
        // Most times are newer than all blocks.
        if until.is_none_or(|until| until < time) {
            return Ok(false);
        }
        Ok(self.finder.at(&sealed, time)?.is_some())
    }
}
