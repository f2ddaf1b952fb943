//! PostgreSQL servers that the service and its commands refuse: each error says what to do, and shows no password.

use super::sql;
use crate::backend::{PostgresServer, TestBackend};
use crate::place::{Place, Run, Serving};
use crate::port::free_port;

const SERVE: &[&str] = &["serve", "--listen", "127.0.0.1:0"];
const LIST: &[&str] = &["account", "list"];
/// Each begins the password of a test's role.
const SECRETS: [&str; 2] = ["of-", "hunter"];

/// A command is refused, with an error that has all these words.
#[track_caller]
fn refused(place: &Place, arguments: &[&str], variables: &[(&str, &str)], words: &[&str]) {
    let mut command = place.command(arguments);
    command.envs(variables.iter().copied());
    let run = Run::of(command, b"");
    let error = run.error();
    for word in words {
        assert!(error.contains(word), "{word:?} is not in {error:?}");
    }
    let all = run.out + &run.err;
    assert!(!SECRETS.iter().any(|secret| all.contains(secret)), "{all}");
}

/// Both the service and a command are.
#[track_caller]
fn both_refused(place: &Place, words: &[&str]) {
    refused(place, SERVE, &[], words);
    refused(place, LIST, &[], words);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_that_acknowledges_alone_is_refused_and_so_is_a_replica() {
    let strict = &[("WATTKEEPER_STORE_ALLOW_ASYNC", "false")];
    let server = PostgresServer::start(&[]);
    let place = Place::at(TestBackend::at(server.url("postgres")));
    let words = [
        "synchronous_standby_names is empty",
        "set up a synchronous standby",
        "store.allow_async = true",
    ];
    for arguments in [SERVE, LIST, &["account", "add", "home"]] {
        refused(&place, arguments, strict, &words);
    }
    let standby = server.standby();
    let serve = |place: &Place| {
        let mut command = place.command(&[&["--json"], SERVE].concat());
        command.envs(strict.iter().copied());
        Serving::start(command)
    };
    let log = serve(&place).stop();
    assert!(!SECRETS.iter().any(|secret| log.contains(secret)), "{log}");
    server.set("synchronous_commit", "local");
    refused(&place, SERVE, strict, &["synchronous_commit is local"]);
    server.set("synchronous_commit", "on");

    let follower = Place::at(TestBackend::at(standby.url("postgres")));
    both_refused(&follower, &["replica", "name the primary"]);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_address_that_is_wrong_is_refused() {
    let at = |url: &str| Place::at(TestBackend::at(url.to_owned()));
    let both = |url: &str, words: &[&str]| both_refused(&at(url), words);
    for url in [
        "mysql://w:hunter2@db/e",
        "postgres://w:hunter2@db:port/e",
        "postgres://w:hunter2@/e",
        "db.lan",
        "postgres://w:hunter2@db/e?sslmode=maybe",
    ] {
        both(url, &["engine"]);
    }
    let port = free_port();
    let closed = format!("postgres://w:hunter2@127.0.0.1:{port}/e?sslmode=disable");
    both(
        &closed,
        &["PostgreSQL does not answer at 127.0.0.1", "store.engine"],
    );
    let backend = TestBackend::postgres();
    let right = backend.url().unwrap();
    both(
        &right.replace(":of-a-test@", ":hunter2@"),
        &["correct the password"],
    );
    both(
        &right.replace(":of-a-test@", "@"),
        &["store.engine_password_file"],
    );
    both(
        &right.replace("/postgres?", "/nothing?"),
        &["no database \"nothing\"", "CREATE DATABASE"],
    );
    both(
        &right.replace("sslmode=disable", "sslmode=verify-full"),
        &["no encrypted connection", "sslmode=disable"],
    );
}

#[test]
#[ignore = "needs postgres"]
fn postgres_database_that_is_empty_or_of_something_else_is_refused() {
    let place = Place::at(TestBackend::postgres());
    let words = ["no store in the database", "wattkeeper serve"];
    for arguments in [LIST, &["backup", "copy"], &["check"], &["energy", "house"]] {
        refused(&place, arguments, &[], &words);
    }
    // The service makes a store.
    place.serve(&[]).stop();
    assert_eq!(place.ok(LIST), "");

    let place = Place::at(TestBackend::postgres());
    sql(&format!(
        "create table {}.invoices (id int)",
        place.backend.schema()
    ));
    both_refused(&place, &["\"invoices\"", "create an empty database"]);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_store_that_may_not_be_used_is_refused() {
    let place = Place::at(TestBackend::postgres());
    place.prepare();
    let interval = &[("WATTKEEPER_STORE_DURABILITY", "5s")];
    for arguments in [SERVE, LIST] {
        let words = ["store.durability", "set store.durability to always"];
        refused(&place, arguments, interval, &words);
    }
    let role = place.backend.schema();
    sql(&format!(
        "alter role {role} set default_transaction_read_only = on"
    ));
    let words = [
        "default_transaction_read_only",
        "make the role the owner of the database",
    ];
    both_refused(&place, &words);
    sql(&format!(
        "alter role {role} reset default_transaction_read_only"
    ));
    assert!(place.ok(LIST).contains("home"));
    sql(&format!("update {role}.wattkeeper_schema set version = 99"));
    both_refused(&place, &["schema 99", "install the version that made it"]);
}
