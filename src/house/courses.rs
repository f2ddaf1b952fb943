//! Power and energy of some sensors together over a range: of one sensor as it is, of several their sum.

use std::collections::BTreeMap;

use crate::domain::calendar::Zone;
use crate::domain::interval::Interval;
use crate::domain::role::RegisterKind;
use crate::domain::sensor::Sensor;
use crate::domain::time::{TimeRange, Timestamp};
use crate::query::energy::{Reset, energy, energy_by_interval, resets};
use crate::query::power::{Course, Power, power};
use crate::query::{Aggregate, Point, Query, QueryError};
use crate::store::{Measure, Piece, Store, StoreError};

/// Some sensors, none of which measures what another one does. All of these calls block on the disk.
#[derive(Clone, Copy)]
pub struct Courses<'a> {
    /// The store that has their readings.
    pub store: &'a Store,
    /// The sensors.
    pub sensors: &'a [Sensor],
    /// The zone whose buckets several sensors are added up by.
    pub zone: &'a Zone,
}

impl Courses<'_> {
    /// Power in `range`, both ends included, for a picture with so many columns. Of several sensors it is the sum of their
    /// means by an interval that leaves no more points than columns, where each of them has one. `None` where there is none.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read.
    pub fn power(&self, range: TimeRange, columns: u32) -> Result<Option<Power>, StoreError> {
        if let [sensor] = self.sensors {
            return power(self.store, &sensor.id, range, columns);
        }
        let interval = interval_for(range, columns);
        let points = self.mean_power(range, interval)?;
        let peak = points.iter().copied().reduce(|most, point| {
            let is_more = point.value > most.value;
            if is_more { point } else { most }
        });
        let least = points.iter().copied().reduce(|least, point| {
            let is_less = point.value < least.value;
            if is_less { point } else { least }
        });
        let count = u32::try_from(points.len()).unwrap_or(u32::MAX);
        let mean = points.iter().map(|point| point.value / f64::from(count));
        let mean = finite(mean.sum());
        Ok(peak.zip(least).map(|(peak, least)| Power {
            mean,
            peak,
            least,
            course: Course::Readings(points),
        }))
    }

    /// The sum of the means of power by `interval`, of the buckets in which each sensor has one.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read.
    pub fn mean_power(
        &self,
        range: TimeRange,
        interval: Interval,
    ) -> Result<Vec<Point>, StoreError> {
        let mut sums: BTreeMap<Timestamp, (f64, usize)> = BTreeMap::new();
        for sensor in self.sensors {
            let (zone, mean) = (self.zone.clone(), Aggregate::Mean);
            let query = Query::RateByInterval(range, zone, interval, mean);
            // The time only matters to a query for the latest power.
            let mut series = match query.run(self.store, &sensor.id, range.end()) {
                Ok(series) => series,
                Err(QueryError::Store(error)) => return Err(error),
                Err(QueryError::NoRecentData) => continue,
            };
            let mut points = Vec::new();
            while series.next_run(&mut points)? {}
            for point in points {
                let (sum, count) = sums.entry(point.time).or_insert((0.0, 0));
                *sum = finite(*sum + point.value);
                *count += 1;
            }
        }
        let whole = sums
            .into_iter()
            .filter(|(_, (_, count))| *count == self.sensors.len());
        Ok(whole
            .map(|(time, (value, _))| Point { time, value })
            .collect())
    }

    /// Watt-hours in `range`, its start left out; `None` where there is no register by its end.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read.
    pub fn energy(&self, range: TimeRange) -> Result<Option<f64>, StoreError> {
        let mut sum = None;
        for sensor in self.sensors {
            if let Some(watthours) = energy(self.store, &sensor.id, sensor.register, range)? {
                sum = Some(finite(sum.unwrap_or(0.0) + watthours));
            }
        }
        Ok(sum)
    }

    /// Watt-hours by `interval`: a point for each bucket in which a sensor has some, at its start, ascending.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read.
    pub fn energy_by(
        &self,
        range: TimeRange,
        interval: Interval,
    ) -> Result<Vec<Point>, StoreError> {
        let mut sums: BTreeMap<Timestamp, f64> = BTreeMap::new();
        for sensor in self.sensors {
            let by = (self.zone.clone(), interval);
            for point in energy_by_interval(self.store, &sensor.id, sensor.register, range, by)? {
                let sum = sums.entry(point.time).or_default();
                *sum = finite(*sum + point.value);
            }
        }
        Ok(sums
            .into_iter()
            .map(|(time, value)| Point { time, value })
            .collect())
    }

    /// The first `most` resets of each counter in `range`, its start left out.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read.
    pub fn resets(&self, range: TimeRange, most: usize) -> Result<Vec<Reset>, StoreError> {
        let mut all = Vec::new();
        for sensor in self.sensors {
            if sensor.register == RegisterKind::Counter {
                all.extend(resets(self.store, &sensor.id, range, most)?);
            }
        }
        Ok(all)
    }
}

/// When the first reading of any of some sensors is. Blocks on the disk, for a handful of keys.
///
/// # Errors
/// [`StoreError`] where something could not be read.
pub fn first_reading(store: &Store, sensors: &[Sensor]) -> Result<Option<Timestamp>, StoreError> {
    let mut first: Option<Timestamp> = None;
    for sensor in sensors {
        for measure in [Measure::Watts, Measure::Watthours] {
            let mut digest = store.digest(&sensor.id, measure, TimeRange::ALL);
            let time = match digest.next_piece(|_| true)? {
                Some(Piece::Run(run)) => Some(run.first),
                Some(Piece::Values(values)) => values.times.first().copied(),
                None => None,
            };
            first = first.into_iter().chain(time).min();
        }
    }
    Ok(first)
}

/// The shortest interval of which a range has no more than `columns`.
fn interval_for(range: TimeRange, columns: u32) -> Interval {
    const MINUTE_MS: i64 = 60_000;
    const LENGTHS: [(Interval, i64); 12] = [
        (Interval::Minute, 1),
        (Interval::FiveMinutes, 5),
        (Interval::TenMinutes, 10),
        (Interval::QuarterHour, 15),
        (Interval::HalfHour, 30),
        (Interval::Hour, 60),
        (Interval::TwoHours, 120),
        (Interval::ThreeHours, 180),
        (Interval::SixHours, 360),
        (Interval::HalfDay, 720),
        (Interval::Day, 1_440),
        (Interval::Week, 7 * 1_440),
    ];
    let span_ms = range.end().millis() - range.start().millis();
    let fits = |minutes: i64| span_ms / (minutes * MINUTE_MS) <= i64::from(columns);
    let found = LENGTHS.into_iter().find(|(_, minutes)| fits(*minutes));
    found.map_or(Interval::Month, |(interval, _)| interval)
}

fn finite(number: f64) -> f64 {
    number.clamp(f64::MIN, f64::MAX)
}
