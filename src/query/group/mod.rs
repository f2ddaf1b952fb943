//! Several sensors together: power and energy over a range, added up.

use std::collections::BTreeMap;

use super::energy::{energy, energy_by_interval};
use super::point::Point;
use super::power::{MAX_COLUMNS, PowerProfile, mean_by_interval, power};
use super::resets::{Resets, resets};
use crate::domain::number::finite;
use crate::domain::{Interval, MeterKind, Sensor, TimeRange, Timestamp, Zone};
use crate::store::{Store, StoreError};

/// Some sensors, none of which measures what another one does. All methods block on the disk.
#[derive(Clone, Copy)]
pub struct SensorGroup<'a> {
    /// The store that has their readings.
    pub store: &'a Store,
    /// The sensors.
    pub sensors: &'a [Sensor],
    /// The zone of the buckets by which several sensors are added up.
    pub zone: &'a Zone,
}

impl SensorGroup<'_> {
    /// Power in `range`, both ends included, for a picture with at most so many `columns`; `None` if there are no readings.
    ///
    /// One sensor's power is that of its readings. The power of several is the sum of their means by an interval that makes at
    /// most `columns` points (or is a year), of the buckets in which each sensor has one. `columns` is limited as in [`power`].
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn power(
        &self,
        range: TimeRange,
        columns: u32,
    ) -> Result<Option<PowerProfile>, StoreError> {
        // Nothing to add up, so the readings themselves can be shown.
        if let [sensor] = self.sensors {
            return power(self.store, &sensor.id, range, columns);
        }
        let points = self.mean_power(range, interval_for(range, columns))?;
        Ok(PowerProfile::of_readings(points))
    }

    /// The sum of the means of power by `interval`, of the buckets in which each sensor has one.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn mean_power(
        &self,
        range: TimeRange,
        interval: Interval,
    ) -> Result<Vec<Point>, StoreError> {
        let mut sums = Sums::default();
        for sensor in self.sensors {
            let by = (self.zone.clone(), interval);
            sums.add(mean_by_interval(self.store, &sensor.id, range, by)?);
        }
        // A sum without one of the sensors would look like a fall of power.
        sums.0.retain(|_, (_, count)| *count == self.sensors.len());
        Ok(sums.into_points())
    }

    /// Watt-hours in `range`, without its start; `None` if no sensor has a register by its end.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn energy(&self, range: TimeRange) -> Result<Option<f64>, StoreError> {
        let mut sum = None;
        for sensor in self.sensors {
            if let Some(watthours) = energy(self.store, &sensor.id, sensor.meter.kind, range)? {
                sum = Some(finite(sum.unwrap_or(0.0) + watthours));
            }
        }
        Ok(sum)
    }

    /// Watt-hours by `interval`: a point at the start of each bucket in which a sensor has some, ascending.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn energy_by(
        &self,
        range: TimeRange,
        interval: Interval,
    ) -> Result<Vec<Point>, StoreError> {
        let mut sums = Sums::default();
        for sensor in self.sensors {
            let (of, by) = (
                (&sensor.id, sensor.meter.kind),
                (self.zone.clone(), interval),
            );
            sums.add(energy_by_interval(self.store, of, range, by)?);
        }
        Ok(sums.into_points())
    }

    /// The resets of all counters in `range`, without its start: all are counted, and the first `max` listed, ascending.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn resets(&self, range: TimeRange, max: usize) -> Result<Resets, StoreError> {
        let mut all = Resets::default();
        for sensor in self.sensors {
            if sensor.meter.kind == MeterKind::Counter {
                let its = resets(self.store, &sensor.id, range, max)?;
                all.count += its.count;
                all.first.extend(its.first);
            }
        }
        all.first.sort_by_key(|reset| reset.time);
        all.first.truncate(max);
        Ok(all)
    }
}

/// Sums by time, and of how many sensors each is.
#[derive(Default)]
struct Sums(BTreeMap<Timestamp, (f64, usize)>);

impl Sums {
    fn add(&mut self, points: Vec<Point>) {
        for point in points {
            let (sum, count) = self.0.entry(point.time).or_default();
            *sum = finite(*sum + point.value);
            *count += 1;
        }
    }

    fn into_points(self) -> Vec<Point> {
        let sums = self.0.into_iter();
        sums.map(|(time, (value, _))| Point { time, value })
            .collect()
    }
}

/// The shortest interval, up to a year, that fits into the range at most `columns` times.
fn interval_for(range: TimeRange, columns: u32) -> Interval {
    let most = i64::from(columns.clamp(1, MAX_COLUMNS));
    let fits = |interval: &Interval| range.length_ms() / interval.length_ms() <= most;
    // The intervals are in ascending order. Nothing is longer than a year, and all supported years are no more than the limit.
    Interval::ALL
        .into_iter()
        .find(fits)
        .unwrap_or(Interval::Year)
}

#[cfg(test)]
mod tests;
