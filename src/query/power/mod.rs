//! Power of one sensor: by intervals of the calendar, and for a picture.
//!
//! A picture shows the readings themselves if they are few, and otherwise columns of them.

use super::column::{Aggregate, Column, PowerFold, PowerSoFar};
use super::point::{Point, next_points};
use super::slots::Slots;
use super::walk::SlotWalk;
use crate::domain::number::finite;
use crate::domain::{Interval, SensorId, TimeRange, Zone};
use crate::store::{Measure, Piece, Run, Store, StoreError, Totals};

/// The power of a range that has readings.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerProfile {
    /// Its course.
    pub course: Course,
    /// The unweighted mean of all readings, in watts.
    pub mean: f64,
    /// The first of the greatest readings, in watts.
    pub peak: Point,
    /// The first of the least readings, in watts.
    pub least: Point,
}

/// How power went.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// All readings, in watts, ascending.
    Readings(Vec<Point>),
    /// The columns of equal width that have readings, ascending.
    Columns(Vec<Column>),
}

impl PowerProfile {
    /// The power that these readings show, which are ascending; `None` without any.
    pub(crate) fn of_readings(readings: Vec<Point>) -> Option<Self> {
        let first_of = |is_beyond: fn(f64, f64) -> bool| {
            let each = readings.iter().copied();
            each.reduce(|found, next| {
                if is_beyond(next.value, found.value) {
                    next
                } else {
                    found
                }
            })
        };
        let (peak, least) = first_of(|a, b| a > b).zip(first_of(|a, b| a < b))?;
        // Far below 2^32: readings come here only if they are few, or as one point for each bucket.
        let count = f64::from(u32::try_from(readings.len()).unwrap_or(u32::MAX));
        // Divided one by one, so that the sum cannot be infinite.
        let mean = readings.iter().map(|reading| reading.value / count).sum();
        Some(Self {
            mean: finite(mean),
            peak,
            least,
            course: Course::Readings(readings),
        })
    }
}

/// Power by an interval of the calendar: a result under way.
pub(super) struct PowerBuckets {
    walk: SlotWalk<PowerFold>,
    aggregate: Aggregate,
}

impl PowerBuckets {
    pub(super) fn new(
        store: &Store,
        sensor: &SensorId,
        range: TimeRange,
        by: (Zone, Interval),
        aggregate: Aggregate,
    ) -> Self {
        let fold = PowerFold::new(Some(aggregate));
        Self::of_fold(store, (sensor, fold), range, by, aggregate)
    }

    /// The same of what `fold` puts together.
    pub(super) fn of_fold(
        store: &Store,
        (sensor, fold): (&SensorId, PowerFold),
        range: TimeRange,
        (zone, interval): (Zone, Interval),
        aggregate: Aggregate,
    ) -> Self {
        let watts = Measure::Watts;
        let slots = Slots::calendar(zone, interval, watts);
        Self {
            walk: SlotWalk::new(store, (sensor, watts), Some(range), slots, fold),
            aggregate,
        }
    }

    /// Appends the points of the next buckets; false after the last one. Blocks on the disk.
    pub(super) fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        let aggregate = self.aggregate;
        self.walk.next_run(|slot, so_far| {
            points.push(Point {
                time: slot.start,
                value: aggregated(&so_far, aggregate),
            });
        })
    }
}

/// One aggregate of a slot's readings, in watts.
pub(super) fn aggregated(so_far: &PowerSoFar, aggregate: Aggregate) -> f64 {
    let value = match aggregate {
        Aggregate::Mean => rounded(so_far.mean()),
        Aggregate::Min => so_far.min,
        Aggregate::Max => so_far.max,
    };
    // Adding zero turns -0.0 into 0.0: which zero is the least depends on the order of readings.
    value + 0.0
}

/// The means of power by an interval of the calendar. The caller makes sure that they are not too many. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn mean_by_interval(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
    by: (Zone, Interval),
) -> Result<Vec<Point>, StoreError> {
    let mut buckets = PowerBuckets::new(store, sensor, range, by, Aggregate::Mean);
    let mut points = Vec::new();
    while buckets.next_run(&mut points)? {}
    Ok(points)
}

