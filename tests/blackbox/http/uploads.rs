//! Uploads of one reading: the allowed forms of a request, and the stored reading.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use crate::support::{
    API_ID, API_KEY, ELEC, SENSOR, START, Service, at, points, request, with_house,
};

const RANGE: (&str, &str) = ("2026-01-05", "2026-01-06");

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_answer_counts_the_reading() {
    let service = Service::start();
    let answer = service.upload(&json!({"watts": 234}));
    answer.assert_json(r#"{"accepted":1}"#);
    assert_eq!(service.all_watts(), points([(START, 234.0)]));
}

#[test]
fn any_content_type_will_do() {
    let service = Service::start();
    for (n, content_type) in [
        None,
        Some("application/json"),
        Some("application/json; charset=utf-8"),
        Some("application/x-www-form-urlencoded"),
        Some("application/x-www-form-urlencoded;charset=utf-8"),
        Some("text/json"),
        Some("text/plain"),
        Some("multipart/form-data"),
        Some("not a type at all"),
        Some(""),
    ]
    .into_iter()
    .enumerate()
    {
        let body = with_house(&json!({"watts": n})).to_string();
        let headers: Vec<_> = content_type
            .map(|kind| ("Content-Type", kind))
            .into_iter()
            .collect();
        let answer = service.send(&request("POST", ELEC, &headers, body.as_bytes()));
        assert_eq!(answer.status(), 200, "{content_type:?}: {}", answer.text());
        assert_eq!(service.all_watts().len(), n + 1);
    }
}

#[test]
fn the_path_with_a_slash_is_served_directly() {
    let service = Service::start();
    let body = with_house(&json!({"watts": 1})).to_string();
    let answer = service.send(&request("POST", "/api/v0.2/elec/", &[], body.as_bytes()));
    answer.assert_json(r#"{"accepted":1}"#);
    let target = format!(
        "/api/v0.2/elec/?sensor_id={SENSOR}&api_id={API_ID}&api_key={API_KEY}&type=latest_rate"
    );
    let answer = service.send(&request("GET", &target, &[], b""));
    answer.assert_json(&format!(
        r#"{{"units":"watts","data":[{{"t":"{START}","v":1}}]}}"#
    ));
}

#[test]
fn the_base_path_can_be_set() {
    let service = Service::start_with(|config| config.http.base_path = "/energy".into());
    let body = with_house(&json!({"watts": 1})).to_string();
    for (path, status) in [("/energy/elec", 200), ("/energy/elec/", 200), (ELEC, 404)] {
        let answer = service.send(&request("POST", path, &[], body.as_bytes()));
        assert_eq!(answer.status(), status, "{path}");
    }
}

#[test]
fn a_compressed_body_is_unpacked() {
    let service = Service::start();
    let body = gzip(with_house(&json!({"watts": 5})).to_string().as_bytes());
    for (n, coding) in ["gzip", "GZIP"].into_iter().enumerate() {
        let headers = [("Content-Encoding", coding)];
        let answer = service.send(&request("POST", ELEC, &headers, &body));
        answer.assert_json(r#"{"accepted":1}"#);
        assert_eq!(service.all_watts().len(), n + 1);
    }
    let headers = [("Content-Encoding", "gzip")];
    for broken in [&body[..body.len() / 2], &b"no gzip at all"[..]] {
        let answer = service.send(&request("POST", ELEC, &headers, broken));
        answer.assert_problem_shape(400);
    }
    assert_eq!(service.all_watts().len(), 2);
}

#[test]
fn an_unknown_coding_is_refused() {
    let service = Service::start();
    let body = with_house(&json!({"watts": 5})).to_string();
    for coding in ["br", "deflate", "zstd", "rot13", "gzip, gzip"] {
        let headers = [("Content-Encoding", coding)];
        let answer = service.send(&request("POST", ELEC, &headers, body.as_bytes()));
        answer.assert_problem_shape(415);
    }
    assert!(service.all_watts().is_empty());
}

#[test]
fn what_is_no_json_object_is_malformed() {
    let service = Service::start();
    let whole = with_house(&json!({"watts": 1})).to_string();
    let cut = &whole[..whole.len() - 1];
    let trailing = format!("{whole} and more");
    for body in [
        "",
        "{",
        cut,
        &trailing,
        "[]",
        "null",
        "1",
        "\"text\"",
        "watts=1&watthours=2",
        // A bad reading does not hide that the body is cut off.
        r#"{"sensor_id":"a","readings":[{}"#,
    ] {
        let answer = service.post(body);
        answer.assert_problem(400, "malformed_json", "");
    }
    service
        .post(b"{\"sensor_id\": \"\xff\"}")
        .assert_problem(400, "malformed_json", "");
    service
        .post("{\"sensor_id\":\"a\",\n \"watts\":01}")
        .assert_problem(400, "malformed_json", "line 2 column");
    let deep = "[".repeat(100_000);
    service
        .post(format!(r#"{{"sensor_id":{deep}"#))
        .assert_problem(400, "malformed_json", "");
    assert!(service.all_watts().is_empty());
}

#[test]
fn negative_power_and_falling_registers_are_legal() {
    let service = Service::start();
    let readings = json!([
        {"time": "2026-01-05T10:00:00", "watts": -1500.5, "watthours": 1000},
        {"time": "2026-01-05T10:01:00", "watts": -2, "watthours": 975.5},
        {"time": "2026-01-05T10:02:00", "watthours": 0},
        {"time": "2026-01-05T10:03:00", "watthours": -10},
    ]);
    service
        .upload(&json!({ "readings": readings }))
        .assert_json(r#"{"accepted":4}"#);
    let watts: Vec<f64> = service
        .all_watts()
        .into_iter()
        .map(|point| point.1)
        .collect();
    assert_eq!(watts, [-1500.5, -2.0]);
    let deltas = service.points("consumption", RANGE.0, RANGE.1);
    let deltas: Vec<f64> = deltas.into_iter().map(|point| point.1).collect();
    assert_eq!(deltas, [-24.5, -975.5, -10.0]);
}

#[test]
fn power_and_register_of_one_time_may_come_apart() {
    let mut service = Service::start();
    let time = "2026-01-05T10:00:00";
    service.accept(&json!({"time": "2026-01-05T09:00:00", "watthours": 100}));
    service.accept(&json!({"time": time, "watts": 1, "watthours": 110}));
    // Each replaces what it brings and leaves the other.
    service.accept(&json!({"time": time, "watts": 2}));
    service.accept(&json!({"time": "2026-01-05T11:00:00+01:00", "watthours": "120"}));
    for _ in 0..2 {
        let stored = "2026-01-05T10:00:00.000Z";
        assert_eq!(service.all_watts(), points([(stored, 2.0)]));
        let deltas = service.points("consumption", RANGE.0, RANGE.1);
        assert_eq!(deltas, points([(stored, 20.0)]));
        service.restart();
    }
}

#[test]
fn readings_arrive_in_any_order_and_years_late() {
    let mut service = Service::start();
    let times = [
        "2026-01-05T10:00:00",
        "1969-12-31T23:59:59.999",
        "2026-01-05T09:59:59.999",
        "2010-06-01T00:00:00",
        "0001-01-01T00:00:00",
        "2026-01-05T10:00:00.001",
        "1970-01-01T00:00:00",
    ];
    for time in times {
        service.accept(&json!({"time": time, "watts": 1}));
    }
    let mut sorted = times.map(|time| at(time).to_string());
    sorted.sort_unstable();
    for _ in 0..2 {
        let stored: Vec<String> = service
            .all_watts()
            .into_iter()
            .map(|point| point.0)
            .collect();
        assert_eq!(stored, sorted);
        service.restart();
    }
}

#[test]
fn what_was_answered_is_there_after_a_restart() {
    let mut service = Service::start();
    service.accept(&json!({"watts": 234, "watthours": 1010.2}));
    service.clock.advance(60_000);
    service.accept(&json!({"watts": 366, "watthours": 1020.3}));
    let before = service.all_watts();
    service.restart();
    assert_eq!(service.all_watts(), before);
    let delta = service.points("consumption", RANGE.0, RANGE.1);
    assert_eq!(delta, points([("2026-01-05T10:31:00.000Z", 10.1)]));
}
