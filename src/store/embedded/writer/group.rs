//! Uploads that are committed together, as hot rows and activities: assigns missing times, and
//! merges repeated readings.

use std::sync::{Arc, RwLockReadGuard};

use crate::domain::{Measures, SensorId, Timestamp};
use crate::locks::read;
use crate::store::backend::Append;
use crate::store::backend::placing::{StoredTimes, place};
use crate::store::blocks::{BlockSource as _, Finder};
use crate::store::embedded::rows::commit::CommittedSensor;
use crate::store::embedded::rows::{Commit, HotSensor, HotSensors};
use crate::store::embedded::state::Shared;
use crate::store::error::StoreError;
use crate::store::registry::Registry;
use crate::store::rows::SensorMap;
use crate::store::rows::sensor_rows::at_time;

/// Uploads that are committed together. Gathering a group only reads the store.
pub(crate) struct Group<'a> {
    shared: &'a Shared,
    registry: Arc<Registry>,
    hot: RwLockReadGuard<'a, HotSensors>,
    /// The commit of all uploads.
    commit: Commit,
    ends: BlockEnds,
}

/// The ends of the sensors' blocks. Nothing is sealed while a group is gathered.
#[derive(Default)]
struct BlockEnds {
    finder: Finder,
    of_sensors: SensorMap<Option<Timestamp>>,
}

impl<'a> Group<'a> {
    /// Creates a group with capacity for this many uploads.
    pub(crate) fn new(shared: &'a Shared, uploads: usize) -> Self {
        Self {
            shared,
            registry: Arc::clone(&read(&shared.registry)),
            hot: shared.hot.held(),
            commit: Commit::with_capacity(uploads),
            ends: BlockEnds::default(),
        }
    }

    /// Adds an upload: all of it or, on an error, nothing.
    pub(crate) fn add(&mut self, append: &Append) -> Result<(), StoreError> {
        let upload = &append.upload;
        // While the upload was queued, the sensor may have been removed or moved to another
        // account.
        let known = match &append.account {
            Some(account) => self.registry.authorized_sensor(account, upload.sensor()),
            None => self.registry.sensor(upload.sensor()),
        };
        let unknown = || StoreError::UnknownSensor(upload.sensor().as_str().to_owned());
        // The registry's copy of the id: clones of one id compare equal without comparing their
        // text, and there are many of them.
        let sensor = &known.ok_or_else(unknown)?.id;
        let (hot, earlier) = (self.hot.of(sensor), self.commit.of(sensor));
        if hot.is_some_and(|hot| self.hot.is_behind(hot)) {
            return Err(StoreError::SensorBehind(sensor.as_str().to_owned()));
        }
        let known = earlier.map(|earlier| earlier.activity);
        let known = known.or_else(|| hot.and_then(HotSensor::activity));
        let mut stored = GroupTimes {
            shared: self.shared,
            sensor,
            hot,
            earlier,
            ends: &mut self.ends,
        };
        let (rows, activity) = place(append, known.unwrap_or_default(), &mut stored)?;
        self.commit.add(sensor.clone(), rows, activity);
        Ok(())
    }

    /// The commit of all uploads.
    pub(crate) fn finish(self) -> Commit {
        self.commit
    }
}

/// The times of one sensor, including those in the group.
struct GroupTimes<'g> {
    shared: &'g Shared,
    sensor: &'g SensorId,
    hot: Option<&'g HotSensor>,
    /// The part of earlier uploads of the group.
    earlier: Option<&'g CommittedSensor>,
    ends: &'g mut BlockEnds,
}

impl StoredTimes for GroupTimes<'_> {
    fn row(&self, time: Timestamp) -> Option<Measures> {
        let row = self.earlier.and_then(|it| at_time(&it.rows, time));
        row.or_else(|| self.hot?.row(time))
    }

    fn is_taken(&mut self, time: Timestamp) -> Result<bool, StoreError> {
        Ok(self.row(time).is_some() || self.is_sealed(time)?)
    }
}

impl GroupTimes<'_> {
    fn is_sealed(&mut self, time: Timestamp) -> Result<bool, StoreError> {
        let sealed = self.shared.sealed.of(self.sensor);
        let ends = &mut self.ends.of_sensors;
        if !ends.contains_key(self.sensor) {
            let end = sealed.last()?.map(|block| block.last);
            ends.insert(self.sensor.clone(), end);
        }
        let end = ends.get(self.sensor).copied().flatten();
        // Most times are newer than all blocks.
        if end.is_none_or(|end| end < time) {
            return Ok(false);
        }
        Ok(self.ends.finder.at(&sealed, time)?.is_some())
    }
}
