//! Tests with a real PostgreSQL.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rcgen::generate_simple_self_signed;

use super::database::Postgres;
use super::test_server::PostgresServer;
use super::*;
use crate::store::error::StoreError;
use crate::store::settings::OpenMode;

const CREATE: PostgresPurpose = PostgresPurpose::Use(OpenMode::CreateIfMissing);

fn settings(url: &str) -> PostgresSettings {
    PostgresSettings {
        url: url.parse().unwrap(),
        password_file: None,
        allow_async: true,
        allow_clear_text_password: false,
        connections: 2,
    }
}

/// Returns why PostgreSQL is refused.
fn refused(settings: PostgresSettings) -> String {
    match Postgres::open(settings, CREATE) {
        Err(StoreError::Postgres(why)) => why,
        Err(other) => panic!("not refused for good: {other}"),
        Ok(_) => panic!("not refused"),
    }
}

fn assert_refused(url: &str, words: &[&str]) {
    let why = refused(settings(url));
    for word in words {
        assert!(why.contains(word), "{word:?} is not in {why:?}");
    }
    assert!(!why.contains("secret"), "{why}");
}

#[test]
#[ignore = "needs postgres"]
fn postgres_keeps_tables_of_the_newest_version() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    for url in [server.url(&database), server.socket_url(&database)] {
        let postgres = Postgres::open(settings(&url), CREATE).unwrap();
        postgres.wait(postgres.check()).unwrap();
        let name = "select application_name from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
        assert_eq!(server.sql(&database, name), "wattkeeper");
        drop(postgres);
        // The connection is gone once the server noticed.
        while !server.sql(&database, name).is_empty() {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    assert_eq!(
        server.sql(&database, "select version from wattkeeper_schema"),
        "1"
    );
    assert_eq!(
        server.sql(&database, "select * from registry_versions"),
        "0|0"
    );
    let storage = "select attstorage from pg_attribute where attrelid = 'blocks'::regclass and attname = 'bytes'";
    assert_eq!(server.sql(&database, storage), "e");
}

#[test]
#[ignore = "needs postgres"]
fn postgres_is_prepared_once_by_many_at_the_same_time() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let url = server.url(&database);
    std::thread::scope(|scope| {
        let opened: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| Postgres::open(settings(&url), CREATE).map(drop)))
            .collect();
        for opened in opened {
            opened.join().unwrap().unwrap();
        }
    });
    assert_eq!(
        server.sql(&database, "select * from registry_versions"),
        "0|0"
    );
}

