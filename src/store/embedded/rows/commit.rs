//! What a commit stores.

use std::collections::hash_map::Entry;

use crate::domain::{Reading, SensorId};
use crate::store::rows::sensor_rows::merge_into;
use crate::store::rows::{Activity, SensorMap};

/// What one commit stores.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Commit {
    sensors: SensorMap<CommittedSensor>,
    rows: usize,
}

/// What one commit stores of a sensor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CommittedSensor {
    /// Its hot rows, ascending, each with all of its measures. There is at least one.
    pub(crate) rows: Vec<Reading>,
    pub(crate) activity: Activity,
}

impl Commit {
    /// One with room for so many sensors.
    pub(crate) fn with_capacity(sensors: usize) -> Self {
        let mut commit = Self::default();
        commit.sensors.reserve(sensors);
        commit
    }

    /// How many rows there are.
    pub(crate) const fn count_rows(&self) -> usize {
        self.rows
    }

    /// What it stores of a sensor.
    pub(crate) fn of(&self, sensor: &SensorId) -> Option<&CommittedSensor> {
        self.sensors.get(sensor)
    }

    /// What it stores of each sensor, in any order.
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
