//! Readings of several sensors from one request of another protocol, and their outcome.

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

use crate::domain::{Measures, SensorId, Timestamp, UploadedReading};

/// Readings of several sensors, by sensor; those of one sensor stay in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SensorBatch {
    pub(super) sensors: BTreeMap<SensorId, Vec<UploadedReading>>,
    count: usize,
}

/// The error for an upload with more readings than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected at most {most} readings in one upload; got at least {came}")]
pub struct TooManyReadings {
    /// The maximum allowed.
    pub most: usize,
    /// The number found until the search ended.
    pub came: usize,
}

/// The refused readings of a request, with reasons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    count: usize,
    reasons: Vec<String>,
    more_reasons: usize,
}

/// The outcome of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchOutcome {
    /// The number of readings stored, durably.
    pub accepted: usize,
    /// Readings of sensors that are not authorized for the account.
    pub unauthorized: Refusals,
    /// Readings whose time is too far ahead.
    pub ahead: Refusals,
}

impl SensorBatch {
    /// Adds a reading. Meters send power and register separately: if the sensor's last reading has
    /// the same time (or neither has a time) and lacks this measure, the two become one.
    pub fn push(&mut self, sensor: &SensorId, time: Option<Timestamp>, measures: Measures) {
        let readings = self.sensors.entry(sensor.clone()).or_default();
        // Only the last one: the store merges equal times further back.
        if let Some(last) = readings.last_mut() {
            let lacks = (measures.watts().is_none() || last.measures.watts().is_none())
                && (measures.watthours().is_none() || last.measures.watthours().is_none());
            // With a time, the store would let the later value win anyway.
            if last.time == time && (lacks || time.is_some()) {
                last.measures = last.measures.overlaid_by(measures);
                return;
            }
        }
        readings.push(UploadedReading { time, measures });
        self.count += 1;
    }

    /// Checks that it has at most `most` readings.
    ///
    /// # Errors
    /// [`TooManyReadings`].
    pub const fn check_count(&self, most: usize) -> Result<(), TooManyReadings> {
        let came = self.count;
        if came > most {
            return Err(TooManyReadings { most, came });
        }
        Ok(())
    }

    /// Whether it has no readings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sensors.is_empty()
    }
}

#[cfg(any(test, fuzzing))]
impl SensorBatch {
    /// The readings of each sensor.
    pub fn readings(&self) -> impl Iterator<Item = (&SensorId, &[UploadedReading])> {
        self.sensors
            .iter()
            .map(|(sensor, readings)| (sensor, readings.as_slice()))
    }

    /// `sensor ms watts watthours` for each reading.
    pub(super) fn shown(&self) -> Vec<String> {
        let all = self
            .readings()
            .flat_map(|(sensor, readings)| readings.iter().map(move |reading| (sensor, reading)));
        all.map(|(sensor, reading)| {
            let time = reading.time.map(Timestamp::millis);
            let measures = reading.measures;
            format!(
                "{sensor} {time:?} {:?} {:?}",
                measures.watts(),
                measures.watthours()
            )
        })
        .collect()
    }
}

impl Refusals {
    /// The maximum number of reasons kept; there can be one for each line of a large body.
    const MAX_REASONS: usize = 5;

    /// Adds `count` refused readings.
    pub fn add(&mut self, count: usize, reason: impl fmt::Display) {
        self.count += count;
        if self.reasons.len() < Self::MAX_REASONS {
            self.reasons.push(reason.to_string());
        } else {
            self.more_reasons += 1;
        }
    }

    /// The number of refused readings.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Combines these refusals and `other`.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        // The counts are added below, because a reason may apply to several readings.
        for reason in other.reasons {
            self.add(0, reason);
        }
        self.count += other.count;
        self.more_reasons += other.more_reasons;
        self
    }
}

/// The reasons, separated by semicolons.
impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("; "))?;
        if self.more_reasons > 0 {
            write!(f, "; and {} more", self.more_reasons)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watts(watts: f64) -> Measures {
        Measures::new(Some(watts), None).unwrap()
    }

    fn watthours(watthours: f64) -> Measures {
        Measures::new(None, Some(watthours)).unwrap()
    }

    #[test]
    fn power_and_register_of_one_time_are_one_reading() {
        let (house, solar) = (
            SensorId::new("house").unwrap(),
            SensorId::new("solar").unwrap(),
        );
        let at = Timestamp::from_millis;
        let mut batch = SensorBatch::default();
        batch.push(&house, at(1), watts(1.0));
        batch.push(&solar, at(1), watts(2.0));
        batch.push(&house, at(1), watthours(3.0));
        batch.push(&house, at(2), watthours(4.0));
        batch.push(&house, None, watts(5.0));
        batch.push(&house, None, watthours(6.0));
        batch.push(&house, None, watts(7.0));
        let times: Vec<Vec<_>> = batch
            .readings()
            .map(|(_, readings)| readings.iter().map(|reading| reading.time).collect())
            .collect();
        assert_eq!(times, [vec![at(1), at(2), None, None], vec![at(1)]]);
        let (_, of_house) = batch.readings().next().unwrap();
        assert_eq!(
            of_house[0].measures,
            Measures::new(Some(1.0), Some(3.0)).unwrap()
        );
        assert_eq!(
            of_house[2].measures,
            Measures::new(Some(5.0), Some(6.0)).unwrap()
        );
    }

    #[test]
    fn few_reasons_are_kept_and_all_are_counted() {
        let mut refusals = Refusals::default();
        for line in 1..=7 {
            refusals.add(1, format!("line {line}"));
        }
        assert_eq!(refusals.count(), 7);
        assert_eq!(
            refusals.to_string(),
            "line 1; line 2; line 3; line 4; line 5; and 2 more"
        );
        let mut first = Refusals::default();
        first.add(3, "a");
        let both = first.and(refusals);
        assert_eq!(both.count(), 10);
        assert!(both.to_string().ends_with("line 4; and 3 more"), "{both}");
    }
}
