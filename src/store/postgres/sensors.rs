//! The number of each sensor in the tables of readings, and the removal of sensors with their
//! readings.
//!
//! A number is never used again. So a caller that still has the number of a removed sensor cannot
//! change a sensor that is registered with the same id later.

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Transaction};

use super::database::Postgres;
use super::error::PostgresError;
use super::records::{begin, make_versions};
use crate::domain::SensorId;
use crate::store::records::RecordKind;
use crate::store::registry::records::sensor_of;

/// The most blocks that are deleted at once.
const DELETED_AT_ONCE: u64 = 1_000;

const KIND: i16 = RecordKind::Sensors.number();

/// Gives a number, and a row of `activity`, to those of these sensors that have none.
pub(crate) async fn register(
    change: &Transaction<'_>,
    names: &[&str],
) -> Result<(), PostgresError> {
    let number =
        "insert into sensors (name) select unnest($1) on conflict (name) do nothing returning id";
    let rows = change
        .query_typed(number, &[(&names, Type::TEXT_ARRAY)])
        .await?;
    let numbers = rows.iter().map(|row| Ok(row.try_get(0)?));
    let numbers: Vec<i64> = numbers.collect::<Result<_, PostgresError>>()?;
    if !numbers.is_empty() {
        change
            .execute_typed(
                "insert into activity (sensor) select unnest($1)",
                &[(&numbers, Type::INT8_ARRAY)],
            )
            .await?;
    }
    Ok(())
}

/// Deletes the readings of a sensor, its activity and its number.
pub(crate) async fn delete(change: &Transaction<'_>, name: &str) -> Result<(), PostgresError> {
    let number = "delete from sensors where name = $1 returning id";
    let row = change
        .query_typed_opt(number, &[(&name, Type::TEXT)])
        .await?;
    let Some(row) = row else { return Ok(()) };
    let number: i64 = row.try_get(0)?;
    // Uploads lock the row of `activity`: once it is deleted, no reading is added.
    for table in ["activity", "hot", "blocks"] {
        change
            .execute_typed(
                &format!("delete from {table} where sensor = $1"),
                &[(&number, Type::INT8)],
            )
            .await?;
    }
    Ok(())
}

/// Continues the removal of a sensor that is marked as removed. Returns whether it is complete.
pub(crate) async fn go_on_removing(
    postgres: &Postgres,
    id: &SensorId,
) -> Result<bool, PostgresError> {
    let mut client = postgres.connection().await?;
    let is_short = match marked_number(&client, id).await? {
        Some(number) => delete_some_blocks(&client, number).await? < DELETED_AT_ONCE,
        None => true,
    };
    if is_short {
        finish_removal(&mut client, id).await?;
    }
    client.give_back();
    Ok(is_short)
}

/// The number of a sensor that is marked as removed; not of one that was registered again with its
/// id.
async fn marked_number(client: &Client, id: &SensorId) -> Result<Option<i64>, PostgresError> {
    // In one statement, so that both parts see the same moment.
    let query = "select (select id from sensors where name = $1), \
        (select value from records where kind = $2 and key = $3)";
    let (name, key) = (id.as_str(), id.as_str().as_bytes());
    let values: [(&(dyn ToSql + Sync), Type); 3] = [
        (&name, Type::TEXT),
        (&KIND, Type::INT2),
        (&key, Type::BYTEA),
    ];
    let row = client.query_typed_one(query, &values).await?;
    let (number, record): (Option<i64>, Option<Vec<u8>>) = (row.try_get(0)?, row.try_get(1)?);
    Ok(number.filter(|_| record.is_some_and(|record| is_marked(id, &record))))
}

fn is_marked(id: &SensorId, record: &[u8]) -> bool {
    sensor_of(id.as_str().as_bytes(), record).is_some_and(|(_, is_removed)| is_removed)
}

async fn delete_some_blocks(client: &Client, number: i64) -> Result<u64, PostgresError> {
    let delete = format!(
        "delete from blocks where sensor = $1 and first in \
        (select first from blocks where sensor = $1 order by first limit {DELETED_AT_ONCE})"
    );
    Ok(client
        .execute_typed(&delete, &[(&number, Type::INT8)])
        .await?)
}

async fn finish_removal(client: &mut Client, id: &SensorId) -> Result<(), PostgresError> {
    let change = begin(client).await?;
    let key = id.as_str().as_bytes();
    let values: [(&(dyn ToSql + Sync), Type); 2] = [(&KIND, Type::INT2), (&key, Type::BYTEA)];
    let query = "select value from records where kind = $1 and key = $2";
    let row = change.query_typed_opt(query, &values).await?;
    let record: Option<Vec<u8>> = row.map(|row| row.try_get(0)).transpose()?;
    // Another front-end may have finished the removal, and the id may be registered again.
    if record.is_some_and(|record| is_marked(id, &record)) {
        delete(&change, id.as_str()).await?;
        let remove = "delete from records where kind = $1 and key = $2";
        change.execute_typed(remove, &values).await?;
        make_versions(&change, (&[KIND], &[key])).await?;
    }
    Ok(change.commit().await?)
}
