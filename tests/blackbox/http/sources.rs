//! Who used the sun: `/energy` with sources, and the statement of a sub-meter.

use serde_json::{Value, json};
use wattkeeper::Role;
use wattkeeper::{Measures, Reading, SensorId, TimeRange};

use crate::http::house_energy::{add, contract, rows, statement};
use crate::support::{Response, Service, at, house_basic, request};

const HOUR_MS: i64 = 3_600_000;
const TEN_HOURS: &str = "start_time=2026-01-05&end_time=2026-01-05T10:00:00";

fn get(service: &Service, path: &str) -> Response {
    let who = house_basic();
    let target = format!("/api/v0.2/{path}");
    service.send(&request("GET", &target, &[("Authorization", &who)], b""))
}

/// Ten hours: at night the grid charges the battery, by day the sun, and at the end it gives.
fn with_battery(roof_hours: usize) -> Service {
    let service = Service::start();
    let [mut import, mut car, mut heat] = [[1_680, 1_200], [600, 600], [0, 240]].map(|night| {
        let mut hours = [0.0; 10];
        hours[..2].copy_from_slice(&night.map(f64::from));
        hours
    });
    import[9] = 720.0;
    car[2..9].fill(300.0);
    car[9] = 600.0;
    heat[9] = 360.0;
    let mut roof = [1_200.0; 10];
    (roof[0], roof[1], roof[2], roof[9]) = (0.0, 0.0, 1_680.0, 0.0);
    let mut export = [600.0; 10];
    (export[0], export[1], export[9]) = (0.0, 0.0, 0.0);
    let (mut charge, mut discharge) = ([0.0; 10], [0.0; 10]);
    (charge[0], charge[2], discharge[9]) = (480.0, 480.0, 480.0);
    add(&service, "import", Role::GridImport, None, &import);
    add(&service, "export", Role::GridExport, None, &export);
    add(&service, "roof", Role::Solar, None, &roof[..roof_hours]);
    add(&service, "charge", Role::BatteryCharge, None, &charge);
    add(
        &service,
        "discharge",
        Role::BatteryDischarge,
        None,
        &discharge,
    );
    add(&service, "car", Role::SubMeter, None, &car);
    add(&service, "heat", Role::SubMeter, None, &heat);
    let flat = json!({"from": "2026-01-01", "name": "Flat", "currency": "EUR", "components": [
        {"energy": {"price": 0.3}}, {"export": {"price": 0.08}}]});
    contract(&service, &flat);
    service
}

/// So many more sub-meters, without readings.
pub(crate) fn add_devices(service: &Service, count: usize) {
    for number in 1..=count {
        add(service, &format!("d{number}"), Role::SubMeter, None, &[]);
    }
}

#[test]
fn the_sources_of_too_many_sub_meters_are_asked_for_one_by_one() {
    let service = with_battery(10);
    add_devices(&service, 48);
    let all = format!("energy?{TEN_HOURS}&sources=1");
    assert_eq!(get(&service, &all).status(), 200);
    add(&service, "d49", Role::SubMeter, None, &[]);
    let refused = get(&service, &all);
    assert_eq!(refused.status(), 400, "{}", refused.text());
    let expected = "sources: expected at most 50 sub-meters, but there are 51: ask for one of them";
    assert!(refused.text().contains(expected), "{}", refused.text());
    for rest in [
        format!("energy?{TEN_HOURS}"),
        format!("{all}&sensor_id=car"),
        format!("statement?{TEN_HOURS}&sensor_id=car"),
    ] {
        let answer = get(&service, &rest);
        assert_eq!(answer.status(), 200, "{rest}: {}", answer.text());
    }
}

#[test]
fn devices_have_the_sources_of_their_energy() {
    let service = with_battery(10);
    // As ever, unless asked for.
    let plain = &rows(&service, TEN_HOURS)[0]["sensors"]["car"];
    assert_eq!(*plain, json!({"energy": 3_900}));
    let all = &rows(&service, &format!("{TEN_HOURS}&sources=1"))[0];
    // In the evening it used half of the energy: 240 of the battery, half of it of the sun, and 360
    // of the grid.
    let car = json!({"energy": 3_900, "from_solar": 2_100, "from_battery": 120, "from_grid": 1_680,
        "own_share": 0.569_231, "real_cost": 0.6816});
    assert_eq!(all["sensors"]["car"], car);
    assert_eq!(all["sensors"]["heat"]["from_grid"], json!(240 + 72 + 216));
    // The cost at the grid's price stays what it was.
    let alone = &rows(&service, &format!("{TEN_HOURS}&sources=1&sensor_id=car"))[0];
    assert_eq!(
        (&alone["cost"], &alone["real_cost"]),
        (&json!(1.17), &json!(0.6816))
    );
    let hours = rows(&service, &format!("{TEN_HOURS}&sources=1&interval=1h"));
    for name in ["from_solar", "from_battery", "from_grid", "real_cost"] {
        let sum: f64 = hours
            .iter()
            .map(|hour| hour["sensors"]["car"][name].as_f64().unwrap())
            .sum();
        assert!((sum - car[name].as_f64().unwrap()).abs() < 1e-5, "{name}");
    }
    let table = get(
        &service,
        &format!("energy?{TEN_HOURS}&sources=1&format=csv"),
    );
    let lines: Vec<&str> = table.text().lines().collect();
    let head: Vec<&str> = lines[0].split(',').collect();
    let place = head.iter().position(|name| *name == "from_solar car");
    assert_eq!(lines[1].split(',').nth(place.unwrap()), Some("2100"));
    assert!(lines[0].ends_with(
        "energy heat,other heat,from_solar heat,from_battery heat,from_grid heat,from_unknown heat,own_share heat,real_cost heat,real_unpriced heat"
    ));
}

