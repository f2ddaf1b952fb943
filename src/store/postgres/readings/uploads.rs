//! Storing uploads, and the activity of sensors.

use std::collections::HashMap;

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, try_join};
use tokio_postgres::types::Type;

use super::activity_row::{
    ActivityRows, HOLD, PUT_ACTIVITIES, activity_columns, activity_of, held_at_once, value,
};
use super::backend::PostgresReadings;
use crate::domain::{Arrivals, SensorId, Timestamp};
use crate::store::backend::{Append, ReadingsChange as _, SensorTurn, UploadsBackend};
use crate::store::error::StoreError;
use crate::store::postgres::database::Postgres;
use crate::store::postgres::error::PostgresError;
use crate::store::rows::Activity;

/// The number of sensors that are looked up at once.
const MOST_FOUND: usize = 4_096;
/// The number of sensors changed in one transaction.
const MOST_FORGOTTEN: i64 = 4_096;

const FIND: &str = concat!(
    "select ",
    activity_columns!(),
    " from activity where sensor = (select id from sensors where name = $1)"
);
const FIND_MANY: &str = concat!(
    "select name, ",
    activity_columns!(),
    " from sensors join activity on sensor = id where name = any($1)"
);
/// Counts the sensors that `Activity::forgetting_after` changes.
const COUNT_AFTER: &str =
    "select count(*) from activity where greatest(last_arrival, last_upload, last_assigned) > $1";
const FIND_AFTER: &str = "select sensor from activity where greatest(last_arrival, last_upload, last_assigned) > $1 order by sensor limit $2";

impl UploadsBackend for PostgresReadings {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.lanes.append(append).boxed()
    }

    fn activity(&self, sensor: &SensorId) -> Result<Option<Activity>, StoreError> {
        let name = [(&sensor.as_str() as _, Type::TEXT)];
        let rows = self.postgres.wait(self.postgres.query(FIND, &name))?;
        let known = rows.first().map(|row| activity_of(row, 0)).transpose()?;
        Ok(known.filter(|known| *known != Activity::default()))
    }

    fn activities(&self, sensors: &[&SensorId]) -> Result<Vec<Option<Activity>>, StoreError> {
        let mut found = Vec::with_capacity(sensors.len());
        for some in sensors.chunks(MOST_FOUND) {
            let names: Vec<&str> = some.iter().map(|sensor| sensor.as_str()).collect();
            let values = [(&names as _, Type::TEXT_ARRAY)];
            let rows = self
                .postgres
                .wait(self.postgres.query(FIND_MANY, &values))?;
            let known = rows
                .iter()
                .map(|row| Ok((value(row, 0)?, activity_of(row, 1)?)));
            let known: HashMap<String, Activity> = known.collect::<Result<_, PostgresError>>()?;
            found.extend(names.iter().map(|name| {
                let activity = known.get(*name).copied();
                activity.filter(|known| *known != Activity::default())
            }));
        }
        Ok(found)
    }

    fn newest_arrival(&self) -> Option<Timestamp> {
        self.newest_arrival.get()
    }

    fn count_arrivals_after(&self, time: Timestamp) -> Result<usize, StoreError> {
        let time = [(&time.millis() as _, Type::INT8)];
        let rows = self
            .postgres
            .wait(self.postgres.query(COUNT_AFTER, &time))?;
        let count: Option<i64> = rows.first().map(|row| value(row, 0)).transpose()?;
        Ok(usize::try_from(count.unwrap_or(0)).unwrap_or(0))
    }

    fn forget_arrivals_after(&self, time: Timestamp) -> BoxFuture<'_, Result<usize, StoreError>> {
        async move {
            let mut count = 0;
            loop {
                let some = self
                    .postgres
                    .within(forget_some(&self.postgres, time))
                    .await?;
                count += some;
                if some == 0 {
                    break;
                }
            }
            self.newest_arrival.look(&self.postgres).await?;
            Ok(count)
        }
        .boxed()
    }

    fn put_arrivals(
        &self,
        sensor: &SensorId,
        arrivals: Option<Arrivals>,
        last_assigned: Option<Timestamp>,
    ) -> Result<(), StoreError> {
        let mut held = self.hold(sensor)?;
        let known = held.activity()?.unwrap_or_default();
        held.turn_over(SensorTurn {
            activity: Some(Activity {
                arrivals,
                last_assigned,
                ..known
            }),
            ..SensorTurn::default()
        })?;
        held.commit()?;
        self.postgres.wait(self.newest_arrival.look(&self.postgres))
    }
}

/// Forgets arrivals after `time`, of some sensors. Returns the number of sensors.
async fn forget_some(postgres: &Postgres, time: Timestamp) -> Result<usize, PostgresError> {
    let client = postgres.connection().await?;
    let values = [
        (&time.millis() as _, Type::INT8),
        (&MOST_FORGOTTEN as _, Type::INT8),
    ];
    let found = client.ask(FIND_AFTER, &values);
    let ((), found) = try_join(client.batch_execute("begin"), found).await?;
    let numbers = found.iter().map(|row| value(row, 0));
    let numbers: Vec<i64> = numbers.collect::<Result<_, _>>()?;
    let mut activities = ActivityRows::default();
    for some in held_at_once(&numbers, postgres.is_spread()) {
        let held = client.ask(HOLD, &[(&some as _, Type::INT8_ARRAY)]).await?;
        for row in &held {
            let activity = activity_of(row, 2)?.forgetting_after(time);
            activities.push(value(row, 0)?, &activity, 0);
        }
    }
    let values = activities.values();
    let put = [(PUT_ACTIVITIES, &values[..])];
    client.prepare_all(&put).await?;
    let put = client.ask_all(&put);
    try_join(put, client.batch_execute("commit")).await?;
    client.give_back();
    Ok(found.len())
}
