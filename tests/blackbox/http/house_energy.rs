//! `/energy`: the house and its sensors by the ledger.

use serde_json::{Value, json};
use wattkeeper::Scope;
use wattkeeper::{AccountName, Measures, Meter, MeterKind, Reading, Role, Sensor, SensorId};

use crate::support::{Service, at, basic, house_basic, key_of, request};

const HOUR_MS: i64 = 3_600_000;

fn get_as(service: &Service, credentials: &str, query: &str) -> crate::support::Response {
    let headers = [("Authorization", credentials)];
    let target = format!("/api/v0.2/energy?{query}");
    service.send(&request("GET", &target, &headers, b""))
}

fn get(service: &Service, query: &str) -> crate::support::Response {
    get_as(service, &house_basic(), query)
}

pub(crate) fn rows(service: &Service, query: &str) -> Vec<Value> {
    let answer = get(service, query);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let answer = answer.json();
    assert_eq!(answer["units"], "watthours");
    answer["data"].as_array().unwrap().clone()
}

/// Adds a sensor whose counter rises by so many watt-hours each hour from midnight on.
pub(crate) fn add(service: &Service, id: &str, role: Role, part_of: Option<&str>, hourly: &[f64]) {
    let account = AccountName::new("home").unwrap();
    let midnight = at("2026-01-05T00:00:00");
    let sensor = Sensor {
        role,
        meter: Meter::new(MeterKind::Counter),
        part_of: part_of.map(|id| SensorId::new(id).unwrap()),
        ..Sensor::new(SensorId::new(id).unwrap(), account, midnight)
    };
    let store = service.store();
    store.put_sensor_durably(sensor.clone()).unwrap();
    let mut shown = 1_000.0;
    let mut readings = Vec::new();
    for (hour, watthours) in (0..).zip([0.0].iter().chain(hourly)) {
        shown += watthours;
        readings.push(Reading {
            time: midnight.saturating_add_millis(hour * HOUR_MS),
            measures: Measures::new(None, Some(shown)).unwrap(),
        });
    }
    if !hourly.is_empty() {
        store.import_durably(&sensor.id, readings).unwrap();
    }
}

/// Ten hours of a house with a register for each direction.
fn two_registers() -> Service {
    let service = Service::start();
    add(&service, "import", Role::GridImport, None, &[400.0; 10]);
    add(&service, "export", Role::GridExport, None, &[700.0; 10]);
    add(&service, "roof", Role::Solar, None, &[400.0; 10]);
    add(&service, "board", Role::SubMeter, None, &[60.0; 10]);
    add(&service, "heat", Role::SubMeter, Some("board"), &[35.0; 10]);
    service
}

const TEN_HOURS: &str = "start_time=2026-01-05&end_time=2026-01-05T10:00:00";

#[test]
fn a_house_with_two_registers_has_a_balance() {
    let service = two_registers();
    let all = rows(&service, TEN_HOURS);
    assert_eq!(
        all,
        [json!({
            "t": "2026-01-05T00:00:00.000Z",
            "imported": 4_000, "exported": 7_000, "produced": 4_000, "used": 1_000, "other": 400,
            "self_consumed": 0, "self_consumption": 0, "self_sufficiency": 0,
            "sensors": {"board": {"energy": 600, "other": 250}, "heat": {"energy": 350}},
        })]
    );
    let hours = rows(&service, &format!("{TEN_HOURS}&interval=1h"));
    assert_eq!(hours.len(), 10);
    assert_eq!(hours[9]["t"], "2026-01-05T09:00:00.000Z");
    for name in ["imported", "exported", "produced", "used", "other"] {
        let sum: f64 = hours.iter().map(|hour| hour[name].as_f64().unwrap()).sum();
        assert_eq!(Some(sum), all[0][name].as_f64(), "{name}");
    }
}

#[test]
fn other_formats_have_the_same_rows() {
    let service = two_registers();
    let table = get(&service, &format!("{TEN_HOURS}&interval=6h&format=csv"));
    assert_eq!(
        table.head.header("content-type"),
        Some("text/csv; charset=utf-8")
    );
    assert_eq!(
        table.text(),
        "t,imported,exported,produced,charged,discharged,used,self_consumed,self_consumption,self_sufficiency,other,cost,credit,\
         estimated,partial,unpriced,energy board,other board,energy heat,other heat\n\
         2026-01-05T00:00:00.000Z,2400,4200,2400,,,600,0,0,0,240,,,,,,360,150,210,\n\
         2026-01-05T06:00:00.000Z,1600,2800,1600,,,400,0,0,0,160,,,,,,240,100,140,\n"
    );
    let lines = get(
        &service,
        &format!("{TEN_HOURS}&sensor_id=heat&format=ndjson"),
    );
    assert_eq!(
        lines.text(),
        "{\"t\":\"2026-01-05T00:00:00.000Z\",\"energy\":350}\n"
    );
    // Nothing is known: no rows.
    let nothing = get(
        &service,
        "start_time=2020-01-01&end_time=2020-02-01&interval=1d",
    );
    assert_eq!(nothing.text(), "{\"units\":\"watthours\",\"data\":[]}");
}

