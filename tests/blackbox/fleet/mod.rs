//! Front-ends on PostgreSQL: tests beyond those that run with both backends. Each test has a
//! PostgreSQL server of its own, or at least a schema.

mod failover;
mod memory;
mod moving;
mod outage;
mod pressure;
mod promotions;
mod refusals;
mod sealing;
mod together;

use std::thread;
use std::time::{Duration, Instant};

use crate::backend::{PostgresServer, TestBackend};

/// Waits until a condition holds.
#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_mins(2), "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Keeps all from changing a table while `work` is done. `work` gets a function that tells whether
/// somebody waits to change it.
fn while_held<T>(
    backend: &TestBackend,
    table: &str,
    work: impl FnOnce(&dyn Fn() -> bool) -> T,
) -> T {
    let schema = backend.schema();
    sql(&format!("create table {schema}.let_go ()"));
    // It may still be read.
    let hold = format!(
        "do $$ begin lock table {schema}.{table} in exclusive mode; \
        while not exists (select from {schema}.let_go) loop perform pg_sleep(0.01); end loop; end $$"
    );
    let has_lock = |role: &str, is_granted: bool| {
        let count = format!(
            "select count(*) from pg_locks l join pg_stat_activity using (pid) where usename = '{role}' \
            and relation = '{schema}.{table}'::regclass and granted = {is_granted}"
        );
        sql(&count) != "0"
    };
    let done = thread::scope(|scope| {
        scope.spawn(|| sql(&hold));
        let _release = Release(schema);
        until("the table is not held", || has_lock("postgres", true));
        work(&|| has_lock(schema, false))
    });
    sql(&format!("drop table {schema}.let_go"));
    done
}

/// Lets go of what [`while_held`] holds, even if a test fails meanwhile.
struct Release<'a>(&'a str);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        sql(&format!("insert into {}.let_go default values", self.0));
    }
}

/// Asks the PostgreSQL server of all tests, as its superuser.
fn sql(statements: &str) -> String {
    PostgresServer::shared().sql("postgres", statements)
}
