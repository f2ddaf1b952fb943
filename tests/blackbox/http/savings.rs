//! `/purchases`, `/savings` and `/payback`.

use serde_json::{Value, json};
use wattkeeper::{MeterKind, Plan, Role, Scope};

use crate::pages::dashboard::put_sensor;
use crate::support::{Service, basic, house_basic, key_of, request};

const API: &str = "/api/v0.2";
const DAYS: &str = "start_time=2026-01-02&end_time=2026-01-04";

fn send(service: &Service, method: &str, who: &str, path: &str, body: &str) -> (u16, Value) {
    let headers = [("Authorization", who)];
    let target = format!("{API}{path}");
    let response = service.send(&request(method, &target, &headers, body.as_bytes()));
    (response.status(), response.json())
}

fn own(service: &Service, method: &str, path: &str, body: &str) -> (u16, Value) {
    send(service, method, &house_basic(), path, body)
}

/// A purchase, and its row in an answer.
fn purchase(name: &str, amount: &str) -> (String, Value) {
    let body = format!(
        r#"{{"name":"{name}","kind":"panels","date":"2022-05-01","amount":{amount},"subsidy":"0.5"}}"#
    );
    let row = json!({"account": "home", "name": name, "kind": "panels", "date": "2022-05-01", "amount": amount, "subsidy": "0.5", "costs_per_year": "0"});
    (body, row)
}

fn listed(rows: &[&Value]) -> (u16, Value) {
    (200, json!({ "purchases": rows }))
}

#[track_caller]
fn assert_refused(service: &Service, (method, path, body): (&str, &str, &str), detail: &str) {
    let (status, answer) = own(service, method, path, body);
    let found = answer["detail"].as_str().unwrap();
    assert!(status == 400 && found.contains(detail), "{status} {answer}");
}

#[test]
fn purchases_are_put_kept_listed_and_removed() {
    let mut service = Service::start();
    assert_eq!(own(&service, "GET", "/purchases", ""), listed(&[]));
    let [b, other, a] = [("b", "3"), ("b", "14500.123456"), ("a", "1")]
        .map(|(name, amount)| purchase(name, amount));
    assert_eq!(own(&service, "PUT", "/purchases", &b.0), listed(&[&b.1]));
    assert_eq!(
        own(&service, "PUT", "/purchases", &a.0),
        listed(&[&a.1, &b.1])
    );
    assert_eq!(
        own(&service, "PUT", "/purchases", &other.0),
        listed(&[&a.1, &other.1])
    );
    service.restart();
    assert_eq!(
        own(&service, "GET", "/purchases", ""),
        listed(&[&a.1, &other.1])
    );
    assert_eq!(
        own(&service, "DELETE", "/purchases?name=a", ""),
        listed(&[&other.1])
    );
    assert_refused(
        &service,
        ("DELETE", "/purchases?name=a", ""),
        "name: there is no purchase",
    );
    assert_refused(&service, ("DELETE", "/purchases", ""), "name is required");
    assert_eq!(own(&service, "GET", "/purchases", ""), listed(&[&other.1]));
}

#[test]
fn a_wrong_purchase_changes_nothing() {
    let service = Service::start();
    let (one, row) = purchase("a", "1");
    own(&service, "PUT", "/purchases", &one);
    let with = |name: &str, value: &str| {
        let mut changed: serde_json::Map<String, Value> = serde_json::from_str(&one).unwrap();
        changed.insert(name.to_owned(), serde_json::from_str(value).unwrap());
        Value::from(changed).to_string()
    };
    for (body, detail) in [
        (String::new(), "expected a purchase such as"),
        ("[]".to_owned(), "expected a purchase such as"),
        (with("price", "1"), "unknown field `price`"),
        (with("name", "\"\""), "name: expected 1 to 64"),
        (
            with("kind", "\"solar\""),
            "kind: expected panels, battery or other",
        ),
        (with("date", "\"2022-02-30\""), "date: "),
        (
            with("date", "\"2999-01-01\""),
            "date: 2999-01-01 is more than a year ahead",
        ),
        (with("amount", "-1"), "amount: expected an amount from 0"),
        (with("amount", "1.2345678"), "amount: expected a decimal"),
        (with("amount", "\"much\""), "amount: expected a decimal"),
        (with("amount", "{}"), "amount: expected a decimal"),
        (
            with("subsidy", "1.1"),
            "subsidy: expected a subsidy from 0 to the amount",
        ),
        (
            with("costs_per_year", "-1"),
            "costs_per_year: expected costs",
        ),
    ] {
        assert_refused(&service, ("PUT", "/purchases", &body), detail);
    }
    assert_eq!(own(&service, "GET", "/purchases", ""), listed(&[&row]));
    for number in 0..49 {
        let (body, _) = purchase(&number.to_string(), "1");
        assert_eq!(own(&service, "PUT", "/purchases", &body).0, 200);
    }
    let (more, _) = purchase("more", "1");
    assert_refused(
        &service,
        ("PUT", "/purchases", &more),
        "50 purchases, the maximum",
    );
    assert_eq!(own(&service, "PUT", "/purchases", &one).0, 200);
}

