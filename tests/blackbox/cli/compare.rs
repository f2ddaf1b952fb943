//! `wattkeeper offer` and `wattkeeper compare`.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wattkeeper::Timestamp;

use crate::place::{Place, both_ways};

const DOCUMENT: &str = include_str!("../../../docs/DECIDE.md");
const HOUR_MS: i64 = 3_600_000;
const FLAT: &str = r#"{"from":"2026-01-01","name":"Flat","currency":"EUR","components":[{"energy":{"price":0.25}}]}"#;

/// The content of the first block of this language in the section about offers.
fn documented(language: &str) -> &'static str {
    let (_, section) = DOCUMENT.split_once("## What would I have paid?").unwrap();
    let (_, block) = section.split_once(&format!("```{language}\n")).unwrap();
    block.split_once("\n```").unwrap().0
}

/// A line for each hour from one UTC time to another.
fn hourly(from: &str, to: &str, mut line: impl FnMut(&mut String, Timestamp)) -> String {
    let ends = [from, to].map(|time| Timestamp::parse(time).unwrap().millis());
    let mut table = String::new();
    for hour in ends[0] / HOUR_MS..=ends[1] / HOUR_MS {
        line(&mut table, Timestamp::from_millis(hour * HOUR_MS).unwrap());
    }
    table
}

fn ok(place: &Place, input: &str, arguments: &[&str]) {
    let run = place.run_on(input.as_bytes(), arguments);
    assert_eq!(run.status, 0, "{run:?}");
}

/// A steady kilowatt in February and March 2025.
fn kilowatt(place: &Place) {
    let mut shown = 0;
    let table = hourly(
        "2025-01-31T23:00:00",
        "2025-03-31T22:00:00",
        |table, time| {
            writeln!(table, "{time},{shown}").unwrap();
            shown += 1_000;
        },
    );
    let table = format!("time,watthours\n{table}");
    ok(place, &table, &["import", "-", "--sensor", "house"]);
}

#[test]
fn the_example_of_the_document_is_right() {
    both_ways(|place| {
        place.prepare();
        kilowatt(place);
        let prices = hourly(
            "2025-01-31T23:00:00",
            "2025-03-31T22:00:00",
            |table, time| {
                let text = time.to_string();
                // 15 March by the clocks of Berlin.
                let is_missing = ("2025-03-14T23".."2025-03-15T23").contains(&&text[..13]);
                let price = if is_missing { "" } else { "0.08" };
                writeln!(table, "{text},{price}").unwrap();
            },
        );
        let table = format!("time,price\n{prices}");
        ok(
            place,
            &table,
            &["prices", "import", "-", "--series", "day-ahead"],
        );
        let mut contracts = documented("json").lines();
        ok(place, contracts.next().unwrap(), &["contract", "set", "-"]);
        for offer in contracts {
            ok(place, offer, &["offer", "set", "-"]);
        }
        let command = ["compare", "--from", "2025-02-01", "--to", "2025-04-01"];
        let found = place.ok(&[&command[..], &["--months"]].concat());
        assert_eq!(found.trim_end(), documented("text"));

        let found = place.json(&command);
        let names: Vec<&Value> = (0..3).map(|nth| &found["rows"][nth]["offer"]).collect();
        assert_eq!(
            names,
            [&Value::Null, &json!("Day and night"), &json!("Market")]
        );
        // The lines of each.
        let range = ["--from", "2025-02-01", "--to", "2025-04-01"];
        for row in found["rows"].as_array().unwrap() {
            let offer = row["offer"].as_str();
            let offer = offer.map(|name| ["--offer", name]);
            let offer = offer.iter().flatten().copied();
            let command = ["statement"].into_iter().chain(range).chain(offer);
            let statement = place.json(&command.collect::<Vec<_>>());
            assert_eq!(statement["total"], row["total"], "{row}");
            assert_eq!(statement["complete"], row["complete"], "{row}");
        }
    });
}

#[test]
fn offers_are_set_listed_shown_and_removed() {
    both_ways(|place| {
        place.prepare();
        assert_eq!(place.json(&["offer", "list"]), json!([]));
        let set = place.run_on(FLAT.as_bytes(), &["offer", "set", "-"]);
        assert_eq!(set.status, 0, "{set:?}");
        let offer: Value = serde_json::from_str(FLAT).unwrap();
        let row = json!({"account": "home", "from": "2026-01-01", "name": "Flat", "currency": "EUR", "contract": offer});
        assert_eq!(place.json(&["offer", "list"]), json!([row]));
        assert!(
            place
                .ok(&["offer", "list"])
                .contains("Flat  EUR       0.25")
        );
        assert_eq!(place.json(&["offer", "show", "Flat"]), offer);
        // The printed offer can be set again.
        let shown = place.ok(&["offer", "show", "Flat"]);
        let again = place.run_on(shown.as_bytes(), &["offer", "set", "-"]);
        assert_eq!(again.out, set.out);

        let refused = |input: &str, arguments: &[&str], expected: &str| {
            let run = place.run_on(input.as_bytes(), arguments);
            assert_eq!(run.status, 1, "{run:?}");
            assert!(run.err.contains(expected), "{run:?}");
        };
        let set = ["offer", "set", "-"];
        refused("{\"from\":1}", &set, "currency: it is missing");
        refused(&FLAT.replace("Flat", ""), &set, "name: ");
        let franc = FLAT.replace("Flat", "Franc").replace("EUR", "CHF");
        refused(&franc, &set, "in EUR, this offer in CHF");
        refused("", &["offer", "show", "other"], "no offer \"other\"");
        refused("", &["offer", "remove", "other"], "no offer \"other\"");
        refused("", &["statement", "--offer", "other"], "no offer \"other\"");
        refused("", &["compare"], "no contract to compare");
        place.ok(&[
            "contract",
            "flat",
            "--price",
            "0.3",
            "--currency",
            "EUR",
            "--from",
            "2025-03-01",
        ]);
        let early = ["compare", "--from", "2025-01-01", "--to", "2025-02-01"];
        refused("", &early, "begins on 2025-03-01");
        let long = ["compare", "--from", "2010-01-01", "--to", "2025-02-01"];
        refused("", &long, "at most 3660 days");
        assert_eq!(place.json(&["offer", "list"]), json!([row]));
        place.ok(&["offer", "remove", "Flat"]);
        assert_eq!(place.json(&["offer", "list"]), json!([]));
    });
}