#[test]
#[ignore = "needs postgres"]
fn postgres_that_is_not_there_or_lets_nobody_in_is_named() {
    let server = PostgresServer::shared();
    // Nobody listens on port 1. A port that a listener released could soon belong to another test.
    assert_refused(
        "postgres://w:secret@127.0.0.1:1/e?sslmode=disable",
        &[
            "PostgreSQL does not answer at 127.0.0.1",
            "refused",
            "store.engine",
        ],
    );
    assert_refused(
        "postgres://w:secret@%2Fnowhere/e",
        &["PostgreSQL does not answer at %2Fnowhere:5432", "start it"],
    );
    let url = server.url_of("postgres", "secret", "postgres");
    assert_refused(&url, &["\"postgres\"", "correct the password"]);
    let without = url.replace(":secret@", "@");
    assert_refused(
        &without,
        &[
            "asks \"postgres\" for a password",
            "store.engine_password_file",
        ],
    );
    let url = server.url("nothing");
    assert_refused(&url, &["no database \"nothing\"", "CREATE DATABASE"]);
    let encrypted = server
        .url("postgres")
        .replace("sslmode=disable", "sslmode=verify-full");
    assert_refused(&encrypted, &["no encrypted connection", "sslmode=disable"]);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_proves_its_name_by_a_trusted_certificate() {
    let server = PostgresServer::start(&[]);
    let certificate = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let other = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let cert_file = server.file("server.pem", &certificate.cert.pem());
    let key_file = server.file("server.key", &certificate.signing_key.serialize_pem());
    server.set("ssl_cert_file", cert_file.to_str().unwrap());
    server.set("ssl_key_file", key_file.to_str().unwrap());
    server.set("ssl", "on");
    let dir = tempfile::tempdir().unwrap();
    let ca_file = dir.path().join("ca.pem");
    let url = |host: &str, parameter: &str| {
        let url = server.url("postgres").replace("127.0.0.1", host);
        url.replace("sslmode=disable", parameter)
    };
    let named = format!("sslrootcert={}", ca_file.display());
    assert_refused(&url("localhost", &named), &["ca.pem", "No such file"]);
    std::fs::write(&ca_file, certificate.cert.pem()).unwrap();
    let postgres = Postgres::open(settings(&url("localhost", &named)), CREATE).unwrap();
    let encrypted = "select bool_or(ssl) from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'wattkeeper'";
    assert_eq!(server.sql("postgres", encrypted), "t");
    postgres.wait(postgres.check()).unwrap();
    // The certificate does not name the address.
    let words = ["no encrypted connection", "sslrootcert"];
    assert_refused(&url("127.0.0.1", &named), &words);
    std::fs::write(&ca_file, other.cert.pem()).unwrap();
    assert_refused(&url("localhost", &named), &words);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_password_is_read_from_its_file() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    server.sql(
        "postgres",
        &format!("create role {database} login password 'pass 1'"),
    );
    server.sql(
        "postgres",
        &format!("alter database {database} owner to {database}"),
    );
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("password");
    let open = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let mut settings = settings(&server.url_of(&database, "secret", &database));
        settings.password_file = Some(path.clone());
        Postgres::open(settings, CREATE)
    };
    open("pass 1\n").unwrap();
    let wrong = open("pass 2\n").err().unwrap().to_string();
    assert!(wrong.contains("correct the password") && !wrong.contains("pass 2"));
}

#[test]
#[ignore = "needs postgres"]
fn postgres_database_of_something_else_is_left_alone() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    // Tables of extensions do not count.
    server.sql(&database, "create extension pg_stat_statements");
    Postgres::open(settings(&server.url(&database)), CREATE).unwrap();
    let database = server.create_database();
    server.sql(&database, "create table invoices (id int)");
    let url = server.url(&database);
    assert_refused(&url, &["\"invoices\"", "something else", "empty database"]);
    let tables = "select count(*) from pg_class where relnamespace = 'public'::regnamespace";
    assert_eq!(server.sql(&database, tables), "1");
    // A schema of its own may be empty although others are not.
    server.sql(&database, "create schema energy");
    server.sql(
        "postgres",
        &format!("alter database {database} set search_path = energy"),
    );
    Postgres::open(settings(&url), CREATE).unwrap();
    // Tables that others add to ours later do not matter.
    server.sql(&database, "create table energy.abc (id int)");
    Postgres::open(settings(&url), CREATE).unwrap();
}

#[test]
#[ignore = "needs postgres"]
fn postgres_with_a_newer_schema_is_left_alone() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let url = server.url(&database);
    Postgres::open(settings(&url), CREATE).unwrap();
    server.sql(&database, "update wattkeeper_schema set version = 99");
    assert_refused(
        &url,
        &[
            "schema 99",
            "up to schema 1",
            "install the version that made it",
        ],
    );
    // An older one is for the service to migrate, not for a command.
    server.sql(&database, "update wattkeeper_schema set version = 0");
    let command = PostgresPurpose::Use(OpenMode::Existing);
    let why = Postgres::open(settings(&url), command).err().unwrap();
    let why = why.to_string();
    assert!(why.contains("start the service of version"), "{why}");
    server.sql(&database, "delete from wattkeeper_schema");
    assert_refused(&url, &["wattkeeper_schema without a row"]);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_migration_lets_others_pass_while_tables_are_in_use() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let url = server.url(&database);
    let report = Postgres::open(settings(&url), CREATE).unwrap();
    let reading = report.wait(report.connection()).unwrap();
    let begin = "begin; lock table hot in access share mode";
    let locked = async { Ok(reading.batch_execute(begin).await?) };
    report.wait(locked).unwrap();
    let migration = std::thread::spawn({
        let url = url.clone();
        move || {
            let postgres = Postgres::open(settings(&url), CREATE).unwrap();
            let migrated = async {
                let mut client = postgres.connection().await?;
                let mut change = client.transaction().await?;
                migrate::apply(&mut change, "alter table hot add column more int").await?;
                Ok(change.commit().await?)
            };
            postgres.wait(migrated).unwrap();
        }
    });
    let waiting = "select count(*) from pg_locks where not granted and relation = 'hot'::regclass";
    while server.sql(&database, waiting) == "0" {
        std::thread::sleep(Duration::from_millis(10));
    }
    // Behind the migration, which waits for the report.
    assert_eq!(server.sql(&database, "select count(*) from hot"), "0");
    assert!(!migration.is_finished());
    report
        .wait(async { Ok(reading.batch_execute("commit").await?) })
        .unwrap();
    migration.join().unwrap();
    assert_eq!(server.sql(&database, "select count(more) from hot"), "0");
}

