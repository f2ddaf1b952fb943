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
        let (mut table, mut shown) = ("time,watthours\n".to_owned(), 100_000);
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

#[test]
fn purchases_are_set_listed_and_removed() {
    both_ways(|place| {
        place.prepare();
        assert_eq!(place.json(&["purchase", "list"]), json!([]));
        let roof = |more: &[&str]| {
            let set = [
                "purchase",
                "set",
                "Roof",
                "--kind",
                "panels",
                "--date",
                "2022-05-01",
            ];
            [&set, more]
                .concat()
                .iter()
                .map(|it| (*it).to_owned())
                .collect::<Vec<_>>()
        };
        let run = |arguments: &[String]| {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            place.run_on(b"", &arguments)
        };
        let set = run(&roof(&["--amount", "14500", "--subsidy", "1500.5"]));
        assert_eq!(set.status, 0, "{set:?}");
        let row = json!({"account": "home", "name": "Roof", "kind": "panels", "date": "2022-05-01", "amount": "14500", "subsidy": "1500.5", "costs_per_year": "0"});
        assert_eq!(place.json(&["purchase", "list"]), json!([row]));
        assert!(
            place
                .ok(&["purchase", "list"])
                .contains("Roof  panels  2022-05-01  14500")
        );
        for (more, expected) in [
            (&["--amount", "-1"][..], "amount: expected an amount from 0"),
            (&["--amount", "1.2345678"], "amount: expected a decimal"),
            (
                &["--amount", "1", "--subsidy", "2"],
                "subsidy: expected a subsidy from 0 to the amount",
            ),
            (
                &["--amount", "1", "--costs-per-year", "-1"],
                "costs_per_year: expected costs",
            ),
            (
                &["--amount", "1", "--date", "2999-01-01"],
                "cannot be used multiple times",
            ),
        ] {
            let refused = run(&roof(more));
            assert_ne!(refused.status, 0, "{refused:?}");
            assert!(refused.err.contains(expected), "{refused:?}");
        }
        let refused = |arguments: &[&str], expected: &str| {
            let run = place.run_on(b"", arguments);
            assert_eq!(run.status, 1, "{run:?}");
            assert!(run.err.contains(expected), "{run:?}");
        };
        let set = |kind, date| {
            [
                "purchase", "set", "x", "--kind", kind, "--date", date, "--amount", "1",
            ]
        };
        refused(
            &set("solar", "2022-05-01"),
            "kind: expected panels, battery or other",
        );
        refused(
            &set("other", "2999-01-01"),
            "date: 2999-01-01 is more than a year ahead",
        );
        refused(&set("other", "1.5.2022"), "date: ");
        refused(&["purchase", "remove", "other"], "no purchase \"other\"");
        refused(&["purchase", "payback"], "no contract");
        refused(&["savings"], "no contract");
        assert_eq!(place.json(&["purchase", "list"]), json!([row]));

        place.ok(&["contract", "flat", "--price", "0.3", "--currency", "EUR"]);
        refused(&["savings"], "neither panels nor a battery");
        refused(
            &["statement", "--without", "panels"],
            "without: this house has no panels",
        );
        refused(
            &["statement", "--without", "roof"],
            "without: expected panels, battery or both",
        );
        refused(
            &["statement", "--without", "panels", "--offer", "x"],
            "either an offer",
        );
        let long = ["savings", "--from", "2010-01-01", "--to", "2025-02-01"];
        refused(&long, "at most 3660 days");
        let found = place.json(&["purchase", "payback"]);
        let row = &found["rows"][0];
        assert_eq!(
            (&row["by"], &row["price"]),
            (&json!("panels"), &json!("12999.5"))
        );
        assert_eq!(
            (&row["reason"], &row["expected"]),
            (&json!("no-sensor"), &Value::Null)
        );
        assert!(place.ok(&["purchase", "payback"]).contains("no-sensor"));
        place.ok(&["purchase", "remove", "Roof"]);
        assert_eq!(place.json(&["purchase", "list"]), json!([]));
        assert_eq!(place.json(&["purchase", "payback"])["rows"], json!([]));
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
