//! Exports of InfluxDB in its line protocol.

use std::io::Write as _;

use serde_json::json;

use super::{error, import, row, stored};
use crate::place::{Place, both_ways};

/// What `influx_inspect export` of InfluxDB 1.8 writes: one field a line, by series and file, and then what is newer again. Power and
/// register are as Home Assistant writes them: the measurement is the unit.
const EXPORT: &str = "# INFLUXDB EXPORT: 1677-09-21T00:12:43Z - 2262-04-11T23:47:16Z\n\
    # DDL\n\
    CREATE DATABASE home WITH NAME autogen\n\
    # DML\n\
    # CONTEXT-DATABASE:home\n\
    # CONTEXT-RETENTION-POLICY:autogen\n\
    # writing tsm data\n\
    W,domain=sensor,entity_id=house_power friendly_name_str=\"House, \\\"power\\\"\nof 1 phase\" 1767607200000000000\n\
    W,domain=sensor,entity_id=house_power value=234 1767607200000000000\n\
    W,domain=sensor,entity_id=house_power value=240.5 1767607210500000000\n\
    W,domain=sensor,entity_id=oven\\ hood value=1e+03 1767607200000000000\n\
    kWh,domain=sensor,entity_id=house_energy value=9410.938 1767607200000000000\n\
    kWh,domain=sensor,entity_id=house_energy value=9411 1767607260000000000\n\
    # writing wal data\n\
    W,domain=sensor,entity_id=house_power value=241i 1767607210500000000\n\
    mode,domain=input_select state=\"auto\" 1767607200000000000\n";

const POWER: &str = "W,domain=sensor,entity_id=house_power value";
const ENERGY: &str = "kWh,domain=sensor,entity_id=house_energy value";

fn gz(text: &str) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(text.as_bytes()).unwrap();
    gz.finish().unwrap()
}

#[test]
fn power_and_register_of_an_export() {
    both_ways(|place| {
        place.prepare();
        place.file("export.gz", &gz(EXPORT));
        let arguments = [
            "export.gz",
            "--sensor",
            "house",
            "--watts-column",
            POWER,
            "--watthours-column",
            ENERGY,
        ];
        let dry = import(place, &[&arguments[..], &["--dry-run"]].concat());
        assert_eq!(
            (&dry["readings"], &dry["first"]),
            (&json!(3), &json!("2026-01-05T10:00:00.000Z"))
        );
        assert_eq!(
            import(place, &arguments),
            json!({"read": 8, "stored": 3, "skipped": 3})
        );
        let expected = [
            row("2026-01-05T10:00:00Z", 234.0, 9_410_938.0),
            row("2026-01-05T10:00:10.500Z", 241.0, None),
            row("2026-01-05T10:01:00Z", None, 9_411_000.0),
        ];
        assert_eq!(stored(place, "house"), expected);
        // The same by tags, from a file without remarks.
        let lines = EXPORT.split_inclusive('\n');
        let lines: String = lines.filter(|line| !line.starts_with(['#', 'C'])).collect();
        place.file("export.lp", lines.as_bytes());
        for (option, measurement, entity) in [
            ("--watts-column", "_measurement=W", "entity_id=house_power"),
            (
                "--watthours-column",
                "_measurement=kWh",
                "entity_id=house_energy",
            ),
        ] {
            let arguments = [
                "export.lp",
                "--sensor",
                "house",
                option,
                "value",
                "--where",
                measurement,
                "--where",
                entity,
            ];
            import(place, &arguments);
        }
        assert_eq!(stored(place, "house"), expected);
    });
}

#[test]
fn its_series_are_listed_and_asked_for() {
    let place = Place::new();
    place.prepare();
    place.file("export.lp", EXPORT.as_bytes());
    let listed = place.json(&["import", "export.lp", "--list"]);
    let names: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["series"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [POWER, "W,domain=sensor,entity_id=oven hood value", ENERGY]
    );
    assert_eq!(
        listed[2],
        json!({"series": ENERGY, "unit": "kWh", "values": 2,
            "first": "2026-01-05T10:00:00.000Z", "last": "2026-01-05T10:01:00.000Z"})
    );
    let error = |options: &[&str]| {
        error(
            &place,
            &[&["export.lp", "--sensor", "house"], options].concat(),
        )
    };
    let asked = error(&[]);
    assert!(
        asked.contains("choose the series with") && asked.contains(POWER),
        "{asked}"
    );
    let mixed = error(&["--watts-column", "value", "--where", "_measurement=W"]);
    assert!(
        mixed
            .contains("line 12: it holds several series: entity_id is house_power, then oven hood"),
        "{mixed}"
    );
    let swapped = error(&["--watthours-column", POWER]);
    assert!(
        swapped.contains("which is power: name it with --watts-column"),
        "{swapped}"
    );
    let text = error(&["--watts-column", "state"]);
    assert!(text.contains("1 of 8 rows are bad"), "{text}");
}

#[test]
fn lines_of_other_programs() {
    let place = Place::new();
    place.prepare();
    // Several fields a line, times in seconds, and the names that our own files have.
    let lines = "energy,host=a watts=1.5,watthours=2000,volts=230 1767607200\n\nenergy,host=a watts=2 1767607210\n";
    place.file("own.lp", lines.as_bytes());
    let arguments = ["own.lp", "--sensor", "house", "--unit", "Wh"];
    assert_eq!(import(&place, &arguments)["stored"], json!(2));
    let first = row("2026-01-05T10:00:00Z", 1.5, 2_000.0);
    let second = row("2026-01-05T10:00:10Z", 2.0, None);
    assert_eq!(stored(&place, "house"), [first, second.clone()]);
    // The tool writes into its own output about files that it cannot read, and goes on.
    let torn = "# INFLUXDB EXPORT\n# DML\nskipped missing file: /x.tsmW,a=b watts=1 1767607200\nW,a=b watts=2 1767607220000000000\n";
    place.file("torn.lp", torn.as_bytes());
    let why = error(&place, &["torn.lp", "--sensor", "house"]);
    assert!(why.contains("1 of 2 rows are bad"), "{why}");
    let run = place.run(&["import", "torn.lp", "--sensor", "house", "--skip-bad"]);
    assert!(
        run.err
            .starts_with("line 3: unable to parse 'skipped missing file"),
        "{run:?}"
    );
    assert_eq!(
        stored(&place, "house").last(),
        Some(&row("2026-01-05T10:00:20Z", 2.0, None))
    );
}
