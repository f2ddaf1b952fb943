//! Contracts of many countries, by the API: registers with prices of their own, announced days,
//! advances.

use serde_json::{Value, json};
use wattkeeper::{MeterKind, Role};

use crate::pages::dashboard::{hourly, live_in, put_sensor};
use crate::support::{Service, at, house_basic, request};

const STATEMENT: &str =
    "/api/v0.2/statement?start_time=2026-01-04&end_time=2026-01-05&account=home";

/// A house that draws about 300 Wh an hour, 100 of them by the register `night`.
fn house() -> Service {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.import(&hourly("2026-01-03T00:00:00", "2026-01-05T10:00:00"));
    put_sensor(
        &service,
        "night",
        "Night",
        Role::SubMeter,
        MeterKind::Counter,
    );
    for hour in 0..=58 {
        let time = at("2026-01-03T00:00:00").saturating_add_millis(hour * 3_600_000);
        service.accept(
            &json!({"sensor_id": "night", "watthours": hour * 100, "time": time.to_string()}),
        );
    }
    service
}

fn call(service: &Service, method: &str, target: &str, body: &str) -> Value {
    let headers = [("Authorization", house_basic())];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let response = service.send(&request(method, target, &headers, body.as_bytes()));
    assert_eq!(response.status(), 200, "{}", response.text());
    response.json()
}

fn put(service: &Service, fields: &str, components: &str) {
    let contract = format!(
        r#"{{"from":"2026-01-01","name":"A","currency":"EUR"{fields},"components":[{components}]}}"#
    );
    call(service, "POST", "/api/v0.2/contracts", &contract);
}

fn lines(statement: &Value) -> Vec<[&str; 4]> {
    let lines = statement["lines"].as_array().unwrap();
    lines
        .iter()
        .map(|line| ["name", "part", "quantity", "amount"].map(|name| line[name].as_str().unwrap()))
        .collect()
}

#[test]
fn a_register_and_a_day_have_prices_of_their_own() {
    let service = house();
    put(
        &service,
        r#","advances":[{"from":"2026-01-01","amount":31,"per":"month"}]"#,
        r#"{"energy":{"name":"day","zones":[{"name":"blue","price":0.2,"days":"tempo:blue"},{"name":"red","price":0.8,"days":"tempo:red"}]}},{"energy":{"name":"night","price":0.1,"of":["night"]}}"#,
    );
    // No day is announced: the rest has no price, and nothing is free.
    let before = call(&service, "GET", STATEMENT, "");
    assert_eq!(lines(&before), [["night", "", "2.4", "0.24"]]);
    assert_eq!(before["complete"], json!(false));
    let rest = before["imported"].as_f64().unwrap() - 2_400.0;
    assert!(
        (before["unpriced_import"].as_f64().unwrap() - rest).abs() < 1e-6,
        "{before}"
    );

    let days = "/api/v0.2/days?list=tempo";
    call(&service, "PUT", days, "2026-01-03,blue\n2026-01-04,red\n");
    let statement = call(&service, "GET", STATEMENT, "");
    let kwh = format!("{}", rest / 1_000.0);
    let amount = statement["lines"][0]["amount"].as_str().unwrap();
    assert_eq!(
        lines(&statement),
        [["day", "red", &kwh, amount], ["night", "", "2.4", "0.24"]]
    );
    assert!((amount.parse::<f64>().unwrap() - rest / 1_000.0 * 0.8).abs() < 1e-6);
    assert_eq!(statement["complete"], json!(true));
    assert_eq!(statement["paid"], json!("1"));
    let [total, balance] =
        ["total", "balance"].map(|name| statement[name].as_str().unwrap().parse::<f64>().unwrap());
    assert!((total + balance - 1.0).abs() < 1e-6, "{statement}");
}

#[test]
fn a_named_sensor_that_is_not_there_makes_a_statement_incomplete() {
    let service = house();
    put(
        &service,
        "",
        r#"{"energy":{"price":0.2}},{"energy":{"price":0.1,"of":["boiler"]}}"#,
    );
    let statement = call(&service, "GET", STATEMENT, "");
    assert_eq!(statement["complete"], json!(false), "{statement}");
    assert_eq!(statement["missing"], json!(1.0), "{statement}");
}
