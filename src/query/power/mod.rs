//! Power of one sensor: by intervals of the calendar, and for a picture.
//!
//! A picture shows the readings themselves if they are few, and otherwise columns of them.
//!
//! - `held`: power that stays until the next reading

mod held;

pub(super) use self::held::HeldMeans;
use super::column::{Aggregate, Column, PowerFold, PowerSoFar};
use super::point::{Point, next_points};
use super::slots::{Slot, Slots};
use super::walk::SlotWalk;
use crate::domain::number::finite;
use crate::domain::{
    Between, Interval, Meter, MicroWh, SensorId, Sign, TimeRange, Timestamp, Zone,
};
use crate::ledger::Facts;
use crate::store::{Measure, Piece, Run, Store, StoreError, Totals};

/// The power of a range that has readings.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerProfile {
    /// Its course.
    pub course: Course,
    /// The mean of all readings, in watts: unweighted, or by time if power stays until the next
    /// reading.
    pub mean: f64,
    /// Power between two readings.
    pub between: Between,
    /// The first of the greatest readings, in watts.
    pub peak: Point,
    /// The first of the least readings, in watts.
    pub least: Point,
}

/// The course of power.
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
            between: Between::Line,
            course: Course::Readings(readings),
        })
    }

    /// With the sign of the measured flow.
    fn signed(self, sign: Sign) -> Self {
        if !sign.is_inverted() {
            return self;
        }
        let negated = |point: Point| Point {
            value: sign.of(point.value),
            ..point
        };
        Self {
            mean: sign.of(self.mean),
            peak: negated(self.least),
            least: negated(self.peak),
            course: match self.course {
                Course::Readings(readings) => {
                    Course::Readings(readings.into_iter().map(negated).collect())
                }
                Course::Columns(columns) => {
                    Course::Columns(columns.iter().map(Column::negated).collect())
                }
            },
            ..self
        }
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

    /// The same with this `fold`.
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

/// The means of power by an interval of the calendar, with the sign of the flow that `meter`
/// measures; it has the facts in effect. The caller makes sure that they are not too many. Blocks
/// on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn mean_by_interval(
    store: &Store,
    sensor: &SensorId,
    meter: (Meter, Facts),
    range: TimeRange,
    by: (Zone, Interval),
) -> Result<Vec<Point>, StoreError> {
    let mut points = Vec::new();
    let sign = meter.0.power_sign;
    if meter.0.between == Between::Hold {
        let mut means = HeldMeans::new(store, sensor, meter, range, by)?;
        while means.next_run(&mut points)? {}
        return Ok(points);
    }
    let mut buckets = PowerBuckets::new(store, sensor, range, by, Aggregate::Mean);
    while buckets.next_run(&mut points)? {}
    for point in &mut points {
        point.value = sign.of(point.value);
    }
    Ok(points)
}

/// Power of a sensor in `range`, both ends included, with the sign of the flow that `meter`
/// measures; it has the facts in effect. All readings if there are at most twice as many as
/// `columns`, otherwise columns of them. `columns` is limited to 1 to 10,000. `None` if there are
/// no readings. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn power(
    store: &Store,
    sensor: &SensorId,
    meter: (Meter, Facts),
    range: TimeRange,
    columns: u32,
) -> Result<Option<PowerProfile>, StoreError> {
    let columns = columns.clamp(1, MAX_COLUMNS);
    let (sign, is_held) = (meter.0.power_sign, meter.0.between == Between::Hold);
    // A line through two readings in each column is still readable; more become a band.
    if let Some(readings) = few_readings(store, sensor, range, 2 * columns as usize)? {
        let profile = if is_held {
            held::profile_of_readings(store, sensor, range, readings)?
        } else {
            PowerProfile::of_readings(readings)
        };
        return Ok(profile.map(|profile| profile.signed(sign)));
    }
    let slots = Slots::columns(range, columns);
    let Some((profile, starts)) = power_by(store, sensor, range, slots.clone())? else {
        return Ok(None);
    };
    let profile = profile.signed(sign);
    if !is_held {
        return Ok(Some(profile));
    }
    held::profile_of_columns(store, sensor, meter, range, (slots, &starts), profile).map(Some)
}

/// Power as it was uploaded in columns, and when each of these begins.
fn power_by(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
    slots: Slots,
) -> Result<Option<(PowerProfile, Vec<Timestamp>)>, StoreError> {
    let walked = (sensor, Measure::Watts);
    let walk = SlotWalk::new(store, walked, Some(range), slots, PowerFold::new(None));
    let all: Vec<(Slot, PowerSoFar)> = walk.all()?;
    let starts = all.iter().map(|(slot, _)| slot.start).collect();
    let parts: Vec<PowerSoFar> = all.into_iter().map(|(_, part)| part).collect();
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
    let profile = PowerProfile {
        mean: all.mean,
        between: Between::Line,
        peak: first(all.max, |column| column.max)?,
        least: first(all.min, |column| column.min)?,
        course: Course::Columns(columns),
    };
    Ok(Some((profile, starts)))
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
    // `last` may be later than the last reading, but not as late as the next one, so no other
    // reading is found.
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

/// The mean power in watts if some energy flows in so many milliseconds.
pub(super) fn mean_watts(energy: MicroWh, ms: i64) -> f64 {
    /// A millionth of a watt-hour in a millisecond.
    const WATTS: f64 = 3.6;
    #[expect(
        clippy::cast_precision_loss,
        reason = "beyond 2^53 the last digits are not among the twelve that are kept"
    )]
    let [energy, ms] = [energy.millionths(), ms].map(|it| it as f64);
    rounded(energy / ms * WATTS)
}

/// A mean to twelve digits: the rest is noise of binary fractions, and depends on the order of
/// additions.
pub(super) fn rounded(mean: f64) -> f64 {
    /// Powers of ten up to this one are exact.
    const EXACT: i32 = 22;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "no f64 has more than 324 places; that of zero saturates"
    )]
    // Of zero this is the least i32: the digits after the point then exceed the limit, and zero
    // stays as it is.
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
