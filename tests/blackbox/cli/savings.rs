//! `wattkeeper savings` and `wattkeeper purchase`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wattkeeper::Timestamp;

use crate::place::{Place, both_ways};

const DOCUMENT: &str = include_str!("../../../docs/DECIDE.md");
const HOUR_MS: i64 = 3_600_000;

/// The content of the first block of this language in the section about savings.
fn documented(language: &str) -> &'static str {
    let title = "## What did the panels and the battery save?";
    let (_, section) = DOCUMENT.split_once(title).unwrap();
    let (_, block) = section.split_once(&format!("```{language}\n")).unwrap();
    block.split_once("\n```").unwrap().0
}

fn ok(place: &Place, input: &str, arguments: &[&str]) {
    let run = place.run_on(input.as_bytes(), arguments);
    assert_eq!(run.status, 0, "{run:?}");
}

/// The watts of the grid, the panels and the battery in an hour of the day.
fn watts(hour: i64) -> [i64; 3] {
    match hour {
        10..15 => [-1_500, 3_000, 1_000],
        15 => [-2_500, 3_000, 0],
        19.. | ..4 => [0, 0, -500],
        _ => [500, 0, 0],
    }
}

/// Two days of July 2025, by the clocks of Berlin.
fn two_days(place: &Place) {
    for (sensor, role) in [("sun", "solar"), ("cellar", "battery")] {
        let add = ["sensor", "add", sensor, "--account", "home", "--role", role];
        place.ok(&add);
    }
    let begin = Timestamp::parse("2025-06-30T22:00:00").unwrap();
    for (nth, sensor) in ["house", "sun", "cellar"].into_iter().enumerate() {
        // Not a multiple of 100 Wh, which would be a coarse register.
        let (mut table, mut shown) = ("time,watthours\n".to_owned(), 100_050);
        for hour in 0..=48 {
            let time = begin.saturating_add_millis(hour * HOUR_MS);
            writeln!(table, "{time},{shown}").unwrap();
            shown += watts(hour % 24)[nth];
        }
        ok(place, &table, &["import", "-", "--sensor", sensor]);
    }
}

#[test]
fn the_example_of_the_document_is_right() {
    both_ways(|place| {
        place.prepare();
        two_days(place);
        ok(place, documented("json"), &["contract", "set", "-"]);
        let range = ["--from", "2025-07-01", "--to", "2025-07-03"];
        let command = [&["savings"], &range[..]].concat();
        assert_eq!(place.ok(&command).trim_end(), documented("text"));
        let months = place.ok(&[&command[..], &["--months"]].concat());
        assert!(
            months.contains("TAXES  2025-07") && months.contains("0      6.4"),
            "{months}"
        );
        let found = place.json(&command);
        assert_eq!(
            (&found["used"], &found["discharged"]),
            (&json!(24_000.0), &json!(9_000.0))
        );
        assert_eq!(found["export_measured"], true);
        // The lines of each.
        for row in found["rows"].as_array().unwrap() {
            let without = row["without"].as_str();
            let without = without.map(|parts| ["--without", parts]);
            let without = without.iter().flatten().copied();
            let command = ["statement"].into_iter().chain(range).chain(without);
            let statement = place.json(&command.collect::<Vec<_>>());
            assert_eq!(statement["total"], row["total"], "{row}");
            assert_eq!(statement["imported"], row["imported"], "{row}");
        }
    });
}

const ROOF: &str = "purchase set Roof --kind panels --date 2022-05-01";

/// The words of a command.
fn words(command: &str) -> Vec<&str> {
    command.split(' ').collect()
}

#[track_caller]
fn assert_refused(place: &Place, command: &str, expected: &str) {
    let run = place.run(&words(command));
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.err.contains(expected), "{run:?}");
}

#[test]
fn purchases_are_set_listed_and_removed() {
    both_ways(|place| {
        place.prepare();
        assert_eq!(place.json(&["purchase", "list"]), json!([]));
        place.ok(&words(&format!("{ROOF} --amount 14500 --subsidy 1500.5")));
        let row = json!({"account": "home", "name": "Roof", "kind": "panels", "date": "2022-05-01", "amount": "14500", "subsidy": "1500.5", "costs_per_year": "0"});
        assert_eq!(place.json(&["purchase", "list"]), json!([row]));
        let listed = place.ok(&["purchase", "list"]);
        assert!(
            listed.contains("Roof  panels  2022-05-01  14500"),
            "{listed}"
        );
        let set = "purchase set x --amount 1";
        for (command, expected) in [
            (
                format!("{ROOF} --amount -1"),
                "amount: expected an amount from 0",
            ),
            (
                format!("{ROOF} --amount 1.2345678"),
                "amount: expected a decimal",
            ),
            (
                format!("{ROOF} --amount 1 --subsidy 2"),
                "subsidy: expected a subsidy from 0 to the amount",
            ),
            (
                format!("{ROOF} --amount 1 --costs-per-year -1"),
                "costs_per_year: expected costs",
            ),
            (
                format!("{set} --kind solar --date 2022-05-01"),
                "kind: expected panels, battery or other",
            ),
            (
                format!("{set} --kind other --date 2999-01-01"),
                "date: 2999-01-01 is more than a year ahead",
            ),
            (format!("{set} --kind other --date 1.5.2022"), "date: "),
            ("purchase remove other".to_owned(), "no purchase \"other\""),
        ] {
            assert_refused(place, &command, expected);
        }
        assert_eq!(place.json(&["purchase", "list"]), json!([row]));
        place.ok(&["purchase", "remove", "Roof"]);
        assert_eq!(place.json(&["purchase", "list"]), json!([]));
    });
}

#[test]
fn savings_say_what_is_missing() {
    both_ways(|place| {
        place.prepare();
        assert_refused(place, "savings", "no contract");
        assert_refused(place, "purchase payback", "no contract");
        place.ok(&words("contract flat --price 0.3 --currency EUR"));
        for (command, expected) in [
            ("savings", "neither panels nor a battery"),
            (
                "savings --from 2010-01-01 --to 2025-02-01",
                "at most 3660 days",
            ),
            (
                "statement --without panels",
                "without: this house has no panels",
            ),
            (
                "statement --without roof",
                "without: expected panels, battery or both",
            ),
            ("statement --without panels --offer x", "either an offer"),
        ] {
            assert_refused(place, command, expected);
        }
        assert_eq!(place.json(&["purchase", "payback"])["rows"], json!([]));
        place.ok(&words(&format!("{ROOF} --amount 14500 --subsidy 1500.5")));
        let found = place.json(&["purchase", "payback"]);
        let row = &found["rows"][0];
        let price = (&row["by"], &row["price"]);
        assert_eq!(price, (&json!("panels"), &json!("12999.5")));
        let expected = (&row["reason"], &row["expected"]);
        assert_eq!(expected, (&json!("no-sensor"), &Value::Null));
        assert!(place.ok(&["purchase", "payback"]).contains("no-sensor"));
    });
}

#[test]
fn purchases_are_in_a_backup() {
    both_ways(|place| {
        place.prepare();
        let set =
            "purchase set Roof --kind panels --date 2022-05-01 --amount 14500 --costs-per-year 120";
        place.ok(&set.split(' ').collect::<Vec<_>>());
        let before = place.json(&["purchase", "list"]);
        let file = place.dir.path().join("backup");
        let file = file.to_str().unwrap();
        place.ok(&["backup", file]);
        let other = Place::new();
        other.ok(&["restore", file]);
        assert_eq!(other.json(&["purchase", "list"]), before);
        let described = other.json(&["check"]);
        assert_eq!(described["ok"], true, "{described}");
    });
}
