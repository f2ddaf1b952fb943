//! Health checks by supervisors of the service.

use serde_json::json;

use crate::support::{Connection, HOUR, Service, request};

#[test]
fn a_service_that_takes_uploads_is_healthy_and_ready() {
    for base_path in ["/api/v0.2", "", "/energy"] {
        let service = Service::start_with(|config| config.http.base_path = base_path.to_owned());
        for path in ["/healthz", "/readyz", "/healthz/", "/readyz/"] {
            let answer = service.send(&request("GET", path, &[], b""));
            assert_eq!(answer.status(), 200, "{path}");
            assert_eq!(answer.json(), json!({"status": "ok"}));
        }
    }
}

#[test]
fn a_store_that_takes_nothing_is_neither_healthy_nor_ready() {
    let service = Service::start();
    service.store().close().unwrap();
    for path in ["/healthz", "/readyz"] {
        let answer = service.send(&request("GET", path, &[], b""));
        answer.assert_problem(503, "storage_unavailable", "restarted");
    }
}

#[test]
fn a_service_without_a_clock_is_healthy_but_not_ready() {
    let service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.advance(-HOUR);
    let get = |path: &str| service.send(&request("GET", path, &[], b""));
    assert_eq!(get("/healthz").status(), 200);
    get("/readyz").assert_problem(503, "clock_not_set", "");
    service.clock.advance(HOUR);
    assert_eq!(get("/readyz").status(), 200);
    // A clock that was ahead and is back will be trusted by the next upload.
    service.clock.jump(3 * HOUR);
    service.accept(&json!({"watts": 2}));
    service.clock.jump(-3 * HOUR);
    assert_eq!(get("/readyz").status(), 200);
    service.accept(&json!({"watts": 3}));
}

#[test]
fn health_can_be_asked_for_by_head_and_not_be_posted() {
    let service = Service::start();
    let mut connection = Connection::open(service.address());
    connection.send(&request("HEAD", "/healthz", &[], b""));
    assert_eq!(connection.receive_head().unwrap().status, 200);
    let answer = service.send(&request("POST", "/readyz", &[], b"{}"));
    answer.assert_problem_shape(405);
}
