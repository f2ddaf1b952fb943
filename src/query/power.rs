//! Power of a range for a picture: the readings themselves where they are few, else what they amount to column by column.
//!
//! Columns are answered from what is kept of blocks and of their pages where these lie in one column; only readings at the
//! columns' ends are looked at one by one.

use super::Point;
use crate::domain::sensor::SensorId;
use crate::domain::time::{MS_PER_DAY, TimeRange, Timestamp};
use crate::store::{Digest, Measure, Piece, Run, Store, StoreError, Totals, Values};

/// Power of a range; there is some.
#[derive(Clone, Debug, PartialEq)]
pub struct Power {
    /// Its course.
    pub course: Course,
    /// The mean of all readings, unweighted, in watts.
    pub mean: f64,
    /// The greatest, with the time of the first of it.
    pub peak: Point,
    /// The least, with the time of the first of it.
    pub least: Point,
}

/// How power went.
#[derive(Clone, Debug, PartialEq)]
pub enum Course {
    /// All readings, in watts, ascending.
    Readings(Vec<Point>),
    /// Columns of equal width that have readings, ascending.
    Columns(Vec<Column>),
}

/// The readings of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column {
    /// When the first of them is.
    pub first: Timestamp,
    /// When the last one is, or later, but before the next reading.
    pub last: Timestamp,
    /// How many.
    pub count: u32,
    /// Their mean, in watts.
    pub mean: f64,
    /// The least, in watts.
    pub min: f64,
    /// The greatest, in watts.
    pub max: f64,
}

/// Power of a sensor in `range`, both ends included: up to `columns` twice as readings, else in so many columns; at least
/// one, at most 10,000. `None` where there is none.
///
/// # Errors
/// [`StoreError`] where something could not be read.
pub fn power(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
    columns: u32,
) -> Result<Option<Power>, StoreError> {
    let columns = columns.clamp(1, MOST_COLUMNS);
    let digest = |range| store.digest(sensor, Measure::Watts, range);
    if let Some(readings) = some_readings(digest(range), 2 * columns as usize)? {
        let all = readings
            .iter()
            .map(|point| Column::of(point.time, point.time, &[point.value]));
        let Some(all) = all.reduce(Column::and) else {
            return Ok(None);
        };
        return Ok(Some(Power {
            mean: all.mean,
            peak: first_at(&readings, all.max),
            least: first_at(&readings, all.min),
            course: Course::Readings(readings),
        }));
    }
    let grid = Grid::new(range, columns);
    let columns = grid.columns(digest(range))?;
    let Some(all) = columns.iter().copied().reduce(Column::and) else {
        return Ok(None);
    };
    let first = |value: f64, of: fn(&Column) -> f64| -> Result<Point, StoreError> {
        let column = columns.iter().find(|column| of(column) == value);
        let within = column.and_then(|column| TimeRange::new(column.first, column.last));
        let mut readings = digest(within.unwrap_or(range));
        while let Some(Piece::Values(values)) = readings.next_piece(|_| false)? {
            let mut pairs = values.times.into_iter().zip(values.numbers);
            if let Some((time, value)) = pairs.find(|(_, number)| *number == value) {
                return Ok(Point { time, value });
            }
        }
        // A correction came meanwhile.
        let time = column.map_or(range.start(), |column| column.first);
        Ok(Point { time, value })
    };
    Ok(Some(Power {
        mean: all.mean,
        peak: first(all.max, |column| column.max)?,
        least: first(all.min, |column| column.min)?,
        course: Course::Columns(columns),
    }))
}

/// The most columns: more than a screen is wide.
const MOST_COLUMNS: u32 = 10_000;

/// All readings, if there are no more than `most`.
fn some_readings(mut digest: Digest, most: usize) -> Result<Option<Vec<Point>>, StoreError> {
    let mut points = Vec::new();
    while let Some(piece) = digest.next_piece(|run| match run.totals {
        // More than that need not be unpacked to know.
        Totals::Power { count, .. } => count as usize > most,
        Totals::Registers { .. } => false,
    })? {
        let Piece::Values(values) = piece else {
            return Ok(None);
        };
        let values = values.times.into_iter().zip(values.numbers);
        points.extend(values.map(|(time, value)| Point { time, value }));
        if points.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(points))
}

