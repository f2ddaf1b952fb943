//! Migrations of the tables: numbered files, each applied once, in order, never backwards.

use std::time::Duration;

use tokio::time::sleep;
use tokio_postgres::error::SqlState;
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

/// Empties the tables. Also makes the front-ends' copies of the registry outdated.
const EMPTY: &str = "truncate records, registry_log, sensors, activity, hot, blocks; update registry_versions set version = version + 1";

/// The advisory lock held while migrating; an arbitrary number.
const LOCK: i64 = 0x7761_7474_6b65_6570;

/// How long a migration waits for tables that are in use, and then for its next try. Whoever needs the tables
/// waits behind it: uploads must not wait as long as somebody's report.
const USED_WITHIN: &str = "set local lock_timeout = '3s'";
const TRY_AGAIN_AFTER: Duration = Duration::from_secs(2);

/// The purpose of opening the database, which decides what it may contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PostgresPurpose {
    /// Using the store in it.
    Use(OpenMode),
    /// Restoring a backup into it: it must contain no store, except the remains of an interrupted
    /// restore.
    Restore,
}

/// Returns the newest version of the schema that this program knows.
pub(crate) fn newest() -> i32 {
    // As many as there are files.
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// Checks that no newer version has migrated the tables meanwhile: this one might take its records
/// for damaged ones.
pub(crate) async fn check_known(client: &Client) -> Result<(), PostgresError> {
    let version = format!("select version from {VERSIONS}");
    let rows = client.query_typed(&version, &[]).await?;
    let found = rows.first().map(|row| row.try_get(0)).transpose()?;
    refuse_newer(found.unwrap_or_default())
}

fn refuse_newer(found: i32) -> Result<(), PostgresError> {
    let newest = newest();
    if found > newest {
        return Err(PostgresRefusal::NewerSchema { found, newest }.into());
    }
    Ok(())
}

/// Checks that the database is ours or empty, and fit for `purpose`, and migrates its tables: all
/// or nothing.
pub(crate) async fn run(
    client: &mut Client,
    purpose: PostgresPurpose,
) -> Result<(), PostgresError> {
    let mut change = client.transaction().await?;
    // Migrating large tables exceeds the statement timeout, and so does waiting for another
    // front-end that migrates.
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
    refuse_newer(found)?;
    let newest = newest();
    if found < newest && purpose == PostgresPurpose::Use(OpenMode::Existing) {
        // A command must not stop the front-ends of an older version that run.
        return Err(PostgresRefusal::OlderSchema { found, newest }.into());
    }
    let done = usize::try_from(found).unwrap_or(0);
    if found < newest {
        apply(
            &mut change,
            &MIGRATIONS.get(done..).unwrap_or_default().join(";\n"),
        )
        .await?;
        // `apply` has set it until the commit.
        change.batch_execute("set local lock_timeout = 0").await?;
        // Only if needed: a commit that writes waits for a standby, a commit that only reads does
        // not.
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
        log::info!("migrated the schema from version {found} to {newest}");
    }
    Ok(())
}

/// Applies migrations, once their tables are free.
pub(super) async fn apply(
    change: &mut Transaction<'_>,
    migrations: &str,
) -> Result<(), PostgresError> {
    let mut is_told = false;
    loop {
        // Going back to its start frees the tables, and keeps other front-ends from migrating.
        let one = change.transaction().await?;
        one.batch_execute(USED_WITHIN).await?;
        match one.batch_execute(migrations).await {
            Ok(()) => return Ok(one.commit().await?),
            Err(error) if is_in_the_way(&error) => {
                one.rollback().await?;
            }
            Err(error) => return Err(error.into()),
        }
        if !std::mem::replace(&mut is_told, true) {
            log::warn!("the tables are in use; their migration waits until they are free");
        }
        sleep(TRY_AGAIN_AFTER).await;
    }
}

/// Whether others had the tables: for long, or while they waited for tables of the migration.
fn is_in_the_way(error: &tokio_postgres::Error) -> bool {
    let others = [
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::T_R_DEADLOCK_DETECTED,
    ];
    error.code().is_some_and(|code| others.contains(code))
}

/// Empties and marks the database, so that nobody uses it until [`end_restore`].
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

/// Releases the database for use. Unless `is_whole`, first deletes the restored data.
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
