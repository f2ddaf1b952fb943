//! `/prices/cheapest`.

use serde_json::{Value, json};
use wattkeeper::Scope;

use crate::support::{MINUTE, Service, basic, house_basic, key_of, request};

const CHEAPEST: &str = "/api/v0.2/prices/cheapest";
/// A market price, a surcharge, a fee by the clock and a tax on all.
const CONTRACT: &str = r#"{"from":"2026-01-01","name":"Hourly","currency":"EUR","components":[
    {"energy":{"series":"spot","surcharge":0.1}},
    {"energy":{"name":"network","zones":[{"name":"usual","price":0.1},{"name":"low","price":0,"hours":"20:00-24:00"}]}},
    {"fixed":{"name":"meter","price":100,"per":"year"}},{"tax":{"name":"VAT","percent":10}}]}"#;

fn send(service: &Service, method: &str, target: &str, body: &str) -> (u16, Value) {
    let who = house_basic();
    let headers = [("Authorization", who.as_str())];
    let response = service.send(&request(method, target, &headers, body.as_bytes()));
    (response.status(), response.json())
}

fn ask(service: &Service, query: &str) -> (u16, Value) {
    send(service, "GET", &format!("{CHEAPEST}?{query}"), "")
}

/// Hourly prices of 2026-01-05 from 10:00 on, in hundredths.
fn priced(cents: &[u32]) -> Service {
    let service = Service::start();
    let (status, _) = send(&service, "POST", "/api/v0.2/contracts", CONTRACT);
    assert_eq!(status, 200);
    let lines = (10..).zip(cents);
    let lines = lines.map(|(hour, cents)| format!("2026-01-05T{hour}:00:00Z,0.{cents:02}\n"));
    let (status, _) = send(
        &service,
        "PUT",
        "/api/v0.2/prices?series=spot&length=hour",
        &lines.collect::<String>(),
    );
    assert_eq!(status, 200);
    service
}

#[test]
fn the_cheapest_hours_are_found_by_all_components() {
    // It is 10:30. The exchange is cheapest at 13:00, the contract at 20:00.
    let mut service = priced(&[30, 30, 30, 5, 30, 30, 30, 30, 30, 30, 12, 13, 30, 30]);
    let expected = json!({"account": "home", "currency": "EUR",
        "start": "2026-01-05T20:00:00.000Z", "end": "2026-01-05T22:00:00.000Z", "price": "0.2475",
        "pieces": [{"start": "2026-01-05T20:00:00.000Z", "end": "2026-01-05T22:00:00.000Z", "price": "0.2475"}],
        "window_start": "2026-01-05T10:30:00.000Z", "window_end": "2026-01-06T00:00:00.000Z",
        "window_price": "0.468519", "all_equal": false, "known_until": null, "missing_minutes": 0});
    let (status, mut answer) = ask(&service, "hours=2&before=2026-01-06");
    assert_eq!(status, 200, "{answer}");
    let assumption = answer["assumption"].take();
    assert!(
        assumption.as_str().unwrap().contains("components"),
        "{assumption}"
    );
    answer.as_object_mut().unwrap().remove("assumption");
    assert_eq!(answer, expected);
    // The quarters of three hours are apart.
    let (status, split) = ask(&service, "hours=3&split=1&before=2026-01-06T00:00:00");
    let starts = split["pieces"].as_array().unwrap().iter();
    let starts: Vec<&str> = starts.map(|it| it["start"].as_str().unwrap()).collect();
    assert_eq!(
        (status, starts),
        (
            200,
            vec!["2026-01-05T13:00:00.000Z", "2026-01-05T20:00:00.000Z"]
        )
    );
    // The rest of a running hour counts, and prices end at midnight.
    let (_, late) = ask(&service, "hours=0.5&before=11:00");
    assert_eq!(late["start"], "2026-01-05T10:30:00.000Z");
    let (_, open) = ask(&service, "hours=2");
    assert_eq!(
        [
            &open["window_end"],
            &open["known_until"],
            &open["missing_minutes"]
        ],
        [
            &json!("2026-01-07T00:00:00.000Z"),
            &json!("2026-01-06T00:00:00.000Z"),
            &json!(1_440)
        ]
    );
    service.restart();
    assert_eq!(ask(&service, "hours=2").1, open);
    service.clock.advance(MINUTE / 2);
    assert_eq!(
        ask(&service, "hours=2").1["window_start"],
        "2026-01-05T10:31:00.000Z"
    );
}

#[test]
fn what_cannot_be_answered_says_why() {
    let service = Service::start();
    let detail = |answer: &Value| answer["detail"].as_str().unwrap().to_owned();
    let (status, answer) = ask(&service, "");
    assert_eq!((status, &answer["code"]), (404, &json!("no_contract")));
    let service = priced(&[30, 30]);
    for (query, code, expected) in [
        (
            "hours=3",
            "no_prices",
            "prices are not known for so long: those from 2026-01-05T10:30:00.000Z on end at 2026-01-05T12:00:00.000Z",
        ),
        (
            "start_time=2027-01-01",
            "no_prices",
            "no price is known from 2027-01-01T00:00:00.000Z to 2027-01-03T00:00:00.000Z",
        ),
    ] {
        let (status, answer) = ask(&service, query);
        assert_eq!((status, &answer["code"]), (404, &json!(code)), "{answer}");
        assert!(detail(&answer).starts_with(expected), "{answer}");
    }
    for (query, expected) in [
        ("hours=0.2", "hours: expected hours from 0.25 to 24"),
        ("hours=25", "hours: expected hours from 0.25 to 24"),
        ("hours=1&hours=2", "hours: expected only once"),
        (
            "hours=1.1&split=1",
            "hours: expected whole quarters of an hour",
        ),
        ("split=yes", "split: expected one of 0, 1"),
        ("before=noon", "before: expected a clock time such as 07:00"),
        (
            "before=2026-01-05T10:00:00Z",
            "before: expected a time after the start of the search, 2026-01-05T10:30",
        ),
        (
            "before=2026-01-05T11:00:00Z",
            "before: expected a time that leaves room",
        ),
        (
            "before=2026-02-01",
            "before: expected a time at most 7 days after",
        ),
        ("start_time=12:00", "start_time: expected a time such as"),
    ] {
        let (status, answer) = ask(&service, query);
        assert_eq!(
            (status, &answer["code"]),
            (400, &json!("invalid_field")),
            "{query}"
        );
        assert!(detail(&answer).starts_with(expected), "{query}: {answer}");
    }
}

#[test]
fn keys_that_write_get_no_prices() {
    let service = priced(&[30, 30, 30, 30]);
    service.add_key("home", "reader", Scope::Read);
    service.add_key("home", "writer", Scope::Write);
    for (who, expected) in [("reader", 200), ("writer", 403), ("nobody", 401)] {
        let who = basic(who, &key_of(who));
        let headers = [("Authorization", who.as_str())];
        let answer = service.send(&request("GET", CHEAPEST, &headers, b""));
        assert_eq!(answer.status(), expected, "{}", answer.text());
    }
}
