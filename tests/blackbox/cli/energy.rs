//! `wattkeeper energy` and `wattkeeper statement`.

use std::fmt::Write as _;

use serde_json::json;

use crate::place::both_ways;

#[test]
fn a_year_earlier_mondays_are_compared_with_mondays() {
    both_ways(|place| {
        place.prepare();
        // A Monday.
        let readings = b"time,watthours\n2024-01-08T00:00:00,1000\n2024-01-08T12:00:00,7000\n";
        let imported = place.run_on(readings, &["import", "-", "--sensor", "house"]);
        assert_eq!(imported.status, 0, "{imported:?}");
        place.ok(&["contract", "flat", "--price", "0.30", "--currency", "EUR"]);
        let earlier = [
            "--from",
            "2025-01-06",
            "--to",
            "2025-01-07",
            "--year-earlier",
        ];
        let direct = ["--from", "2024-01-08", "--to", "2024-01-09"];
        for command in ["energy", "statement", "compare"] {
            let of = |days: &[&'static str]| place.json(&[&[command], days].concat());
            assert_eq!(of(&earlier), of(&direct), "{command}");
        }
        let energy = place.json(&[&["energy"], &earlier[..]].concat());
        assert_eq!(energy["data"][0]["imported"], 6_000);
    });
}

#[test]
fn energy_and_its_cost_are_printed() {
    both_ways(|place| {
        place.prepare();
        let readings = b"time,watthours\n2026-01-05T00:00:00,1000\n2026-01-05T06:00:00,3400\n2026-01-05T12:00:00,7000\n";
        let imported = place.run_on(readings, &["import", "-", "--sensor", "house"]);
        assert_eq!(imported.status, 0, "{imported:?}");
        let day = ["--from", "2026-01-05", "--to", "2026-01-06"];
        let of = |rest: &[&'static str]| [rest, &day[..]].concat();
        // By the clocks of Berlin.
        let found = place.json(&of(&["energy", "--by", "1h"]));
        assert_eq!(found["data"].as_array().map(Vec::len), Some(12));
        assert_eq!(
            (&found["data"][5]["imported"], &found["data"][6]["imported"]),
            (&json!(400), &json!(600))
        );
        assert_eq!(found.get("currency"), None);
        let table = place.ok(&of(&["energy"]));
        assert!(table.contains("IMPORTED"), "{table}");
        assert!(table.contains("6.000"), "{table}");
        let error = place.error(&of(&["statement"]));
        assert!(error.contains("wattkeeper contract flat"), "{error}");

        place.ok(&[
            "contract",
            "flat",
            "--price",
            "0.30",
            "--feed-in",
            "0.08",
            "--currency",
            "EUR",
        ]);
        let found = place.json(&of(&["statement"]));
        assert_eq!(
            (&found["total"], &found["currency"]),
            (&json!("1.8"), &json!("EUR"))
        );
        let printed = place.ok(&of(&["statement"]));
        for text in [
            "2026-01-04T23:00:00.000Z to 2026-01-05T23:00:00.000Z, in EUR",
            "total",
            "1.8",
            "missing 50.0 %",
        ] {
            assert!(printed.contains(text), "{printed}");
        }
        assert_eq!(
            place.json(&of(&["energy", "house"]))["data"][0]["cost"],
            1.8
        );
        for (arguments, mentions) in [
            (&["energy", "attic"][..], "there is no sensor attic"),
            (
                &["energy", "--from", "2026-01-06", "--to", "2026-01-05"],
                "not after the end",
            ),
            (&["statement", "--from", "soon"], "from:"),
        ] {
            let error = place.error(arguments);
            assert!(error.contains(mentions), "{error}");
        }
    });
}

#[test]
fn a_house_that_changes_its_grid_meter_has_whole_statements() {
    both_ways(|place| {
        place.prepare();
        place.ok(&[
            "sensor",
            "add",
            "new",
            "--account",
            "home",
            "--role",
            "grid",
            "--at-grid",
            "connection",
        ]);
        place.ok(&["contract", "flat", "--price", "0.5", "--currency", "EUR"]);
        // 1 kWh each day: the old meter's sensor until 1 February, and then the new one's.
        let mut shown = 5_000;
        for (sensor, month) in [("house", "01"), ("new", "02")] {
            let mut readings = "time,watthours\n".to_owned();
            for day in 1..=28 {
                writeln!(readings, "2025-{month}-{day:02}T00:00:00Z,{shown}").unwrap();
                shown += 1_000;
            }
            if sensor == "house" {
                writeln!(readings, "2025-02-01T00:00:00Z,{}", shown + 3_000).unwrap();
            }
            let imported = place.run_on(readings.as_bytes(), &["import", "-", "--sensor", sensor]);
            assert_eq!(imported.status, 0, "{imported:?}");
        }
        let told = |from: &str, to: &str| {
            let range = [
                "--from",
                &format!("2025-{from}T00:00:00Z"),
                "--to",
                &format!("2025-{to}T00:00:00Z"),
            ];
            let statement = place.json(&[&["statement"], &range[..]].concat());
            let energy = place.json(&[&["energy"], &range[..]].concat());
            json!([
                statement["total"],
                statement["complete"],
                statement["missing"],
                energy["data"][0]["imported"],
                energy["data"][0]["partial"]
            ])
        };
        let old = || told("01-05", "01-15");
        let both = || told("01-22", "02-11");
        let new = || told("02-05", "02-15");
        let whole = json!(["5", true, 0.0, 10_000, null]);
        assert_eq!(old(), whole);
        // It could be silent only.
        assert_eq!(new(), json!(["5", false, 1.0, 10_000, 1]));
        place.ok(&["sensor", "revoke", "house"]);
        assert_eq!(old(), whole);
        assert_eq!(new(), whole);
        assert_eq!(both(), json!(["10", true, 0.0, 20_000, null]));
    });
}
