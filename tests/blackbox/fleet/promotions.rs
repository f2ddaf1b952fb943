//! A standby is promoted, and the primary of before returns: nobody uses it again. Commits that
//! nobody confirms make a front-end unready.

use std::process::Command;

use serde_json::json;

use super::until;
use crate::backend::{PostgresServer, TestBackend};
use crate::support::{Service, at, points_of, request};

const ROUNDS: usize = 3;

/// A front-end that wants each reading on two servers, in a PostgreSQL of all these servers.
fn front_end(servers: &[PostgresServer]) -> Service {
    let hosts = servers
        .iter()
        .map(|server| format!("127.0.0.1:{}", server.port()));
    let hosts: Vec<String> = hosts.collect();
    let url = servers[0]
        .url("postgres")
        .replace(&hosts[0], &hosts.join(","));
    Service::start_at(TestBackend::at(url), |config| {
        config.store.allow_async = false;
    })
}

/// The time and power of a reading.
fn reading(nth: usize) -> (String, f64) {
    let watts = u32::try_from(nth).unwrap();
    let time = at("2026-01-05T10:00:00").saturating_add_millis(i64::from(watts) * 1_000);
    (time.to_string(), f64::from(watts))
}

fn upload(service: &Service, nth: usize) -> u16 {
    let (time, watts) = reading(nth);
    let answer = service.upload(&json!({"time": time, "watts": watts}));
    if answer.status() != 200 {
        answer.assert_problem(503, "storage_unavailable", "");
    }
    answer.status()
}

fn status(service: &Service, path: &str) -> u16 {
    service.send(&request("GET", path, &[], b"")).status()
}

#[test]
#[ignore = "needs postgres"]
fn postgres_primary_that_returns_after_a_promotion_is_never_used_again() {
    let mut servers = vec![PostgresServer::start(&[])];
    servers.push(servers[0].standby());
    let mut followers = Vec::new();
    let mut count = 0;
    for round in 0..ROUNDS {
        // Those that returned come first.
        let running = front_end(&servers);
        if round == 0 {
            running.register_house();
        }
        let mut other = front_end(&servers);
        let mut upload_next = |service: &Service| {
            until("no upload is accepted", || upload(service, count) == 200);
            count += 1;
        };
        upload_next(&running);
        upload_next(&other);
        let [.., primary, promoted] = &servers[..] else {
            unreachable!()
        };
        primary.kill();
        promoted.promote();
        let next = promoted.standby();
        upload_next(&running);
        primary.start_again();
        // By itself it looks as it should.
        followers.push(primary.standby());
        upload_next(&running);
        other.restart();
        upload_next(&other);
        assert_eq!(status(&other, "/readyz"), 200);
        let expected: Vec<_> = (0..count).map(reading).collect();
        for service in [&running, &other] {
            assert_eq!(service.all_watts(), expected, "in round {round}");
        }
        // Nobody leads there, either.
        let sessions =
            "select count(*) from pg_stat_activity where application_name = 'wattkeeper'";
        until("the old primary is in use", || {
            primary.sql("postgres", sessions) == "0"
        });
        let power = format!("select count(*) from hot where watts >= {}", count - 3);
        assert_eq!(primary.sql("postgres", &power), "0");
        assert_eq!(promoted.sql("postgres", &power), "3");
        drop((running, other));
        servers.push(next);
    }
}

#[test]
#[ignore = "needs postgres"]
fn postgres_promotion_that_a_front_end_did_not_see_is_found_later() {
    let old = PostgresServer::start(&[]);
    let promoted = old.standby();
    let servers = [old, promoted];
    let [old, promoted] = &servers;
    let early = front_end(&servers);
    early.register_house();
    assert_eq!(upload(&early, 0), 200);
    old.kill();
    promoted.promote();
    let _next = promoted.standby();
    until("no upload is accepted", || upload(&early, 1) == 200);
    drop(early);
    // While only the old one is there, nothing tells what it is.
    promoted.stop();
    old.start_again();
    let _follower = old.standby();
    let late = front_end(&servers);
    assert_eq!(late.all_watts(), [reading(0)]);
    promoted.start_again();
    until("it stays with the old primary", || {
        let found = late.result("rate", "2026-01-05", "2026-01-06");
        found.status() == 200 && points_of(&found) == [0, 1].map(reading)
    });
}

#[test]
#[ignore = "needs postgres"]
fn postgres_standby_that_is_paused_makes_a_front_end_unready() {
    // The primary does not notice.
    let primary = PostgresServer::start(&["wal_sender_timeout=0"]);
    let standby = primary.standby();
    let service = front_end(std::slice::from_ref(&primary));
    service.register_house();
    assert_eq!(upload(&service, 0), 200);
    assert_eq!(status(&service, "/readyz"), 200);
    let receiver = standby.sql("postgres", "select pid from pg_stat_wal_receiver");
    let signal = |name: &str| {
        let sent = Command::new("kill").args([name, &receiver]).status();
        assert!(sent.unwrap().success());
    };
    signal("-STOP");
    assert_eq!(upload(&service, 1), 503);
    assert_eq!(status(&service, "/readyz"), 503);
    assert_eq!(status(&service, "/healthz"), 200);
    // Refused before PostgreSQL hears of it.
    assert_eq!(upload(&service, 2), 503);
    signal("-CONT");
    until("it says that it is not ready", || {
        status(&service, "/readyz") == 200
    });
    assert_eq!(upload(&service, 3), 200);
    // Uploads without an answer were stored or not.
    let mut found = service.all_watts();
    found.retain(|it| *it != reading(1));
    assert_eq!(found, [0, 3].map(reading));
}
