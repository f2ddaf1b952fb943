//! Files without anything to store, and rows that are left out: the import says which and why.

use serde_json::json;

use super::{error, import, row, stored};
use crate::place::Place;

fn prepared() -> Place {
    let place = Place::new();
    place.prepare();
    for (id, register) in [("s", "interval"), ("c", "counter")] {
        place.ok(&[
            "sensor",
            "add",
            id,
            "--account",
            "home",
            "--role",
            "grid-import",
            "--register",
            register,
            "--at-grid",
            "connection",
        ]);
    }
    place
}

#[test]
fn a_file_of_which_nothing_is_stored_is_no_success() {
    let place = prepared();
    let gas = "Date Time UTC;Usage;Unit;Direction\n2024-01-13 00:00;0.1;m3;levering\n2024-01-13 01:00;0.2;m3;levering\n";
    let others = "time,Meter,kWh\n2026-01-05T00:00:00Z,1,5\n2026-01-05T01:00:00Z,1,5\n";
    for (file, options, expected) in [
        (
            gas,
            &["--watthours-column", "Usage", "--times", "start"][..],
            "all rows are in m3, which is no energy: export the electricity",
        ),
        (
            others,
            &["--times", "start", "--where", "Meter=2"],
            "all rows are of other series",
        ),
        (
            "time,kWh\n2026-01-05T00:00:00Z,\n",
            &["--times", "start"],
            "no row has a value",
        ),
        ("time,watthours\n", &[], "it has no row with values"),
        ("time,watthours\r\n\r\n", &[], "it has no row with values"),
        (
            "time,kWh\n2026-01-05T00:00:00Z,7\n",
            &["--from-registers"],
            "it has one register",
        ),
        ("", &[], "the file is empty"),
        (" \n", &[], "the file is empty"),
    ] {
        place.file("file", file.as_bytes());
        let arguments = [&["file", "--sensor", "s"], options].concat();
        for arguments in [arguments.clone(), [&arguments[..], &["--dry-run"]].concat()] {
            let run = place.run(&[&["import"], &arguments[..]].concat());
            let why = run.error();
            assert!(
                run.status == 1 && why.contains(expected),
                "{expected}: {run:?}"
            );
        }
        assert!(stored(&place, "s").is_empty());
    }
    // A file whose readings are all there is one.
    place.file("again", b"time,watthours\n2026-01-05T00:00:00Z,5\n");
    for _ in 0..2 {
        assert_eq!(
            import(&place, &["again", "--sensor", "c"])["stored"],
            json!(1)
        );
    }
}

#[test]
fn bad_rows_are_left_out_with_their_energy_if_they_are_few() {
    let place = prepared();
    let rows = (0..24).map(|hour| format!("2026-01-05T{hour:02}:00:00Z,1\n"));
    let good = rows.collect::<Vec<_>>().concat();
    let file = format!("time,kWh\n{good}soon,0.5\nlater,0.25\n");
    place.file("few", file.as_bytes());
    let arguments = ["few", "--sensor", "s", "--times", "end"];
    assert!(error(&place, &arguments).contains(
        "2 of 26 rows are bad, nothing was stored: correct them, or leave them out with --skip-bad"
    ));
    let skipped = [&arguments[..], &["--skip-bad"]].concat();
    let run = place.run(&[&["import"], &skipped[..]].concat());
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err.contains("left out: 2 bad (together 0.75 kWh)"),
        "{run:?}"
    );
    let outcome = import(&place, &skipped);
    assert_eq!(
        (&outcome["skipped"], &outcome["skipped_watthours"]),
        (&json!(2), &json!(750.0))
    );
    let some = file.replace("later,0.25", "later,0.2.5");
    place.file("few", some.as_bytes());
    let run = place.run(&[&["import"], &skipped[..]].concat());
    assert!(
        run.err
            .contains("left out: 2 bad (1 of them have together 0.5 kWh)"),
        "{run:?}"
    );
    // With more of them, the file is probably read in the wrong way.
    let many = format!("{file}never,1\n");
    place.file("many", many.as_bytes());
    for options in [&[][..], &["--skip-bad"]] {
        let many = error(&place, &[&["many", "--sensor", "c"], options].concat());
        assert!(
            many.contains("3 of 27 rows are bad, nothing was stored: with more than a tenth"),
            "{many}"
        );
    }
    assert!(stored(&place, "c").is_empty());
    // A single one may be left out of any file.
    place.file("one", b"time,watthours\n2026-01-05T00:00:00Z,5\nsoon,6\n");
    import(&place, &["one", "--sensor", "c", "--skip-bad"]);
    assert_eq!(
        stored(&place, "c"),
        [row("2026-01-05T00:00:00Z", None, 5.0)]
    );
}

#[test]
fn a_table_is_listed_whatever_its_units() {
    let place = Place::new();
    place.file("one", b"time,kWh\n2026-01-05T00:00:00Z,5\n");
    let listed = place.json(&["import", "one", "--list"]);
    assert_eq!(
        (&listed[0]["series"], &listed[0]["unit"]),
        (&json!("kWh"), &json!("kWh"))
    );
    place.file(
        "two",
        b"time;L1 (kW);Total (kWh)\n2026-01-05T00:00:00Z;1,5;5\n",
    );
    let listed = place.json(&["import", "two", "--list"]);
    assert_eq!(listed.as_array().unwrap().len(), 2);
}

/// A part that is missing is missing, except of energies of intervals (rule 7 of such files).
#[test]
fn a_sum_without_a_part_is_no_value() {
    let place = prepared();
    place.file(
        "phases.csv",
        b"time,L1 W,L2 W,L3 W\n2026-01-05T00:00:00Z,100,200,300\n2026-01-05T01:00:00Z,110,,310\n",
    );
    let phases = [
        "--watts-column",
        "L1 W",
        "--watts-column",
        "L2 W",
        "--watts-column",
        "L3 W",
    ];
    import(
        &place,
        &[&["phases.csv", "--sensor", "c"], &phases[..]].concat(),
    );
    assert_eq!(
        stored(&place, "c"),
        [row("2026-01-05T00:00:00Z", 600.0, None)]
    );
    let tariffs = b"time,T1 kWh,T2 kWh\n2026-01-05T00:00:00Z,1000,2000\n2026-01-05T01:00:00Z,1000.5,\n2026-01-05T02:00:00Z,1001,2000.5\n";
    place.file("tariffs.csv", tariffs);
    let columns = [
        "--watthours-column",
        "T1 kWh",
        "--watthours-column",
        "T2 kWh",
    ];
    let run = place.run(&[&["import", "tariffs.csv", "--sensor", "c"], &columns[..]].concat());
    assert!(
        run.status == 0 && run.err.contains("left out: 1 without a value"),
        "{run:?}"
    );
    let registers: Vec<_> = stored(&place, "c")
        .into_iter()
        .filter_map(|row| row.2)
        .collect();
    assert_eq!(registers, [3_000_000.0, 3_001_500.0]);
    // A tariff of an interval may be empty; with none of them, the row has no value.
    place.file("energies.csv", b"Start,End,T1 kWh,T2 kWh\n2026-01-05T00:00:00Z,2026-01-05T01:00:00Z,0.5,\n2026-01-05T01:00:00Z,2026-01-05T02:00:00Z,,\n");
    let run = place.run(&[&["import", "energies.csv", "--sensor", "s"], &columns[..]].concat());
    assert!(
        run.status == 0 && run.err.contains("left out: 1 without a value"),
        "{run:?}"
    );
    assert_eq!(stored(&place, "s")[1].2, Some(500.0));
}
