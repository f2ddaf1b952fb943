//! The content of a commit.

use std::collections::hash_map::Entry;

use crate::domain::{Reading, SensorId};
use crate::store::rows::sensor_rows::merge_into;
use crate::store::rows::{Activity, SensorMap};

/// The content of one commit.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Commit {
    sensors: SensorMap<CommittedSensor>,
    rows: usize,
}

/// One sensor's part of a commit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CommittedSensor {
    /// Its hot rows, ascending, each with all of its measures. There is at least one.
    pub(crate) rows: Vec<Reading>,
    pub(crate) activity: Activity,
}

impl Commit {
    /// Creates an empty commit with capacity for this many sensors.
    pub(crate) fn with_capacity(sensors: usize) -> Self {
        let mut commit = Self::default();
        commit.sensors.reserve(sensors);
        commit
    }

    /// The number of rows.
    pub(crate) const fn count_rows(&self) -> usize {
        self.rows
    }

    /// The part of a sensor.
    pub(crate) fn of(&self, sensor: &SensorId) -> Option<&CommittedSensor> {
        self.sensors.get(sensor)
    }

    /// The part of each sensor, in any order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&SensorId, &CommittedSensor)> {
        self.sensors.iter()
    }

    /// Adds rows, ascending, which replace those at the same times, and the activity after them.
    pub(crate) fn add(&mut self, sensor: SensorId, rows: Vec<Reading>, activity: Activity) {
        if rows.is_empty() {
            return;
        }
        self.rows += rows.len();
        match self.sensors.entry(sensor) {
            Entry::Vacant(place) => {
                place.insert(CommittedSensor { rows, activity });
            }
            Entry::Occupied(place) => {
                let known = place.into_mut();
                self.rows -= known.rows.len() + rows.len();
                merge_into(&mut known.rows, &rows);
                self.rows += known.rows.len();
                known.activity = activity;
            }
        }
    }
}

impl IntoIterator for Commit {
    type Item = (SensorId, CommittedSensor);
    type IntoIter = std::collections::hash_map::IntoIter<SensorId, CommittedSensor>;

    fn into_iter(self) -> Self::IntoIter {
        self.sensors.into_iter()
    }
}
