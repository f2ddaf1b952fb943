//! `/what-if`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wattkeeper::{AccountName, Measures, Meter, MeterKind, Reading, Role, Scope, Sensor, SensorId};

use crate::pages::dashboard::live_in;
use crate::support::{Response, Service, at, basic, house_basic, key_of, request};

const QUARTER_MS: i64 = 900_000;
const JULY: &str = "start_time=2025-07-01&end_time=2025-08-01";

/// An id, a role, and the energy of each quarter.
type SunnySensor<'a> = (&'a str, Role, &'a dyn Fn(i64) -> f64);

/// A house in Berlin that uses a steady kilowatt in July 2025. Its panels give 3 kW from 10 to 14
/// o'clock, and half of its use is that of a car.
pub(crate) fn sunny() -> Service {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    let is_sunny = |quarter: i64| (40..56).contains(&(quarter % 96));
    let energies: [SunnySensor<'_>; 4] = [
        ("import", Role::GridImport, &|nth| {
            if is_sunny(nth) { 0.0 } else { 250.0 }
        }),
        ("export", Role::GridExport, &|nth| {
            if is_sunny(nth) { 500.0 } else { 0.0 }
        }),
        ("roof", Role::Solar, &|nth| {
            if is_sunny(nth) { 750.0 } else { 0.0 }
        }),
        ("car", Role::SubMeter, &|_| 125.0),
    ];
    for (id, role, energy) in energies {
        add(&service, id, role, energy);
    }
    let contract = r#"{"from":"2025-01-01","name":"Plain","currency":"EUR","components":[{"energy":{"price":0.3}},{"export":{"price":0.08}}]}"#;
    let answer = send(&service, "POST", "/contracts", contract.as_bytes());
    assert_eq!(answer.status(), 200, "{}", answer.text());
    service
}

fn add(service: &Service, id: &str, role: Role, energy: &dyn Fn(i64) -> f64) {
    let account = AccountName::new("home").unwrap();
    let midnight = at("2025-06-30T22:00:00");
    let sensor = Sensor {
        role,
        meter: Meter::new(MeterKind::Counter),
        ..Sensor::new(SensorId::new(id).unwrap(), account, midnight)
    };
    service.store().put_sensor_durably(sensor.clone()).unwrap();
    let mut shown = 1_000.0;
    let readings = (0..=31 * 96).map(|nth| {
        let reading = Reading {
            time: midnight.saturating_add_millis(nth * QUARTER_MS),
            measures: Measures::new(None, Some(shown)).unwrap(),
        };
        shown += energy(nth);
        reading
    });
    let readings = readings.collect();
    service
        .store()
        .import_durably(&sensor.id, readings)
        .unwrap();
}

/// A table of the power of each hour of a year, as PVGIS exports it: so many watts from 8 to 12
/// o'clock, UTC.
pub(crate) fn profile(watts: u32) -> String {
    let mut table = "Latitude (decimal degrees):\t52.5\r\n\r\ntime,P,G(i)\r\n".to_owned();
    let days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    for (days, month) in days.into_iter().zip(1..) {
        for (day, hour) in (1..=days).flat_map(|day| (0..24).map(move |hour| (day, hour))) {
            let power = if (8..12).contains(&hour) { watts } else { 0 };
            write!(
                table,
                "2019{month:02}{day:02}:{hour:02}10,{power}.0,0.0\r\n"
            )
            .unwrap();
        }
    }
    table + "\r\nP: PV system power (W)\r\n"
}

fn send(service: &Service, method: &str, path: &str, body: &[u8]) -> Response {
    send_as(service, &house_basic(), (method, path), body)
}

fn send_as(service: &Service, who: &str, (method, path): (&str, &str), body: &[u8]) -> Response {
    let target = format!("/api/v0.2{path}");
    service.send(&request(method, &target, &[("Authorization", who)], body))
}

fn asked(service: &Service, fields: &str) -> Value {
    let answer = send(service, "GET", &format!("/what-if?{JULY}&{fields}"), b"");
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()
}

