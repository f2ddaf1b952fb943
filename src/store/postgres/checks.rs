//! Checks that a server keeps acknowledged data, and that the database belongs to wattkeeper.

use tokio_postgres::{Client, GenericClient};

use super::error::PostgresError;
use super::refusal::{OLDEST_VERSION, PostgresRefusal};
use super::standbys::SyncStandbys;

/// Facts that a server reports about itself. Settings that a server does not have are `None`, as
/// with databases that only speak PostgreSQL's protocol.
#[derive(Debug)]
struct ServerFacts {
    version: i32,
    version_text: String,
    is_replica: bool,
    is_read_only: bool,
    encoding: String,
    fsync: Option<String>,
    commit: Option<String>,
    standbys: Option<String>,
}

const FACTS: &str = "select current_setting('server_version_num')::int, current_setting('server_version'), \
    pg_is_in_recovery(), current_setting('transaction_read_only') = 'on', current_setting('server_encoding'), \
    current_setting('fsync', true), current_setting('synchronous_commit', true), \
    current_setting('synchronous_standby_names', true), to_regclass('pg_catalog.pg_dist_node') is not null";

/// The names of the servers that follow this one. Any role may see these, but not whether a commit
/// waits for them.
const FOLLOWERS: &str =
    "select application_name from pg_stat_replication where application_name is not null";

/// The timeline of a server: each promotion begins one with the next number. The names of a
/// primary's log files contain it.
const TIMELINE: &str = "select case when pg_is_in_recovery() then (select timeline_id from pg_control_checkpoint()) \
    else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end";

/// The problems of the servers that Citus distributes readings to; no row for a fit one. A missing
/// standby is a problem unless `$1` says otherwise.
const UNFIT_WORKER: &str = "select nodename, nodeport, success, result from run_command_on_workers($$ \
    select case when current_setting('fsync') = 'off' then 'fsync is off' \
    when current_setting('synchronous_standby_names') = '' then 'synchronous_standby_names is empty' \
    when current_setting('synchronous_commit') in ('off', 'local') \
    then 'synchronous_commit is ' || current_setting('synchronous_commit') else '' end $$) \
    where not success or result = 'fsync is off' or (result <> '' and not $1) limit 1";

/// Checks the server at the other end of a connection; repeatedly, because another one may have
/// become the primary. Returns whether Citus distributes readings over other servers; those are
/// checked, too.
pub(crate) async fn of_server(client: &Client, allow_async: bool) -> Result<bool, PostgresError> {
    let row = client.query_one(FACTS, &[]).await?;
    let facts = ServerFacts {
        version: row.try_get(0)?,
        version_text: row.try_get(1)?,
        is_replica: row.try_get(2)?,
        is_read_only: row.try_get(3)?,
        encoding: row.try_get(4)?,
        fsync: row.try_get(5)?,
        commit: row.try_get(6)?,
        standbys: row.try_get(7)?,
    };
    let is_spread: bool = row.try_get(8)?;
    let waits_for = facts.standbys.clone().filter(|_| !allow_async);
    if let Some(no) = facts.refusal(allow_async) {
        return Err(no.into());
    }
    if let Some(waits_for) = waits_for {
        of_standbys(client, waits_for).await?;
    }
    if is_spread {
        of_workers(client, allow_async).await?;
    }
    Ok(is_spread)
}

/// Checks that the standbys that a commit waits for are connected.
async fn of_standbys(client: &Client, waits_for: String) -> Result<(), PostgresError> {
    let Some(standbys) = SyncStandbys::parse(&waits_for) else {
        return Ok(());
    };
    let rows = client.query(FOLLOWERS, &[]).await?;
    let connected = rows.iter().map(|row| row.try_get(0));
    let connected: Vec<String> = connected.collect::<Result<_, _>>()?;
    if standbys.are_among(&connected) {
        return Ok(());
    }
    Err(PostgresRefusal::StandbyAway {
        waits_for,
        connected,
    }
    .into())
}

/// The timeline of a server, 0 for servers without timelines; and whether it is a primary.
pub(crate) async fn place_of(client: &Client) -> Result<(u32, bool), PostgresError> {
    let is_primary = client.query_one("select not pg_is_in_recovery()", &[]);
    let is_primary: bool = is_primary.await?.try_get(0)?;
    let timeline: i32 = match client.query_one(TIMELINE, &[]).await {
        // The server does not know this function.
        Err(error) if error.as_db_error().is_some() => 0,
        row => row?.try_get(0)?,
    };
    Ok((timeline.cast_unsigned(), is_primary))
}

async fn of_workers(client: &Client, allow_async: bool) -> Result<(), PostgresError> {
    let Some(worker) = client.query_opt(UNFIT_WORKER, &[&allow_async]).await? else {
        return Ok(());
    };
    let (name, port): (String, i32) = (worker.try_get(0)?, worker.try_get(1)?);
    let (answered, said): (bool, String) = (worker.try_get(2)?, worker.try_get(3)?);
    let worker = format!("the worker {name}:{port}");
    if !answered {
        return Err(PostgresError::Away(format!(
            "{worker} does not answer: {said}"
        )));
    }
    Err(match said.as_str() {
        "fsync is off" => PostgresRefusal::NoFsync,
        _ => PostgresRefusal::Asynchronous(format!("{worker}: {said}")),
    }
    .into())
}