fn first_at(readings: &[Point], value: f64) -> Point {
    let found = readings.iter().find(|point| point.value == value);
    found.copied().unwrap_or(Point {
        time: Timestamp::MIN,
        value,
    })
}

/// Columns of equal width, the last of which may reach beyond the range.
struct Grid {
    start_ms: i64,
    width_ms: i64,
}

impl Grid {
    fn new(range: TimeRange, columns: u32) -> Self {
        /// From here on a column is of whole days: else nights and days, each in a column of its own, look like noise.
        const WHOLE_DAYS_FROM_MS: i64 = MS_PER_DAY / 4;
        let span_ms = range.end().millis() - range.start().millis() + 1;
        let up = |number: i64, step: i64| (number + step - 1).div_euclid(step);
        let width_ms = up(span_ms, i64::from(columns));
        let days_ms = up(width_ms, MS_PER_DAY) * MS_PER_DAY;
        Self {
            start_ms: range.start().millis(),
            width_ms: if width_ms < WHOLE_DAYS_FROM_MS {
                width_ms
            } else {
                days_ms
            },
        }
    }

    /// The last millisecond of the column that `time` lies in.
    fn end(&self, time: Timestamp) -> Timestamp {
        let into_ms = (time.millis() - self.start_ms).rem_euclid(self.width_ms);
        time.saturating_add_millis(self.width_ms - 1 - into_ms)
    }

    fn columns(&self, mut digest: Digest) -> Result<Vec<Column>, StoreError> {
        let mut columns: Vec<Column> = Vec::new();
        let mut end = None;
        let mut add = |more: Column| match columns.last_mut() {
            Some(column) if end.is_some_and(|end| more.first <= end) => *column = column.and(more),
            _ => {
                end = Some(self.end(more.first));
                columns.push(more);
            }
        };
        while let Some(piece) = digest
            .next_piece(|run| Column::of_run(run).is_some() && run.last <= self.end(run.first))?
        {
            match piece {
                Piece::Run(run) => Column::of_run(&run).into_iter().for_each(&mut add),
                Piece::Values(values) => self.of_values(&values).into_iter().for_each(&mut add),
            }
        }
        Ok(columns)
    }

    /// The columns, or parts of them, that values make.
    fn of_values(&self, values: &Values) -> Vec<Column> {
        let (mut times, mut numbers) = (&*values.times, &*values.numbers);
        let mut columns = Vec::new();
        while let Some(&first) = times.first() {
            let end = self.end(first);
            let count = times.partition_point(|time| *time <= end);
            let (here, later) = times.split_at(count);
            let (of_column, rest) = numbers.split_at_checked(count).unwrap_or((numbers, &[]));
            let last = here.last().copied().unwrap_or(first);
            columns.push(Column::of(first, last, of_column));
            (times, numbers) = (later, rest);
        }
        columns
    }
}

impl Column {
    fn of(first: Timestamp, last: Timestamp, watts: &[f64]) -> Self {
        let count = u32::try_from(watts.len()).unwrap_or(u32::MAX);
        // Each by itself, so that their sum cannot be infinite.
        let mean = watts.iter().map(|watts| watts / f64::from(count)).sum();
        let fold = |with: fn(f64, f64) -> f64| watts.iter().copied().reduce(with);
        Self {
            first,
            last,
            count,
            mean,
            min: fold(f64::min).unwrap_or(mean),
            max: fold(f64::max).unwrap_or(mean),
        }
    }

    /// What a run amounts to, where that is known.
    fn of_run(run: &Run) -> Option<Self> {
        match run.totals {
            Totals::Power {
                count,
                sum,
                min,
                max,
            } if sum.is_finite() => Some(Self {
                first: run.first,
                last: run.last,
                count,
                mean: sum / f64::from(count),
                min,
                max,
            }),
            _ => None,
        }
    }

    fn and(self, later: Self) -> Self {
        let count = self.count.saturating_add(later.count);
        let share = |column: Self| column.mean * (f64::from(column.count) / f64::from(count));
        let mean = share(self) + share(later);
        Self {
            first: self.first,
            last: later.last,
            count,
            mean: mean.clamp(f64::MIN, f64::MAX),
            min: self.min.min(later.min),
            max: self.max.max(later.max),
        }
    }
}

#[cfg(test)]
mod tests;