#[test]
#[ignore = "needs postgres"]
fn postgres_role_that_only_reads_is_refused() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let role = format!("reader_of_{database}");
    server.sql(
        "postgres",
        &format!("create role {role} login password 'secret'"),
    );
    let url = server.url_of(&role, "secret", &database);
    // In an empty database.
    assert_refused(&url, &["may not create tables", "owner of the database"]);
    // In our database.
    Postgres::open(settings(&server.url(&database)), CREATE).unwrap();
    server.sql(
        &database,
        &format!("grant select on all tables in schema public to {role}"),
    );
    assert_refused(&url, &["lacks rights on the table activity"]);
    // Through a setting.
    server.sql(
        &database,
        &format!("grant all on all tables in schema public to {role}"),
    );
    Postgres::open(settings(&url), CREATE).unwrap();
    server.sql(
        "postgres",
        &format!("alter role {role} set default_transaction_read_only = on"),
    );
    assert_refused(&url, &["default_transaction_read_only"]);
    // Through a missing right to connect.
    server.sql(
        "postgres",
        &format!("revoke connect on database {database} from public"),
    );
    assert_refused(&url, &["rejects", "permission denied", "grant"]);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_with_texts_in_another_encoding_is_refused() {
    let server = PostgresServer::shared();
    server.sql(
        "postgres",
        "create database latin encoding 'LATIN1' template template0",
    );
    assert_refused(&server.url("latin"), &["LATIN1", "ENCODING 'UTF8'"]);
}

#[test]
#[ignore = "needs postgres"]
fn postgres_that_may_forget_is_refused() {
    let server = PostgresServer::start(&[]);
    let url = server.url("postgres");
    let strict = || PostgresSettings {
        allow_async: false,
        allow_clear_text_password: false,
        ..settings(&url)
    };
    let alone = refused(strict());
    assert!(
        alone.contains("synchronous_standby_names is empty"),
        "{alone}"
    );
    assert!(alone.contains("store.allow_async = true"), "{alone}");
    Postgres::open(settings(&url), CREATE).unwrap();
    let standby = server.standby();
    Postgres::open(strict(), CREATE).unwrap();
    standby.kill();
    let without = refused(strict());
    assert!(
        without.contains("standby that is not connected"),
        "{without}"
    );
    standby.start_again();
    while Postgres::open(strict(), CREATE).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    for commit in ["off", "local"] {
        server.set("synchronous_commit", commit);
        let hasty = refused(strict());
        assert!(
            hasty.contains(&format!("synchronous_commit is {commit}")),
            "{hasty}"
        );
    }
    server.set("synchronous_commit", "on");
    assert_refused(&standby.url("postgres"), &["replica", "primary"]);
    // An address with both servers finds whichever is the primary.
    let both = format!(
        "postgres://postgres:of-the-tests@127.0.0.1:{},127.0.0.1:{}/postgres?sslmode=disable",
        standby.port(),
        server.port()
    );
    let postgres = Postgres::open(settings(&both), CREATE).unwrap();
    postgres.wait(postgres.check()).unwrap();
    server.kill();
    assert!(matches!(
        postgres.wait(postgres.check()),
        Err(StoreError::NotForNow(_))
    ));
    standby.promote();
    until_ready(&postgres);
    // The error is about the new primary, not about the old one, which is gone.
    let both = both.replace(
        &format!("{},127.0.0.1:{}", standby.port(), server.port()),
        &format!("{},127.0.0.1:{}", server.port(), standby.port()),
    );
    let promoted = refused(PostgresSettings {
        allow_async: false,
        allow_clear_text_password: false,
        ..settings(&both)
    });
    assert!(
        promoted.contains("synchronous_standby_names is empty"),
        "{promoted}"
    );
    standby.set("fsync", "off");
    assert_refused(&standby.url("postgres"), &["fsync = off", "power cut"]);
}

