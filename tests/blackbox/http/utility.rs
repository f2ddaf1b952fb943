//! `/utility`.

use serde_json::{Value, json};
use wattkeeper::{AccountName, Plan, Scope};

use crate::support::{ACCOUNT, Service, basic, house_basic, key_of, request};

const UTILITY: &str = "/api/v0.2/utility";

fn post_as(service: &Service, who: &str, body: &str) -> (u16, Value) {
    let headers = [("Authorization", who)];
    let response = service.send(&request("POST", UTILITY, &headers, body.as_bytes()));
    (response.status(), response.json())
}

fn post(service: &Service, body: &Value) -> (u16, Value) {
    post_as(service, &house_basic(), &body.to_string())
}

fn bill() -> Value {
    json!({"from": "2026-01-01", "to": "2026-02-01", "total": 73.5, "kwh": 250.25,
        "lines": [{"name": "night", "amount": "12.345678"}, {"name": "feed-in", "amount": -1}]})
}

#[test]
fn readings_and_bills_are_added_and_bills_removed() {
    let mut service = Service::start();
    let reading = json!({"sensor_id": "house", "time": "2026-01-05T10:00:00", "watthours": 4_711_000, "note": "cellar"});
    let (status, added) = post(&service, &reading);
    assert_eq!(
        (status, &added["kind"], &added["shown"], &added["note"]),
        (
            200,
            &json!("utility"),
            &json!(4_711_000.0),
            &json!("cellar")
        ),
        "{added}"
    );
    let (status, first) = post(&service, &bill());
    assert_eq!(status, 200, "{first}");
    assert_eq!(
        first,
        json!({"account": "home", "number": 1, "from": "2026-01-01T00:00:00.000Z", "to": "2026-02-01T00:00:00.000Z",
            "total": "73.5", "kwh": "250.25",
            "lines": [{"name": "night", "amount": "12.345678"}, {"name": "feed-in", "amount": "-1"}]})
    );
    let short = json!({"from": "2026-02-01T10:00:00Z", "to": "2026-03-01", "total": "-5"});
    assert_eq!(post(&service, &short).1["number"], 2);
    service.restart();
    let home = AccountName::new(ACCOUNT).unwrap();
    let bills = |service: &Service| -> Vec<(u32, usize)> {
        let registry = service.store().registry();
        let bills = registry.bills(&home);
        bills
            .map(|(number, bill)| (number, bill.lines.len()))
            .collect()
    };
    assert_eq!(bills(&service), [(1, 2), (2, 0)]);
    assert_eq!(
        post(&service, &json!({"remove": 1})),
        (200, json!({"removed": 1}))
    );
    let (status, again) = post(&service, &json!({"remove": 1}));
    assert_eq!((status, &again["code"]), (400, &json!("invalid_field")));
    assert_eq!(bills(&service), [(2, 0)]);
}

