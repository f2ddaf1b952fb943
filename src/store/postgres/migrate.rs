//! The tables, and how they come to be: numbered files, each applied once, in order, never back.

use tokio_postgres::{Client, Transaction};

use super::checks;
use super::error::PostgresError;
use super::refusal::PostgresRefusal;
use crate::store::settings::OpenMode;

/// The migrations: the n-th makes version n.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_tables.sql")];

/// Holds the version of the schema, in one row.
const VERSIONS: &str = "wattkeeper_schema";

const TABLES: &[&str] = &[
    VERSIONS,
    "records",
    "registry_versions",
    "registry_log",
    "sensors",
    "activity",
    "hot",
    "blocks",
];

/// Deletes all but the tables. Copies of what was registered become old by it.
const EMPTY: &str = "truncate records, registry_log, sensors, activity, hot, blocks; update registry_versions set version = version + 1";

/// Who holds this advisory lock migrates; the number is any.
const LOCK: i64 = 0x7761_7474_6b65_6570;

/// What the database is opened for, which decides what it may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PostgresPurpose {
    /// To use the store in it.
    Use(OpenMode),
    /// To restore a backup into it: there must be no store yet, but for what is left of a restore that was broken off.
    Restore,
}

/// The newest version of the schema that this program knows.
pub(crate) fn newest() -> i32 {
    // There are as many as files.
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// Checks that the database is ours or empty, and fit for `purpose`, and brings its tables up to date: all or nothing.
pub(crate) async fn run(
    client: &mut Client,
    purpose: PostgresPurpose,
) -> Result<(), PostgresError> {
    let change = client.transaction().await?;
    // Changes of large tables take longer than a call may, and so does waiting for another front-end that makes them.
    change
        .batch_execute("set local statement_timeout = 0; set local lock_timeout = 0")
        .await?;
    change
        .query_one("select pg_advisory_xact_lock($1)", &[&LOCK])
        .await?;
    checks::of_database(&change, VERSIONS, TABLES).await?;
    let is_new: bool = change
        .query_one("select to_regclass($1) is null", &[&VERSIONS])
        .await?
        .try_get(0)?;
    if is_new {
        if purpose == PostgresPurpose::Use(OpenMode::Existing) {
            return Err(PostgresRefusal::NoStore.into());
        }
        let make = format!(
            "create table {VERSIONS} (version int not null, is_restoring bool not null); insert into {VERSIONS} values (0, false)"
        );
        change.batch_execute(&make).await?;
    }
    let version = format!("select version, is_restoring from {VERSIONS}");
    let Some(version) = change.query_opt(&version, &[]).await? else {
        return Err(PostgresRefusal::SomethingElse(format!("{VERSIONS} without a row")).into());
    };
    let (found, is_restoring): (i32, bool) = (version.try_get(0)?, version.try_get(1)?);
    let newest = newest();
    if found > newest {
        return Err(PostgresRefusal::NewerSchema { found, newest }.into());
    }
    let done = usize::try_from(found).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(done) {
        change.batch_execute(migration).await?;
    }
    if found < newest {
        // Only then: a commit that writes waits for a standby, and whoever only reads need not.
        let write = format!("update {VERSIONS} set version = $1");
        change.execute(&write, &[&newest]).await?;
    }
    match purpose {
        PostgresPurpose::Restore => begin_restore(&change, is_restoring).await?,
        PostgresPurpose::Use(_) if is_restoring => return Err(PostgresRefusal::Restoring.into()),
        PostgresPurpose::Use(_) => {}
    }
    change.commit().await?;
    if found < newest {
        log::info!("PostgreSQL's tables went from version {found} to {newest}");
    }
    Ok(())
}

/// Marks the database, which holds nothing from then on, so that it is not used until [`end_restore`].
async fn begin_restore(change: &Transaction<'_>, is_restoring: bool) -> Result<(), PostgresError> {
    let is_used: bool = change
        .query_one("select exists (select from records)", &[])
        .await?
        .try_get(0)?;
    if is_used && !is_restoring {
        return Err(PostgresRefusal::NotEmpty.into());
    }
    change
        .batch_execute(&format!(
            "{EMPTY}; update {VERSIONS} set is_restoring = true"
        ))
        .await?;
    Ok(())
}

/// The store in the database may be used from now on; without `is_whole`, what was restored is deleted first.
pub(crate) async fn end_restore(client: &mut Client, is_whole: bool) -> Result<(), PostgresError> {
    let change = client.transaction().await?;
    if !is_whole {
        change.batch_execute(EMPTY).await?;
    }
    let write = format!("update {VERSIONS} set is_restoring = false");
    change.batch_execute(&write).await?;
    change.commit().await?;
    Ok(())
}