#[test]
fn what_a_silent_sub_meter_used_has_no_source() {
    let service = with_battery(10);
    // Nothing from its third hour until its eighth one: 1,800 Wh flowed meanwhile.
    let hour = |nth: i64| at("2026-01-05T00:00:00").saturating_add_millis(nth * HOUR_MS);
    let silent = TimeRange::new(hour(3), hour(7)).unwrap();
    let car = SensorId::new("car").unwrap();
    service.store().delete_durably(&car, silent).unwrap();
    let all = &rows(&service, &format!("{TEN_HOURS}&sources=1"))[0];
    let car = &all["sensors"]["car"];
    assert_eq!(
        (&car["energy"], &car["from_unknown"]),
        (&json!(3_900), &json!(1_800))
    );
    assert_eq!(car["from_solar"], json!(300));
    let told = statement(&service, &format!("{TEN_HOURS}&sensor_id=car")).json();
    assert_eq!(told["unknown"], 1_800.0);
    for (name, share) in [("measured", 0.4), ("estimated", 0.6)] {
        assert!(
            (told[name].as_f64().unwrap() - share).abs() < 1e-9,
            "{told}"
        );
    }
    assert_eq!(told["complete"], false);
}

#[test]
fn a_sensor_that_never_uploaded_measures_nothing() {
    let service = Service::start();
    add(&service, "import", Role::GridImport, None, &[]);
    add(&service, "idle", Role::SubMeter, None, &[]);
    let flat = json!({"from": "2026-01-01", "name": "Flat", "currency": "EUR", "components": [
        {"energy": {"price": 0.3}}, {"fixed": {"name": "standing", "price": 1, "per": "day"}}]});
    contract(&service, &flat);
    for query in [TEN_HOURS.to_owned(), format!("{TEN_HOURS}&sensor_id=idle")] {
        let told = statement(&service, &query).json();
        assert_eq!(
            (&told["measured"], &told["missing"]),
            (&json!(0.0), &json!(1.0)),
            "{query}"
        );
        assert_eq!(
            (&told["total"], &told["complete"]),
            (&Value::Null, &json!(false)),
            "{query}"
        );
    }
}

#[test]
fn sources_that_nobody_can_know_are_refused_or_told() {
    let service = with_battery(5);
    for (query, mentions) in [
        (format!("{TEN_HOURS}&sources=yes"), "expected one of 0, 1"),
        (format!("{TEN_HOURS}&sources=1&interval=5m"), "at least 15m"),
        (
            format!("{TEN_HOURS}&sources=1&sensor_id=roof"),
            "expected a sub-meter",
        ),
        (
            "start_time=2000-01-01&end_time=2026-01-06&sources=1".to_owned(),
            "3660 days",
        ),
    ] {
        let answer = get(&service, &format!("energy?{query}"));
        answer.assert_problem(400, "invalid_field", mentions);
    }
    let none = get(
        &service,
        &format!("energy?{TEN_HOURS}&sources=1&sensor_id=attic"),
    );
    none.assert_problem(403, "sensor_not_authorized", "");
    // The panels' meter is silent after five hours.
    let car = &rows(&service, &format!("{TEN_HOURS}&sources=1"))[0]["sensors"]["car"];
    assert_eq!(
        [&car["from_solar"], &car["from_unknown"], &car["energy"]],
        [&json!(900), &json!(1_800), &json!(3_900)]
    );
    assert_eq!(car["real_unpriced"], json!(0.461_538));
    let found = statement(&service, &format!("{TEN_HOURS}&sensor_id=car")).json();
    assert_eq!(
        (&found["unknown"], &found["complete"]),
        (&json!(1_800.0), &json!(false))
    );
    let last = found["lines"].as_array().unwrap().last().unwrap();
    assert_eq!(
        *last,
        json!({"source": "unknown", "contract": "Flat", "contract_from": "2026-01-01",
            "quantity": "1.8", "unit": "kWh", "price": "", "amount": ""})
    );
}

