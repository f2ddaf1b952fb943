//! Prices that change, are missing, or are in another currency: no amount is wrong without a word.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::support::{Service, house_basic, request};

fn send(service: &Service, method: &str, path: &str, body: &str) -> (u16, Value) {
    let headers = [("Authorization", &*house_basic())];
    let target = format!("/api/v0.2{path}");
    let response = service.send(&request(method, &target, &headers, body.as_bytes()));
    (response.status(), response.json())
}

#[track_caller]
fn ok(service: &Service, method: &str, path: &str, body: &str) -> Value {
    let (status, answer) = send(service, method, path, body);
    assert_eq!(status, 200, "{answer}");
    answer
}

/// The detail of an error.
#[track_caller]
fn refused(service: &Service, method: &str, path: &str, body: &str) -> String {
    let (status, answer) = send(service, method, path, body);
    assert_eq!(status, 400, "{answer}");
    answer["detail"].as_str().unwrap().to_owned()
}

/// A house that draws a kilowatt in December.
fn house() -> Service {
    let service = Service::start();
    for (time, watthours) in [("2025-12-01T00:00:00", 0), ("2026-01-01T00:00:00", 744_000)] {
        service.accept(&json!({"sensor_id": "house", "time": time, "watthours": watthours}));
    }
    service
}

fn statement(service: &Service, from: &str, to: &str) -> Value {
    let path = format!("/statement?start_time={from}&end_time={to}");
    ok(service, "GET", &path, "")
}

fn contract(from: &str, name: &str, more: &str, energy: &str) -> String {
    format!(
        r#"{{"from":"{from}","name":"{name}","currency":"EUR"{more},"components":[{{"energy":{energy}}}]}}"#
    )
}

