//! The tables, and how they come to be: numbered files, each applied once, in order, never back.

use tokio_postgres::Client;

use super::checks;
use super::error::EngineError;
use super::refusal::EngineRefusal;

/// The migrations: the n-th makes version n.
const MIGRATIONS: &[&str] = &[include_str!("migrations/0001_tables.sql")];

/// Holds the version of the schema, in one row.
const VERSIONS: &str = "wattkeeper_schema";

const TABLES: &[&str] = &[
    VERSIONS,
    "records",
    "registry_versions",
    "sensors",
    "activity",
    "hot",
    "blocks",
];

/// Who holds this advisory lock migrates; the number is any.
const LOCK: i64 = 0x7761_7474_6b65_6570;

/// The newest version of the schema that this program knows.
pub(crate) fn newest() -> i32 {
    // There are as many as files.
    i32::try_from(MIGRATIONS.len()).unwrap_or(i32::MAX)
}

/// Checks that the database is ours or empty, and brings its tables up to date: all or nothing.
pub(crate) async fn run(client: &mut Client) -> Result<(), EngineError> {
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
        change
            .batch_execute(&format!(
                "create table {VERSIONS} (version int not null); insert into {VERSIONS} values (0)"
            ))
            .await?;
    }
    let version = format!("select version from {VERSIONS}");
    let Some(version) = change.query_opt(&version, &[]).await? else {
        return Err(EngineRefusal::SomethingElse(format!("{VERSIONS} without a row")).into());
    };
    let found: i32 = version.try_get(0)?;
    let newest = newest();
    if found > newest {
        return Err(EngineRefusal::NewerSchema { found, newest }.into());
    }
    if found == newest {
        return Ok(());
    }
    let done = usize::try_from(found).unwrap_or(0);
    for migration in MIGRATIONS.iter().skip(done) {
        change.batch_execute(migration).await?;
    }
    change
        .execute(&format!("update {VERSIONS} set version = $1"), &[&newest])
        .await?;
    change.commit().await?;
    log::info!("the engine's tables went from version {found} to {newest}");
    Ok(())
}
