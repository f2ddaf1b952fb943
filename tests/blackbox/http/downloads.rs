//! Downloads: the shape of a result, ranges and the forms of their ends, power over a range.

use serde_json::json;

use crate::support::{
    API_ID, API_KEY, SENSOR, Service, at, house_basic, points, points_of, power, request,
};

/// A house with a reading every minute from 10:00 to 10:05, watts 0 to 5.
fn house() -> Service {
    let service = Service::start();
    for minute in 0..=5 {
        service.accept(&json!({"time": format!("2026-01-05T10:0{minute}:00"), "watts": minute}));
    }
    service
}

fn watts(service: &Service, start: &str, end: &str) -> Vec<f64> {
    let points = service.points("rate", start, end);
    points.into_iter().map(|point| point.1).collect()
}

#[test]
fn a_result_to_the_byte() {
    let service = Service::start();
    service.accept(&json!({"time": "2013-01-18T21:52:13", "watts": 234}));
    service.accept(&json!({"time": "2013-01-18T21:52:13.5", "watts": -0.1}));
    service.accept(&json!({"time": "2013-01-18T21:52:14.007", "watts": "1234567.25"}));
    let answer = service.result("rate", "2013-01-18", "2013-01-19");
    answer.assert_json(concat!(
        r#"{"units":"watts","data":["#,
        r#"{"t":"2013-01-18T21:52:13.000Z","v":234},"#,
        r#"{"t":"2013-01-18T21:52:13.500Z","v":-0.1},"#,
        r#"{"t":"2013-01-18T21:52:14.007Z","v":1234567.25}]}"#
    ));
}

