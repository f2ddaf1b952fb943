//! `/offers` and `/compare`.

use serde_json::{Value, json};
use wattkeeper::{Plan, Scope};

use crate::support::{Service, basic, house_basic, key_of, request};

const API: &str = "/api/v0.2";
const DAYS: &str = "start_time=2026-01-02&end_time=2026-01-04";

/// The status and the body of an answer, as text: numbers must keep their digits.
fn send(service: &Service, method: &str, who: &str, path: &str, body: &str) -> (u16, String) {
    let headers = [("Authorization", who)];
    let target = format!("{API}{path}");
    let response = service.send(&request(method, &target, &headers, body.as_bytes()));
    (response.status(), response.text().to_owned())
}

fn own(service: &Service, method: &str, path: &str, body: &str) -> (u16, String) {
    send(service, method, &house_basic(), path, body)
}

fn flat(name: &str, price: &str) -> String {
    format!(
        r#"{{"from":"2026-01-01","name":"{name}","currency":"EUR","components":[{{"energy":{{"price":{price}}}}}]}}"#
    )
}

fn listed(offers: &[&str]) -> (u16, String) {
    (200, format!(r#"{{"offers":[{}]}}"#, offers.join(",")))
}

#[track_caller]
fn assert_refused(service: &Service, (method, path, body): (&str, &str, &str), detail: &str) {
    let (status, answer) = own(service, method, path, body);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let found = answer["detail"].as_str().unwrap();
    assert!(status == 400 && found.contains(detail), "{status} {answer}");
}

#[test]
fn offers_are_put_kept_listed_and_removed() {
    let mut service = Service::start();
    assert_eq!(own(&service, "GET", "/offers", ""), listed(&[]));
    let [b, other, a] = [flat("b", "0.3"), flat("b", "0.123456"), flat("a", "0.2")];
    assert_eq!(own(&service, "PUT", "/offers", &b), listed(&[&b]));
    assert_eq!(own(&service, "PUT", "/offers", &a), listed(&[&a, &b]));
    assert_eq!(
        own(&service, "PUT", "/offers", &other),
        listed(&[&a, &other])
    );
    service.restart();
    assert_eq!(own(&service, "GET", "/offers", ""), listed(&[&a, &other]));
    // They are no contracts.
    let (_, contracts) = own(&service, "GET", "/contracts", "");
    assert_eq!(contracts, r#"{"currency":null,"contracts":[]}"#);
    assert_eq!(
        own(&service, "DELETE", "/offers?name=a", ""),
        listed(&[&other])
    );
    assert_refused(
        &service,
        ("DELETE", "/offers?name=a", ""),
        "name: there is no offer",
    );
    assert_eq!(own(&service, "GET", "/offers", ""), listed(&[&other]));
}

#[test]
fn a_refusal_says_what_was_expected_and_changes_nothing() {
    let service = Service::start();
    let one = flat("one", "0.3");
    own(&service, "PUT", "/offers", &one);
    let franc = flat("two", "0.3").replace("EUR", "CHF");
    let nameless = flat("", "0.3");
    for (asked, detail) in [
        (("PUT", "/offers", ""), "the contract: "),
        (("PUT", "/offers", "[]"), "expected an object"),
        (("PUT", "/offers", r#"{"remove":"2026-01-01"}"#), "remove: "),
        (("PUT", "/offers", &nameless), "name: "),
        (
            ("PUT", "/offers", &franc),
            "currency: the contracts and offers of the account are in EUR",
        ),
        (("DELETE", "/offers", ""), "name is required"),
        (
            ("GET", &format!("/compare?{DAYS}"), ""),
            "no contract to compare",
        ),
        (
            ("GET", "/compare?start_time=2026-01-02", ""),
            "end_time is required",
        ),
        (
            (
                "GET",
                "/compare?start_time=2006-01-02&end_time=2026-01-02",
                "",
            ),
            "at most 3660 days",
        ),
        (
            ("GET", &format!("/statement?{DAYS}&offer=none"), ""),
            "offer: there is no offer",
        ),
    ] {
        assert_refused(&service, asked, detail);
    }
    let contract = flat("now", "0.3").replace("2026-01-01", "2026-02-01");
    assert_eq!(own(&service, "POST", "/contracts", &contract).0, 200);
    let early = format!("/compare?{DAYS}");
    assert_refused(&service, ("GET", &early, ""), "begins on 2026-02-01");
    assert_eq!(own(&service, "GET", "/offers", ""), listed(&[&one]));
    for number in 1..50 {
        let put = own(
            &service,
            "PUT",
            "/offers",
            &flat(&number.to_string(), "0.3"),
        );
        assert_eq!(put.0, 200);
    }
    let more = flat("more", "0.3");
    assert_refused(
        &service,
        ("PUT", "/offers", &more),
        "50 offers, the maximum",
    );
    assert_eq!(own(&service, "PUT", "/offers", &one).0, 200);
}

#[test]
fn each_account_has_offers_of_its_own() {
    let service = Service::start();
    service.add_account("other", Plan::Paid);
    service.add_key("other", "other-id", Scope::Full);
    service.add_key("home", "reader", Scope::Read);
    service.add_key("home", "writer", Scope::Write);
    let a = flat("a", "0.3");
    assert_eq!(own(&service, "PUT", "/offers", &a).0, 200);
    let [reader, writer, other] = ["reader", "writer", "other-id"].map(|id| basic(id, &key_of(id)));
    for method in ["PUT", "DELETE"] {
        let (status, answer) = send(&service, method, &reader, "/offers?name=a", &a);
        assert!(
            status == 403 && answer.contains("scope_insufficient"),
            "{answer}"
        );
        let nobody = basic("nobody", "wrong-key");
        assert_eq!(send(&service, method, &nobody, "/offers?name=a", &a).0, 401);
    }
    assert_eq!(send(&service, "GET", &reader, "/offers", ""), listed(&[&a]));
    assert_eq!(send(&service, "GET", &writer, "/offers", "").0, 403);
    assert_eq!(
        send(&service, "GET", &writer, &format!("/compare?{DAYS}"), "").0,
        403
    );
    assert_eq!(send(&service, "GET", &other, "/offers", ""), listed(&[]));
    assert_eq!(
        send(&service, "DELETE", &other, "/offers?name=a", "").0,
        400
    );
    let range = format!("/statement?{DAYS}&offer=a");
    assert_eq!(send(&service, "GET", &other, &range, "").0, 400);
}

#[test]
fn a_range_is_compared_row_by_row() {
    let service = Service::start();
    // 24 kWh a day.
    let registers = (0..=24 * 4).map(|hour| {
        let (day, hour, shown) = (1 + hour / 24, hour % 24, hour * 1_000);
        json!({"time": format!("2026-01-{day:02}T{hour:02}:00:00Z"), "watthours": shown})
    });
    let readings: Vec<Value> = registers.collect();
    let upload = json!({"sensor_id": "house", "readings": readings}).to_string();
    let accepted = own(&service, "POST", "/elec", &upload);
    assert_eq!(accepted.0, 200, "{}", accepted.1);
    own(&service, "POST", "/contracts", &flat("now", "0.3"));
    own(&service, "PUT", "/offers", &flat("dear", "0.5"));
    own(&service, "PUT", "/offers", &flat("cheap", "0.25"));
    let market = flat("market", "1").replace("\"price\":1", "\"series\":\"spot\"");
    own(&service, "PUT", "/offers", &market);
    // One hour of the two days has no price.
    let prices = "2026-01-02T00:00:00Z,0.1\n2026-01-02T01:00:00Z,\n";
    let put = own(&service, "PUT", "/prices?series=spot", prices);
    assert_eq!(put.0, 200, "{}", put.1);
    let (status, answer) = own(&service, "GET", &format!("/compare?{DAYS}"), "");
    assert_eq!(status, 200, "{answer}");
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert!(answer["assumes"].as_str().unwrap().contains("at any price"));
    assert_eq!(
        (&answer["currency"], &answer["imported"]),
        (&json!("EUR"), &json!(48_000.0))
    );
    let rows = answer["rows"].as_array().unwrap();
    let of = |name: &str| {
        rows.iter()
            .map(|row| row[name].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(
        of("offer"),
        [json!("cheap"), Value::Null, json!("dear"), json!("market")]
    );
    assert_eq!(
        of("total"),
        [json!("12"), json!("14.4"), json!("24"), json!("0.1")]
    );
    assert_eq!(
        of("difference"),
        [json!("-2.4"), json!("0"), json!("9.6"), Value::Null]
    );
    assert_eq!(
        of("price_per_kwh"),
        [json!("0.25"), json!("0.3"), json!("0.5"), Value::Null]
    );
    assert_eq!(of("complete"), [true, true, true, false].map(Value::from));
    assert_eq!(rows[3]["unpriced_import"], json!(47_000.0));
    assert_eq!(
        rows[0]["months"],
        json!([{"month": "2026-01", "total": "12"}])
    );
    for row in rows {
        let offer = row["offer"].as_str().map(|name| format!("&offer={name}"));
        let target = format!("/statement?{DAYS}{}", offer.unwrap_or_default());
        let (_, statement) = own(&service, "GET", &target, "");
        let statement: Value = serde_json::from_str(&statement).unwrap();
        assert_eq!(statement["total"], row["total"], "{row}");
    }
}