/// Power of a sensor in `range`, both ends included: all readings if there are at most twice as many as `columns`, otherwise
/// columns of them. `columns` is limited to 1 to 10,000. `None` if there are no readings. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn power(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
    columns: u32,
) -> Result<Option<PowerProfile>, StoreError> {
    let columns = columns.clamp(1, MAX_COLUMNS);
    // A line through two readings in each column is still readable; more become a band.
    if let Some(readings) = few_readings(store, sensor, range, 2 * columns as usize)? {
        return Ok(PowerProfile::of_readings(readings));
    }
    let (watts, slots) = (Measure::Watts, Slots::columns(range, columns));
    let walk = SlotWalk::new(
        store,
        (sensor, watts),
        Some(range),
        slots,
        PowerFold::new(None),
    );
    let parts: Vec<PowerSoFar> = walk.all()?.into_iter().map(|(_, part)| part).collect();
    // Put together from parts, not from columns: a mean of means would weigh them wrongly.
    let Some(all) = parts.iter().copied().reduce(PowerSoFar::and) else {
        return Ok(None);
    };
    let all = all.column();
    let columns: Vec<Column> = parts.iter().map(PowerSoFar::column).collect();
    let first = |value: f64, of: fn(&Column) -> f64| {
        // Only one column has to be unpacked to find its time.
        let column = columns.iter().find(|column| of(column) == value);
        first_in(store, sensor, value, column.unwrap_or(&all))
    };
    Ok(Some(PowerProfile {
        mean: all.mean,
        peak: first(all.max, |column| column.max)?,
        least: first(all.min, |column| column.min)?,
        course: Course::Columns(columns),
    }))
}

/// The most columns of a picture: more than a screen is wide.
pub const MAX_COLUMNS: u32 = 10_000;

/// All readings in `range`, if there are at most `max`.
fn few_readings(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
    max: usize,
) -> Result<Option<Vec<Point>>, StoreError> {
    let mut points = Vec::new();
    let mut digest = store.digest(sensor, Measure::Watts, range);
    // A run of more readings decides it without being unpacked.
    let is_too_long =
        |run: &Run| matches!(run.totals, Totals::Power { count, .. } if count as usize > max);
    while let Some(piece) = digest.next_piece(is_too_long)? {
        let Piece::Values(values, _) = piece else {
            return Ok(None);
        };
        points.extend(Point::each(values));
        if points.len() > max {
            return Ok(None);
        }
    }
    Ok(Some(points))
}

/// The first reading of `column` with this value.
fn first_in(
    store: &Store,
    sensor: &SensorId,
    value: f64,
    column: &Column,
) -> Result<Point, StoreError> {
    // `last` may be later than the last reading, but not as late as the next one, so no other reading is found.
    let range = TimeRange::new(column.first, column.last).unwrap_or(TimeRange::at(column.first));
    let mut digest = store.digest(sensor, Measure::Watts, range);
    while let Some(mut points) = next_points(&mut digest)? {
        if let Some(found) = points.find(|point| point.value == value) {
            return Ok(found);
        }
    }
    // A correction replaced it since the columns were read.
    let time = column.first;
    Ok(Point { time, value })
}

/// A mean to twelve digits: the rest is noise of binary fractions, and depends on the order of additions.
pub(super) fn rounded(mean: f64) -> f64 {
    /// Powers of ten up to this one are exact.
    const EXACT: i32 = 22;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no f64 has more than 324 places; that of zero saturates"
    )]
    // Of zero this is the least i32: the digits after the point then exceed the limit, and zero stays as it is.
    let place = mean.abs().log10().floor() as i32;
    let digits_after = 11_i32.saturating_sub(place);
    if digits_after.abs() > EXACT {
        return mean;
    }
    let power = 10_f64.powi(digits_after.abs());
    if digits_after < 0 {
        (mean / power).round() * power
    } else {
        (mean * power).round() / power
    }
}

#[cfg(test)]
mod tests;