impl ServerFacts {
    fn refusal(self, allow_async: bool) -> Option<PostgresRefusal> {
        if self.version < OLDEST_VERSION * 10_000 {
            return Some(PostgresRefusal::TooOld(self.version_text));
        }
        // Before the others: a replica is read-only, too.
        if self.is_replica {
            return Some(PostgresRefusal::Replica);
        }
        if self.is_read_only {
            let why = "its transactions are read-only (default_transaction_read_only)";
            return Some(PostgresRefusal::ReadOnly(why.into()));
        }
        if self.encoding != "UTF8" {
            return Some(PostgresRefusal::Encoding(self.encoding));
        }
        if self.fsync.as_deref() == Some("off") {
            return Some(PostgresRefusal::NoFsync);
        }
        if allow_async {
            return None;
        }
        let standbys = self.standbys.unwrap_or_default();
        if standbys.trim().is_empty() {
            return Some(PostgresRefusal::Asynchronous(
                "synchronous_standby_names is empty".into(),
            ));
        }
        match self.commit.as_deref() {
            Some(commit @ ("off" | "local")) => Some(PostgresRefusal::Asynchronous(format!(
                "synchronous_commit is {commit}"
            ))),
            _ => None,
        }
    }
}

/// The first table in the current schema, not counting those of extensions: our table of versions
/// if it exists, otherwise any other table.
const FIRST_TABLE: &str = "select c.relname::text from pg_class c \
    where c.relnamespace = (select oid from pg_namespace where nspname = current_schema()) \
    and c.relkind in ('r', 'p', 'v', 'm', 'f') \
    and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e') \
    order by c.relname = $1 desc, c.relname limit 1";

/// One of our tables that the role may not fully use.
const CLOSED_TABLE: &str = "select c.relname::text from pg_class c \
    where c.oid = any (select to_regclass(name) from unnest($1::text[]) name) \
    and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert') \
    and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete')) \
    order by c.relname limit 1";

/// Checks that the database is ours or empty, and writable. `versions` is the table that shows it
/// to be ours; `tables` are all of our tables.
pub(crate) async fn of_database(
    client: &impl GenericClient,
    versions: &str,
    tables: &[&str],
) -> Result<(), PostgresError> {
    let first = client.query_opt(FIRST_TABLE, &[&versions]).await?;
    let first: Option<String> = first.map(|row| row.try_get(0)).transpose()?;
    match first {
        Some(table) if table != versions => Err(PostgresRefusal::SomethingElse(table).into()),
        Some(_) => {
            let closed = client.query_opt(CLOSED_TABLE, &[&tables]).await?;
            let closed: Option<String> = closed.map(|row| row.try_get(0)).transpose()?;
            closed.map_or(Ok(()), |table| {
                let why = format!("it lacks rights on the table {table}");
                Err(PostgresRefusal::ReadOnly(why).into())
            })
        }
        None => {
            let may_create =
                "select coalesce(has_schema_privilege(current_schema(), 'create'), false)";
            let may_create: bool = client.query_one(may_create, &[]).await?.try_get(0)?;
            if may_create {
                return Ok(());
            }
            let why = "it may not create tables in a schema of its search_path";
            Err(PostgresRefusal::ReadOnly(why.into()).into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> ServerFacts {
        ServerFacts {
            version: 150_018,
            version_text: "15.18".into(),
            is_replica: false,
            is_read_only: false,
            encoding: "UTF8".into(),
            fsync: Some("on".into()),
            commit: Some("on".into()),
            standbys: Some("ANY 1 (a, b)".into()),
        }
    }

    fn refused(change: impl FnOnce(&mut ServerFacts)) -> Option<PostgresRefusal> {
        let mut facts = facts();
        change(&mut facts);
        facts.refusal(false)
    }

    #[test]
    fn a_server_is_fit_or_says_why_not() {
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|it| it.commit = Some("remote_apply".into())), None);
        let old = refused(|it| it.version = 130_022);
        assert!(matches!(old, Some(PostgresRefusal::TooOld(_))));
        let replica = refused(|it| (it.is_replica, it.is_read_only) = (true, true));
        assert_eq!(replica, Some(PostgresRefusal::Replica));
        for commit in ["off", "local"] {
            let said = refused(|it| it.commit = Some(commit.into())).unwrap();
            assert!(said.to_string().contains(commit), "{said}");
        }
        let alone = refused(|it| it.standbys = Some(" ".into()));
        assert!(matches!(alone, Some(PostgresRefusal::Asynchronous(_))));
        // A database without these settings has replication of its own, which cannot be judged
        // here.
        let other = refused(|it| (it.standbys, it.commit, it.fsync) = (None, None, None));
        assert!(matches!(other, Some(PostgresRefusal::Asynchronous(_))));
    }

    #[test]
    fn loss_may_be_accepted_but_not_damage() {
        let mut alone = facts();
        alone.standbys = None;
        assert_eq!(alone.refusal(true), None);
        let mut careless = facts();
        careless.fsync = Some("off".into());
        assert_eq!(careless.refusal(true), Some(PostgresRefusal::NoFsync));
    }
}
