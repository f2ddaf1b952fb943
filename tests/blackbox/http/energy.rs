//! Energy: consumption, one difference a register, and net consumption, one for the whole range.

use serde_json::json;
use wattkeeper::{Plan, Scope};

use crate::support::{Service, at, key_of, points};

fn minute(n: i64) -> String {
    at("2026-01-05T10:00:00")
        .saturating_add_millis(n * 60_000)
        .to_string()
}

/// A house with these registers, each at its minute after ten.
fn house(registers: &[(i64, f64)]) -> Service {
    let service = Service::start();
    for (n, watthours) in registers {
        service.accept(&json!({"time": minute(*n), "watthours": watthours}));
    }
    service
}

fn consumption(service: &Service, start: i64, end: i64) -> Vec<(String, f64)> {
    service.points("consumption", &minute(start), &minute(end))
}

fn net(service: &Service, start: i64, end: i64) -> Vec<(String, f64)> {
    service.points("net_consumption", &minute(start), &minute(end))
}

#[test]
fn consumption_is_each_registers_rise() {
    let service = house(&[(0, 1000.0), (1, 1010.2), (2, 1020.3), (5, 1020.3)]);
    // The start does not belong to the range, the end does; the very first register has nothing
    // before it.
    assert_eq!(
        consumption(&service, 0, 5),
        points([(&minute(1), 10.2), (&minute(2), 10.1), (&minute(5), 0.0)])
    );
    assert_eq!(consumption(&service, -10, 1), points([(&minute(1), 10.2)]));
    assert_eq!(consumption(&service, 1, 2), points([(&minute(2), 10.1)]));
    assert!(consumption(&service, 2, 4).is_empty());
    assert!(consumption(&service, 1, 1).is_empty());
    assert!(consumption(&service, -10, 0).is_empty());
    assert!(consumption(&service, 6, 10).is_empty());
}

#[test]
fn the_register_before_lies_anywhere() {
    let mut service = Service::start();
    service.accept(&json!({"time": "1999-12-31T23:59:59", "watthours": 5}));
    for n in 0..50 {
        service.accept(&json!({"time": minute(n), "watts": n}));
    }
    service.accept(&json!({"time": minute(50), "watthours": 12.5}));
    for _ in 0..2 {
        assert_eq!(consumption(&service, 49, 50), points([(&minute(50), 7.5)]));
        service.restart();
    }
}

#[test]
fn a_late_register_splits_the_difference() {
    let service = house(&[(0, 100.0), (10, 200.0)]);
    assert_eq!(consumption(&service, 0, 10), points([(&minute(10), 100.0)]));
    service.accept(&json!({"time": minute(5), "watthours": 130}));
    assert_eq!(
        consumption(&service, 0, 10),
        points([(&minute(5), 30.0), (&minute(10), 70.0)])
    );
    service.accept(&json!({"time": minute(5), "watthours": 150}));
    assert_eq!(
        consumption(&service, 0, 10),
        points([(&minute(5), 50.0), (&minute(10), 50.0)])
    );
    // A register before the first gives that one a difference.
    service.accept(&json!({"time": minute(-5), "watthours": 90}));
    assert_eq!(consumption(&service, -1, 0), points([(&minute(0), 10.0)]));
}

#[test]
fn differences_are_rounded_and_may_be_negative() {
    let service = house(&[(0, 0.1), (1, 0.3), (2, 0.0), (3, 1e-9)]);
    assert_eq!(
        consumption(&service, 0, 3),
        points([(&minute(1), 0.2), (&minute(2), -0.3), (&minute(3), 0.0)])
    );
    let answer = service.result("consumption", &minute(2), &minute(3));
    answer.assert_json(&format!(
        r#"{{"units":"watthours","data":[{{"t":"{}","v":0}}]}}"#,
        minute(3)
    ));
}

#[test]
fn net_is_the_registers_difference_over_the_range() {
    let service = house(&[(0, 1000.0), (1, 1010.2), (2, 1020.3), (5, 1030.0)]);
    assert_eq!(net(&service, 0, 5), points([(&minute(5), 30.0)]));
    assert_eq!(net(&service, 1, 2), points([(&minute(2), 10.1)]));
    // The newest registers at or before the ends count; the time is the later one's.
    assert_eq!(net(&service, 1, 4), points([(&minute(2), 10.1)]));
    assert_eq!(net(&service, 3, 4), points([(&minute(2), 0.0)]));
    assert_eq!(net(&service, 4, 100), points([(&minute(5), 9.7)]));
    assert_eq!(net(&service, 2, 2), points([(&minute(2), 0.0)]));
}

