//! Records in PostgreSQL's tables: reading, and changing in a transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, IsolationLevel, Row, Transaction};

use super::database::Postgres;
use super::error::PostgresError;
use crate::store::error::StoreError;
use crate::store::records::{KeyedRecord, Order, RecordChanges, RecordKind, RecordsView};

/// The channel for notifications of changes between front-ends.
pub(crate) const CHANNEL: &str = "wattkeeper_registry";
/// Means all kinds, in the table of versions.
pub(crate) const EVERY_KIND: i16 = 0;

/// The number of past versions whose changed records are known.
const LOGGED_VERSIONS: i64 = 1_000;

/// The version of the records of each kind, by the kind's number; a missing kind never had any.
pub(crate) type Versions = BTreeMap<i16, i64>;

/// Begins a change of records. Nobody else changes any until it ends, so everything it reads stays
/// as it is.
pub(crate) async fn begin(client: &mut Client) -> Result<Transaction<'_>, PostgresError> {
    // Set explicitly, not left to the default of the role: after the wait for the lock, changes of
    // others must be visible.
    let change = client
        .build_transaction()
        .isolation_level(IsolationLevel::ReadCommitted)
        .start()
        .await?;
    let lock = "select version from registry_versions where kind = $1 for update";
    let kind = (&EVERY_KIND as &(dyn ToSql + Sync), Type::INT2);
    if change.query_typed_opt(lock, &[kind]).await?.is_none() {
        let why = "the table registry_versions has no row of kind 0: restore the database";
        return Err(PostgresError::Failed(why.into()));
    }
    Ok(change)
}

/// Begins a transaction that reads records as of one moment.
pub(crate) async fn snapshot(client: &mut Client) -> Result<Transaction<'_>, PostgresError> {
    let builder = client.build_transaction().read_only(true);
    Ok(builder
        .isolation_level(IsolationLevel::RepeatableRead)
        .start()
        .await?)
}

/// Makes new versions after changes of records, given by their kinds and keys, and notifies all
/// front-ends once they are committed.
pub(crate) async fn make_versions(
    change: &Transaction<'_>,
    (kinds, keys): (&[i16], &[&[u8]]),
) -> Result<Versions, PostgresError> {
    let moved: BTreeSet<i16> = kinds.iter().copied().chain([EVERY_KIND]).collect();
    let moved: Vec<i16> = moved.into_iter().collect();
    let grow = "insert into registry_versions as known (kind, version) select unnest($1), 1 \
        on conflict (kind) do update set version = known.version + 1 returning kind, version";
    let rows = change
        .query_typed(grow, &[(&moved, Type::INT2_ARRAY)])
        .await?;
    let versions = versions_of(&rows)?;
    let version = versions.get(&EVERY_KIND).copied().unwrap_or_default();
    let log = "insert into registry_log (version, kind, key) select $1, * from unnest($2, $3)";
    let logged: [(&(dyn ToSql + Sync), Type); 3] = [
        (&version, Type::INT8),
        (&kinds, Type::INT2_ARRAY),
        (&keys, Type::BYTEA_ARRAY),
    ];
    change.execute_typed(log, &logged).await?;
    let forget = "delete from registry_log where version <= $1";
    let forgotten = version - LOGGED_VERSIONS;
    change
        .execute_typed(forget, &[(&forgotten, Type::INT8)])
        .await?;
    change
        .query_typed("select pg_notify($1, '')", &[(&CHANNEL, Type::TEXT)])
        .await?;
    Ok(versions)
}

/// Reads versions from rows.
pub(crate) fn versions_of(rows: &[Row]) -> Result<Versions, PostgresError> {
    let version = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
    rows.iter().map(version).collect()
}

/// A changed record, and its new value; without one it was removed.
pub(crate) type ChangedRecord = (i16, Vec<u8>, Option<Vec<u8>>);

/// Returns the records that changed between two versions of all kinds. `None` if unknown: after too
/// many changes, or after changes made outside of front-ends.
pub(crate) async fn changed_between(
    (known, now): (i64, i64),
    transaction: &Transaction<'_>,
) -> Result<Option<Vec<ChangedRecord>>, PostgresError> {
    let versions = now.saturating_sub(known);
    if !(0..=LOGGED_VERSIONS).contains(&versions) {
        return Ok(None);
    }
    let count = "select count(distinct version) from registry_log where version > $1";
    let known = [(&known as &(dyn ToSql + Sync), Type::INT8)];
    let count: i64 = transaction
        .query_typed_one(count, &known)
        .await?
        .try_get(0)?;
    if count != versions {
        return Ok(None);
    }
    let changed = "select l.kind, l.key, r.value \
        from (select distinct kind, key from registry_log where version > $1) l \
        left join records r on r.kind = l.kind and r.key = l.key";
    let rows = transaction.query_typed(changed, &known).await?;
    let record = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
    rows.iter().map(record).collect::<Result<_, _>>().map(Some)
}

