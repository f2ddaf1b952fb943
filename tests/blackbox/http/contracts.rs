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
    let (status, answer) = post(&service, &new);
    // Such a price is saved with all its digits, and warned of.
    assert!(
        status == 200 && answer.ends_with(&format!("\"contracts\":[{new}]}}")),
        "{answer}"
    );
    assert_eq!(get(&service), (200, listed(&[&new])));
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
    assert_eq!(post(&service, &format!("[{old},{new}]")).0, 200);
    assert_eq!(get(&service), (200, listed(&[&old, &new])));
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

#[test]
fn tariffs_are_listed_with_what_a_household_fills_in() {
    let service = Service::start();
    let headers = [("Authorization", &*house_basic())];
    let get = |target: &str| {
        let target = format!("/api/v0.2/contract-templates{target}");
        service.send(&request("GET", &target, &headers, b""))
    };
    let all = get("?country=DE&kind=flat").json();
    let [only] = &all["templates"].as_array().unwrap()[..] else {
        panic!("{all}");
    };
    assert_eq!(only["template"], "de-flat-feed-in");
    assert_eq!(
        only["params"][0],
        json!({"name": "price", "label": "Price of a kilowatt-hour, with VAT", "help": "", "kind": "energy-price", "unit": "ct/kWh",
            "needed": true, "value": null, "example": "32.9", "usual": ["10", "80"], "options": [], "sources": [], "optional": false})
    );
    assert_eq!(get("?country=XX").status(), 400);
    assert_eq!(
        service
            .send(&request(
                "GET",
                "/api/v0.2/contract-templates",
                &[("Authorization", &basic("nobody", "wrong"))],
                b""
            ))
            .status(),
        401
    );
}

fn from_template(service: &Service, body: &str) -> (u16, String) {
    let target = "/api/v0.2/contracts/from-template";
    let headers = [("Authorization", &*house_basic())];
    let answer = service.send(&request("POST", target, &headers, body.as_bytes()));
    (answer.status(), answer.text().to_owned())
}

#[test]
fn a_contract_comes_from_the_values_of_a_household() {
    let service = Service::start();
    let added = from_template(
        &service,
        r#"{"template":"de-flat-feed-in","from":"2026-01-01","values":{"price":32.9,"base-fee":"12.90"}}"#,
    );
    let contract = r#"{"from":"2026-01-01","name":"Flat with feed-in","currency":"EUR","components":[{"energy":{"price":0.329}},{"fixed":{"name":"base price","price":12.9,"per":"month"}}]}"#;
    assert_eq!(added, (200, listed(&[contract])));
    // What may not be meant so is said, and done.
    let (status, text) = from_template(
        &service,
        r#"{"template":"de-dynamic","from":"2126-01-01","name":"D","values":{"prices":"energy-charts/DE-LU","fees":0.18,"base-fee":16.77}}"#,
    );
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(status, 200, "{answer}");
    let warnings: Vec<&str> = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    for (warning, part) in warnings.iter().zip([
        "0.18 ct/kWh is unusual; usual is 1 to 40",
        "there is no price series energy-charts-de-lu",
        "begins in the future, on 2126-01-01",
    ]) {
        assert!(warning.contains(part), "{part}: {warnings:?}");
    }
    assert_eq!(warnings.len(), 3);
}

#[test]
fn wrong_values_of_a_tariff_are_refused_at_their_place() {
    let service = Service::start();
    for (body, code, part) in [
        (
            r#"{"template":"none","from":"2026-01-01"}"#,
            "invalid_field",
            "template: expected the name of a template",
        ),
        (
            r#"{"template":"de-flat-feed-in","from":"1.1.2026"}"#,
            "invalid_field",
            "from: expected a date",
        ),
        (
            r#"{"template":"de-flat-feed-in","from":"2026-01-01","values":{"price":[1],"base-fee":1}}"#,
            "invalid_field",
            "values.price: expected a price in ct/kWh",
        ),
        (
            r#"{"template":"de-flat-feed-in","from":"2026-01-01","values":{"base-fee":1}}"#,
            "invalid_field",
            "values.price: it is missing; expected a price in ct/kWh",
        ),
        (
            r#"{"template":"de-flat-feed-in","from":"2026-01-01","values":{"x":1}}"#,
            "invalid_field",
            "values.x: this tariff has no such value",
        ),
        (
            r#"{"template":"de-flat-feed-in"}"#,
            "malformed_json",
            "missing field `from`",
        ),
        ("[]", "malformed_json", "expected values of a tariff"),
    ] {
        let (status, text) = from_template(&service, body);
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((status, &answer["code"]), (400, &json!(code)), "{answer}");
        assert!(
            answer["detail"].as_str().unwrap().contains(part),
            "{part}: {answer}"
        );
    }
}

#[test]
fn an_answer_says_what_may_not_be_meant_so() {
    let service = Service::start();
    let (status, text) = post(&service, &flat("2026-01-01", "32.9"));
    let answer: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(status, 200);
    assert_eq!(
        answer["warnings"],
        json!([
            "energy: 32.9 for a kilowatt-hour is a lot; if it is in hundredths, such as cents, enter 0.329"
        ])
    );
    assert_eq!(
        answer["contracts"][0]["components"][0]["energy"]["price"],
        32.9
    );
    let (_, text) = send(&service, "GET", &house_basic(), "");
    assert!(!text.contains("warnings"), "{text}");
}
