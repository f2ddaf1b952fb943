//! `GET /sensors`: the fields of a sensor, and when one is active.

use serde_json::{Value, json};
use wattkeeper::{Plan, Scope};

use crate::support::{
    API_ID, API_KEY, HOUR, MINUTE, SECOND, SENSORS, START, Service, at, basic, house_basic, key_of,
    power, request,
};

fn list(service: &Service) -> crate::support::Response {
    service.send(&request(
        "GET",
        SENSORS,
        &[("Authorization", &house_basic())],
        b"",
    ))
}

/// Whether the house is active after uploads this many milliseconds apart, the last number being
/// the wait after them.
fn active_after(gaps: &[i64]) -> bool {
    let service = Service::start();
    for gap in gaps {
        service.accept(&json!({"watts": 1}));
        service.clock.advance(*gap);
    }
    is_active(&service)
}

fn is_active(service: &Service) -> bool {
    service.sensor("house")["active"].as_bool().unwrap()
}

#[test]
fn the_list_to_the_byte() {
    let service = Service::start();
    list(&service).assert_json(
        r#"{"sensors":[{"sensor_id":"house","name":"the house","authorized":true,"active":false,"last_upload":null,"latest_watts":null,"role":"grid","register":"net","rollover":null,"plausible":100000,"sign":"as-is","power_sign":"as-is","register_sign":"as-is","between":"line","part_of":null,"silent_after":null,"home_assistant":true}]}"#,
    );
    service.accept(&json!({"watts": 234}));
    list(&service).assert_json(
        r#"{"sensors":[{"sensor_id":"house","name":"the house","authorized":true,"active":true,"last_upload":"2026-01-05T10:30:00.000Z","latest_watts":234,"role":"grid","register":"net","rollover":null,"plausible":100000,"sign":"as-is","power_sign":"as-is","register_sign":"as-is","between":"line","part_of":null,"silent_after":null,"home_assistant":true}]}"#,
    );
}

