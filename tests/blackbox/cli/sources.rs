//! `wattkeeper energy --sources` and `wattkeeper statement --sensor`.

use std::fmt::Write as _;

use serde_json::json;
use wattkeeper::Timestamp;

use crate::place::{Place, both_ways};

const DOCUMENT: &str = include_str!("../../../docs/DECIDE.md");
const HOUR_MS: i64 = 3_600_000;

/// The worked example of the document.
fn example() -> &'static str {
    let (_, section) = DOCUMENT.split_once("## Who used the sun?").unwrap();
    section.split_once("### A worked example").unwrap().1
}

/// The content of its block of this language.
fn block(language: &str) -> &'static str {
    let (_, block) = example().split_once(&format!("```{language}\n")).unwrap();
    block.split_once("\n```").unwrap().0
}

/// The cells of its table: the head, and a row for each hour.
fn table() -> Vec<Vec<&'static str>> {
    let rows = example().lines().filter(|line| line.starts_with("| "));
    let cells = |line: &'static str| line.trim_matches('|').split('|').map(str::trim).collect();
    let rows: Vec<Vec<&str>> = rows.map(cells).collect();
    rows.into_iter()
        .filter(|row| !row[0].starts_with("---"))
        .collect()
}

/// The house of the example.
fn prepare(place: &Place) {
    place.ok(&["account", "add", "home", "--tz", "Europe/Berlin"]);
    let contract = place.run_on(block("json").as_bytes(), &["contract", "set", "-"]);
    assert_eq!(contract.status, 0, "{contract:?}");
    let table = table();
    let (head, hours) = table.split_first().unwrap();
    for (column, name) in head.iter().enumerate() {
        let role = match *name {
            "imported" => "grid-import",
            "exported" => "grid-export",
            "produced" => "solar",
            "charged" => "battery-charge",
            "discharged" => "battery-discharge",
            "car" | "heat-pump" => "sub-meter",
            _ => continue,
        };
        place.ok(&[
            "sensor",
            "add",
            name,
            "--account",
            "home",
            "--role",
            role,
            "--register",
            "counter",
        ]);
        // By the clocks of Berlin, which are two hours ahead.
        let midnight = Timestamp::parse("2026-05-31T22:00:00").unwrap().millis();
        let mut shown = 1_000.5;
        let mut registers = "time,watthours\n".to_owned();
        for hour in 0..=24_i64 {
            let time = Timestamp::from_millis(midnight + hour * HOUR_MS).unwrap();
            writeln!(registers, "{time},{shown}").unwrap();
            let row = hours.iter().find(|row| row[0] == format!("{hour:02}:00"));
            let kilowatthours: f64 = row.map_or(0.0, |row| row[column].parse().unwrap());
            shown += kilowatthours * 1_000.0;
        }
        let run = place.run_on(registers.as_bytes(), &["import", "-", "--sensor", name]);
        assert_eq!(run.status, 0, "{run:?}");
    }
}

#[test]
fn the_example_of_the_document_is_right() {
    both_ways(|place| {
        prepare(place);
        let day = ["--from", "2026-06-01", "--to", "2026-06-02"];
        let statement = [&["statement", "--sensor", "car"][..], &day].concat();
        let trimmed = |text: &str| -> Vec<String> {
            text.trim_end()
                .lines()
                .map(|line| line.trim_end().to_owned())
                .collect()
        };
        assert_eq!(trimmed(&place.ok(&statement)), trimmed(block("text")));
        let found = place.json(&statement);
        assert_eq!(
            (&found["total"], &found["own_share"]),
            (&json!("0.6"), &json!(0.625))
        );

        let energy = [&["energy", "--sources"][..], &day].concat();
        let row = &place.json(&energy)["data"][0];
        let car = &row["sensors"]["car"];
        assert_eq!(
            (&car["from_solar"], &car["real_cost"]),
            (&json!(2_000), &json!(0.6))
        );
        let printed = place.ok(&energy);
        assert!(
            printed.contains("REAL-COST") && printed.contains("62.5 %"),
            "{printed}"
        );
        // At the grid's price.
        let alone = [&["energy", "car", "--sources"][..], &day].concat();
        let alone = &place.json(&alone)["data"][0];
        assert_eq!(
            (&alone["cost"], &alone["real_cost"]),
            (&json!(1.2), &json!(0.6))
        );
        // The house used what the table says.
        for row in &table()[1..] {
            let used: f64 = row[6].parse().unwrap();
            let sum = |cells: &[usize]| -> f64 {
                cells
                    .iter()
                    .map(|nth| row[*nth].parse::<f64>().unwrap())
                    .sum()
            };
            assert_eq!(used, sum(&[1, 3, 5]) - sum(&[2, 4]));
        }

        for (arguments, mentions) in [
            (
                &["statement", "--sensor", "attic"][..],
                "there is no sensor attic",
            ),
            (
                &["statement", "--sensor", "produced"],
                "expected a sub-meter",
            ),
            (&["energy", "produced", "--sources"], "expected a sub-meter"),
            (&["energy", "--sources", "--by", "5m"], "at least 15m"),
        ] {
            let error = place.error(arguments);
            assert!(error.contains(mentions), "{error}");
        }
    });
}

#[test]
fn the_sources_of_too_many_sub_meters_are_refused() {
    both_ways(|place| {
        prepare(place);
        for number in 1..=49 {
            let id = format!("d{number}");
            let arguments = [
                "sensor",
                "add",
                &id,
                "--account",
                "home",
                "--role",
                "sub-meter",
            ];
            place.ok(&arguments);
        }
        let error = place.error(&["energy", "--sources"]);
        assert!(
            error.contains("expected at most 50 sub-meters, but there are 51: ask for one of them"),
            "{error}"
        );
        place.ok(&["energy", "--sources", "car"]);
        place.ok(&["statement", "--sensor", "car"]);
    });
}