#[test]
fn a_battery_is_computed_into_the_history() {
    let service = sunny();
    let found = asked(&service, "battery=5&sizes=2.5,10&price_per_kwh=500");
    assert_eq!(found["currency"], "EUR");
    assert_eq!(found["present"]["statement"]["total"], "166.16");
    let changed = &found["changed"];
    assert_eq!(changed["statement"]["total"], "133.437778");
    let line = &changed["statement"]["lines"][0];
    assert_eq!(
        (&line["quantity"], &line["amount"]),
        (&json!("465"), &json!("139.5"))
    );
    // 5 kWh a day, of which a ninth more is taken.
    assert_eq!(changed["discharged"], 155_000.0);
    assert_eq!(changed["charged"], 172_222.222_236);
    assert_eq!(changed["used"], 744_000.0);
    assert_eq!(changed["self_sufficiency"], 0.375);
    assert_eq!(found["saved"], "32.722222");
    // A month says nothing about a year.
    assert_eq!(found["saved_per_year"], Value::Null);
    assert_eq!(found["no_year"], "few-months");
    assert_eq!(found["known_days"], 31.0);
    assert_eq!(found["left_out_export"], 0.0);
    let month = json!([{"month": "2025-07", "present": "166.16", "changed": "133.437778"}]);
    assert_eq!(found["months"], month);
    let sizes = found["sizes"].as_array().unwrap();
    let of = |name: &str| {
        sizes
            .iter()
            .map(|size| size[name].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("kwh"), ["0", "2.5", "5", "10"].map(Value::from));
    assert_eq!(
        of("saved"),
        ["0", "16.361111", "32.722222", "47.12"].map(Value::from)
    );
    assert_eq!(of("price"), ["0", "1250", "2500", "5000"].map(Value::from));
    for name in ["cycles_per_year", "payback_years", "saved_per_year"] {
        assert_eq!(of(name), vec![Value::Null; 4], "{name}");
    }
}

#[test]
fn panels_and_loads_are_computed_into_the_history() {
    let service = sunny();
    // A second roof feeds in all that it gives, 12 kWh a day.
    let found = asked(&service, "solar_factor=2");
    assert_eq!(found["saved"], "29.76");
    assert_eq!(found["changed"]["produced"], 744_000.0);
    assert_eq!(found["sizes"], json!([]));
    // Half a kilowatt less: 10 kWh a day at 0.3, and 2 at 0.08.
    let found = asked(&service, "load=remove&load_sensor=car");
    assert_eq!(found["saved"], "97.96");
    let found = asked(&service, "load=add&load_kwh=8&load_between=22:00-06:00");
    assert_eq!(found["saved"], "-74.4");
    // With one price at all times, nothing moves.
    let found = asked(&service, "load=move&load_sensor=car");
    assert_eq!(found["saved"], "0");
    // Two kilowatts more at the same hours.
    let path = format!("/what-if?{JULY}&kwp=2");
    let answer = send(&service, "POST", &path, profile(1_000).as_bytes());
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert_eq!(answer.json()["saved"], "19.84");
}

#[test]
fn mistakes_are_named_and_nothing_is_stored() {
    let service = sunny();
    for (fields, detail) in [
        (
            "",
            "battery: expected a battery, sizes of batteries, panels or a load",
        ),
        ("battery=-1", "battery: expected a number from 0 to 1000"),
        ("battery=ten", "battery: expected a number from 0 to 1000"),
        (
            "battery=5&efficiency=120",
            "efficiency: expected a number from 1 to 100",
        ),
        (
            "battery=5&reserve=200",
            "reserve: expected a number from 0 to 100",
        ),
        (
            "battery=5&dispatch=never",
            "dispatch: expected greedy, prices or trading",
        ),
        ("sizes=1,a", "sizes: expected up to 41 sizes"),
        ("kwp=5", "body: expected a value, for kwp"),
        (
            "load=add&load_sensor=roof",
            "load_sensor: roof is not a sub-meter",
        ),
        (
            "load=add&load_sensor=none",
            "load_sensor: none is not a sub-meter",
        ),
        (
            "load=add&load_kwh=8&load_between=22-6",
            "load_between: expected two different times",
        ),
    ] {
        let answer = send(&service, "GET", &format!("/what-if?{JULY}&{fields}"), b"");
        assert_eq!(answer.status(), 400, "{fields}: {}", answer.text());
        let found = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(found.contains(detail), "{fields}: {found}");
    }
    let good = profile(1_000);
    let letters = good.replacen(":0010,0.0", ":0010,sun", 1);
    let short: String = good
        .lines()
        .take(4_000)
        .flat_map(|line| [line, "\n"])
        .collect();
    for (body, detail) in [
        ("", "body: expected a table of hours"),
        (letters.as_str(), "body: line 4: expected a time"),
        (short.as_str(), "expected all 8,760 hours of a year"),
    ] {
        let path = format!("/what-if?{JULY}&kwp=5");
        let answer = send(&service, "POST", &path, body.as_bytes());
        assert_eq!(answer.status(), 400, "{}", answer.text());
        let found = answer.json()["detail"].as_str().unwrap().to_owned();
        assert!(found.contains(detail), "{found}");
    }
    let path = "/what-if?start_time=2010-01-01&end_time=2025-01-01&battery=5";
    let answer = send(&service, "GET", path, b"");
    assert!(
        answer.text().contains("at most 3660 days"),
        "{}",
        answer.text()
    );
    let other = asked(&service, "battery=0");
    assert_eq!(other["present"]["statement"], other["changed"]["statement"]);
}

#[test]
fn keys_that_read_may_ask() {
    let service = sunny();
    service.add_key("home", "reader", Scope::Read);
    service.add_key("home", "writer", Scope::Write);
    let path = format!("/what-if?{JULY}&kwp=2");
    let asked = ("POST", path.as_str());
    let table = profile(500);
    let status = |who: &str| {
        let who = basic(who, &key_of(who));
        send_as(&service, &who, asked, table.as_bytes()).status()
    };
    assert_eq!([status("reader"), status("writer")], [200, 403]);
    let nobody = basic("nobody", "wrong-key");
    assert_eq!(
        send_as(&service, &nobody, asked, table.as_bytes()).status(),
        401
    );
}
