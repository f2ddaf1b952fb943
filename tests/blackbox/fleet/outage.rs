//! PostgreSQL is away for a while, and comes back: the service needs no restart.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use super::until;
use crate::backend::{PostgresServer, TestBackend};
use crate::support::{Service, request};

#[test]
#[ignore = "needs postgres"]
fn postgres_that_is_away_for_a_minute_is_told_and_then_all_is_well() {
    let server = PostgresServer::start(&[]);
    let service = Service::start_at(TestBackend::at(server.url("postgres")), |_| {});
    service.register_house();
    let get = |path: &str| service.send(&request("GET", path, &[], b""));
    let time = |second: u64| format!("2026-01-05T10:00:{second:02}.000Z");
    let upload = |second: u64| service.upload(&json!({"time": time(second), "watts": second}));
    upload(0).assert_json(r#"{"accepted":1}"#);
    assert_eq!(get("/readyz").status(), 200);

    server.stop();
    let begun = Instant::now();
    until("it says that it is ready", || {
        get("/readyz").status() == 503
    });
    while begun.elapsed() < Duration::from_mins(1) {
        for answer in [upload(1), get("/readyz"), service.ask("type=latest_rate")] {
            answer.assert_problem(503, "storage_unavailable", "");
            let wait = answer.head.header("retry-after").unwrap();
            assert!(wait.parse::<u32>().unwrap() > 0);
        }
        assert_eq!(get("/healthz").status(), 200);
        thread::sleep(Duration::from_secs(2));
    }

    server.start_again();
    until("no upload is accepted", || upload(2).status() == 200);
    until("it says that it is not ready", || {
        get("/readyz").status() == 200
    });
    upload(3).assert_json(r#"{"accepted":1}"#);
    let watts = |second: u64| f64::from(u32::try_from(second).unwrap());
    let kept = [0, 2, 3].map(|second| (time(second), watts(second)));
    assert_eq!(service.all_watts(), kept);
    // Changes of sensors and accounts, too.
    service.add_key("home", "later-id", wattkeeper::Scope::Full);
    service.revoke_key("later-id");
}
