//! Costs of energy, against the row-by-row computation of `cost.py`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use serde_json::{Value, json};
use wattkeeper::Timestamp;

use crate::place::Place;

const HOUR_MS: i64 = 3_600_000;

/// A table of registers, and the dates that its statement is about.
struct History {
    table: String,
    start: &'static str,
    /// When the second contract begins.
    change: &'static str,
    end: &'static str,
}

/// The whole file that `WATTKEEPER_BENCH_DATA` names, unpacked (docs/BENCHMARKS.md); or else the
/// weeks around both changes of the clocks, with some feed-in.
fn history() -> History {
    if let Ok(path) = std::env::var("WATTKEEPER_BENCH_DATA") {
        return History {
            table: std::fs::read_to_string(path).unwrap(),
            start: "2006-12-17",
            change: "2008-10-01",
            end: "2010-11-26",
        };
    }
    let mut table = "time,watts,watthours\n".to_owned();
    let mut ms = Timestamp::parse("2026-03-20T07:03:20").unwrap().millis();
    let (mut tenths, mut noise) = (50_000_000_i64, 7_u64);
    while ms < Timestamp::parse("2026-11-03T00:00:00").unwrap().millis() {
        noise = noise
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Every seven to eleven minutes, from 200 Wh fed back to 800 Wh drawn.
        ms += 420_000 + i64::try_from(noise >> 44).unwrap() % 240_000;
        tenths += i64::try_from(noise >> 33).unwrap() % 10_000 - 2_000;
        let time = Timestamp::from_millis(ms).unwrap();
        writeln!(table, "{time},,{}.{}", tenths / 10, tenths % 10).unwrap();
    }
    History {
        table,
        start: "2026-03-21",
        change: "2026-07-01",
        end: "2026-11-02",
    }
}

/// A price for each hour from one date to a week after another.
fn prices(from: &str, until: &str) -> String {
    let ends = [from, until].map(|date| Timestamp::parse_date(date).unwrap().millis());
    let mut table = "time,price\n".to_owned();
    for hour in ends[0] / HOUR_MS - 24..ends[1] / HOUR_MS + 24 {
        let time = Timestamp::from_millis(hour * HOUR_MS).unwrap();
        let millionths = hour * 7_919 % 400_000 - 50_000;
        let sign = if millionths < 0 { "-" } else { "" };
        let size = millionths.abs();
        writeln!(
            table,
            "{time},{sign}{}.{:06}",
            size / 1_000_000,
            size % 1_000_000
        )
        .unwrap();
    }
    table
}

/// The amounts of a statement, by the names that the model gives them.
fn amounts(statement: &Value) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for line in statement["lines"].as_array().unwrap() {
        let text = |name: &str| line[name].as_str().unwrap();
        let nth = if text("contract") == "first" { 1 } else { 2 };
        let name = match (text("kind"), text("part")) {
            ("energy", "") => "spot".to_owned(),
            ("energy", part) => part.to_owned(),
            ("fixed", _) => "standing".to_owned(),
            ("export", _) => format!("fed {nth}"),
            (_, _) => format!("tax {nth}"),
        };
        found.insert(name, text("amount").to_owned());
    }
    let total = statement["total"].as_str().map(str::to_owned);
    found.insert("total".to_owned(), total.unwrap());
    found
}

#[test]
#[ignore = "needs python3"]
fn python_computes_the_same_costs() {
    let history = history();
    let place = Place::new();
    place.prepare();
    let table = place.file("registers.csv", history.table.as_bytes());
    place.ok(&["import", &table, "--sensor", "house"]);
    let series = place.file("prices.csv", prices(history.change, history.end).as_bytes());
    place.ok(&[
        "prices", "import", &series, "--series", "spot", "--length", "hour",
    ]);
    let contracts = json!([
        {"from": history.start, "name": "first", "currency": "EUR", "components": [
            {"energy": {"zones": [{"name": "day", "price": 0.35}, {"name": "night", "price": 0.24, "hours": "22:00-06:00"}]}},
            {"fixed": {"name": "standing", "price": 0.42, "per": "day"}},
            {"export": {"price": 0.08}},
            {"tax": {"name": "VAT", "percent": 19}},
        ]},
        {"from": history.change, "name": "second", "currency": "EUR", "components": [
            {"energy": {"name": "spot", "series": "spot", "factor": 1.21, "surcharge": 0.0305}},
            {"export": {"price": 0.06}},
            {"tax": {"name": "VAT", "percent": 20}},
        ]},
    ]);
    let contracts = place.file("contracts.json", contracts.to_string().as_bytes());
    place.ok(&["contract", "set", &contracts]);
    let range = ["--from", history.start, "--to", history.end];
    let statement = place.json(&[&["statement"], &range[..]].concat());
    assert_eq!(statement["complete"], true, "{statement}");
    let found = amounts(&statement);

    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/blackbox/cli/cost.py");
    let computed = Command::new("python3")
        .current_dir(place.dir.path())
        .args([
            model,
            &table,
            &series,
            "Europe/Berlin",
            history.start,
            history.change,
            history.end,
        ])
        .output()
        .unwrap();
    assert!(
        computed.status.success(),
        "{}",
        String::from_utf8_lossy(&computed.stderr)
    );
    let computed = String::from_utf8(computed.stdout).unwrap();
    let number =
        |text: &str| Value::String(text.trim_end_matches('0').trim_end_matches('.').to_owned());
    for line in computed.lines() {
        let (name, amount) = line.split_once('=').unwrap();
        let expected = if amount.contains('.') {
            number(amount)
        } else {
            Value::String(amount.to_owned())
        };
        let ours = found.get(name).cloned().unwrap_or_else(|| "0".to_owned());
        assert_eq!(Value::String(ours), expected, "{name}: {computed}");
    }
    assert_eq!(computed.lines().count(), 9);
}
