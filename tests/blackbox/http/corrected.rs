//! `corrected=1`: downloads as the ledger has them.

use serde_json::json;

use crate::support::{Service, at, house_basic, points, points_of, request};

fn minute(n: i64) -> String {
    at("2026-01-05T10:00:00")
        .saturating_add_millis(n * 60_000)
        .to_string()
}

fn asked(service: &Service, rest: &str) -> Vec<(String, f64)> {
    let range = format!("start_time={}&end_time={}", minute(0), minute(60));
    points_of(&service.ask(&format!("{range}&{rest}")))
}

fn correct(service: &Service, fact: &serde_json::Value) {
    let credentials = house_basic();
    let headers = [("Authorization", credentials.as_str())];
    let body = fact.to_string();
    let path = "/api/v0.2/corrections";
    let answer = service.send(&request("POST", path, &headers, body.as_bytes()));
    assert_eq!(answer.status(), 200, "{}", answer.text());
}

/// A spike of the register, implausible power, and a wrong reading.
fn house() -> Service {
    let service = Service::start();
    for (n, watts, watthours) in [
        (0, 60.0, 1_000.0),
        (1, 60.0, 1_001.0),
        (2, 1e9, 5e9),
        (3, 70.0, 1_003.0),
        (4, 900.0, 1_003.5),
        (5, 80.0, 1_004.0),
    ] {
        service.accept(&json!({"time": minute(n), "watts": watts, "watthours": watthours}));
    }
    let (from, to) = (minute(4), minute(5));
    correct(
        &service,
        &json!({"sensor_id": "house", "kind": "wrong", "from": from, "to": to}),
    );
    service
}

#[test]
fn answers_are_the_ledgers_if_asked_for() {
    let service = house();
    let plain = asked(&service, "type=net_consumption");
    assert_eq!(plain, points([(&minute(5), 4.0)]));
    assert_eq!(asked(&service, "type=rate&corrected=0").len(), 6);
    assert_eq!(
        asked(&service, "type=rate&corrected=1"),
        points([
            (&minute(0), 60.0),
            (&minute(1), 60.0),
            (&minute(3), 70.0),
            (&minute(5), 80.0)
        ])
    );
    let by_hour = "type=rate&interval=1h&agg=max&corrected=1";
    assert_eq!(asked(&service, by_hour), points([(&minute(0), 80.0)]));
    assert_eq!(
        asked(&service, "type=consumption&corrected=1"),
        points([(&minute(1), 1.0), (&minute(3), 2.0), (&minute(5), 1.0)])
    );
    let energy = "type=consumption&interval=1h&corrected=1";
    assert_eq!(asked(&service, energy), points([(&minute(0), 4.0)]));
    let net = "type=net_consumption&corrected=1";
    assert_eq!(asked(&service, net), points([(&minute(60), 4.0)]));

    // A person's corrections.
    let (from, to) = (minute(0), minute(1));
    correct(
        &service,
        &json!({"sensor_id": "house", "kind": "energy", "from": from, "to": to, "energy": 31}),
    );
    assert_eq!(asked(&service, net), points([(&minute(60), 34.0)]));
    assert_eq!(asked(&service, "type=net_consumption"), plain);
}

#[test]
fn without_registers_energy_is_that_of_power() {
    let service = Service::start();
    for n in 0..=6 {
        service.accept(&json!({"time": minute(n), "watts": 600}));
    }
    assert!(asked(&service, "type=net_consumption").is_empty());
    let net = asked(&service, "type=net_consumption&corrected=1");
    assert_eq!(net, points([(&minute(60), 60.0)]));
}

#[test]
fn without_power_it_is_the_mean_between_registers() {
    let service = Service::start();
    for n in 0..=2 {
        service.accept(&json!({"time": minute(n), "watthours": 10 * n}));
    }
    assert!(asked(&service, "type=rate").is_empty());
    let expected = points([(&minute(1), 600.0), (&minute(2), 600.0)]);
    assert_eq!(asked(&service, "type=rate&corrected=1"), expected);
    let by_hour = "type=rate&interval=1h&corrected=1";
    assert_eq!(asked(&service, by_hour), points([(&minute(0), 600.0)]));
}

#[test]
fn the_newest_power_is_what_it_is() {
    let service = Service::start();
    let latest = |rest: &str| service.ask(&format!("type=latest_rate&{rest}"));
    latest("corrected=1").assert_problem(
        400,
        "invalid_field",
        "corrected: expected only with type rate",
    );
    latest("corrected=yes").assert_problem(400, "invalid_field", "corrected: expected one of 0, 1");
}