#[test]
fn each_account_has_purchases_of_its_own() {
    let service = Service::start();
    for (id, scope) in [("reader", Scope::Read), ("writer", Scope::Write)] {
        service.add_key("home", id, scope);
    }
    service.add_account("shop", Plan::Paid);
    service.add_key("shop", "shop-id", Scope::Full);
    let [reader, writer, shop] = ["reader", "writer", "shop-id"].map(|id| basic(id, &key_of(id)));
    let (body, row) = purchase("a", "1");
    assert_eq!(own(&service, "PUT", "/purchases", &body).0, 200);
    for (method, who, status) in [
        ("PUT", &reader, 403),
        ("DELETE", &reader, 403),
        ("PUT", &writer, 403),
        ("GET", &writer, 403),
        ("GET", &basic("reader", "wrong"), 401),
        ("DELETE", &shop, 400),
    ] {
        let (found, answer) = send(&service, method, who, "/purchases?name=a", &body);
        assert_eq!(found, status, "{method} {answer}");
    }
    assert_eq!(
        send(&service, "GET", &reader, "/purchases", ""),
        listed(&[&row])
    );
    assert_eq!(send(&service, "GET", &shop, "/purchases", ""), listed(&[]));
    // They go with their account.
    let (of_shop, _) = purchase("b", "2");
    assert_eq!(send(&service, "PUT", &shop, "/purchases", &of_shop).0, 200);
    let name = wattkeeper::AccountName::new("shop").unwrap();
    let removed = service.store().edit(move |edit| edit.remove_account(&name));
    removed.unwrap();
    assert_eq!(send(&service, "GET", &shop, "/purchases", "").0, 401);
    assert!(service.store().check().is_clean());
}

/// A house that draws a kilowatt for four days, and whose panels give half of one.
fn sunny() -> Service {
    let service = Service::start();
    put_sensor(&service, "roof", "Roof", Role::Solar, MeterKind::Counter);
    for (sensor, watts) in [("house", 1_000), ("roof", 500)] {
        let registers = (0..=24 * 4).map(|hour| {
            let (day, hour, shown) = (1 + hour / 24, hour % 24, hour * watts);
            json!({"time": format!("2026-01-{day:02}T{hour:02}:00:00Z"), "watthours": shown})
        });
        let readings: Vec<Value> = registers.collect();
        let upload = json!({"sensor_id": sensor, "readings": readings}).to_string();
        let (status, answer) = own(&service, "POST", "/elec", &upload);
        assert_eq!(status, 200, "{answer}");
    }
    service
}

const CONTRACT: &str = r#"{"from":"2026-01-01","name":"now","currency":"EUR","components":[{"energy":{"price":0.3}},{"fixed":{"name":"meter","price":1,"per":"day"}}]}"#;

#[test]
fn savings_are_told_house_by_house() {
    let service = sunny();
    let target = format!("/savings?{DAYS}");
    assert_refused(
        &service,
        ("GET", &target, ""),
        "end_time: there is no contract",
    );
    own(&service, "POST", "/contracts", CONTRACT);
    let (status, answer) = own(&service, "GET", &target, "");
    assert_eq!(status, 200, "{answer}");
    let rows = answer["rows"].as_array().unwrap();
    let of = |name: &str| {
        rows.iter()
            .map(|row| row[name].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(of("without"), [Value::Null, json!("panels")]);
    assert_eq!(of("total"), [json!("16.4"), json!("23.6")]);
    assert_eq!(of("saved"), [json!("0"), json!("7.2")]);
    assert_eq!(of("standing"), [json!("2"), json!("2")]);
    assert_eq!(of("imported"), [json!(48_000.0), json!(72_000.0)]);
    assert_eq!(of("complete"), [true, true].map(Value::from));
    assert_eq!(answer["produced"], json!(24_000.0));
    let month = json!([{"month": "2026-01", "total": "23.6", "saved": "7.2"}]);
    assert_eq!(rows[1]["months"], month);
    let (_, statement) = own(
        &service,
        "GET",
        &format!("/statement?{DAYS}&without=panels"),
        "",
    );
    assert_eq!(statement["total"], json!("23.6"));
    for (path, detail) in [
        (
            format!("/statement?{DAYS}&without=battery"),
            "without: this house has no battery",
        ),
        (
            format!("/statement?{DAYS}&without=roof"),
            "without: expected one of panels",
        ),
        (
            format!("/statement?{DAYS}&without=panels&offer=x"),
            "without: expected either this or an offer",
        ),
        ("/savings?start_time=2026-01-02".to_owned(), "end_time"),
        (
            "/savings?start_time=2010-01-01&end_time=2026-01-01".to_owned(),
            "at most 3660 days",
        ),
        (
            "/savings?start_time=2025-01-01&end_time=2025-02-01".to_owned(),
            "begins on 2026-01-01",
        ),
    ] {
        assert_refused(&service, ("GET", &path, ""), detail);
    }
}

#[test]
fn paybacks_say_what_is_missing() {
    let service = sunny();
    assert_refused(&service, ("GET", "/payback", ""), "no contract");
    own(&service, "POST", "/contracts", CONTRACT);
    assert_eq!(own(&service, "GET", "/payback", "").1["rows"], json!([]));
    let (body, _) = purchase("roof", "8.5");
    own(&service, "PUT", "/purchases", &body);
    let row = |row: Value| row["rows"][0].clone();
    let found = row(own(&service, "GET", "/payback", "").1);
    // Four days of 12 kWh at 0.3, of a price of 8.
    assert_eq!(
        (&found["saved"], &found["price"]),
        (&json!("14.4"), &json!("8"))
    );
    assert_eq!(
        (&found["paid_back"], &found["reason"]),
        (&json!(1.8), &json!("paid-back"))
    );
    let (body, _) = purchase("roof", "1000.5");
    own(&service, "PUT", "/purchases", &body);
    let found = row(own(&service, "GET", "/payback", "").1);
    assert_eq!(
        (&found["expected"], &found["reason"]),
        (&Value::Null, &json!("few-months"))
    );
    assert_eq!(
        (&found["per_year"], &found["assumed"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(found["known_from"], json!("2026-01-01T00:00:00.000Z"));
}
