//! The fields of an upload, and their allowed values.

use serde_json::{Value, json};

use crate::support::{API_ID, API_KEY, HOUR, SENSOR, START, Service, at, points, with_house};

/// A body for the house with this text as the value of `field`, which need not be JSON.
fn with_field(field: &str, text: &str) -> String {
    format!(
        r#"{{"sensor_id":"{SENSOR}","api_id":"{API_ID}","api_key":"{API_KEY}","{field}":{text}}}"#
    )
}

#[test]
fn sensor_and_credentials_are_required() {
    let service = Service::start();
    for field in ["sensor_id", "api_id", "api_key"] {
        let mut upload = with_house(&json!({"watts": 1}));
        for value in [json!(""), json!(null)] {
            upload[field] = value;
            let answer = service.post(upload.to_string());
            let problem = answer.assert_problem_shape(400);
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.contains(field), "{field} in {problem}");
        }
        for value in [json!(7), json!(true), json!(["house"]), json!({})] {
            upload[field] = value;
            let answer = service.post(upload.to_string());
            answer.assert_problem(400, "invalid_field", field);
        }
        upload.as_object_mut().unwrap().remove(field);
        let answer = service.post(upload.to_string());
        answer.assert_problem(400, "missing_field", field);
    }
    assert!(service.all_watts().is_empty());
}

#[test]
fn accepted_forms_of_a_time() {
    let service = Service::start();
    for (n, (sent, stored)) in [
        ("2026-01-05T10:00:00", "2026-01-05T10:00:00.000Z"),
        ("2026-01-05T10:00:01Z", "2026-01-05T10:00:01.000Z"),
        ("2026-01-05T10:00:02.5", "2026-01-05T10:00:02.500Z"),
        ("2026-01-05T10:00:03.123456Z", "2026-01-05T10:00:03.123Z"),
        ("2026-01-05T11:00:04+01:00", "2026-01-05T10:00:04.000Z"),
        ("2026-01-05T04:30:05.25-05:30", "2026-01-05T10:00:05.250Z"),
    ]
    .into_iter()
    .enumerate()
    {
        service.accept(&json!({"time": sent, "watts": n}));
        assert_eq!(service.all_watts()[n].0, stored, "{sent}");
    }
}

#[test]
fn other_forms_of_a_time_are_refused() {
    let service = Service::start();
    for time in [
        json!(""),
        json!("now"),
        json!("2026-01-05"),
        json!("2026-01-05T10:00"),
        json!("2026-01-05 10:00:00"),
        json!("2026-01-05T10:00:00z"),
        json!("2026-01-05T10:00:00 01:00"),
        json!("2026-02-30T10:00:00"),
        json!("2026-01-05T24:00:00"),
        json!("05.01.2026 10:00"),
        json!("1767607200"),
        json!(1_767_607_200),
        json!(true),
        json!({"t": 1}),
    ] {
        let answer = service.upload(&json!({"time": time, "watts": 1}));
        answer.assert_problem(400, "invalid_field", "time");
    }
    assert!(service.all_watts().is_empty());
}

#[test]
fn a_time_may_lie_a_day_ahead_and_no_more() {
    let service = Service::start();
    let day_ahead = at(START).saturating_add_millis(24 * HOUR);
    service.accept(&json!({"time": day_ahead.to_string(), "watts": 1}));
    for ms in [1, 1_000, 1_000_000_000_000] {
        let time = day_ahead.saturating_add_millis(ms).to_string();
        let answer = service.upload(&json!({"time": time, "watts": 1}));
        answer.assert_problem(400, "invalid_field", "time");
    }
    let stored = day_ahead.to_string();
    assert_eq!(service.all_watts(), points([(stored.as_str(), 1.0)]));
}

