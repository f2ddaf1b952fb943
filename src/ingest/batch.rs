//! Readings of several sensors, as one request of other protocols brings them. What can be stored of them is, each sensor's
//! as one upload; what cannot is told.

use std::collections::HashMap;
use std::fmt;

use futures_util::future::join_all;

use super::times::TimelyUpload;
use super::{Ingest, IngestError, Message};
use crate::domain::clock::Moment;
use crate::domain::reading::{Measures, Upload, UploadedReading};
use crate::domain::sensor::SensorId;
use crate::domain::time::Timestamp;
use crate::store::{Grant, StoreError};

/// Readings of several sensors, each sensor's in the order in which they came.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    sensors: Vec<(SensorId, Vec<UploadedReading>)>,
    /// Where each is in `sensors`.
    places: HashMap<SensorId, usize>,
}

/// What was refused of a request, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusals {
    count: usize,
    reasons: Vec<String>,
    more_reasons: usize,
}

/// What became of a batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// How many readings were stored, durably.
    pub accepted: usize,
    /// What was not, of sensors that are not the account's or not authorized.
    pub unauthorized: Refusals,
    /// What was not because its time lies too far ahead.
    pub ahead: Refusals,
}

impl Batch {
    /// Adds a reading. Where the sensor's last one has the same time, or both have none, and lacks this measure, they become one:
    /// meters send power and register apart.
    pub fn push(&mut self, sensor: &SensorId, time: Option<Timestamp>, measures: Measures) {
        let place = *self.places.entry(sensor.clone()).or_insert_with(|| {
            self.sensors.push((sensor.clone(), Vec::new()));
            self.sensors.len() - 1
        });
        let Some((_, readings)) = self.sensors.get_mut(place) else {
            return;
        };
        if let Some(last) = readings.last_mut() {
            let lacks = (measures.watts().is_none() || last.measures.watts().is_none())
                && (measures.watthours().is_none() || last.measures.watthours().is_none());
            // With a time the later value is to win anyway.
            if last.time == time && (lacks || time.is_some()) {
                last.measures = last.measures.overlaid_by(measures);
                return;
            }
        }
        readings.push(UploadedReading { time, measures });
    }

    /// Whether there is no reading in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sensors.is_empty()
    }

    /// The readings of each sensor.
    pub fn readings(&self) -> impl Iterator<Item = (&SensorId, &[UploadedReading])> {
        self.sensors
            .iter()
            .map(|(sensor, readings)| (sensor, readings.as_slice()))
    }
}

#[cfg(test)]
impl Batch {
    /// `sensor ms watts watthours` of each reading.
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
    /// The most reasons that are told; there can be one for each line of a large body.
    const REASONS_AT_MOST: usize = 5;

    /// Adds that so many were refused.
    pub fn add(&mut self, count: usize, reason: impl fmt::Display) {
        self.count += count;
        if self.reasons.len() < Self::REASONS_AT_MOST {
            self.reasons.push(reason.to_string());
        } else {
            self.more_reasons += 1;
        }
    }

    /// How many were refused.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// These and `other` ones.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        let more = other.more_reasons;
        for (index, reason) in other.reasons.into_iter().enumerate() {
            self.add(if index == 0 { other.count } else { 0 }, reason);
        }
        self.more_reasons += more;
        self
    }
}

/// The reasons, with a semicolon between them.
impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reasons.join("; "))?;
        if self.more_reasons > 0 {
            write!(f, "; and {} more", self.more_reasons)?;
        }
        Ok(())
    }
}

impl Ingest {
    /// Stores what can be stored of `batch`, which came in `message`, on behalf of `grant`, and returns once it is durable. Where
    /// an error is returned a part may have been stored; the same readings can be sent again.
    ///
    /// # Errors
    /// An [`IngestError`] that concerns all of it: [`IngestError::ScopeInsufficient`], [`IngestError::ClockNotSet`],
    /// [`IngestError::Store`].
    pub async fn submit_batch(
        &self,
        grant: &Grant,
        batch: Batch,
        message: Message,
        now: Moment,
    ) -> Result<Stored, IngestError> {
        if !grant.scope.may_write() {
            return Err(IngestError::ScopeInsufficient);
        }
        let mut stored = Stored {
            accepted: 0,
            unauthorized: Refusals::default(),
            ahead: Refusals::default(),
        };
        let arrival = self.arrival(now);
        let registry = self.store.registry();
        let mut uploads = Vec::new();
        for (sensor, readings) in batch.sensors {
            let count = readings.len();
            if registry
                .authorized_sensor(&grant.account, &sensor)
                .is_none()
            {
                stored.unauthorized.add(count, Unauthorized(&sensor));
                continue;
            }
            let (late, readings): (Vec<_>, Vec<_>) = readings
                .into_iter()
                .partition(|reading| arrival.ahead(reading).is_some());
            if let Some(time) = late.first().and_then(|reading| reading.time) {
                let reason = format!(
                    "sensor {:?}: the time {time} is more than 24 hours ahead of the server's clock, {}",
                    sensor.as_str(),
                    now.time
                );
                stored.ahead.add(late.len(), reason);
            }
            uploads.extend(Upload::new(sensor, readings));
        }
        // Together, so that they share a sync.
        let submitted = uploads
            .into_iter()
            .enumerate()
            .map(async |(index, upload)| {
                let (sensor, count) = (upload.sensor().clone(), upload.readings().len());
                let upload = TimelyUpload { upload, arrival };
                let message = Message {
                    bytes: if index == 0 { message.bytes } else { 0 },
                    ..message
                };
                let outcome = self.submit(grant, upload, message).await;
                (sensor, count, outcome)
            });
        for (sensor, count, outcome) in join_all(submitted).await {
            match outcome {
                Ok(accepted) => stored.accepted += accepted,
                // It was removed, or its authorization taken back, a moment ago.
                Err(
                    IngestError::SensorNotAuthorized
                    | IngestError::Store(StoreError::UnknownSensor(_)),
                ) => stored.unauthorized.add(count, Unauthorized(&sensor)),
                Err(error) => return Err(error),
            }
        }
        Ok(stored)
    }
}

struct Unauthorized<'a>(&'a SensorId);

impl fmt::Display for Unauthorized<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sensor = self.0.as_str();
        write!(
            f,
            "sensor {sensor:?} does not exist or is not authorized for this account"
        )
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
        let mut batch = Batch::default();
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
    fn few_reasons_are_told_and_all_are_counted() {
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