/// Waits until PostgreSQL answers; until then only temporary errors are allowed.
fn until_ready(postgres: &Postgres) {
    while let Err(error) = postgres.wait(postgres.check()) {
        assert!(matches!(error, StoreError::NotForNow(_)), "{error}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "needs postgres"]
fn postgres_may_go_and_come_back() {
    let server = PostgresServer::start(&[]);
    let postgres = Postgres::open(settings(&server.url("postgres")), CREATE).unwrap();
    for _ in 0..2 {
        postgres.wait(postgres.check()).unwrap();
        server.stop();
        for _ in 0..3 {
            let away = postgres.wait(postgres.check()).unwrap_err();
            assert!(matches!(away, StoreError::NotForNow(_)), "{away}");
        }
        server.start_again();
        until_ready(&postgres);
        server.kill();
        assert!(matches!(
            postgres.wait(postgres.check()),
            Err(StoreError::NotForNow(_))
        ));
        server.start_again();
        until_ready(&postgres);
    }
}

#[test]
#[ignore = "needs postgres"]
fn postgres_connections_are_used_again_unless_a_call_broke_off() {
    let server = PostgresServer::shared();
    let database = server.create_database();
    let postgres = Arc::new(Postgres::open(settings(&server.url(&database)), CREATE).unwrap());
    let pid = |give_back: bool| {
        let answer = postgres.wait(async {
            let client = postgres.connection().await?;
            let pid: i32 = client
                .query_one("select pg_backend_pid()", &[])
                .await?
                .try_get(0)?;
            if give_back {
                client.give_back();
            }
            Ok(pid)
        });
        answer.unwrap()
    };
    let first = pid(true);
    assert_eq!(pid(true), first);
    assert_eq!(pid(false), first);
    let second = pid(true);
    assert_ne!(second, first);
    // Two connections may be in use at once; a third caller waits for one.
    let (a, b) = postgres
        .wait(async { Ok((postgres.connection().await?, postgres.connection().await?)) })
        .unwrap();
    let waiting = {
        let postgres = Arc::clone(&postgres);
        std::thread::spawn(move || postgres.wait(postgres.check()))
    };
    std::thread::sleep(Duration::from_millis(50));
    assert!(!waiting.is_finished());
    a.give_back();
    waiting.join().unwrap().unwrap();
    drop(b);
    // An async caller on a runtime of its own.
    let other = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    other.block_on(async {
        let (a, b) = (
            postgres.connection().await.unwrap(),
            postgres.connection().await.unwrap(),
        );
        a.simple_query("select 1").await.unwrap();
        b.simple_query("select 1").await.unwrap();
    });
}

#[test]
#[ignore = "needs postgres"]
fn postgres_servers_of_tests_leave_nothing_behind() {
    let server = PostgresServer::start(&[]);
    let url = server.socket_url("postgres");
    let folder = url.split_once('@').unwrap().1.split_once(':').unwrap().0;
    let folder = folder.replace("%2F", "/");
    assert!(Path::new(&folder).exists());
    drop(server);
    assert!(!Path::new(&folder).exists());
}