/// Changed records, in columns.
#[derive(Default)]
pub(crate) struct RecordColumns {
    put: (Vec<i16>, Vec<Vec<u8>>, Vec<Vec<u8>>),
    gone: (Vec<i16>, Vec<Vec<u8>>),
}

impl RecordColumns {
    pub(crate) fn of(changes: RecordChanges) -> Self {
        let mut columns = Self::default();
        for (kind, changes) in changes.into_kinds() {
            for (key, value) in changes.into_records() {
                if let Some(value) = value {
                    columns.put.0.push(kind.number());
                    columns.put.1.push(key);
                    columns.put.2.push(value);
                } else {
                    columns.gone.0.push(kind.number());
                    columns.gone.1.push(key);
                }
            }
        }
        columns
    }

    /// Whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.put.0.is_empty() && self.gone.0.is_empty()
    }

    /// The kinds and keys of all changed records.
    pub(crate) fn keys(&self) -> (Vec<i16>, Vec<&[u8]>) {
        let put = self.put.0.iter().zip(&self.put.1);
        let all = put.chain(self.gone.0.iter().zip(&self.gone.1));
        all.map(|(kind, key)| (*kind, &**key)).unzip()
    }

    /// The keys and new values of the records of one kind.
    pub(crate) fn put(&self, kind: RecordKind) -> impl Iterator<Item = (&[u8], &[u8])> {
        let (kinds, keys, values) = &self.put;
        let records = kinds.iter().zip(keys.iter().zip(values));
        let of_kind = records.filter(move |(of, _)| **of == kind.number());
        of_kind.map(|(_, (key, value))| (&**key, &**value))
    }

    /// Writes the records.
    pub(crate) async fn write(&self, change: &Transaction<'_>) -> Result<(), PostgresError> {
        let (kinds, keys, values) = &self.put;
        if !kinds.is_empty() {
            let put = "insert into records (kind, key, value) select * from unnest($1, $2, $3) \
                on conflict (kind, key) do update set value = excluded.value";
            let columns: [(&(dyn ToSql + Sync), Type); 3] = [
                (kinds, Type::INT2_ARRAY),
                (keys, Type::BYTEA_ARRAY),
                (values, Type::BYTEA_ARRAY),
            ];
            change.execute_typed(put, &columns).await?;
        }
        let (kinds, keys) = &self.gone;
        if !kinds.is_empty() {
            let remove = "delete from records using unnest($1, $2) as gone (kind, key) \
                where records.kind = gone.kind and records.key = gone.key";
            let columns: [(&(dyn ToSql + Sync), Type); 2] =
                [(kinds, Type::INT2_ARRAY), (keys, Type::BYTEA_ARRAY)];
            change.execute_typed(remove, &columns).await?;
        }
        Ok(())
    }
}

/// Records as a transaction sees them. Each call waits for PostgreSQL.
pub(crate) struct PostgresRecords<'a> {
    pub(crate) postgres: &'a Postgres,
    pub(crate) transaction: &'a Transaction<'a>,
}

impl RecordsView for PostgresRecords<'_> {
    fn get(&self, kind: RecordKind, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let query = "select value from records where kind = $1 and key = $2";
        self.postgres.wait(async {
            let kind = kind.number();
            let row = self
                .transaction
                .query_typed_opt(query, &[(&kind, Type::INT2), (&key, Type::BYTEA)])
                .await?;
            Ok(row.map(|row| row.try_get(0)).transpose()?)
        })
    }

    fn range(
        &self,
        kind: RecordKind,
        (from, to): (Bound<&[u8]>, Bound<&[u8]>),
        order: Order,
        most: usize,
    ) -> Result<Vec<KeyedRecord>, StoreError> {
        let kind = kind.number();
        // Only a `usize` beyond an `i64` does not fit.
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut query = "select key, value from records where kind = $1".to_owned();
        let mut values: Vec<(&(dyn ToSql + Sync), Type)> = vec![(&kind, Type::INT2)];
        for (bound, included, excluded) in [(&from, ">=", ">"), (&to, "<=", "<")] {
            let (comparison, key) = match bound {
                Bound::Included(key) => (included, key),
                Bound::Excluded(key) => (excluded, key),
                Bound::Unbounded => continue,
            };
            values.push((key, Type::BYTEA));
            query = format!("{query} and key {comparison} ${}", values.len());
        }
        let direction = match order {
            Order::Ascending => "asc",
            Order::Descending => "desc",
        };
        values.push((&most, Type::INT8));
        query = format!("{query} order by key {direction} limit ${}", values.len());
        self.postgres.wait(async {
            let rows = self.transaction.query_typed(&query, &values).await?;
            let record = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
            rows.iter().map(record).collect()
        })
    }
}