#[test]
fn a_dead_sensor_makes_sums_partial() {
    let service = Service::start();
    add(&service, "import", Role::GridImport, None, &[400.0; 10]);
    add(&service, "roof", Role::Solar, None, &[300.0; 5]);
    // One that never uploaded counts for nothing.
    add(&service, "export", Role::GridExport, None, &[]);
    let all = rows(&service, TEN_HOURS);
    assert_eq!(
        all,
        [json!({
            "t": "2026-01-05T00:00:00.000Z",
            "imported": 4_000, "produced": 1_500, "used": 5_500, "self_sufficiency": 0.272_727, "partial": 0.5,
        })]
    );
    let hours = rows(&service, &format!("{TEN_HOURS}&interval=1h"));
    assert_eq!(
        (&hours[4]["partial"], &hours[5]["partial"]),
        (&Value::Null, &json!(1))
    );
    assert_eq!(hours[5].get("produced"), None);
}

#[test]
fn a_net_meter_has_both_directions_and_buckets_follow_the_account() {
    let service = Service::start();
    let registers = [(0, 1_000.0), (1, 1_500.0), (2, 1_300.0)];
    for (hour, watthours) in registers {
        let time = at("2026-01-05T08:00:00").saturating_add_millis(hour * HOUR_MS);
        service.accept(&json!({"time": time.to_string(), "watthours": watthours}));
    }
    let of_house = "sensor_id=house&start_time=2026-01-05&end_time=2026-01-06";
    let day = rows(&service, of_house);
    assert_eq!(
        day[0],
        json!({"t": "2026-01-05T00:00:00.000Z", "energy": 300, "imported": 500, "exported": 200,
            "partial": day[0]["partial"]})
    );
    // A clipped bucket has its own beginning.
    let tokyo = rows(
        &service,
        "sensor_id=house&start_time=2026-01-05T08:30:00&end_time=2026-01-06&tz=Asia/Tokyo&interval=1d",
    );
    assert_eq!(tokyo[0]["t"], "2026-01-04T15:00:00.000Z");
    assert_eq!(tokyo[0]["energy"], json!(50));
}

#[test]
fn what_is_wrong_is_refused() {
    let service = two_registers();
    service.add_key("home", "writer", Scope::Write);
    for (query, mentions) in [
        ("end_time=2026-01-06", "start_time"),
        (
            "start_time=2026-01-06&end_time=2026-01-05",
            "expected a start",
        ),
        (&format!("{TEN_HOURS}&interval=7m"), "interval"),
        (&format!("{TEN_HOURS}&tz=Nowhere"), "tz"),
        (&format!("{TEN_HOURS}&format=xml"), "format"),
    ] {
        let answer = get(&service, query);
        assert_eq!(answer.status(), 400, "{query}");
        assert!(
            answer.text().contains(mentions),
            "{query}: {}",
            answer.text()
        );
    }
    assert_eq!(
        get(&service, &format!("{TEN_HOURS}&sensor_id=attic")).status(),
        403
    );
    let writer = basic("writer", &key_of("writer"));
    assert_eq!(get_as(&service, &writer, TEN_HOURS).status(), 403);
    assert_eq!(
        get_as(&service, &basic("no", "one"), TEN_HOURS).status(),
        401
    );
}

pub(crate) fn contract(service: &Service, contract: &Value) {
    let headers = [("Authorization", house_basic())];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let body = contract.to_string();
    let sent = service.send(&request(
        "POST",
        "/api/v0.2/contracts",
        &headers,
        body.as_bytes(),
    ));
    assert_eq!(sent.status(), 200, "{}", sent.text());
}

/// 0.40 by day and 0.20 at night, 0.08 for feed-in, 0.24 a day and 10 % tax.
fn day_and_night(service: &Service) {
    contract(
        service,
        &json!({"from": "2026-01-01", "name": "Day and night", "currency": "EUR", "components": [
            {"energy": {"zones": [{"name": "day", "price": 0.40}, {"name": "night", "price": 0.20, "hours": "22:00-06:00"}]}},
            {"fixed": {"name": "standing charge", "price": 0.24, "per": "day"}},
            {"export": {"price": 0.08}},
            {"tax": {"name": "VAT", "percent": 10}},
        ]}),
    );
}

