//! Uploads that are committed together, as hot rows and activities: missing times assigned, repeated readings merged.

use std::sync::Arc;

use crate::domain::{Measures, Reading, SensorId, Timestamp};
use crate::store::blocks::{BlockSource as _, Finder};
use crate::store::embedded::state::Shared;
use crate::store::embedded::writer::commit_record::Commit;
use crate::store::error::StoreError;
use crate::store::home::Append;
use crate::store::home::placing::{StoredTimes, place};
use crate::store::records::locks::read;
use crate::store::registry::Registry;
use crate::store::rows::SensorMap;

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

    /// Adds an upload: all of it or, with an error, nothing.
    pub(crate) fn add(&mut self, append: &Append) -> Result<(), StoreError> {
        let upload = &append.upload;
        // While the upload was queued, the sensor may have been removed or moved to another account.
        let known = match &append.account {
            Some(account) => self.registry.authorized_sensor(account, upload.sensor()),
            None => self.registry.sensor(upload.sensor()),
        };
        let unknown = || StoreError::UnknownSensor(upload.sensor().as_str().to_owned());
        // The id of the registry: clones of one id are equal without a look at their text, and there are many of them.
        let sensor = known.ok_or_else(unknown)?.id.clone();
        let known = self.commit.activities.get(&sensor).copied();
        let known = known.or_else(|| read(&self.shared.activity).get(&sensor));
        let mut stored = GroupTimes {
            group: self,
            sensor: &sensor,
        };
        let (rows, activity) = place(append, known.unwrap_or_default(), &mut stored)?;
        let rows = rows.into_iter();
        let rows = rows.map(|(time, measures)| Reading { time, measures });
        self.commit.activities.insert(sensor.clone(), activity);
        self.commit.rows.merge(sensor, rows.collect());
        Ok(())
    }

    /// The row of `sensor` at `time` in earlier uploads of the group, or before.
    fn hot_row(&self, sensor: &SensorId, time: Timestamp) -> Option<Measures> {
        let row = self.commit.rows.get(sensor, time);
        row.or_else(|| self.shared.trees.hot.get(sensor, time))
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

/// What there is of one sensor, the group included.
struct GroupTimes<'g, 'a> {
    group: &'g mut Group<'a>,
    sensor: &'g SensorId,
}

impl StoredTimes for GroupTimes<'_, '_> {
    fn row(&self, time: Timestamp) -> Option<Measures> {
        self.group.hot_row(self.sensor, time)
    }

    fn is_taken(&mut self, time: Timestamp) -> Result<bool, StoreError> {
        Ok(self.row(time).is_some() || self.group.is_sealed(self.sensor, time)?)
    }
}
