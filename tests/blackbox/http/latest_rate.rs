//! The latest power: only after an upload in the last two hours, for any range.

use serde_json::json;

use crate::support::{HOUR, MINUTE, Response, START, Service, at, points, points_of, power};

fn latest(service: &Service) -> Response {
    service.ask("type=latest_rate")
}

#[test]
fn it_is_the_newest_reading_with_watts() {
    let mut service = Service::start();
    service.accept(&json!({"time": "2026-01-05T10:00:00", "watts": 234}));
    // Newer, without watts; older, uploaded later.
    service.accept(&json!({"time": "2026-01-05T10:10:00", "watthours": 5}));
    service.accept(&json!({"time": "2026-01-05T09:00:00", "watts": 1}));
    for _ in 0..2 {
        latest(&service)
            .assert_json(r#"{"units":"watts","data":[{"t":"2026-01-05T10:00:00.000Z","v":234}]}"#);
        service.restart();
    }
    // A correction of its value counts.
    service.accept(&json!({"time": "2026-01-05T10:00:00", "watts": 235}));
    assert_eq!(
        points_of(&latest(&service)),
        points([("2026-01-05T10:00:00.000Z", 235.0)])
    );
}

#[test]
fn it_is_known_for_two_hours_after_an_upload() {
    let mut service = Service::start();
    service.accept(&json!({"watts": 234}));
    service.clock.advance(2 * HOUR);
    assert_eq!(points_of(&latest(&service)), points([(START, 234.0)]));
    service.clock.advance(1);
    for _ in 0..2 {
        latest(&service).assert_problem(404, "no_recent_data", "");
        service.restart();
    }
}

#[test]
fn arrival_counts_not_the_time_of_the_reading() {
    let service = Service::start();
    service.accept(&json!({"time": "2013-01-18T21:52:13", "watts": 234}));
    let old = points([("2013-01-18T21:52:13.000Z", 234.0)]);
    assert_eq!(points_of(&latest(&service)), old);
    service.clock.advance(3 * HOUR);
    latest(&service).assert_problem(404, "no_recent_data", "");
    // Any upload for the sensor counts, one without watts too.
    service.accept(&json!({"watthours": 5}));
    assert_eq!(points_of(&latest(&service)), old);
    // A reading that lies ahead is the newest; its arrival is what grows old.
    let ahead = service
        .clock
        .now()
        .saturating_add_millis(20 * HOUR)
        .to_string();
    service.accept(&json!({"time": ahead, "watts": 7}));
    assert_eq!(points_of(&latest(&service)), points([(&ahead, 7.0)]));
    service.clock.advance(2 * HOUR + 1);
    latest(&service).assert_problem(404, "no_recent_data", "");
}

#[test]
fn the_range_is_ignored() {
    let service = Service::start();
    service.accept(&json!({"watts": 234}));
    for range in [
        "",
        "&start_time=2026-01-05&end_time=2026-01-05",
        "&start_time=2030-01-01&end_time=2000-01-01",
        "&start_time=2026-01-05",
        "&end_time=2000-01-01T00:00:00",
        "&start_time=&end_time=",
        "&start_time=whenever&end_time=never",
    ] {
        let answer = service.ask(&format!("type=latest_rate{range}"));
        assert_eq!(answer.status(), 200, "{range}: {}", answer.text());
        assert_eq!(points_of(&answer), points([(START, 234.0)]));
    }
}

#[test]
fn without_any_power_there_is_none() {
    let service = Service::start();
    latest(&service).assert_problem(404, "no_recent_data", "");
    service.accept(&json!({"watthours": 5}));
    latest(&service).assert_problem(404, "no_recent_data", "");
}

#[test]
fn an_import_is_no_upload() {
    let service = Service::start();
    let time = at(START).saturating_add_millis(-MINUTE);
    service.import(&[power(time, 234.0)]);
    latest(&service).assert_problem(404, "no_recent_data", "");
    service.accept(&json!({"watthours": 5}));
    assert_eq!(
        points_of(&latest(&service)),
        points([(&time.to_string(), 234.0)])
    );
}
