//! The results of the API: questions about one sensor, answered as points in ascending time.

use thiserror::Error;

use super::column::Aggregate;
use super::corrected::CorrectedPoints;
use super::ends::latest_power;
use super::energy::{EnergyBuckets, net_consumption};
use super::point::{Point, Units, next_points};
use super::power::PowerBuckets;
use crate::domain::reading::register_difference;
use crate::domain::{Interval, Meter, SensorId, TimeRange, Timestamp, Zone};
use crate::ledger::Facts;
use crate::store::{Digest, Measure, Store, StoreError};

/// A question about one sensor's readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Every power reading in the range, both ends included; watts.
    Rate(TimeRange),
    /// For every register in the range, without its start: the difference from the register before
    /// it, wherever that one lies; watt-hours. A sensor's first register has no difference and is
    /// left out.
    Consumption(TimeRange),
    /// The power readings of [`Self::Rate`] by buckets: a point at the start of each bucket that
    /// has readings; watts.
    RateByInterval(TimeRange, Zone, Interval, Aggregate),
    /// The differences of [`Self::Consumption`] added up by buckets: a point at the start of each
    /// bucket that has some; watt-hours. A difference counts in the bucket of the later register:
    /// after the bucket's start, up to the next one's.
    ConsumptionByInterval(TimeRange, Zone, Interval),
    /// The newest power, if something was uploaded in the last two hours; watts.
    LatestRate,
    /// The newest register at or before the range's end, less the newest one at or before its start
    /// or else the sensor's first; watt-hours. One point at the former's time, or none if there is
    /// no such register.
    NetConsumption(TimeRange),
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum QueryError {
    /// The sensor uploaded nothing in the last two hours, or never any power.
    #[error("the sensor uploaded nothing in the last two hours, or never any power")]
    NoRecentData,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A result under way: points in ascending time, read a run at a time in bounded memory.
pub struct Series {
    units: Units,
    source: PointSource,
}

enum PointSource {
    /// Every power reading.
    Readings(Digest),
    /// The difference of each register from the one before it.
    Differences {
        /// `None` if the range is empty.
        registers: Option<Digest>,
        /// The newest register so far, in watt-hours.
        newest: Option<f64>,
    },
    Power(PowerBuckets),
    Energy(EnergyBuckets),
    /// A result of one point at most.
    Single(Option<Point>),
    /// It has room for a walk of the ledger.
    Corrected(Box<CorrectedPoints>),
}

impl Query {
    /// Starts answering, as of `now`. Blocks on the disk: not for async workers.
    ///
    /// # Errors
    /// [`QueryError::NoRecentData`] for [`Query::LatestRate`]; [`QueryError::Store`] if the store
    /// could not be read.
    pub fn run(
        self,
        store: &Store,
        sensor: &SensorId,
        now: Timestamp,
    ) -> Result<Series, QueryError> {
        let (units, source) = match self {
            Self::Rate(range) => {
                let readings = store.digest(sensor, Measure::Watts, range);
                (Units::Watts, PointSource::Readings(readings))
            }
            Self::Consumption(range) => {
                let at_start = store.register_at(sensor, range.start())?;
                let within = range.after_start();
                let registers = within.map(|it| store.digest(sensor, Measure::Watthours, it));
                let newest = at_start.map(|register| register.watthours);
                (
                    Units::Watthours,
                    PointSource::Differences { registers, newest },
                )
            }
            Self::RateByInterval(range, zone, interval, aggregate) => {
                let by = (zone, interval);
                let buckets = PowerBuckets::new(store, sensor, range, by, aggregate);
                (Units::Watts, PointSource::Power(buckets))
            }
            Self::ConsumptionByInterval(range, zone, interval) => {
                let buckets = EnergyBuckets::new(store, sensor, range, (zone, interval))?;
                (Units::Watthours, PointSource::Energy(buckets))
            }
            Self::LatestRate => {
                let latest = latest_power(store, sensor, now)?.ok_or(QueryError::NoRecentData)?;
                (Units::Watts, PointSource::Single(Some(latest)))
            }
            Self::NetConsumption(range) => {
                let net = net_consumption(store, sensor, range)?;
                (Units::Watthours, PointSource::Single(net))
            }
        };
        Ok(Series { units, source })
    }

    /// Starts answering as the ledger does (docs/API.md, "Corrected"); `meter` has the facts in
    /// effect. Blocks on the disk.
    ///
    /// # Errors
    /// As [`Self::run`]; [`QueryError::NoRecentData`] always for [`Query::LatestRate`], which the
    /// ledger does not answer.
    pub fn run_corrected(
        self,
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
    ) -> Result<Series, QueryError> {
        use CorrectedPoints as Corrected;
        let (units, points) = match self {
            Self::Rate(range) => (Units::Watts, Corrected::power(store, sensor, meter, range)?),
            Self::RateByInterval(range, zone, interval, aggregate) => {
                let by = (zone, interval, aggregate);
                (
                    Units::Watts,
                    Corrected::power_by(store, sensor, meter, range, by)?,
                )
            }
            Self::Consumption(range) => (
                Units::Watthours,
                Corrected::imported(store, sensor, meter, range)?,
            ),
            Self::ConsumptionByInterval(range, zone, interval) => {
                let by = (zone, interval);
                (
                    Units::Watthours,
                    Corrected::imported_by(store, sensor, meter, range, by)?,
                )
            }
            Self::NetConsumption(range) => (
                Units::Watthours,
                Corrected::net(store, sensor, meter, range)?,
            ),
            Self::LatestRate => return Err(QueryError::NoRecentData),
        };
        let source = PointSource::Corrected(Box::new(points));
        Ok(Series { units, source })
    }
}

impl Series {
    /// The unit of its values.
    #[must_use]
    pub const fn units(&self) -> Units {
        self.units
    }

    /// Appends the next points to `points`, some thousands at most and possibly none; returns false
    /// after the last one. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        match &mut self.source {
            PointSource::Readings(readings) => {
                let next = next_points(readings)?;
                Ok(next.map(|next| points.extend(next)).is_some())
            }
            PointSource::Differences { registers, newest } => {
                let Some(next) = registers.as_mut().map(next_points).transpose()?.flatten() else {
                    return Ok(false);
                };
                points.extend(next.filter_map(|Point { time, value }| {
                    // The sensor's first register: there is nothing to subtract from it.
                    let before = newest.replace(value)?;
                    let value = register_difference(before, value);
                    Some(Point { time, value })
                }));
                Ok(true)
            }
            PointSource::Power(buckets) => buckets.next_run(points),
            PointSource::Energy(buckets) => buckets.next_run(points),
            PointSource::Corrected(corrected) => corrected.next_run(points),
            PointSource::Single(point) => {
                let point = point.take();
                points.extend(point);
                Ok(point.is_some())
            }
        }
    }
}
