//! `wattkeeper what-if`: the example of the document, and batteries against the row-by-row
//! computation of `what_if.py`.

use std::fmt::Write as _;
use std::process::Command;

use serde_json::Value;
use wattkeeper::Timestamp;

use crate::place::{Place, both_ways};

const DOCUMENT: &str = include_str!("../../../docs/DECIDE.md");
const QUARTER_MS: i64 = 900_000;
const RANGE: [&str; 4] = ["--from", "2025-07-01", "--to", "2025-08-01"];

/// The content of the last block of this language in the section.
fn documented(language: &str) -> &'static str {
    let (_, section) = DOCUMENT.split_once("## What if?").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let (_, block) = section.rsplit_once(&format!("```{language}\n")).unwrap();
    block.split_once("\n```").unwrap().0
}

/// An id, a role, and the energy of each quarter.
type FilledSensor<'a> = (&'a str, &'a str, &'a dyn Fn(i64) -> i64);

/// A house whose sensors have these watt-hours in each quarter of July 2025, by its number.
fn fill(place: &Place, sensors: &[FilledSensor<'_>]) {
    place.prepare();
    let begin = Timestamp::parse("2025-06-30T22:00:00").unwrap();
    for (id, role, energy) in sensors {
        if *id != "house" {
            let add = ["sensor", "add", id, "--account", "home", "--role", role];
            place.ok(&[&add[..], &["--at-grid", "connection"]].concat());
        }
        let (mut table, mut shown) = ("time,watthours\n".to_owned(), 0);
        for number in 0..=31 * 96 {
            let time = begin.saturating_add_millis(number * QUARTER_MS);
            writeln!(table, "{time},{shown}").unwrap();
            shown += energy(number);
        }
        let table = place.file("registers.csv", table.as_bytes());
        place.ok(&["import", &table, "--sensor", id]);
    }
    let contract = place.file("contract.json", documented("json").as_bytes());
    place.ok(&["contract", "set", &contract]);
}

fn is_sunny(number: i64) -> bool {
    (40..56).contains(&(number % 96))
}

#[test]
fn the_example_of_the_document_is_right() {
    both_ways(|place| {
        fill(
            place,
            &[
                ("house", "grid", &|number| {
                    if is_sunny(number) { 0 } else { 250 }
                }),
                ("out", "grid-export", &|number| {
                    if is_sunny(number) { 500 } else { 0 }
                }),
                ("roof", "solar", &|number| {
                    if is_sunny(number) { 750 } else { 0 }
                }),
            ],
        );
        let asked = [
            "what-if",
            "--battery",
            "5",
            "--sizes",
            "2.5,10",
            "--price-per-kwh",
            "500",
        ];
        let found = place.ok(&[&asked[..], &RANGE].concat());
        assert_eq!(found.trim_end(), documented("text"));
        let lines = place.ok(&[&asked[..], &RANGE, &["--lines", "--months"]].concat());
        assert!(lines.contains("2025-07  166.16"), "{lines}");
        assert!(lines.contains("465"), "{lines}");
        let refused = place.error(
            &[
                &["what-if", "--battery", "5", "--efficiency", "120"][..],
                &RANGE,
            ]
            .concat(),
        );
        assert!(
            refused.contains("expected a number from 1 to 100"),
            "{refused}"
        );
        let refused = place.error(&[&["what-if"][..], &RANGE].concat());
        assert!(refused.contains("nothing would be different"), "{refused}");
    });
}

#[test]
#[ignore = "needs python3"]
fn python_computes_the_same_batteries() {
    let place = Place::new();
    let noise = |number: i64, salt: i64, most: i64| {
        let mixed = (number * 7_919 + salt).wrapping_mul(6_364_136_223_846_793_005);
        mixed.unsigned_abs().wrapping_shr(33).cast_signed() % most
    };
    let drawn = |number: i64| (noise(number, 1, 700) - 150).max(0);
    let fed_in = |number: i64| {
        if is_sunny(number) {
            noise(number, 2, 1_500)
        } else {
            0
        }
    };
    fill(
        &place,
        &[("house", "grid", &drawn), ("out", "grid-export", &fed_in)],
    );
    let mut table = "drawn,fed\n".to_owned();
    for number in 0..31 * 96 {
        writeln!(table, "{},{}", drawn(number), fed_in(number)).unwrap();
    }
    let table = place.file("house.csv", table.as_bytes());
    let sizes = "0,0.3,1,2.5,5,7.75,12,20";
    let terms = [
        "--charge-kw",
        "2.2",
        "--discharge-kw",
        "1.7",
        "--efficiency",
        "87.5",
    ];
    let asked = [&["what-if", "--sizes", sizes][..], &terms, &RANGE].concat();
    let found = place.json(&asked);
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/blackbox/cli/what_if.py");
    let computed = Command::new("python3")
        .current_dir(place.dir.path())
        .args([model, &table, sizes, "2.2", "1.7", "87.5", "0.3", "0.08"])
        .output()
        .unwrap();
    assert!(
        computed.status.success(),
        "{}",
        String::from_utf8_lossy(&computed.stderr)
    );
    let computed = String::from_utf8(computed.stdout).unwrap();
    let rows = found["sizes"].as_array().unwrap();
    assert_eq!(computed.lines().count(), rows.len());
    for (line, row) in computed.lines().zip(rows) {
        let millionths = |name: &str| (row[name].as_f64().unwrap() * 1e6).round();
        let [size, total] = ["kwh", "total"].map(|name| row[name].as_str().unwrap());
        let ours = format!(
            "{size} {} {} {total}",
            millionths("imported"),
            millionths("exported")
        );
        assert_eq!(ours, line, "{row}");
    }
    assert_eq!(found["changed"], Value::Null);
}
