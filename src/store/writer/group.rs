//! Uploads that are committed together, as hot rows and activities: missing times assigned, repeated readings merged.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::{Reading, SensorId, Timestamp};
use crate::store::blocks::Finder;
use crate::store::engine::keys;
use crate::store::engine::locks::read;
use crate::store::error::StoreError;
use crate::store::registry::Registry;
use crate::store::rows::{Activity, NewRows, Rows};
use crate::store::state::Shared;
use crate::store::writer::commit_record::Commit;
use crate::store::writer::queue::Append;

/// Uploads that are committed together. A group only reads the store.
pub(crate) struct Group<'a> {
    shared: &'a Shared,
    registry: Arc<Registry>,
    /// The commit of all uploads.
    pub(crate) commit: Commit,
    pub(crate) new_rows: NewRows,
    finder: Finder,
    /// The end of each sensor's blocks. Nothing is sealed while a group is gathered.
    sealed_until: HashMap<SensorId, Option<Timestamp>>,
}

impl<'a> Group<'a> {
    pub(crate) fn new(shared: &'a Shared) -> Self {
        Self {
            shared,
            registry: Arc::clone(&read(&shared.registry)),
            commit: Commit::default(),
            new_rows: NewRows::new(),
            finder: Finder::default(),
            sealed_until: HashMap::new(),
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
        let mut rows = Rows::new();
        let mut new_rows = 0;
        // Readings with a time come first: the others get times that these leave free.
        let readings = upload.readings().iter();
        let timed = readings.clone().filter(|uploaded| uploaded.time.is_some());
        let untimed = readings.filter(|uploaded| uploaded.time.is_none());
        for uploaded in timed.chain(untimed) {
            let time = match uploaded.time {
                Some(time) => time,
                None => self.assign(sensor, &mut activity, arrival, &rows)?,
            };
            let key = keys::key(sensor, time);
            let older = match rows.get(&key).or_else(|| self.commit.rows.get(&key)) {
                Some(pending) => Some(*pending),
                None => self.shared.trees.hot.get(sensor, time)?,
            };
            new_rows += usize::from(older.is_none());
            // As uploaded: what an older row had counts already.
            let measures = uploaded.measures;
            activity = activity.with_reading(&Reading { time, measures });
            // A row has all of its measures, so readers need no older one.
            rows.insert(
                key,
                older.map_or(measures, |older| older.overlaid_by(measures)),
            );
        }
        self.commit.rows.extend(rows);
        let activities = &mut self.commit.activities;
        activities.insert(sensor.clone(), activity);
        *self.new_rows.entry(sensor.clone()).or_default() += new_rows;
        Ok(upload.readings().len())
    }

    /// The time for a reading without one: `arrival`, or the first millisecond after the last one assigned at which
    /// the sensor has no reading, `rows` being those of the same upload.
    fn assign(
        &mut self,
        sensor: &SensorId,
        activity: &mut Activity,
        arrival: Timestamp,
        rows: &Rows,
    ) -> Result<Timestamp, StoreError> {
        let last = activity.last_assigned;
        let mut time = last.map_or(arrival, |last| arrival.max(last.saturating_add_millis(1)));
        loop {
            let key = keys::key(sensor, time);
            let is_taken = rows.contains_key(&key)
                || self.commit.rows.contains_key(&key)
                || self.shared.trees.hot.get(sensor, time)?.is_some()
                || self.is_sealed(sensor, time)?;
            if !is_taken || time == Timestamp::MAX {
                activity.last_assigned = Some(time);
                return Ok(time);
            }
            time = time.saturating_add_millis(1);
        }
    }

    fn is_sealed(&mut self, sensor: &SensorId, time: Timestamp) -> Result<bool, StoreError> {
        let sealed = &self.shared.trees.sealed;
        if !self.sealed_until.contains_key(sensor) {
            let until = sealed.last(sensor)?.map(|block| block.last);
            self.sealed_until.insert(sensor.clone(), until);
        }
        let until = self.sealed_until.get(sensor).copied().flatten();
        // Most times are newer than all blocks.
        if until.is_none_or(|until| until < time) {
            return Ok(false);
        }
        Ok(self.finder.at(sealed, sensor, time)?.is_some())
    }
}
