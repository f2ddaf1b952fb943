//! The meaning of columns and labels of files: direction, unit, kind and zone.

use serde_json::json;

use super::{error, import, row, stored};
use crate::place::{Place, both_ways};

/// Adds sensors for energies of intervals, and for registers.
fn prepare(place: &Place) {
    place.prepare();
    let add = |id: &str, role: &str, register: &str| {
        let of = ["sensor", "add", id, "--account", "home"];
        let at_grid = ["--at-grid", "connection"];
        place.ok(&[&of[..], &["--role", role, "--register", register], &at_grid].concat());
    };
    add("bought", "grid-import", "interval");
    add("charge", "battery-charge", "interval");
    add("meter", "grid-import", "counter");
}

fn taken(place: &Place, file: &str, options: &[&str]) -> serde_json::Value {
    place.file("file.csv", file.as_bytes());
    import(place, &[&["file.csv", "--sensor"], options].concat())
}

fn refused(place: &Place, file: &str, options: &[&str]) -> String {
    place.file("file.csv", file.as_bytes());
    error(place, &[&["file.csv", "--sensor"], options].concat())
}

#[test]
fn local_times_are_those_of_the_account() {
    both_ways(|place| {
        prepare(place);
        let local = "Start;End;Consumption (kWh)\n2026-01-05 10:00;2026-01-05 11:00;0.5\n";
        taken(place, local, &["bought"]);
        let berlin = [
            row("2026-01-05T09:00:00Z", None, 0.0),
            row("2026-01-05T10:00:00Z", None, 500.0),
        ];
        assert_eq!(stored(place, "bought"), berlin);
        // A supplier's city is not that of the house; one row has its own end.
        let opower = "TYPE,DATE,START TIME,END TIME,USAGE (kWh)\nElectric usage,2026-01-06,00:00,23:59,7.5\n";
        taken(place, opower, &["bought"]);
        let found = stored(place, "bought");
        assert_eq!(found[3], row("2026-01-06T23:00:00Z", None, 7_500.0));
        let lines = "{\"time\":\"2026-01-07 10:00\",\"watthours\":5}\n";
        taken(place, lines, &["meter"]);
        assert_eq!(stored(place, "meter")[0].0, "2026-01-07T09:00:00Z");
    });
}

#[test]
fn ends_have_a_beginning_and_holes_stay() {
    both_ways(|place| {
        prepare(place);
        let first = "Timestamp,Consumption (kWh)\n2025-06-01 01:00,0.1\n2025-06-01 02:00,0.2\n";
        let second = "Timestamp,Consumption (kWh)\n2025-06-01 11:00,0.3\n2025-06-01 12:00,0.4\n";
        for file in [first, second] {
            taken(place, file, &["bought", "--times", "end"]);
        }
        let times = [
            "--from",
            "2025-06-01T00:00:00+02:00",
            "--to",
            "2025-06-01T12:00:00+02:00",
        ];
        let rows = place.json(&[&["energy", "bought"], &times[..], &["--by", "1h"]].concat());
        let rows = rows["data"].as_array().unwrap();
        // Hours without readings have no row.
        let known = rows
            .iter()
            .map(|row| (row["t"].as_str().unwrap(), row["energy"].as_f64().unwrap()));
        let expected = [
            ("2025-05-31T22:00:00.000Z", 100.0),
            ("2025-05-31T23:00:00.000Z", 200.0),
            ("2025-06-01T08:00:00.000Z", 300.0),
            ("2025-06-01T09:00:00.000Z", 400.0),
        ];
        assert_eq!(known.collect::<Vec<_>>(), expected);
        let one = "Timestamp,Consumption (kWh)\n2025-07-01 01:00,0.1\n";
        for times in ["start", "end"] {
            let why = refused(place, one, &["bought", "--times", times]);
            assert!(why.contains("nothing says how long it is"), "{why}");
        }
        assert!(refused(place, one, &["bought"]).contains("nothing says how long it is"));
    });
}

#[test]
fn an_hour_that_came_twice_and_is_there_once_is_named() {
    both_ways(|place| {
        prepare(place);
        let once = "Timestamp,Consumption (kWh)\n2025-10-26 01:00,0.1\n2025-10-26 02:00,0.2\n2025-10-26 03:00,0.3\n";
        place.file("once.csv", once.as_bytes());
        let run = place.run(&[
            "import", "once.csv", "--sensor", "bought", "--times", "start",
        ]);
        let remark =
            "the hour from 2025-10-26 02:00 to 2025-10-26 03:00 in Europe/Berlin came twice";
        assert!(run.err.contains(remark), "{}", run.err);
        let expected = [
            row("2025-10-25T23:00:00Z", None, 0.0),
            row("2025-10-26T00:00:00Z", None, 100.0),
            row("2025-10-26T01:00:00Z", None, 200.0),
            row("2025-10-26T02:00:00Z", None, 0.0),
            row("2025-10-26T03:00:00Z", None, 300.0),
        ];
        assert_eq!(stored(place, "bought"), expected);
    });
}

