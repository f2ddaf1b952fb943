//! Batches: stored whole or not at all.

use serde_json::{Value, json};

use crate::support::{START, Service, at, points};

fn time(minute: u8) -> String {
    format!("2026-01-05T10:{minute:02}:00")
}

#[test]
fn a_batch_is_stored_in_one_go() {
    let service = Service::start();
    let answer = service.upload(&json!({"readings": [
        {"time": time(2), "watts": 30},
        {"time": time(0), "watts": 10, "watthours": "100.5", "extra": true},
        {"time": time(1), "watts": "20", "watthours": null},
    ]}));
    answer.assert_json(r#"{"accepted":3}"#);
    assert_eq!(
        service.all_watts(),
        points([
            ("2026-01-05T10:00:00.000Z", 10.0),
            ("2026-01-05T10:01:00.000Z", 20.0),
            ("2026-01-05T10:02:00.000Z", 30.0),
        ])
    );
}

#[test]
fn one_bad_reading_rejects_all_and_is_named() {
    let service = Service::start();
    let good = json!({"time": time(0), "watts": 1, "watthours": 1});
    let too_late = at(START)
        .saturating_add_millis(24 * 3_600_000 + 1)
        .to_string();
    for bad in [
        json!({"time": time(1)}),
        json!({}),
        json!({"watts": null}),
        json!({"watts": ""}),
        json!({"watts": true}),
        json!({"watts": {}}),
        json!({"watts": "a lot"}),
        json!({"watts": 1, "watthours": []}),
        json!({"watts": 1, "time": "yesterday"}),
        json!({"watts": 1, "time": "2026-01-05"}),
        json!({"watts": 1, "time": too_late}),
        json!({"watts": 1, "time": 5}),
        json!(null),
        json!(1),
        json!("watts"),
        json!([]),
    ] {
        for (index, readings) in [
            json!([bad, good]),
            json!([good, bad]),
            json!([good, good, good, bad, bad]),
        ]
        .into_iter()
        .zip([0, 1, 3])
        .map(|(readings, index)| (index, readings))
        {
            let answer = service.upload(&json!({ "readings": readings }));
            let problem = answer.assert_problem_shape(400);
            let detail = problem["detail"].as_str().unwrap();
            assert!(
                detail.contains(&format!("readings[{index}]")),
                "{readings}: {problem}"
            );
        }
    }
    assert!(service.all_watts().is_empty());
    // Not an upload, so not an arrival either.
    assert_eq!(service.sensor("house")["last_upload"], Value::Null);
}

#[test]
fn the_list_must_be_one_and_hold_something() {
    let service = Service::start();
    for readings in [json!([]), json!({}), json!("[]"), json!(1), json!(true)] {
        let answer = service.upload(&json!({ "readings": readings }));
        let problem = answer.assert_problem_shape(400);
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("readings"), "{readings}: {problem}");
    }
}

#[test]
fn a_batch_and_a_reading_do_not_mix() {
    let service = Service::start();
    let readings = json!([{"time": time(0), "watts": 1}]);
    for (field, value) in [
        ("watts", json!(1)),
        ("watthours", json!("1")),
        ("time", json!(time(1))),
    ] {
        let mut upload = json!({"readings": readings});
        upload[field] = value;
        let answer = service.upload(&upload);
        let problem = answer.assert_problem_shape(400);
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("readings"), "{field}: {problem}");
    }
    assert!(service.all_watts().is_empty());
    service.accept(&json!({"readings": readings, "watts": null, "time": null}));
    service.accept(&json!({"readings": null, "watts": 2}));
    assert_eq!(service.all_watts().len(), 2);
}

#[test]
fn one_time_twice_in_a_batch_merges_in_order() {
    let service = Service::start();
    let answer = service.upload(&json!({"readings": [
        {"time": time(0), "watts": 1},
        {"time": time(0), "watthours": 100},
        {"time": time(0), "watts": 2},
        {"time": time(1), "watthours": 101.5},
    ]}));
    answer.assert_json(r#"{"accepted":4}"#);
    assert_eq!(
        service.all_watts(),
        points([("2026-01-05T10:00:00.000Z", 2.0)])
    );
    let deltas = service.points("consumption", "2026-01-05", "2026-01-06");
    assert_eq!(deltas, points([("2026-01-05T10:01:00.000Z", 1.5)]));
}

#[test]
fn a_day_of_readings_in_one_batch() {
    let mut service = Service::start();
    let day = at("2026-01-04T00:00:00");
    let readings: Vec<Value> = (0..1440)
        .map(|minute| {
            let time = day.saturating_add_millis(minute * 60_000).to_string();
            json!({"time": time, "watts": minute, "watthours": minute * 10})
        })
        .collect();
    let answer = service.upload(&json!({ "readings": readings }));
    answer.assert_json(r#"{"accepted":1440}"#);
    service.restart();
    let stored = service.all_watts();
    assert_eq!(stored.len(), 1440);
    assert_eq!(
        stored[1439],
        ("2026-01-04T23:59:00.000Z".to_owned(), 1439.0)
    );
    let net = service.points("net_consumption", "2026-01-04", "2026-01-05");
    assert_eq!(net, points([("2026-01-04T23:59:00.000Z", 14_390.0)]));
}
