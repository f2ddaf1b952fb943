//! Too many failed sign-ins, and too many requests where that is limited.

use std::net::Ipv4Addr;

use serde_json::json;
use wattkeeper::HttpConfig;

use crate::pages::browser::Browser;
use crate::support::{
    API_ID, Connection, ELEC, RIGHT, Response, SENSOR, Service, WRONG, basic, both_as, download_as,
    house_basic, request, upload_as,
};

/// Shows a wrong key until the answer is 429; returns that answer.
fn fail_until_locked(service: &Service, api_id: &str) -> Response {
    for _ in 0..50 {
        let answer = download_as(service, Some((api_id, "wr0ng-key")), None);
        if answer.status() == 429 {
            return answer;
        }
        answer.assert_problem(401, "bad_credentials", "");
    }
    panic!("fifty failures, and never 429");
}

#[test]
fn too_many_failures_have_to_wait() {
    let service = Service::start();
    let answer = fail_until_locked(&service, API_ID);
    answer.assert_problem_shape(429);
    let wait: u64 = answer.head.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=3600).contains(&wait), "{wait}");
    // Uploads and other ways to show a key are counted with them.
    upload_as(&service, WRONG, None).assert_problem_shape(429);
    upload_as(&service, None, Some(&basic(API_ID, "wr0ng-key"))).assert_problem_shape(429);
}

#[test]
fn failures_lock_nobody_else_out() {
    let service = Service::start();
    fail_until_locked(&service, API_ID);
    // Right credentials always pass.
    for answer in both_as(&service, RIGHT, None) {
        assert_eq!(answer.status(), 200, "{}", answer.text());
    }
    // Other ids from the same address, and the same id from another address.
    for answer in both_as(&service, Some(("another-id", "wr0ng-key")), None) {
        answer.assert_problem(401, "bad_credentials", "");
    }
    let target =
        format!("{ELEC}?sensor_id={SENSOR}&type=latest_rate&api_id={API_ID}&api_key=wr0ng-key");
    let mut elsewhere = Connection::open_from(Ipv4Addr::new(127, 0, 0, 2), service.address());
    let answer = elsewhere.exchange(&request("GET", &target, &[], b""));
    answer.assert_problem(401, "bad_credentials", "");
    download_as(&service, WRONG, None).assert_problem_shape(429);
}

#[test]
fn right_credentials_and_bad_requests_are_no_failures() {
    let service = Service::start_with(|config| config.http.failed_sign_ins_per_minute = 2);
    for _ in 0..10 {
        for answer in both_as(&service, RIGHT, None) {
            assert_eq!(answer.status(), 200, "{}", answer.text());
        }
        service
            .ask("type=nonsense")
            .assert_problem(400, "unknown_type", "");
        let foreign = service.upload(&json!({"sensor_id": "no-such-sensor", "watts": 1}));
        foreign.assert_problem(403, "sensor_not_authorized", "");
    }
    download_as(&service, WRONG, None).assert_problem(401, "bad_credentials", "");
}

/// Requests with a wrong key that name another address each.
fn forwarded_failures(service: &Service) -> Vec<u16> {
    let target =
        format!("{ELEC}?sensor_id={SENSOR}&type=latest_rate&api_id={API_ID}&api_key=wr0ng-key");
    let send = |client: &str| {
        let headers = [("X-Forwarded-For", client)];
        service
            .send(&request("GET", &target, &headers, b""))
            .status()
    };
    (1..=20).map(|n| send(&format!("192.0.2.{n}"))).collect()
}

#[test]
fn a_forwarded_address_is_believed_from_trusted_proxies_only() {
    let few = |http: &mut HttpConfig| http.failed_sign_ins_per_minute = 2;
    let service = Service::start_with(|config| few(&mut config.http));
    assert_eq!(forwarded_failures(&service).last(), Some(&429));
    let service = Service::start_with(|config| {
        few(&mut config.http);
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    assert_eq!(forwarded_failures(&service), [401; 20]);
}

#[test]
fn requests_can_be_limited_and_are_not_by_default() {
    let service = Service::start_with(|config| config.http.requests_per_minute = 5);
    let mut statuses: Vec<u16> = (0..20)
        .map(|_| download_as(&service, RIGHT, None).status())
        .collect();
    let answer = download_as(&service, RIGHT, None);
    answer.assert_problem_shape(429);
    let wait: u64 = answer.head.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(statuses[..5], [200; 5]);
    statuses.dedup();
    assert_eq!(statuses, [200, 429]);

    let service = Service::start();
    let mut connection = Connection::open(service.address());
    let target =
        format!("{ELEC}?sensor_id={SENSOR}&type=rate&start_time=2026-01-05&end_time=2026-01-06");
    let headers = [("Authorization", &*house_basic())];
    for _ in 0..500 {
        let answer = connection.exchange(&request("GET", &target, &headers, b""));
        assert_eq!(answer.status(), 200);
    }
}

#[test]
fn pages_metrics_and_the_description_are_limited_too() {
    let service = Service::start_with(|config| config.http.requests_per_minute = 5);
    let statuses = |path: &str, count: usize| -> Vec<u16> {
        let get = || service.send(&request("GET", path, &[], b"")).status();
        (0..count).map(|_| get()).collect()
    };
    for path in [
        "/sign-in",
        "/metrics",
        "/openapi.json",
        "/ping",
        "/nowhere",
        "/",
    ] {
        let answers = statuses(path, 6);
        assert!(answers[..5].iter().all(|status| *status != 429), "{path}");
        assert_eq!(answers[5], 429, "{path}");
        service.clock.advance(60_000);
    }
    // Supervisors ask often.
    assert_eq!(statuses("/healthz", 20), [200; 20]);
}

#[test]
fn the_administrator_gets_more_pages() {
    let service = Service::start_with(|config| config.http.requests_per_minute = 5);
    let browser = Browser::set_up(&service);
    for _ in 0..50 {
        assert_eq!(browser.get("/settings").status(), 200);
    }
    let answer = browser.get("/settings");
    assert_eq!(answer.status(), 429);
    assert!(answer.text().starts_with("<!doctype html>"));
    let wait: u64 = answer.head.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    // Nor do these count against uploads.
    service.accept(&json!({"watts": 1}));
}