#[test]
fn net_begins_at_the_first_register_where_none_lies_before() {
    let service = house(&[(0, 1000.0), (1, 1010.0)]);
    assert_eq!(net(&service, -60, 1), points([(&minute(1), 10.0)]));
    assert_eq!(net(&service, -60, 0), points([(&minute(0), 0.0)]));
    assert!(net(&service, -60, -1).is_empty());
    let answer = service.result("net_consumption", &minute(-60), &minute(-1));
    answer.assert_json(r#"{"units":"watthours","data":[]}"#);
}

#[test]
fn net_passes_over_readings_without_a_register() {
    let service = house(&[(0, 1000.0), (2, 1010.0)]);
    for n in [-1, 1, 3] {
        service.accept(&json!({"time": minute(n), "watts": 5}));
    }
    assert_eq!(net(&service, -1, 3), points([(&minute(2), 10.0)]));
    assert_eq!(net(&service, 1, 3), points([(&minute(2), 10.0)]));
}

#[test]
fn net_adds_up_and_equals_the_sum_of_consumption() {
    // Rises by tenths, falls back to zero twice, with small blocks so that edges of blocks lie
    // within ranges.
    let mut service = Service::start_with(|config| config.store.block_readings = 16);
    let registers: Vec<(i64, f64)> = (0..200)
        .map(|n: i32| (i64::from(n), f64::from((n * 37) % 1_000) / 10.0))
        .collect();
    let readings: Vec<_> = registers
        .iter()
        .filter(|(n, _)| n % 9 != 4)
        .map(|(n, watthours)| json!({"time": minute(*n), "watthours": watthours}))
        .collect();
    service.upload(&json!({ "readings": readings }));
    let value = |points: Vec<(String, f64)>| points.first().map_or(0.0, |point| point.1);
    let same = |a: f64, b: f64| assert!((a - b).abs() < 1e-6, "{a} and {b}");
    for round in 0..2 {
        for (a, b, c) in [
            (-5, 4, 300),
            (0, 31, 32),
            (13, 13, 100),
            (49, 120, 199),
            (150, 190, 199),
        ] {
            let whole = value(net(&service, a, c));
            same(
                whole,
                value(net(&service, a, b)) + value(net(&service, b, c)),
            );
            let sum: f64 = consumption(&service, a, c)
                .iter()
                .map(|point| point.1)
                .sum();
            same(whole, sum);
        }
        if round == 0 {
            // Late rows, between stored ones.
            for (n, watthours) in registers.iter().filter(|(n, _)| n % 9 == 4) {
                service.accept(&json!({"time": minute(*n), "watthours": watthours}));
            }
            service.restart();
        }
    }
}

#[test]
fn net_is_for_paid_accounts() {
    let service = Service::start();
    service.add_account("neighbour", Plan::Free);
    service.add_key("neighbour", "free-id", Scope::Full);
    service.add_sensor("neighbour", "flat");
    let credentials =
        json!({"sensor_id": "flat", "api_id": "free-id", "api_key": key_of("free-id")});
    for n in 0..2 {
        let mut upload = credentials.clone();
        upload["time"] = json!(minute(n));
        upload["watthours"] = json!(n);
        upload["watts"] = json!(n);
        service.accept(&upload);
    }
    let ask = |kind: &str| {
        let key = key_of("free-id");
        service.get(&format!(
            "sensor_id=flat&api_id=free-id&api_key={key}&type={kind}&start_time=2026-01-05&end_time=2026-01-06"
        ))
    };
    ask("net_consumption").assert_problem(403, "paid_account_required", "");
    for kind in ["rate", "consumption", "latest_rate"] {
        assert_eq!(ask(kind).status(), 200, "{kind}");
    }
    service.add_account("neighbour", Plan::Paid);
    assert_eq!(ask("net_consumption").status(), 200);
}
