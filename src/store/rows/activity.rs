//! The activity of each sensor: the facts about its uploads that are known without reading its
//! history. The embedded store keeps it in memory, and in the log of settled rows
//! (`embedded/log/mod.rs`), where it settles in the same commit as the readings, so a restart
//! changes nothing.

use crate::domain::{Arrivals, Reading, Timestamp};

/// A power reading and its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// The time of the measurement.
    pub time: Timestamp,
    /// Watts.
    pub watts: f64,
}

/// A sensor's arrivals and its newest power.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Activity {
    /// Its uploads; `None` if it has only imported readings.
    pub arrivals: Option<Arrivals>,
    /// The reading with watts that has the latest time.
    pub newest_power: Option<Power>,
    /// The latest time assigned to a reading without one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Measures;
    use crate::domain::time::at;

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
