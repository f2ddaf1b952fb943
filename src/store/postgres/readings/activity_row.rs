//! The activity of sensors, as rows of the table `activity`.

use tokio_postgres::Row;
use tokio_postgres::types::{FromSqlOwned, Type};

use crate::domain::{Arrivals, Timestamp};
use crate::store::postgres::error::PostgresError;
use crate::store::postgres::pool::Value;
use crate::store::rows::{Activity, Power};

/// The columns that [`activity_of`] reads, after that of the sensor.
macro_rules! activity_columns {
    () => {
        "previous_arrival, last_arrival, last_upload, power_time, power_watts, last_assigned"
    };
}
pub(crate) use activity_columns;

/// Locks sensors in a fixed order, so that no deadlock is possible. The rows are the sensor, until
/// when it is sealed, and [`activity_columns`].
pub(crate) const HOLD: &str = concat!(
    "select sensor, sealed_until, ",
    activity_columns!(),
    " from activity where sensor = any($1) order by sensor for update"
);

/// Splits the sensors, which ascend, into parts that [`HOLD`] locks one after the other.
pub(crate) fn held_at_once(numbers: &[i64], is_spread: bool) -> impl Iterator<Item = &[i64]> {
    // Citus locks rows of one server at a time.
    numbers.chunks(if is_spread { 1 } else { numbers.len().max(1) })
}

/// Sets activities, and adds to the numbers of unsealed rows; returns these numbers.
pub(crate) const PUT_ACTIVITIES: &str = concat!(
    "update activity a set (",
    activity_columns!(),
    ", unsealed) = (u.previous_arrival, u.last_arrival, u.last_upload, u.power_time, u.power_watts, u.last_assigned, \
     a.unsealed + u.more) \
     from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::float8[], $7::bigint[], $8::int[]) \
     as u(sensor, ",
    activity_columns!(),
    ", more) where a.sensor = u.sensor returning a.sensor, a.unsealed"
);

/// The values of [`PUT_ACTIVITIES`].
#[derive(Default)]
pub(crate) struct ActivityRows {
    sensors: Vec<i64>,
    previous_arrivals: Vec<Option<i64>>,
    last_arrivals: Vec<Option<i64>>,
    last_uploads: Vec<Option<i64>>,
    power_times: Vec<Option<i64>>,
    power_watts: Vec<Option<f64>>,
    last_assigned: Vec<Option<i64>>,
    more: Vec<i32>,
}

impl ActivityRows {
    /// Adds the activity of a sensor, given by its number, that gets `more` rows.
    pub(crate) fn push(&mut self, sensor: i64, activity: &Activity, more: usize) {
        let millis = |time: Option<Timestamp>| time.map(Timestamp::millis);
        let arrivals = activity.arrivals.map(Arrivals::parts);
        let previous = arrivals.and_then(|(previous, _, _)| previous);
        let power = activity.newest_power;
        self.sensors.push(sensor);
        self.previous_arrivals.push(millis(previous));
        self.last_arrivals
            .push(millis(arrivals.map(|(_, last, _)| last)));
        self.last_uploads
            .push(millis(arrivals.map(|(_, _, upload)| upload)));
        self.power_times.push(millis(power.map(|power| power.time)));
        self.power_watts.push(power.map(|power| power.watts));
        self.last_assigned.push(millis(activity.last_assigned));
        self.more.push(i32::try_from(more).unwrap_or(i32::MAX));
    }

    pub(crate) fn values(&self) -> [Value<'_>; 8] {
        [
            (&self.sensors, Type::INT8_ARRAY),
            (&self.previous_arrivals, Type::INT8_ARRAY),
            (&self.last_arrivals, Type::INT8_ARRAY),
            (&self.last_uploads, Type::INT8_ARRAY),
            (&self.power_times, Type::INT8_ARRAY),
            (&self.power_watts, Type::FLOAT8_ARRAY),
            (&self.last_assigned, Type::INT8_ARRAY),
            (&self.more, Type::INT4_ARRAY),
        ]
    }
}

/// Reads the activity from the columns starting at `column`.
pub(crate) fn activity_of(row: &Row, column: usize) -> Result<Activity, PostgresError> {
    let (previous, last) = (time(row, column)?, time(row, column + 1)?);
    let uploaded = time(row, column + 2)?;
    let watts: Option<f64> = value(row, column + 4)?;
    let power = time(row, column + 3)?.zip(watts);
    Ok(Activity {
        arrivals: last
            .zip(uploaded)
            .map(|(last, uploaded)| Arrivals::from_parts(previous, last, uploaded)),
        newest_power: power.map(|(time, watts)| Power { time, watts }),
        last_assigned: time(row, column + 5)?,
    })
}

/// Reads a column.
pub(crate) fn value<T: FromSqlOwned>(row: &Row, column: usize) -> Result<T, PostgresError> {
    Ok(row.try_get(column)?)
}

/// Reads a time, in milliseconds since 1970.
pub(crate) fn time(row: &Row, column: usize) -> Result<Option<Timestamp>, PostgresError> {
    let millis: Option<i64> = value(row, column)?;
    let in_range = |millis| {
        Timestamp::from_millis(millis).ok_or_else(|| {
            PostgresError::Failed(format!(
                "PostgreSQL's tables hold {millis} for a time in milliseconds, before the year 0 or after 9999"
            ))
        })
    };
    millis.map(in_range).transpose()
}

/// Reads a time from a column that always has one.
pub(crate) fn needed_time(row: &Row, column: usize) -> Result<Timestamp, PostgresError> {
    let missing = || PostgresError::Failed("PostgreSQL's tables lack a time".into());
    time(row, column)?.ok_or_else(missing)
}
