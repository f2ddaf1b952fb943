//! `/contracts`.

use serde_json::{Value, json};
use wattkeeper::{Plan, Scope};

use crate::support::{Service, basic, house_basic, key_of, request};

const CONTRACTS: &str = "/api/v0.2/contracts";

/// The status and the body of an answer, as text: numbers must keep their digits.
fn send(service: &Service, method: &str, credentials: &str, body: &str) -> (u16, String) {
    let headers = [("Authorization", credentials)];
    let response = service.send(&request(method, CONTRACTS, &headers, body.as_bytes()));
    (response.status(), response.text().to_owned())
}

fn post(service: &Service, body: &str) -> (u16, String) {
    send(service, "POST", &house_basic(), body)
}

#[track_caller]
fn assert_refused(service: &Service, body: &str, field: &str, detail: &str) {
    let (status, answer) = post(service, body);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(
        (status, &answer["code"]),
        (400, &json!("invalid_field")),
        "{answer}"
    );
    let found = answer["detail"].as_str().unwrap();
    assert!(
        found.starts_with(&format!("{field}: ")) && found.contains(detail),
        "{answer}"
    );
}

fn flat(from: &str, price: &str) -> String {
    format!(
        r#"{{"from":"{from}","name":"Flat","currency":"EUR","components":[{{"energy":{{"price":{price}}}}}]}}"#
    )
}

fn listed(contracts: &[&str]) -> String {
    let currency = if contracts.is_empty() {
        "null"
    } else {
        r#""EUR""#
    };
    format!(
        r#"{{"currency":{currency},"contracts":[{}]}}"#,
        contracts.join(",")
    )
}

#[test]
fn contracts_are_added_replaced_and_removed() {
    let mut service = Service::start();
    let get = |service: &Service| send(service, "GET", &house_basic(), "");
    assert_eq!(get(&service), (200, listed(&[])));
    let [old, new, newer] = [
        flat("2025-01-01", "0.3"),
        flat("2026-01-01", "999999.123457"),
        flat("2026-01-01", "0.4"),
    ];
    assert_eq!(post(&service, &new), (200, listed(&[&new])));
    assert_eq!(post(&service, &old), (200, listed(&[&old, &new])));
    assert_eq!(post(&service, &newer), (200, listed(&[&old, &newer])));
    service.restart();
    assert_eq!(get(&service), (200, listed(&[&old, &newer])));
    let removed = post(&service, r#"{"remove":"2025-01-01"}"#);
    assert_eq!(removed, (200, listed(&[&newer])));
    assert_refused(
        &service,
        r#"{"remove":"2025-01-01"}"#,
        "remove",
        "expected one of 2026-01-01",
    );
    // A list is all there is: the way to another currency.
    let replaced = post(&service, &format!("[{old},{new}]"));
    assert_eq!(replaced, (200, listed(&[&old, &new])));
    assert_eq!(post(&service, "[]"), (200, listed(&[])));
}

#[test]
fn a_refusal_says_where_and_what_was_expected() {
    let service = Service::start();
    let with = |components: &str| {
        format!(
            r#"{{"from":"2026-01-01","name":"A","currency":"EUR","components":[{components}]}}"#
        )
    };
    for (components, field, detail) in [
        (
            r#"{"energy":{"zones":[{"name":"night","price":1,"hours":"22:00-06:00"}]}}"#,
            "components[0].energy.zones",
            "06:00",
        ),
        (
            r#"{"energy":{"zones":[{"name":"a","price":1,"weekdays":"sun"},{"name":"b","price":1}]}}"#,
            "components[0].energy.zones[0]",
            "",
        ),
        (
            r#"{"energy":{"price":1}},{"tax":{"name":"VAT","percent":-19}}"#,
            "components[1].tax.percent",
            "such as 19",
        ),
        (
            r#"{"energy":{"price":"0,3"}}"#,
            "components[0].energy.price",
            "such as 0.3215",
        ),
    ] {
        assert_refused(&service, &with(components), field, detail);
    }
    assert_refused(&service, "{", "the contract", "no JSON");
    assert_refused(&service, r#"{"remove":7}"#, "remove", "2026-01-01");
    let twice = format!("[{},{}]", flat("2026-01-01", "1"), flat("2026-01-01", "2"));
    assert_refused(&service, &twice, "the contracts", "begin on one date");
    assert_eq!(post(&service, &flat("2026-01-01", "1")).0, 200);
    let francs = flat("2027-01-01", "1").replace("EUR", "CHF");
    assert_refused(&service, &francs, "the contracts", "one currency");
    // Each zone wins for half an hour.
    let hours = |n: usize| format!("{:02}:{:02}-24:00", n / 2, n % 2 * 30);
    let zones: Vec<String> = (0..32)
        .map(|n| {
            let name = "z".repeat(60);
            format!(
                r#"{{"name":"{name}{n:02}","price":0.123456,"hours":"{}"}}"#,
                hours(n)
            )
        })
        .collect();
    let energy = format!(r#"{{"energy":{{"zones":[{}]}}}}"#, zones.join(","));
    let long = with(&[energy.as_str(); 10].join(","));
    assert_refused(&service, &long, "body", "at most 16384 bytes");
}

#[test]
fn what_is_malformed_comes_first_then_the_key_then_the_scope() {
    let service = Service::start();
    service.add_account("other", Plan::Paid);
    service.add_key("other", "other-id", Scope::Full);
    service.add_key("home", "reader", Scope::Read);
    service.add_key("home", "writer", Scope::Write);
    let contract = flat("2026-01-01", "0.3");
    let stranger = basic("nobody", "wrong-key");
    assert_eq!(send(&service, "POST", &stranger, "{}").0, 400);
    assert_eq!(send(&service, "POST", &stranger, &contract).0, 401);
    for id in ["reader", "writer"] {
        let credentials = basic(id, &key_of(id));
        let (status, answer) = send(&service, "POST", &credentials, &contract);
        assert_eq!(status, 403);
        assert!(answer.contains("scope_insufficient"), "{answer}");
    }
    assert_eq!(post(&service, &contract).0, 200);
    let reader = basic("reader", &key_of("reader"));
    assert_eq!(
        send(&service, "GET", &reader, ""),
        (200, listed(&[&contract]))
    );
    let writer = basic("writer", &key_of("writer"));
    assert_eq!(send(&service, "GET", &writer, "").0, 403);
    // Another account has contracts of its own.
    let other = basic("other-id", &key_of("other-id"));
    assert_eq!(send(&service, "GET", &other, ""), (200, listed(&[])));
    let removed = send(&service, "POST", &other, r#"{"remove":"2026-01-01"}"#);
    assert_eq!(removed.0, 400);
    assert_eq!(send(&service, "PUT", &reader, "").0, 405);
}
