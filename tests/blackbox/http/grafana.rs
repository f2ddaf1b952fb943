//! The dashboard for Grafana: its queries are answered, with the fields that it uses.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wattkeeper::{Meter, MeterKind, Sensor};

use crate::support::{HOUR, MINUTE, SENSOR, Service, house_basic, request};

const DASHBOARD: &str = include_str!("../../../docs/grafana/dashboard.json");

fn dashboard() -> Value {
    serde_json::from_str(DASHBOARD).unwrap()
}

/// All queries by Infinity: of the panels, and of the variable that lists the sensors.
fn queries(dashboard: &Value) -> Vec<&Value> {
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let of_panels = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let variables = dashboard["templating"]["list"].as_array().unwrap().iter();
    let of_variables = variables.filter_map(|variable| variable["query"].get("infinityQuery"));
    of_panels.chain(of_variables).collect()
}

/// A text with its variables filled in, as Grafana does.
fn filled(text: &str) -> String {
    let filled = [
        ("${sensor}", SENSOR),
        ("${interval}", "15m"),
        ("${tz}", "Europe/Berlin"),
        ("${__from:date:iso}", "2026-01-05T00:00:00.000Z"),
        ("${__to:date:iso}", "2026-01-06T00:00:00.000Z"),
    ]
    .into_iter()
    .fold(text.to_owned(), |text, (name, value)| {
        text.replace(name, value)
    });
    assert!(!filled.contains('$'), "{filled}");
    filled
}

/// The answer to a query, as Grafana asks for it.
fn ask(service: &Service, query: &Value) -> Value {
    let parameters: Vec<String> = query["url_options"]["params"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| {
            format!(
                "{}={}",
                pair["key"].as_str().unwrap(),
                filled(pair["value"].as_str().unwrap())
            )
        })
        .collect();
    // Below the base URL of the data source.
    let target = format!(
        "/api/v0.2{}?{}",
        query["url"].as_str().unwrap(),
        parameters.join("&")
    );
    let answer = service.send(&request(
        "GET",
        &target,
        &[("Authorization", &house_basic())],
        b"",
    ));
    assert_eq!(answer.status(), 200, "{target}: {}", answer.text());
    answer.json()
}

#[test]
fn each_query_is_answered_with_what_it_looks_for() {
    let service = Service::start();
    for n in 0..3 {
        service.clock.advance(MINUTE);
        service.accept(&json!({"watts": 200 + n, "watthours": 1_000 + n}));
    }
    let dashboard = dashboard();
    let queries = queries(&dashboard);
    assert_eq!(queries.len(), 7);
    for query in queries {
        let answer = ask(&service, query);
        let rows = &answer[query["root_selector"].as_str().unwrap()];
        let first = &rows.as_array().unwrap()[0];
        for column in query["columns"].as_array().unwrap() {
            let value = &first[column["selector"].as_str().unwrap()];
            let fits = match column["type"].as_str().unwrap() {
                "number" => value.is_number(),
                "timestamp" | "string" => value.is_string(),
                _ => false,
            };
            assert!(fits, "{column} in {first}");
        }
    }
}

/// A counter of 3,000 Wh in the morning that restarts at noon, and an implausible reading.
#[test]
fn a_day_with_a_reset_has_all_of_its_energy() {
    let service = Service::start();
    let registry = service.store().registry();
    let sensor = registry.sensors().next().cloned().unwrap();
    let meter = Meter::new(MeterKind::Counter);
    let counter = Sensor { meter, ..sensor };
    service.store().put_sensor_durably(counter).unwrap();
    service.clock.advance(8 * HOUR);
    for (hour, watts, watthours) in [
        (9, 3_000.0, 7_000.0),
        (10, 3_000.0, 10_000.0),
        (12, 5.0, 0.0),
        (13, 5.0, 5.0),
        (14, 1e9, 5.0),
    ] {
        let time = format!("2026-01-05T{hour:02}:00:00Z");
        service.accept(&json!({"time": time, "watts": watts, "watthours": watthours}));
    }
    let dashboard = dashboard();
    let values = |kind: &str| -> Vec<f64> {
        let is_of_kind = |query: &&Value| {
            let mut parameters = query["url_options"]["params"].as_array().unwrap().iter();
            parameters.any(|pair| pair["key"] == "type" && pair["value"] == kind)
        };
        let asked = queries(&dashboard).into_iter().filter(is_of_kind);
        let answers = asked.flat_map(|query| {
            let rows = ask(&service, query)["data"].clone();
            let values = rows.as_array().unwrap().iter();
            values
                .map(|row| row["v"].as_f64().unwrap())
                .collect::<Vec<_>>()
        });
        answers.collect()
    };
    assert_eq!(values("consumption"), [3_005.0]);
    assert_eq!(values("net_consumption"), [3_005.0]);
    let power = values("rate");
    assert!(!power.is_empty());
    assert!(power.iter().all(|watts| *watts <= 3_000.0), "{power:?}");
}

#[test]
fn the_dashboard_is_sound() {
    let dashboard = dashboard();
    let variables = dashboard["templating"]["list"].as_array().unwrap();
    let names: BTreeSet<&str> = variables
        .iter()
        .map(|variable| variable["name"].as_str().unwrap())
        .collect();
    for piece in DASHBOARD.split("${").skip(1) {
        let name = piece.split(['}', ':']).next().unwrap();
        assert!(
            names.contains(name) || ["__from", "__to"].contains(&name),
            "{name}"
        );
    }
    let (mut ids, mut cells) = (BTreeSet::new(), BTreeSet::new());
    let panels = dashboard["panels"].as_array().unwrap();
    for panel in panels {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel}");
        let place = ["x", "y", "w", "h"].map(|name| panel["gridPos"][name].as_u64().unwrap());
        let [x, y, width, height] = place;
        assert!(x + width <= 24, "{panel}");
        for cell in (x..x + width).flat_map(|x| (y..y + height).map(move |y| (x, y))) {
            assert!(cells.insert(cell), "{panel} covers another");
        }
        let kind = &panel["type"];
        let needed = dashboard["__requires"].as_array().unwrap();
        assert!(needed.iter().any(|need| &need["id"] == kind), "{kind}");
        for target in panel["targets"].as_array().unwrap() {
            assert_eq!(target["datasource"], panel["datasource"]);
            assert_eq!(
                target["datasource"]["type"],
                "yesoreyeram-infinity-datasource"
            );
        }
    }
}