#[test]
fn a_sub_meter_has_a_statement_by_source() {
    let service = with_battery(10);
    let found = statement(&service, &format!("{TEN_HOURS}&sensor_id=car")).json();
    let lines = found["lines"].as_array().unwrap().iter();
    let lines: Vec<String> = lines
        .map(|line| {
            ["source", "contract", "quantity", "unit", "price", "amount"]
                .map(|name| line[name].as_str().unwrap())
                .join("|")
        })
        .collect();
    assert_eq!(
        lines,
        [
            "solar|Flat|2.1|kWh|0.08|0.168",
            "battery|Flat|0.12|kWh|0.08|0.0096",
            "stored-grid|Flat|0.12|kWh|0.3|0.036",
            "grid|Flat|1.56|kWh|0.3|0.468",
        ]
    );
    for (name, expected) in [
        ("account", json!("home")),
        ("sensor_id", json!("car")),
        ("total", json!("0.6816")),
        ("complete", json!(true)),
        ("energy", json!(3_900.0)),
        ("own_share", json!(0.569_231)),
        ("gaps", json!(0)),
        ("listed_gaps", json!([])),
        ("corrections", json!(0)),
    ] {
        assert_eq!(found[name], expected, "{name}");
    }
    assert!(
        found["assumes"]
            .as_str()
            .unwrap()
            .contains("no legal validity")
    );
    let table = statement(&service, &format!("{TEN_HOURS}&sensor_id=car&format=csv"));
    assert!(table.text().starts_with(
        "kind,contract,from,name,part,quantity,unit,price,amount\nsolar,Flat,2026-01-01,,,2.1,kWh,0.08,0.168\n"
    ));
    for (query, mentions) in [
        ("sensor_id=car&offer=Flat", "expected without sensor_id"),
        ("sensor_id=roof", "expected a sub-meter"),
        ("sensor_id=a%0Ab", "sensor_id"),
    ] {
        let answer = statement(&service, &format!("{TEN_HOURS}&{query}"));
        answer.assert_problem(400, "invalid_field", mentions);
    }
    statement(&service, &format!("{TEN_HOURS}&sensor_id=attic")).assert_problem(
        403,
        "sensor_not_authorized",
        "",
    );
    let long = statement(
        &service,
        "start_time=2000-01-01&end_time=2026-02-01&sensor_id=car",
    );
    long.assert_problem(400, "invalid_field", "3660 days");
}

/// Puts these registers of a sensor at hours of the day in the place of its readings.
fn registers(service: &Service, sensor: &str, shown: &[(i64, f64)]) {
    let midnight = at("2026-01-05T00:00:00");
    let readings = shown.iter().map(|(hour, watthours)| Reading {
        time: midnight.saturating_add_millis(hour * HOUR_MS),
        measures: Measures::new(None, Some(*watthours)).unwrap(),
    });
    let id = SensorId::new(sensor).unwrap();
    let store = service.store();
    store.import_durably(&id, readings.collect()).unwrap();
}

#[test]
fn a_statement_lists_gaps_and_corrections() {
    let service = Service::start();
    add(&service, "import", Role::GridImport, None, &[960.0; 10]);
    add(&service, "car", Role::SubMeter, None, &[]);
    // The meter is changed at four o'clock, between 2,200 and 3; the new one is silent from eight
    // o'clock on.
    let shown = [
        (0, 1_007.5),
        (1, 1_307.5),
        (2, 1_607.5),
        (3, 1_907.5),
        (5, 303.5),
        (6, 603.5),
        (7, 903.5),
        (8, 1_203.5),
    ];
    registers(&service, "car", &shown);
    let flat = json!({"from": "2026-01-01", "name": "Flat", "currency": "EUR", "components": [{"energy": {"price": 0.5}}]});
    contract(&service, &flat);
    let change = json!({"sensor_id": "car", "kind": "meter-changed", "at": "2026-01-05T04:00:00",
        "old_end": 2_207.5, "new_start": 3.5, "note": "a new wall box"});
    let who = house_basic();
    let sent = service.send(&request(
        "POST",
        "/api/v0.2/corrections",
        &[("Authorization", &who)],
        change.to_string().as_bytes(),
    ));
    assert_eq!(sent.status(), 200, "{}", sent.text());
    let found = statement(&service, &format!("{TEN_HOURS}&sensor_id=car")).json();
    // Eight hours of 300 Wh are known, and two are not.
    assert_eq!(
        (&found["energy"], &found["total"]),
        (&json!(2_400.0), &json!("1.2"))
    );
    assert_eq!(
        (&found["gaps"], &found["missing"], &found["complete"]),
        (&json!(1), &json!(0.2), &json!(false))
    );
    assert_eq!(
        found["listed_gaps"],
        json!([{"from": "2026-01-05T08:00:00.000Z", "to": "2026-01-05T10:00:00.000Z"}])
    );
    assert_eq!(found["corrections"], json!(1));
    let listed: &Value = &found["listed_corrections"][0];
    for (name, expected) in [
        ("number", json!(1)),
        ("kind", json!("meter-changed")),
        ("note", json!("a new wall box")),
        ("from", json!("2026-01-05T04:00:00.000Z")),
    ] {
        assert_eq!(listed[name], expected, "{name}");
    }
    let table = statement(&service, &format!("{TEN_HOURS}&sensor_id=car&format=csv"));
    let table = table.text();
    let gap = "\ngap,,,2026-01-05T08:00:00.000Z,2026-01-05T10:00:00.000Z,,,,\n";
    assert!(table.contains(gap), "{table}");
    assert!(table.contains("\ncorrection 1 meter-changed,,,"), "{table}");
}