#[test]
fn a_new_price_is_no_second_allowance() {
    let service = house();
    let tiers = r#"{"period":"month","tiers":[{"up_to_kwh":300,"price":0.1},{"price":0.2}]}"#;
    let total = |more: &str| {
        let first = contract("2025-01-01", "Old", "", tiers);
        let second = contract("2025-12-16", "New", more, tiers);
        let both = format!("[{first},{second}]");
        ok(&service, "POST", "/contracts", &both);
        statement(&service, "2025-12-01", "2026-01-01")["total"].clone()
    };
    assert_eq!(total(""), "118.8");
    assert_eq!(total(r#","continues":true"#), "118.8");
    assert_eq!(total(r#","continues":false"#), "88.8");
    // Days that begin in the second contract count what the first one drew.
    let more = contract("2025-12-16", "New", "", tiers);
    ok(&service, "POST", "/contracts", &more);
    let later = statement(&service, "2025-12-17", "2025-12-18");
    assert_eq!(later["total"], "4.8");
    let listed = ok(&service, "GET", "/contracts", "");
    assert_eq!(listed["contracts"][1]["continues"], json!(true));
}

/// Hourly prices of a day of December.
fn day(day: u8, price: &str) -> String {
    let mut table = String::new();
    for hour in 0..24 {
        writeln!(table, "2025-12-{day:02}T{hour:02}:00:00Z,{price}").unwrap();
    }
    table
}

#[test]
fn a_hole_of_a_file_of_prices_has_no_price() {
    let service = house();
    let series = contract("2025-01-01", "Market", "", r#"{"series":"spot"}"#);
    ok(&service, "POST", "/contracts", &series);
    let both = day(1, "0.1") + &day(3, "0.2");
    ok(&service, "PUT", "/prices?series=spot", &both);
    let found = statement(&service, "2025-12-01", "2025-12-04");
    assert_eq!(
        (&found["total"], &found["complete"]),
        (&json!("7.2"), &json!(false))
    );
    assert_eq!(found["unpriced_import"], json!(24_000.0));
    // Asked for, the price before holds until the next one.
    ok(
        &service,
        "PUT",
        "/prices?series=spot&length=until-next",
        &both,
    );
    let found = statement(&service, "2025-12-01", "2025-12-04");
    assert_eq!(
        (&found["total"], &found["complete"]),
        (&json!("9.6"), &json!(true))
    );
}

#[test]
fn prices_in_another_currency_are_refused() {
    let service = house();
    let swedish = contract("2025-01-01", "El", "", r#"{"series":"spot"}"#);
    let swedish = swedish.replace("EUR", "SEK");
    let prices = day(1, "0.1");
    ok(&service, "PUT", "/prices?series=spot&currency=EUR", &prices);
    let detail = refused(&service, "POST", "/contracts", &swedish);
    assert!(
        detail.contains("the series spot are in EUR, and the contract is in SEK"),
        "{detail}"
    );
    let detail = refused(&service, "PUT", "/prices?series=spot&currency=SEK", &prices);
    assert!(
        detail.starts_with("currency: ") && detail.contains("EUR"),
        "{detail}"
    );
    let own = swedish.replace("spot", "own");
    ok(&service, "POST", "/contracts", &own);
    let detail = refused(&service, "PUT", "/prices?series=own&currency=EUR", &prices);
    assert!(detail.contains("expected prices in SEK"), "{detail}");
    // A sign may be the same, and a series without a currency is taken for the contract's.
    ok(&service, "PUT", "/prices?series=own", &prices);
    let list = ok(&service, "GET", "/prices", "");
    assert_eq!(list["series"][0]["currency"], Value::Null);
    ok(&service, "PUT", "/prices?series=own&currency=kr", &prices);
    let list = ok(&service, "GET", "/prices", "");
    let currencies = [0, 1].map(|place| list["series"][place]["currency"].clone());
    assert_eq!(currencies, ["kr", "EUR"]);
    assert_eq!(
        statement(&service, "2025-12-01", "2025-12-02")["total"],
        "2.4"
    );
}

/// Prices in euros under a contract in kronor, by the rates of the days.
#[test]
fn prices_in_another_currency_are_converted_by_exchange_rates() {
    let service = house();
    let prices = day(1, "0.1") + &day(2, "0.2");
    ok(&service, "PUT", "/prices?series=spot&currency=EUR", &prices);
    // No rate of 2 December: that of the day before holds.
    let rates = r#"[{"time":"2025-12-01T00:00:00Z","price":11},{"time":"2025-12-03T00:00:00Z","price":12}]"#;
    ok(
        &service,
        "PUT",
        "/prices?series=ecb-sek&unit=SEK/EUR",
        rates,
    );
    let swedish = contract("2025-01-01", "El", "", r#"{"series":"spot"}"#);
    ok(
        &service,
        "POST",
        "/contracts",
        &swedish.replace("EUR", "SEK"),
    );
    let found = statement(&service, "2025-12-01", "2025-12-03");
    assert_eq!(found["total"], "79.2", "{found}");
    assert_eq!(found["complete"], true);
    let converted = json!([{"series": "spot", "currency": "EUR", "rates": ["ecb-sek"]}]);
    assert_eq!(found["converted"], converted);
    // More prices in euros are taken, pounds have no rate.
    ok(
        &service,
        "PUT",
        "/prices?series=spot&currency=EUR",
        &day(3, "0.1"),
    );
    let detail = refused(
        &service,
        "PUT",
        "/prices?series=gas&currency=GBP",
        &day(3, "0.1"),
    );
    assert!(
        detail.contains("or exchange rates from GBP first"),
        "{detail}"
    );
}

#[test]
fn names_of_series_and_day_lists_are_typed_in_any_capitals() {
    let service = house();
    let series = contract("2025-01-01", "Market", "", r#"{"series":"Day-Ahead"}"#);
    ok(&service, "POST", "/contracts", &series);
    ok(&service, "PUT", "/prices?series=day-ahead", &day(1, "0.1"));
    ok(&service, "PUT", "/prices?series=DAY-AHEAD", &day(2, "0.2"));
    let list = ok(&service, "GET", "/prices", "");
    assert_eq!(list["series"].as_array().unwrap().len(), 1, "{list}");
    let found = statement(&service, "2025-12-01", "2025-12-03");
    assert_eq!(
        (&found["total"], &found["complete"]),
        (&json!("7.2"), &json!(true))
    );
    let zones = r#"{"zones":[{"name":"red","price":1,"days":"Tempo:RED"},{"name":"blue","price":0.1,"days":"tempo:blue"}]}"#;
    ok(
        &service,
        "POST",
        "/contracts",
        &contract("2025-01-01", "Days", "", zones),
    );
    ok(&service, "PUT", "/days?list=tempo", "2025-12-01,red\n");
    ok(&service, "PUT", "/days?list=TEMPO", "2025-12-02,Blue\n");
    let found = statement(&service, "2025-12-01", "2025-12-03");
    assert_eq!(
        (&found["total"], &found["complete"]),
        (&json!("26.4"), &json!(true))
    );
}

#[test]
fn a_body_that_is_no_object_is_told_so() {
    let service = Service::start();
    for body in ["[]", r#"["Roof","panels","2022-05-01",1,1,1]"#] {
        let detail = refused(&service, "PUT", "/purchases", body);
        assert!(!detail.contains("struct"), "{detail}");
        assert!(
            detail.contains("expected a purchase such as {\"name\":\"Roof\""),
            "{detail}"
        );
        assert!(detail.contains("expected an object"), "{detail}");
    }
    let detail = refused(&service, "PUT", "/purchases", r#"{"name":5}"#);
    assert!(detail.contains("name: invalid type"), "{detail}");
    let bill = r#"{"from":"2026-01-01","to":"2026-02-01","total":1,"lines":[["night","1"]]}"#;
    let detail = refused(&service, "POST", "/utility", bill);
    assert!(
        detail.contains("lines: invalid type: sequence, expected an object"),
        "{detail}"
    );
    let detail = refused(
        &service,
        "PUT",
        "/prices?series=a",
        r#"[["2026-01-05T10:00:00Z",1]]"#,
    );
    assert!(detail.contains("expected an object"), "{detail}");
    let detail = refused(&service, "PUT", "/days?list=a", r#"[["2026-01-05","red"]]"#);
    assert!(detail.contains("expected an object"), "{detail}");
}