#[test]
fn an_account_without_sensors_has_an_empty_list() {
    let service = Service::start();
    service.add_account("empty", Plan::Free);
    service.add_key("empty", "empty-id", Scope::Read);
    let credentials = basic("empty-id", &key_of("empty-id"));
    let answer = service.send(&request(
        "GET",
        SENSORS,
        &[("Authorization", &credentials)],
        b"",
    ));
    answer.assert_json(r#"{"sensors":[]}"#);
}

#[test]
fn only_the_accounts_own_sensors_are_listed() {
    let service = Service::start();
    service.add_account("neighbour", Plan::Paid);
    service.add_sensor("neighbour", "flat");
    service.add_sensor("home", "solar");
    service.revoke_sensor("home", "solar");
    let answer = list(&service).json();
    let ids: Vec<&Value> = answer["sensors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|sensor| &sensor["sensor_id"])
        .collect();
    assert_eq!(ids, ["house", "solar"]);
    assert_eq!(service.sensor("solar")["authorized"], false);
    assert_eq!(service.sensor("house")["authorized"], true);
}

#[test]
fn credentials_come_in_the_query_too() {
    let service = Service::start();
    let ask = |query: &str| service.send(&request("GET", &format!("{SENSORS}?{query}"), &[], b""));
    let answer = ask(&format!("api_id={API_ID}&api_key={API_KEY}"));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    ask("").assert_problem(400, "missing_field", "api_id");
    ask(&format!("api_id={API_ID}")).assert_problem(400, "missing_field", "api_key");
    ask(&format!("api_id={API_ID}&api_key=wrong")).assert_problem(401, "bad_credentials", "");
    service.add_key("home", "writer", Scope::Write);
    let answer = ask(&format!("api_id=writer&api_key={}", key_of("writer")));
    answer.assert_problem(403, "scope_insufficient", "");
    service.add_key("home", "reader", Scope::Read);
    let answer = ask(&format!("api_id=reader&api_key={}", key_of("reader")));
    assert_eq!(answer.status(), 200, "{}", answer.text());
}

#[test]
fn one_upload_is_active_for_less_than_five_minutes() {
    assert!(active_after(&[0]));
    assert!(active_after(&[5 * MINUTE - 1]));
    assert!(!active_after(&[5 * MINUTE]));
}

#[test]
fn the_last_two_uploads_must_be_less_than_five_minutes_apart() {
    assert!(active_after(&[5 * MINUTE - 1, 0]));
    assert!(!active_after(&[5 * MINUTE, 0]));
    assert!(active_after(&[HOUR, MINUTE, 5 * MINUTE - 1]));
    assert!(!active_after(&[MINUTE, HOUR, 0]));
    assert!(!active_after(&[MINUTE, MINUTE, 5 * MINUTE]));
}

#[test]
fn uploads_within_ten_seconds_are_one_arrival() {
    // Pairs every seven minutes: never steady.
    assert!(!active_after(&[SECOND, 7 * MINUTE, SECOND, 0]));
    assert!(!active_after(&[10 * SECOND, 7 * MINUTE, 10 * SECOND, 0]));
    // More than ten seconds apart they are two.
    assert!(active_after(&[7 * MINUTE, 10 * SECOND + 1, 0]));
    // Pairs every minute.
    assert!(active_after(&[
        SECOND, MINUTE, SECOND, MINUTE, SECOND, MINUTE
    ]));
    // A sensor that uploads every five seconds comes back after an outage.
    let fast = [[HOUR].as_slice(), &[5 * SECOND; 10]].concat();
    assert!(active_after(&fast));
}

#[test]
fn a_batch_is_one_arrival_and_its_times_do_not_count() {
    let service = Service::start();
    let old = json!([
        {"time": "2013-01-18T21:52:13", "watts": 1},
        {"time": "2013-01-19T21:52:13", "watts": 2},
        {"time": "2026-01-05T10:20:00", "watts": 3},
    ]);
    service.upload(&json!({ "readings": old }));
    assert!(is_active(&service));
    assert_eq!(service.sensor("house")["last_upload"], START);
    service.clock.advance(6 * MINUTE);
    service.upload(&json!({ "readings": old }));
    assert!(!is_active(&service));
}

#[test]
fn an_import_is_no_arrival() {
    let service = Service::start();
    service.import(&[power(at(START), 55.0)]);
    let sensor = service.sensor("house");
    assert_eq!(sensor["active"], false);
    assert_eq!(sensor["last_upload"], Value::Null);
    assert_eq!(sensor["latest_watts"], 55.0);
}

#[test]
fn an_arrival_after_now_counts_as_none() {
    let service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.advance(-HOUR);
    let sensor = service.sensor("house");
    assert_eq!(sensor["active"], false);
    assert_eq!(sensor["last_upload"], Value::Null);
    service
        .ask("type=latest_rate")
        .assert_problem(404, "no_recent_data", "");
    service.clock.advance(HOUR);
    assert!(is_active(&service));
}

#[test]
fn a_clock_set_back_a_little_changes_no_state() {
    let service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.advance(-MINUTE);
    assert!(is_active(&service));
    assert_eq!(service.ask("type=latest_rate").status(), 200);
}

#[test]
fn a_refused_upload_is_no_arrival() {
    let service = Service::start();
    service
        .upload(&json!({"watts": "x"}))
        .assert_problem_shape(400);
    service
        .upload(&json!({"watts": 1, "api_key": "wrong"}))
        .assert_problem_shape(401);
    assert_eq!(service.sensor("house")["last_upload"], Value::Null);
}

#[test]
fn a_restart_changes_nothing() {
    let mut service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.advance(4 * MINUTE);
    service.accept(&json!({"watts": 2}));
    service.clock.advance(SECOND);
    service.accept(&json!({"watthours": 2}));
    for (wait, active) in [(0, true), (5 * MINUTE - 1, true), (1, false)] {
        service.clock.advance(wait);
        let before = list(&service);
        service.restart();
        let after = list(&service);
        assert_eq!(before.text(), after.text());
        assert_eq!(is_active(&service), active);
    }
    // Six minutes after the last upload: the restart must have kept the interval between the last
    // two.
    service.clock.advance(MINUTE);
    service.accept(&json!({"watts": 3}));
    service.restart();
    assert!(!is_active(&service));
    assert_eq!(service.sensor("house")["latest_watts"], 3.0);
}

#[test]
fn the_latest_watts_are_the_newest_readings() {
    let service = Service::start();
    service.accept(&json!({"time": "2026-01-05T10:00:00", "watts": 10}));
    service.accept(&json!({"time": "2026-01-05T09:00:00", "watts": 9}));
    assert_eq!(service.sensor("house")["latest_watts"], 10.0);
    service.accept(&json!({"time": "2026-01-05T10:00:00", "watts": -11}));
    assert_eq!(service.sensor("house")["latest_watts"], -11.0);
}
