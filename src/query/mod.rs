//! What can be asked of the readings: four kinds of result, each from a handful of keys or in one pass.

mod buckets;
mod consumption;
pub mod energy;
mod latest_rate;
mod net_consumption;
mod newest;
pub mod power;
mod rate;

use thiserror::Error;

use self::buckets::Buckets;
use self::consumption::Consumption;
pub use self::newest::newest;
use self::rate::Rate;
use crate::domain::calendar::Zone;
use crate::domain::interval::Interval;
use crate::domain::sensor::SensorId;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::{Store, StoreError};

/// The unit of a result's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Power.
    Watts,
    /// Energy.
    Watthours,
}

/// One value of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Its time.
    pub time: Timestamp,
    /// Its value, in the result's units; finite.
    pub value: f64,
}

/// What becomes of the power readings of a bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Their mean, unweighted, to twelve digits.
    Mean,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// What is asked of one sensor's readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query {
    /// Every power reading in the range, both ends included; watts.
    Rate(TimeRange),
    /// For every register in the range, without its start: its difference from the register before it, wherever
    /// that one lies; watt-hours. A sensor's first register has no difference and is left out.
    Consumption(TimeRange),
    /// The power readings that [`Self::Rate`] has, one point for each bucket with some, at its start; watts.
    RateByInterval(TimeRange, Zone, Interval, Aggregate),
    /// The differences that [`Self::Consumption`] has, added up to one point for each bucket with some, at its start. A bucket has
    /// those of the registers after its start and up to the next one's; watt-hours.
    ConsumptionByInterval(TimeRange, Zone, Interval),
    /// The newest power, if something was uploaded in the last two hours; watts.
    LatestRate,
    /// The newest register at or before the range's end, less the newest at or before its start or else the sensor's
    /// first; watt-hours. One point at the former's time, or none where there is none.
    NetConsumption(TimeRange),
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum QueryError {
    /// Nothing was uploaded in the last two hours, or never any power.
    #[error("nothing was uploaded in the last two hours, or never any power")]
    NoRecentData,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A result under way: points in ascending time, taken a run at a time, in bounded memory.
pub struct Series {
    units: Units,
    source: Source,
}

enum Source {
    Rate(Rate),
    Consumption(Consumption),
    Buckets(Buckets),
    /// A result that is known whole.
    Points(Vec<Point>),
}

impl Query {
    /// Starts answering, as of `now`. Blocks on the disk: not for async workers.
    ///
    /// # Errors
    /// [`QueryError::NoRecentData`] for [`Query::LatestRate`]; [`QueryError::Store`] where something could not be read.
    pub fn run(
        self,
        store: &Store,
        sensor: &SensorId,
        now: Timestamp,
    ) -> Result<Series, QueryError> {
        let (units, source) = match self {
            Self::Rate(range) => (Units::Watts, Source::Rate(Rate::new(store, sensor, range))),
            Self::Consumption(range) => (
                Units::Watthours,
                Source::Consumption(Consumption::new(store, sensor, range)?),
            ),
            Self::RateByInterval(range, zone, interval, aggregate) => {
                let buckets = Buckets::of_rate(store, sensor, range, (zone, interval), aggregate);
                (Units::Watts, Source::Buckets(buckets))
            }
            Self::ConsumptionByInterval(range, zone, interval) => {
                let buckets = Buckets::of_consumption(store, sensor, range, (zone, interval))?;
                (Units::Watthours, Source::Buckets(buckets))
            }
            Self::LatestRate => (
                Units::Watts,
                Source::Points(vec![latest_rate::run(store, sensor, now)?]),
            ),
            Self::NetConsumption(range) => {
                let net = net_consumption::run(store, sensor, range)?;
                (Units::Watthours, Source::Points(net.into_iter().collect()))
            }
        };
        Ok(Series { units, source })
    }
}

impl Series {
    /// The unit of its values.
    #[must_use]
    pub const fn units(&self) -> Units {
        self.units
    }

    /// Appends the next points to `points`, some thousands at most or none; false after the last. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] where something could not be read.
    pub fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        match &mut self.source {
            Source::Rate(rate) => rate.next_run(points),
            Source::Consumption(consumption) => consumption.next_run(points),
            Source::Buckets(buckets) => buckets.next_run(points),
            Source::Points(known) => {
                let some = !known.is_empty();
                points.append(known);
                Ok(some)
            }
        }
    }
}

/// `range` without its start; `None` where nothing is left.
fn after_start(range: TimeRange) -> Option<TimeRange> {
    (range.start() < range.end())
        .then(|| TimeRange::new(range.start().saturating_add_millis(1), range.end()))
        .flatten()
}

#[cfg(test)]
mod tests;