#[test]
fn a_reading_with_a_digit_too_many_is_told_and_one_sent_twice_is_kept_once() {
    let service = Service::start();
    let add = |time: &str, kwh: f64| {
        let watthours = kwh * 1_000.0;
        let reading = json!({"sensor_id": "house", "time": time, "watthours": watthours});
        let (status, added) = post(&service, &reading);
        assert_eq!(status, 200, "{added}");
        added
    };
    let first = add("2026-01-01T00:00:00", 12_345.0);
    assert_eq!(first["warnings"], Value::Null);
    assert_eq!(
        add("2026-01-01T00:00:00", 12_345.0)["number"],
        first["number"]
    );
    let second = add("2026-01-04T00:00:00", 123_800.0);
    let warning = second["warnings"][0].as_str().unwrap();
    assert!(warning.contains("12345.000 kWh at 2026-01-01"), "{warning}");
    assert!(warning.contains("is there a digit too many?"), "{warning}");
    // It is corrected by another one at the same time, which is not the same.
    assert_eq!(
        add("2026-01-04T00:00:00", 12_380.0)["warnings"],
        Value::Null
    );
    assert_eq!(add("2026-01-04T00:00:00", 123_800.0)["number"], 4);
    let by_correction =
        json!({"sensor_id": "house", "kind": "utility", "at": "2026-01-05T00:00:00", "shown": 1e9});
    let headers = [("Authorization", &*house_basic())];
    let body = by_correction.to_string();
    let answer = service.send(&request(
        "POST",
        "/api/v0.2/corrections",
        &headers,
        body.as_bytes(),
    ));
    assert_eq!(answer.json()["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn a_refusal_says_where_and_what_was_expected() {
    let service = Service::start();
    let with = |name: &str, value: Value| {
        let mut bill = bill();
        bill[name] = value;
        bill
    };
    let lines = vec![json!({"name": "a", "amount": 1}); 65];
    for (body, detail) in [
        (with("from", json!("soon")), "from: "),
        (
            with("to", json!("2026-01-01")),
            "to: expected a time after from",
        ),
        (with("total", json!("1,5")), "total: expected a decimal"),
        (
            with("total", json!(0.123_456_7)),
            "total: expected a decimal",
        ),
        (with("kwh", json!(-1)), "kwh: expected a number from 0 on"),
        (
            with("lines", json!([{"name": "", "amount": 1}])),
            "lines[0].name: expected",
        ),
        (
            with("lines", json!(lines)),
            "lines: expected at most 64, not 65",
        ),
        (
            json!({"sensor_id": "house", "time": "noon", "watthours": 1}),
            "time: expected",
        ),
        (
            json!({"sensor_id": "house", "time": "2026-01-05", "watthours": -1}),
            "watthours: expected the register of the meter",
        ),
    ] {
        let (status, answer) = post(&service, &body);
        let found = answer["detail"].as_str().unwrap();
        assert_eq!(status, 400, "{found}");
        assert!(found.starts_with(detail), "{found}");
    }
    for body in [
        "{",
        "[]",
        "{}",
        r#"{"from":"2026-01-01","too":"2026-02-01","total":1}"#,
    ] {
        let (status, answer) = post_as(&service, &house_basic(), body);
        assert_eq!(
            (status, &answer["code"]),
            (400, &json!("malformed_json")),
            "{body}"
        );
    }
}

#[test]
fn what_is_malformed_comes_first_then_the_key_then_the_scope() {
    let service = Service::start();
    service.add_account("other", Plan::Paid);
    service.add_key("other", "other-id", Scope::Full);
    service.add_key("home", "reader", Scope::Read);
    let bill = bill().to_string();
    let stranger = basic("nobody", "wrong-key");
    assert_eq!(post_as(&service, &stranger, "{}").0, 400);
    assert_eq!(post_as(&service, &stranger, &bill).0, 401);
    let reader = basic("reader", &key_of("reader"));
    assert_eq!(post_as(&service, &reader, &bill).0, 403);
    assert_eq!(post_as(&service, &house_basic(), &bill).0, 200);
    // Another account has neither the bill nor the sensor.
    let other = basic("other-id", &key_of("other-id"));
    assert_eq!(post_as(&service, &other, r#"{"remove":1}"#).0, 400);
    let reading = r#"{"sensor_id":"house","time":"2026-01-05","watthours":1}"#;
    let (status, answer) = post_as(&service, &other, reading);
    assert_eq!(
        (status, &answer["code"]),
        (403, &json!("sensor_not_authorized"))
    );
}

/// Each sensor and each bill is a piece of the answer, made in a turn of its own.
#[test]
fn what_the_utility_says_comes_in_pieces() {
    let service = Service::start();
    let ask = || {
        let who = house_basic();
        let headers = [("Authorization", who.as_str())];
        service.send(&request("GET", UTILITY, &headers, b""))
    };
    let nothing = ask();
    assert_eq!(nothing.json(), json!({"sensors": [], "bills": []}));
    assert_eq!(nothing.head.header("transfer-encoding"), None);
    for number in 1..=3 {
        assert_eq!(post(&service, &bill()).1["number"], number);
    }
    let answer = ask();
    assert_eq!(answer.head.header("transfer-encoding"), Some("chunked"));
    let numbers = |answer: &Value| -> Vec<u64> {
        let bills = answer["bills"].as_array().unwrap().iter();
        bills.map(|bill| bill["number"].as_u64().unwrap()).collect()
    };
    let json = answer.json();
    assert_eq!(
        (numbers(&json), &json["sensors"]),
        (vec![1, 2, 3], &json!([]))
    );
    for (time, watthours) in [("2026-01-04", 1_000), ("2026-01-05", 2_000)] {
        let reading = json!({"sensor_id": "house", "time": time, "watthours": watthours});
        assert_eq!(post(&service, &reading).0, 200);
    }
    let json = ask().json();
    assert_eq!(numbers(&json), [1, 2, 3]);
    assert_eq!(json["sensors"][0]["periods"][0]["utility"], 1_000.0);
}