#[test]
fn an_empty_result_to_the_byte() {
    let service = Service::start();
    for (kind, units) in [
        ("rate", "watts"),
        ("consumption", "watthours"),
        ("net_consumption", "watthours"),
    ] {
        let answer = service.result(kind, "2026-01-05", "2026-01-06");
        answer.assert_json(&format!(r#"{{"units":"{units}","data":[]}}"#));
    }
}

#[test]
fn every_type_has_the_same_shape() {
    let service = Service::start();
    service.accept(&json!({"time": "2026-01-05T10:00:00", "watts": 5, "watthours": 1}));
    service.accept(&json!({"time": "2026-01-05T10:01:00", "watts": 6, "watthours": 3.5}));
    for (kind, units, value) in [
        ("rate", "watts", "6"),
        ("consumption", "watthours", "2.5"),
        ("latest_rate", "watts", "6"),
        ("net_consumption", "watthours", "2.5"),
    ] {
        let answer = service.result(kind, "2026-01-05T10:00:30", "2026-01-06");
        answer.assert_json(&format!(
            r#"{{"units":"{units}","data":[{{"t":"2026-01-05T10:01:00.000Z","v":{value}}}]}}"#
        ));
    }
}

#[test]
fn values_read_back_to_the_bit() {
    let service = Service::start();
    let values = [
        0.1 + 0.2,
        1.0 / 3.0,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        1e21,
        1e-7,
        123_456_789_012_345_680.0,
        4_503_599_627_370_497.5,
        -0.0,
    ];
    let begin = at("2026-01-05T09:00:00");
    for (ms, value) in (0..).zip(values) {
        let time = begin.saturating_add_millis(ms).to_string();
        service.accept(&json!({"time": time, "watts": value}));
    }
    let back: Vec<u64> = service
        .all_watts()
        .iter()
        .map(|point| point.1.to_bits())
        .collect();
    assert_eq!(back, values.map(f64::to_bits));
}

#[test]
fn values_are_written_as_short_as_they_can_be() {
    let service = Service::start();
    for (n, (value, written)) in [
        (json!(234.0), "234"),
        (json!(0), "0"),
        (json!("10.10"), "10.1"),
        (json!(100_000), "100000"),
        (json!(0.3), "0.3"),
        (json!(0.1 + 0.2), "0.30000000000000004"),
        (json!(-5), "-5"),
    ]
    .into_iter()
    .enumerate()
    {
        let time = format!("2026-01-05T10:00:0{n}");
        service.accept(&json!({"time": time, "watts": value}));
        let answer = service.result("rate", &time, &time);
        answer.assert_json(&format!(
            r#"{{"units":"watts","data":[{{"t":"{time}.000Z","v":{written}}}]}}"#
        ));
    }
}

#[test]
fn both_ends_of_a_range_of_power_are_included() {
    let service = house();
    let result = |start, end| watts(&service, start, end);
    assert_eq!(
        result("2026-01-05T10:01:00", "2026-01-05T10:03:00"),
        [1.0, 2.0, 3.0]
    );
    assert_eq!(
        result("2026-01-05T10:01:00.001", "2026-01-05T10:02:59.999"),
        [2.0]
    );
    assert_eq!(result("2026-01-05T10:02:00", "2026-01-05T10:02:00"), [2.0]);
    assert!(result("2026-01-05T10:02:01", "2026-01-05T10:02:01").is_empty());
    assert_eq!(result("2026-01-05T10:05:00", "9999-12-31"), [5.0]);
    assert_eq!(result("0000-01-01", "2026-01-05T10:00:00"), [0.0]);
}

#[test]
fn power_leaves_out_readings_without_watts() {
    let service = Service::start();
    service.accept(&json!({"time": "2026-01-05T10:00:00", "watthours": 1}));
    service.accept(&json!({"time": "2026-01-05T10:01:00", "watts": 0}));
    service.accept(&json!({"time": "2026-01-05T10:02:00", "watthours": 2}));
    assert_eq!(
        service.all_watts(),
        points([("2026-01-05T10:01:00.000Z", 0.0)])
    );
}

#[test]
fn a_date_alone_is_its_midnight() {
    let service = Service::start();
    for time in [
        "2026-01-04T23:59:59.999",
        "2026-01-05T00:00:00",
        "2026-01-05T00:00:00.001",
    ] {
        service.accept(&json!({"time": time, "watts": 1}));
    }
    assert_eq!(watts(&service, "2026-01-05", "2026-01-05").len(), 1);
    assert_eq!(watts(&service, "2026-01-04", "2026-01-05").len(), 2);
    assert_eq!(watts(&service, "2026-01-05", "2026-01-06").len(), 2);
}

#[test]
fn ends_of_a_range_raw_and_encoded() {
    let service = house();
    for start in [
        "2026-01-05T10:01:00",
        "2026-01-05T10%3A01%3A00",
        "2026-01-05T10%3a01%3a00Z",
        "2026-01-05T10:01:00.000",
        "2026-01-05T10:00:59.001Z",
        "2026-01-05T11:01:00+01:00",
        "2026-01-05T11:01:00%2B01:00",
        "2026-01-05T11%3A01%3A00%2B01%3A00",
        "2026-01-05T05:01:00-05:00",
        "%32026-01-05T10:01:00",
    ] {
        assert_eq!(
            watts(&service, start, "2026-01-05T10:02:00"),
            [1.0, 2.0],
            "{start}"
        );
        let end = start;
        let until = watts(&service, "2026-01-05", end);
        let expected: &[f64] = if start.contains("00:59") {
            &[0.0]
        } else {
            &[0.0, 1.0]
        };
        assert_eq!(until, expected, "{end}");
    }
}

#[test]
fn other_forms_of_an_end_are_refused() {
    let service = house();
    for time in [
        "",
        "now",
        "yesterday",
        "2026-1-5",
        "2026-01-05T10:00",
        "2026-01-05%2010:00:00",
        "2026-02-30",
        "1767607200",
        "2026-01-05T10:00:00%",
        "2026-01-05T10:00:00%ff",
        "2026-01-05T10:00:00+0100",
    ] {
        for kind in ["rate", "consumption", "net_consumption"] {
            let answer = service.result(kind, time, "2026-01-06");
            let problem = answer.assert_problem_shape(400);
            assert!(
                problem["detail"].as_str().unwrap().contains("start_time"),
                "{time}: {problem}"
            );
            let answer = service.result(kind, "2026-01-04", time);
            let problem = answer.assert_problem_shape(400);
            assert!(
                problem["detail"].as_str().unwrap().contains("end_time"),
                "{time}: {problem}"
            );
        }
    }
    let answer = service.result("rate", "tomorrow", "2026-01-06");
    answer.assert_problem(400, "invalid_field", "tomorrow");
}

#[test]
fn a_range_does_not_run_backwards() {
    let service = house();
    for kind in ["rate", "consumption", "net_consumption"] {
        let answer = service.result(kind, "2026-01-05T10:00:00.001", "2026-01-05T10:00:00");
        answer.assert_problem(400, "invalid_range", "");
        let answer = service.result(kind, "2026-01-05T10:00:00", "2026-01-05T10:00:00");
        assert_eq!(answer.status(), 200, "{kind}: {}", answer.text());
    }
}

#[test]
fn parameters_are_required() {
    let service = house();
    let whole = [
        ("sensor_id", SENSOR),
        ("api_id", API_ID),
        ("api_key", API_KEY),
        ("type", "rate"),
        ("start_time", "2026-01-05"),
        ("end_time", "2026-01-06"),
    ];
    for (missing, _) in whole {
        let rest = whole.iter().filter(|(name, _)| *name != missing);
        let query: Vec<String> = rest
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let without = query.join("&");
        let answer = service.get(&without);
        answer.assert_problem(400, "missing_field", missing);
        let answer = service.get(&format!("{without}&{missing}="));
        let problem = answer.assert_problem_shape(400);
        // An empty type is a type that doesn't exist.
        let named = problem["detail"].as_str().unwrap().contains(missing) || missing == "type";
        assert!(named, "{missing}: {problem}");
    }
    service.get("").assert_problem_shape(400);
    let bare = request("GET", "/api/v0.2/elec", &[], b"");
    service.send(&bare).assert_problem_shape(400);
}

#[test]
fn parameters_come_in_any_order_and_encoded() {
    let service = house();
    service.add_sensor("home", "Wärmepumpe 2/Keller&mehr=1+");
    let sensor = "W%C3%A4rmepumpe%202%2FKeller%26mehr%3D1%2B";
    service.accept(&json!({"sensor_id": "Wärmepumpe 2/Keller&mehr=1+", "watts": 77}));
    let answer = service.get(&format!(
        "end_time=2026-01-06&type=r%61te&api_key={API_KEY}&sensor_id={sensor}&start_time=2026-01-05&api_id={API_ID}"
    ));
    assert_eq!(
        points_of(&answer),
        points([("2026-01-05T10:30:00.000Z", 77.0)])
    );
}

#[test]
fn an_unknown_type_is_named() {
    let service = house();
    for kind in ["power", "RATE", "rates", "rate,consumption", "latest"] {
        let answer = service.result(kind, "2026-01-05", "2026-01-06");
        answer.assert_problem(400, "unknown_type", kind);
    }
}

#[test]
fn basic_credentials_keep_the_query_clean() {
    let service = house();
    let target = format!(
        "/api/v0.2/elec?sensor_id={SENSOR}&type=rate&start_time=2026-01-05T10:05:00&end_time=2026-01-06"
    );
    let headers = [("Authorization", &*house_basic())];
    let answer = service.send(&request("GET", &target, &headers, b""));
    assert_eq!(
        points_of(&answer),
        points([("2026-01-05T10:05:00.000Z", 5.0)])
    );
}

#[test]
fn rows_and_blocks_are_one_history() {
    // Small blocks, so that sealed history, late rows inside it and young rows meet in one answer.
    let mut service = Service::start_with(|config| config.store.block_readings = 64);
    let begin = at("2026-01-01T00:00:00");
    let minute = |n: i32| begin.saturating_add_millis(i64::from(n) * 60_000);
    let history: Vec<_> = (0..2_000)
        .filter(|n| n % 7 != 0)
        .map(|n| power(minute(n), n.into()))
        .collect();
    service.import(&history);
    for n in (0..2_000).filter(|n| n % 7 == 0) {
        service.accept(&json!({"time": minute(n).to_string(), "watts": n}));
    }
    let expected = |from: i32, to: i32| -> Vec<(String, f64)> {
        (from..=to)
            .map(|n| (minute(n).to_string(), n.into()))
            .collect()
    };
    for _ in 0..2 {
        assert_eq!(service.all_watts(), expected(0, 1_999));
        for (from, to) in [(0, 0), (3, 700), (63, 64), (699, 701), (1_990, 1_999)] {
            let result = service.points("rate", &minute(from).to_string(), &minute(to).to_string());
            assert_eq!(result, expected(from, to));
        }
        service.restart();
    }
}