#[test]
fn the_other_direction_is_asked_about() {
    both_ways(|place| {
        prepare(place);
        let file =
            |name: &str| format!("Start;End;{name}\n2026-01-05 10:00;2026-01-05 11:00;0.5\n");
        for (sensor, name) in [
            ("bought", "Einspeisung (kWh)"),
            ("bought", "Exported to grid (Wh)"),
            ("charge", "Discharged (kWh)"),
        ] {
            let why = refused(place, &file(name), &[sensor]);
            assert!(why.contains("of the other direction than"), "{why}");
            let (_, option) = why.split_once("name this one with ").unwrap();
            assert_eq!(option.trim(), format!("--watthours-column '{name}'"));
            let named = [sensor, "--watthours-column", name];
            assert_eq!(
                taken(place, &file(name), &named)["read"],
                json!(1),
                "{name}"
            );
        }
        // The direction of the sensor chooses among several.
        let two = "Start,End,Imported (kWh),Exported (kWh)\n2026-01-05T10:00:00Z,2026-01-05T11:00:00Z,0.5,0.1\n";
        assert_eq!(
            taken(place, two, &["bought", "--dry-run"])["total_watthours"],
            json!(500.0)
        );
        let tariffs = "Start,End,Import T1 (kWh),Import T2 (kWh),Export (kWh)\n2026-01-05T10:00:00Z,2026-01-05T11:00:00Z,0.5,0.1,0\n";
        let why = refused(place, tariffs, &["bought"]);
        let asked = "they are Import T1 (kWh), Import T2 (kWh);";
        assert!(why.contains(asked), "{why}");
    });
}

#[test]
fn a_unit_of_the_other_quantity_is_refused() {
    both_ways(|place| {
        prepare(place);
        let energy = "Start,End,Verbrauch (kWh)\n2026-01-05T00:00:00Z,2026-01-05T00:15:00Z,1\n";
        let why = refused(
            place,
            energy,
            &["house", "--watts-column", "Verbrauch (kWh)"],
        );
        assert!(
            why.contains("which is energy: name it with --watthours-column"),
            "{why}"
        );
    });
}

#[test]
fn what_a_meter_shows_is_no_energy_of_an_interval() {
    both_ways(|place| {
        prepare(place);
        let readings = "time,Register (kWh)\n2026-01-05T10:00:00Z,1000\n2026-01-05T11:00:00Z,1000.5\n2026-01-05T12:00:00Z,1001\n";
        let why = refused(place, readings, &["bought", "--watthours-column", "2"]);
        assert!(why.contains("add a sensor for registers"), "{why}");
        let spans = "Start,End,kWh\n2026-01-05T10:00:00Z,2026-01-05T10:15:00Z,1000\n2026-01-05T10:15:00Z,2026-01-05T10:30:00Z,1000.5\n";
        let why = refused(place, spans, &["bought"]);
        assert!(why.contains("--from-registers"), "{why}");
        assert_eq!(stored(place, "bought"), []);
        // As the error says.
        let options = ["bought", "--watthours-column", "2", "--from-registers"];
        taken(place, readings, &options);
        let expected = [
            row("2026-01-05T10:00:00Z", None, 0.0),
            row("2026-01-05T11:00:00Z", None, 500.0),
            row("2026-01-05T12:00:00Z", None, 500.0),
        ];
        assert_eq!(stored(place, "bought"), expected);
        let replaced = "time,Register (kWh)\n2026-01-06T10:00:00Z,1000\n2026-01-06T11:00:00Z,5\n";
        let why = refused(place, replaced, &options);
        assert!(why.contains("falls by 995 kWh"), "{why}");
        let needless = ["meter", "--watthours-column", "2", "--from-registers"];
        let why = refused(place, readings, &needless);
        assert!(why.contains("leave out --from-registers"), "{why}");
    });
}

#[test]
fn a_sum_that_lacks_a_part_is_missing() {
    both_ways(|place| {
        prepare(place);
        let phases = "time,L1 W,L2 W,L3 W\n2026-01-05T00:00:00Z,100,200,300\n2026-01-05T01:00:00Z,110,,310\n";
        let columns = ["L1 W", "L2 W", "L3 W"].map(|name| ["--watts-column", name]);
        let options = [&["house"], columns.concat().as_slice()].concat();
        assert_eq!(taken(place, phases, &options)["stored"], json!(1));
        let registers = "time,T1 kWh,T2 kWh\n2026-01-05T00:00:00Z,1000,2000\n2026-01-05T01:00:00Z,1000.5,\n2026-01-05T02:00:00Z,1001,2000.5\n";
        let columns = ["T1 kWh", "T2 kWh"].map(|name| ["--watthours-column", name]);
        let options = [&["meter"], columns.concat().as_slice()].concat();
        taken(place, registers, &options);
        let expected = [
            row("2026-01-05T00:00:00Z", None, 3_000_000.0),
            row("2026-01-05T02:00:00Z", None, 3_001_500.0),
        ];
        assert_eq!(stored(place, "meter"), expected);
        // Of intervals, each has one tariff.
        let tariffs = "Start,End,T1 kWh,T2 kWh\n2026-01-05T00:00:00Z,2026-01-05T01:00:00Z,0.5,\n2026-01-05T01:00:00Z,2026-01-05T02:00:00Z,,0.25\n2026-01-05T02:00:00Z,2026-01-05T03:00:00Z,,\n";
        let options = [&["bought"], columns.concat().as_slice()].concat();
        taken(place, tariffs, &options);
        let expected = [
            row("2026-01-05T00:00:00Z", None, 0.0),
            row("2026-01-05T01:00:00Z", None, 500.0),
            row("2026-01-05T02:00:00Z", None, 250.0),
        ];
        assert_eq!(stored(place, "bought"), expected);
    });
}