#[test]
fn numbers_as_numbers_and_as_strings() {
    let service = Service::start();
    for (n, (text, value)) in [
        ("234", 234.0),
        ("0", 0.0),
        ("-1200.25", -1200.25),
        ("1e3", 1000.0),
        ("0.1", 0.1),
        ("1.7976931348623157e308", f64::MAX),
        ("5e-324", 5e-324),
        ("9007199254740993", 9_007_199_254_740_992.0),
        (r#""1234.5""#, 1234.5),
        (r#""882301""#, 882_301.0),
        (r#""-7""#, -7.0),
        (r#""0""#, 0.0),
        (r#"" +12\n""#, 12.0),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = service.post(with_field("watts", text));
        answer.assert_json(r#"{"accepted":1}"#);
        assert_eq!(service.all_watts()[n].1, value, "{text}");
    }
}

#[test]
fn what_is_no_number_is_refused() {
    let service = Service::start();
    for field in ["watts", "watthours"] {
        for text in [
            r#""""#,
            r#"" ""#,
            "true",
            "false",
            "{}",
            r#"{"v":1}"#,
            "[]",
            "[1]",
            r#""NaN""#,
            r#""nan""#,
            r#""inf""#,
            r#""-Infinity""#,
            r#""1e999""#,
            r#""1 2""#,
            r#""1,5""#,
            r#""230 W""#,
            r#""0x10""#,
            r#""one""#,
            r#""\ud800""#,
        ] {
            let answer = service.post(with_field(field, text));
            answer.assert_problem(400, "invalid_field", field);
        }
        // These are no JSON, or no number that JSON parsers agree on.
        for text in ["NaN", "Infinity", "1e999", "-1e999", "01", "+1", ".5"] {
            let answer = service.post(with_field(field, text));
            answer.assert_problem_shape(400);
        }
    }
    assert!(service.all_watts().is_empty());
    assert!(
        service
            .points("consumption", "2026-01-05", "2026-01-06")
            .is_empty()
    );
}

#[test]
fn a_good_measure_does_not_save_a_bad_one() {
    let service = Service::start();
    let answer = service.upload(&json!({"watts": 1, "watthours": "much"}));
    answer.assert_problem(400, "invalid_field", "watthours");
    assert!(service.all_watts().is_empty());
}

#[test]
fn one_measure_at_least() {
    let service = Service::start();
    let time = "2026-01-05T10:00:00";
    for fields in [
        json!({}),
        json!({"time": time}),
        json!({"time": time, "watts": null}),
        json!({"watts": null, "watthours": null}),
        json!({"watt": 1}),
    ] {
        let answer = service.upload(&fields);
        answer.assert_problem(400, "missing_field", "watts");
    }
    service.accept(&json!({"time": time, "watts": null, "watthours": 5}));
    service.accept(&json!({"time": time, "watts": 7, "watthours": null}));
    service.accept(&json!({"time": null, "watthours": 6}));
    assert_eq!(
        service.all_watts(),
        points([("2026-01-05T10:00:00.000Z", 7.0)])
    );
}

#[test]
fn other_fields_are_ignored() {
    let service = Service::start();
    service.accept(&json!({
        "watts": 1, "rate": 5, "erate_avg": "7.1", "nested": {"readings": [1, 2]}, "": null, "Watts": "x",
    }));
    assert_eq!(service.all_watts(), points([(START, 1.0)]));
    // A byte order mark before it. Of a field that comes twice, the last one counts.
    let twice = with_field("watts", "1,\"watts\":2");
    let answer = service.post(format!("\u{feff}{twice}"));
    answer.assert_json(r#"{"accepted":1}"#);
    assert_eq!(service.all_watts()[1].1, 2.0);
}

#[test]
fn a_value_that_came_is_named_but_never_a_secret() {
    let service = Service::start();
    let problem = service
        .upload(&json!({"watts": "a lot"}))
        .assert_problem_shape(400);
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("watts") && detail.contains("a lot"),
        "{detail}"
    );
    let mut upload: Value = with_house(&json!({"watts": 1}));
    upload["api_key"] = json!(["S3CRET"]);
    let answer = service.post(upload.to_string());
    answer.assert_problem(400, "invalid_field", "api_key");
    assert!(!answer.text().contains("S3CRET"));
}
