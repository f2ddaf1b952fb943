//! What is known of each sensor's uploads without reading its history. It is kept in memory, and in the tree `activity`,
//! which is written in the same transaction as the readings, so a restart changes nothing.
//!
//! A value is a version byte, 1, then an [`ActivityRecord`] in bincode (standard configuration).

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::domain::{Arrivals, Reading, SensorId, Timestamp};
use crate::store::engine::record;
use crate::store::error::StoreError;

const VERSION: u8 = 1;

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
        Self {
            arrivals: Some(
                self.arrivals
                    .map_or(Arrivals::first(time), |arrivals| arrivals.and(time)),
            ),
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
    pub(crate) fn with_reading(self, reading: &Reading) -> Self {
        let newest = self
            .newest_power
            .is_none_or(|power| power.time <= reading.time);
        match reading.measures.watts() {
            Some(watts) if newest => Self {
                newest_power: Some(Power {
                    time: reading.time,
                    watts,
                }),
                ..self
            },
            _ => self,
        }
    }
}

/// The activity of each sensor that has one.
pub(crate) type Activities = HashMap<SensorId, Activity>;

#[derive(Serialize, Deserialize)]
struct ActivityRecord {
    /// See [`Arrivals::parts`].
    arrivals_ms: Option<(Option<i64>, i64, i64)>,
    newest_power: Option<(i64, f64)>,
    last_assigned_ms: Option<i64>,
}

/// The record of an activity.
pub(crate) fn encode(activity: &Activity) -> Result<Vec<u8>, StoreError> {
    let arrivals_ms = activity.arrivals.map(|arrivals| {
        let (previous, last, last_upload) = arrivals.parts();
        (
            previous.map(Timestamp::millis),
            last.millis(),
            last_upload.millis(),
        )
    });
    let record = ActivityRecord {
        arrivals_ms,
        newest_power: activity
            .newest_power
            .map(|power| (power.time.millis(), power.watts)),
        last_assigned_ms: activity.last_assigned.map(Timestamp::millis),
    };
    record::encode(VERSION, &record)
}

/// Adds the records of `activities` to `batch`, for the tree `activity`.
pub(crate) fn put_all(batch: &mut sled::Batch, activities: &Activities) -> Result<(), StoreError> {
    for (sensor, activity) in activities {
        batch.insert(sensor.as_str(), encode(activity)?);
    }
    Ok(())
}

/// The activity in a record.
pub(crate) fn decode(value: &[u8]) -> Option<Activity> {
    let record: ActivityRecord = record::decode(VERSION, value)?;
    let optional = |ms: Option<i64>| match ms {
        None => Some(None),
        Some(ms) => Timestamp::from_millis(ms).map(Some),
    };
    let arrivals = match record.arrivals_ms {
        None => None,
        Some((previous, last, last_upload)) => Some(Arrivals::from_parts(
            optional(previous)?,
            Timestamp::from_millis(last)?,
            Timestamp::from_millis(last_upload)?,
        )),
    };
    let newest_power = match record.newest_power {
        None => None,
        Some((ms, watts)) => Some(Power {
            time: Timestamp::from_millis(ms)?,
            watts,
        }),
    };
    Some(Activity {
        arrivals,
        newest_power,
        last_assigned: optional(record.last_assigned_ms)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Measures;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(ms).unwrap()
    }

    #[test]
    fn activities_round_trip() {
        let power = Some(Power {
            time: at(7),
            watts: -1.5,
        });
        let paired = Activity::default().arrived(at(1_000)).arrived(at(400_000));
        for activity in [
            Activity::default(),
            Activity {
                newest_power: power,
                ..Activity::default()
            },
            Activity {
                last_assigned: Some(at(-3)),
                newest_power: power,
                ..paired
            },
        ] {
            assert_eq!(decode(&encode(&activity).unwrap()), Some(activity));
        }
        assert_eq!(decode(&[]), None);
        assert_eq!(decode(&[1, 255, 255]), None);
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
