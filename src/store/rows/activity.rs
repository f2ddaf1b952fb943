//! What is known of each sensor's uploads without reading its history. It is kept in memory, and in the log of settled rows
//! (`embedded/rows/hot_log/mod.rs`), where it settles in the same transaction as the readings, so a restart changes nothing.

use crate::domain::{Arrivals, Reading, SensorId, Timestamp};
use crate::store::rows::sensor_map::SensorMap;

/// A power reading and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// When it was measured.
    pub time: Timestamp,
    /// Watts.
    pub watts: f64,
}

/// A sensor's arrivals and its newest power.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Activity {
    /// Its uploads; `None` if it has imported readings only.
    pub arrivals: Option<Arrivals>,
    /// The reading with watts that has the latest time.
    pub newest_power: Option<Power>,
    /// The latest time that was assigned to a reading without one.
    pub last_assigned: Option<Timestamp>,
}

impl Activity {
    /// This activity after an upload that arrived at `time`.
    pub(crate) fn arrived(self, time: Timestamp) -> Self {
        let known = self.arrivals;
        Self {
            arrivals: Some(known.map_or(Arrivals::first(time), |known| known.and(time))),
            ..self
        }
    }

    /// This activity without the arrivals and assigned times after `time`.
    pub(crate) fn forgetting_after(self, time: Timestamp) -> Self {
        Self {
            arrivals: self.arrivals.and_then(|arrivals| arrivals.until(time)),
            last_assigned: self.last_assigned.filter(|&assigned| assigned <= time),
            ..self
        }
    }

    /// This activity after `reading` was stored.
    pub(crate) fn with_reading(mut self, reading: &Reading) -> Self {
        let time = reading.time;
        // At the same time, the later upload corrects the earlier one.
        let is_newest = self.newest_power.is_none_or(|power| power.time <= time);
        if let Some(watts) = reading.measures.watts().filter(|_| is_newest) {
            self.newest_power = Some(Power { time, watts });
        }
        self
    }
}

/// The activity of each sensor that has one.
pub(crate) type Activities = SensorMap<Activity>;

/// The activities in memory, and the newest arrival of all: each upload asks for it, so it must not cost more with more
/// sensors.
#[derive(Debug, Default)]
pub(crate) struct KnownActivities {
    of_sensors: Activities,
    newest_arrival: Option<Timestamp>,
}

impl KnownActivities {
    pub(crate) fn new(of_sensors: Activities) -> Self {
        let newest_arrival = newest_arrival(&of_sensors);
        Self {
            of_sensors,
            newest_arrival,
        }
    }

    pub(crate) fn get(&self, sensor: &SensorId) -> Option<Activity> {
        self.of_sensors.get(sensor).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&SensorId, &Activity)> {
        self.of_sensors.iter()
    }

    pub(crate) const fn newest_arrival(&self) -> Option<Timestamp> {
        self.newest_arrival
    }

    /// Sets activities without arrivals that are older than the known ones, as after uploads.
    pub(crate) fn extend(&mut self, activities: Activities) {
        self.newest_arrival = self.newest_arrival.max(newest_arrival(&activities));
        self.of_sensors.extend(activities);
    }

    /// Sets any activities.
    pub(crate) fn replace(&mut self, activities: Activities) {
        let has_other_arrivals = |(sensor, activity): (&SensorId, &Activity)| {
            let known = self.get(sensor).and_then(|known| known.arrivals);
            known.is_some_and(|known| activity.arrivals != Some(known))
        };
        let changed = activities.iter().filter(|it| has_other_arrivals(*it));
        let had_newest = self.has_newest(changed.map(|(sensor, _)| sensor));
        self.extend(activities);
        self.look_anew_if(had_newest);
    }

    pub(crate) fn remove(&mut self, sensor: &SensorId) {
        let had_newest = self.has_newest([sensor]);
        self.of_sensors.remove(sensor);
        self.look_anew_if(had_newest);
    }

    /// Whether the newest arrival is that of one of these sensors.
    fn has_newest<'a>(&self, sensors: impl IntoIterator<Item = &'a SensorId>) -> bool {
        let mut known = sensors.into_iter().filter_map(|sensor| self.get(sensor));
        known.any(|known| known.arrivals.map(Arrivals::newest) == self.newest_arrival)
    }

    fn look_anew_if(&mut self, had_newest: bool) {
        if had_newest {
            self.newest_arrival = newest_arrival(&self.of_sensors);
        }
    }
}

fn newest_arrival(activities: &Activities) -> Option<Timestamp> {
    let arrivals = activities.values().filter_map(|known| known.arrivals);
    arrivals.map(Arrivals::newest).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Measures;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms).unwrap()
    }

    #[test]
    fn the_newest_arrival_follows_every_change() {
        let sensor = |id| SensorId::new(id).unwrap();
        let arrived =
            |id, ms| Activities::from_iter([(sensor(id), Activity::default().arrived(at(ms)))]);
        let mut known = KnownActivities::new(arrived("a", 5));
        known.extend(arrived("b", 9));
        assert_eq!(known.newest_arrival(), Some(at(9)));
        known.replace(arrived("a", 7));
        assert_eq!(known.newest_arrival(), Some(at(9)));
        known.replace(arrived("b", 6));
        assert_eq!(known.newest_arrival(), Some(at(7)));
        known.remove(&sensor("a"));
        assert_eq!(known.newest_arrival(), Some(at(6)));
        known.remove(&sensor("b"));
        assert_eq!(known.newest_arrival(), None);
    }

    #[test]
    fn the_newest_power_is_the_latest_by_its_own_time() {
        let reading = |ms, watts| Reading {
            time: at(ms),
            measures: Measures::new(watts, Some(1.0)).unwrap(),
        };
        let activity = Activity::default()
            .with_reading(&reading(5, Some(50.0)))
            .with_reading(&reading(3, Some(30.0)))
            .with_reading(&reading(9, None));
        assert_eq!(
            activity.newest_power,
            Some(Power {
                time: at(5),
                watts: 50.0
            })
        );
        let corrected = activity.with_reading(&reading(5, Some(51.0)));
        assert_eq!(corrected.newest_power.map(|power| power.watts), Some(51.0));
    }
}
