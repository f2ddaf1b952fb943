//! The server's clock: not set, set back a little, ahead for a while.

use serde_json::json;

use crate::support::{API_ID, API_KEY, HOUR, MINUTE, START, Service, at, points};

#[test]
fn a_clock_before_the_newest_arrival_is_not_set() {
    let mut service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.advance(-HOUR);
    for _ in 0..2 {
        for fields in [
            json!({"watts": 2}),
            json!({"time": "2026-01-05T09:00:00", "watts": 2}),
        ] {
            let answer = service.upload(&fields);
            answer.assert_problem(503, "clock_not_set", "");
        }
        // 1970, as on a machine that was just switched on.
        service.clock.set(at("1970-01-01T00:00:10"));
        let answer = service.upload(&json!({"watts": 2}));
        answer.assert_problem(503, "clock_not_set", "");
        service.restart();
    }
    // Invalid requests and missing permissions are reported all the same.
    service
        .upload(&json!({"watts": "x"}))
        .assert_problem(400, "invalid_field", "watts");
    service
        .upload(&json!({"watts": 1, "api_key": "wrong"}))
        .assert_problem(401, "bad_credentials", "");
    // Downloads need no clock.
    assert_eq!(service.all_watts(), points([(START, 1.0)]));
    service.clock.set(at(START));
    service.accept(&json!({"watts": 3}));
    assert_eq!(service.all_watts().len(), 2);
}

#[test]
fn the_newest_arrival_of_any_sensor_counts() {
    let service = Service::start();
    service.add_sensor("home", "solar");
    service.accept(&json!({"sensor_id": "solar", "watts": 1}));
    service.clock.advance(-HOUR);
    let answer = service.upload(&json!({"watts": 2}));
    answer.assert_problem(503, "clock_not_set", "");
}

#[test]
fn a_small_step_back_is_tolerated() {
    let service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.advance(-MINUTE);
    service.accept(&json!({"watts": 2}));
    service.clock.advance(-1);
    let answer = service.upload(&json!({"watts": 3}));
    answer.assert_problem(503, "clock_not_set", "");
    assert_eq!(service.all_watts().len(), 2);
}

#[test]
fn times_of_readings_do_not_set_the_clock() {
    let service = Service::start();
    // An hour ahead, as a meter with a wrong clock sends it: no arrival lies ahead.
    service.accept(&json!({"time": "2026-01-05T11:30:00", "watts": 1}));
    service.accept(&json!({"watts": 2}));
    assert_eq!(service.all_watts()[0], (START.to_owned(), 2.0));
}

#[test]
fn a_clock_that_ran_ahead_and_came_back_is_trusted() {
    let mut service = Service::start();
    service.add_sensor("home", "solar");
    service.accept(&json!({"watts": 1}));
    service.clock.advance(MINUTE);
    service.clock.jump(3 * HOUR);
    service.accept(&json!({"watts": 2}));
    service.accept(&json!({"sensor_id": "solar", "watts": 3}));
    service.clock.advance(MINUTE);
    service.clock.jump(-3 * HOUR);
    // Without a time: it gets the time that it is, not one behind those assigned in the future.
    service.accept(&json!({"watts": 4}));
    let expected = [
        (START, 1.0),
        ("2026-01-05T10:32:00.000Z", 4.0),
        ("2026-01-05T13:31:00.000Z", 2.0),
    ];
    assert_eq!(service.all_watts(), points(expected));
    assert_eq!(service.sensor("house")["active"], true);
    assert_eq!(service.sensor("solar")["last_upload"], json!(null));
    service.clock.advance(MINUTE);
    service.accept(&json!({"sensor_id": "solar", "watts": 5}));
    // It is remembered: the arrivals in the future are gone from the disk as well.
    service.restart();
    service.clock.advance(MINUTE);
    service.accept(&json!({"watts": 6}));
    assert_eq!(service.sensor("house")["active"], true);
}

#[test]
fn a_clock_that_comes_back_elsewhere_is_not_set() {
    let mut service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.jump(3 * HOUR);
    service.accept(&json!({"watts": 2}));
    service.clock.jump(-2 * HOUR);
    let refused = || service.upload(&json!({"watts": 3}));
    refused().assert_problem(503, "clock_not_set", "");
    service.clock.jump(-2 * HOUR);
    refused().assert_problem(503, "clock_not_set", "");
    // After a restart the two cases look the same.
    service.restart();
    service.clock.set(at(START));
    let refused = service.upload(&json!({"watts": 3}));
    refused.assert_problem(503, "clock_not_set", "");
    assert_eq!(service.all_watts().len(), 2);
}

#[test]
fn an_upload_that_finds_the_clock_back_is_checked_by_it() {
    let service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.jump(72 * HOUR);
    service.accept(&json!({"watts": 2}));
    service.clock.jump(-72 * HOUR);
    let ahead = json!({"time": "2026-01-07T10:00:00", "watts": 3});
    let answer = service.upload(&ahead);
    answer.assert_problem(400, "invalid_field", "time");
    service.accept(&json!({"watts": 4}));
}

#[test]
fn who_may_not_upload_does_not_set_the_clock() {
    let service = Service::start();
    service.accept(&json!({"watts": 1}));
    service.clock.jump(3 * HOUR);
    service.accept(&json!({"watts": 2}));
    service.clock.jump(-3 * HOUR);
    let body = json!({"sensor_id": "other", "api_id": API_ID, "api_key": API_KEY, "watts": 3});
    service
        .post(body.to_string())
        .assert_problem(403, "sensor_not_authorized", "");
    assert_eq!(service.sensor("house")["last_upload"], json!(null));
    service.accept(&json!({"watts": 4}));
}