#[test]
fn energy_has_its_price() {
    let service = two_registers();
    day_and_night(&service);
    let answer = get(&service, TEN_HOURS).json();
    assert_eq!(answer["currency"], "EUR");
    // 2.4 kWh at 0.20, 1.6 kWh at 0.40, ten hours of 0.24 a day: 1.22; less 7 kWh at 0.08, and 10 %
    // of that.
    let all = &answer["data"][0];
    assert_eq!(
        (&all["cost"], &all["credit"]),
        (&json!(1.286), &json!(0.56))
    );
    let hours = rows(&service, &format!("{TEN_HOURS}&interval=1h"));
    let costs = hours.iter().map(|hour| hour["cost"].as_f64().unwrap());
    assert!((costs.sum::<f64>() - 1.286).abs() < 1e-5);
    assert_eq!(
        (&hours[0]["cost"], &hours[9]["cost"]),
        (&json!(0.0934), &json!(0.1814))
    );
    // A sub-meter at the price of one more kilowatt-hour: 0.36 at 0.22 and 0.24 at 0.44.
    let board = rows(&service, &format!("{TEN_HOURS}&sensor_id=board"));
    assert_eq!(
        (&board[0]["energy"], &board[0]["cost"]),
        (&json!(600), &json!(0.1848))
    );
    assert_eq!(
        rows(&service, &format!("{TEN_HOURS}&sensor_id=roof"))[0]["cost"],
        json!(0)
    );
    // Before the contract nothing has a price.
    let before = get(&service, "start_time=2025-12-01&end_time=2025-12-02").json();
    assert_eq!(before["data"], json!([]));
}

pub(crate) fn statement(service: &Service, query: &str) -> crate::support::Response {
    let headers = [("Authorization", house_basic())];
    let headers = headers
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let target = format!("/api/v0.2/statement?{query}");
    service.send(&request("GET", &target, &headers, b""))
}

#[test]
fn a_statement_has_a_line_for_each_component_and_zone() {
    let service = two_registers();
    let unpriced = statement(&service, TEN_HOURS).json();
    assert_eq!(
        (&unpriced["total"], &unpriced["imported"]),
        (&Value::Null, &json!(4000.0))
    );
    day_and_night(&service);
    let found = statement(&service, TEN_HOURS).json();
    let lines = found["lines"].as_array().unwrap().iter();
    let lines: Vec<String> = lines
        .map(|line| {
            ["kind", "name", "part", "quantity", "unit", "amount"]
                .map(|name| line[name].as_str().unwrap())
                .join("|")
        })
        .collect();
    assert_eq!(
        lines,
        [
            "energy||day|1.6|kWh|0.64",
            "energy||night|2.4|kWh|0.48",
            "fixed|standing charge||0.416667|day|0.1",
            "export|||7|kWh|-0.56",
            "tax|VAT||10|%|0.066",
        ]
    );
    assert_eq!(
        ["costs", "credits", "taxes", "total"].map(|name| found[name].as_str().unwrap()),
        ["1.22", "0.56", "0.066", "0.726"]
    );
    assert_eq!(
        (&found["complete"], &found["measured"]),
        (&json!(true), &json!(1.0))
    );
    let table = statement(&service, &format!("{TEN_HOURS}&format=csv"));
    assert!(table.text().starts_with("kind,contract,from,name,part,quantity,unit,price,amount\nenergy,Day and night,2026-01-01,,day,1.6,kWh,0.4,0.64\n"));
    // The rest of the day costs nothing yet: it is half past ten.
    let month = statement(&service, "start_time=2026-01-05&end_time=2026-02-01").json();
    assert_eq!(month["to"], "2026-01-05T10:30:00.000Z");
    let long = statement(&service, "start_time=2000-01-01&end_time=2026-02-01");
    long.assert_problem(400, "invalid_field", "3660 days");
}

#[test]
fn a_long_time_of_which_nothing_is_known_is_passed_over() {
    let service = two_registers();
    day_and_night(&service);
    // A billion minutes before the first contract.
    let all = rows(
        &service,
        "start_time=0001-01-01&end_time=2026-01-05T00:02:00&interval=1m",
    );
    assert_eq!(all.len(), 2);
    // 6.7 Wh at 0.20 and a minute of 0.24 a day, less 11.7 Wh at 0.08, and 10 % of that.
    let cost = all[1]["cost"].as_f64().unwrap();
    assert!((cost - 0.001_557).abs() < 2e-6, "{cost}");
}
