//! Made-up tables in the forms of suppliers and programs: ambiguous ones lead to a question, all
//! others are read without one.

use std::fmt::Write as _;

use serde_json::json;

use super::{Row, error, import, row, stored};
use crate::place::Place;

/// A sensor for energies of intervals, and one for a register.
fn prepare(place: &Place) {
    place.prepare();
    place.ok(&["account", "set", "home", "--tz", "UTC"]);
    for (id, kind) in [("supplier", "interval"), ("meter", "net")] {
        let sensor = [
            "sensor",
            "add",
            id,
            "--account",
            "home",
            "--role",
            "sub-meter",
        ];
        place.ok(&[&sensor[..], &["--register", kind]].concat());
    }
}

/// What `file` becomes with `options`.
fn taken(file: &[u8], options: &[&str]) -> Vec<Row> {
    let place = Place::new();
    prepare(&place);
    place.file("table", file);
    import(&place, &[&["table"], options].concat());
    stored(&place, options[1])
}

/// The question about `file`: the same in a dry run.
fn asked(file: &[u8], options: &[&str]) -> String {
    let place = Place::new();
    prepare(&place);
    place.file("table", file);
    let question = error(&place, &[&["table"], options].concat());
    let dry = error(&place, &[&["table"], options, &["--dry-run"]].concat());
    assert_eq!(question, dry);
    assert!(stored(&place, options[1]).is_empty());
    question
}

const INTO: [&str; 2] = ["--sensor", "supplier"];
const METER: [&str; 2] = ["--sensor", "meter"];

fn with<'a>(options: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    [options, more].concat()
}

#[test]
fn a_supplier_uses_the_same_columns_for_power_and_energy() {
    let file =
        b"Identifiant PRM;Grandeur physique;Unite;Pas\n1;Energie active;Wh;\nHorodate;Valeur\n\
        2025-10-26T00:00:00+02:00;12420\n2025-10-27T00:00:00+01:00;12430\n";
    let question = asked(file, &INTO);
    assert!(question.contains("choose the columns"), "{question}");
}

#[test]
fn two_values_of_one_time_are_a_question() {
    let sheet =
        b"Meter,Start,End,Consumption (kWh)\n1,2026-01-05T00:00:00Z,2026-01-05T01:00:00Z,0.5\n\
        2,2026-01-05T00:00:00Z,2026-01-05T01:00:00Z,5\n";
    let question = asked(sheet, &INTO);
    assert!(
        question.contains("line 2 and line 3 have different values at 2026-01-05T01:00:00.000Z, 500 Wh and 5000 Wh: Meter is 1, then 2; choose one with --where 'Meter=1'"),
        "{question}"
    );
    let chosen = taken(sheet, &with(&INTO, &["--where", "Meter=2"]));
    assert_eq!(chosen[1], row("2026-01-05T01:00:00Z", None, 5_000.0));
    let gas = b"Day,Kind,Used,Low\n2026-01-05T09:00:00+01:00,power,1.002,no\n2026-01-05T09:00:00+01:00,gas,1.179,0\n";
    let columns = [
        "--time-column",
        "Day",
        "--watthours-column",
        "Used",
        "--unit",
        "kWh",
    ];
    let question = asked(gas, &with(&METER, &columns));
    assert!(question.contains("--where 'Kind=power'"), "{question}");
    let homes = "{\"homes\":[{\"nodes\":[NODE0.5}]},{\"nodes\":[NODE7}]}]}".replace(
        "NODE",
        "{\"from\":\"2026-01-05T00:00:00Z\",\"to\":\"2026-01-05T01:00:00Z\",\"consumptionUnit\":\"kWh\",\"consumption\":",
    );
    let question = asked(homes.as_bytes(), &INTO);
    assert!(question.contains("--where 'homes=1'"), "{question}");
    let second = taken(homes.as_bytes(), &with(&INTO, &["--where", "homes=2"]));
    assert_eq!(second[1], row("2026-01-05T01:00:00Z", None, 7_000.0));
    // The same again is harmless.
    let place = Place::new();
    prepare(&place);
    place.file(
        "twice",
        b"time,watts\n2026-01-05T00:00:00Z,5\n2026-01-05T00:00:00Z,5\n",
    );
    let dry = import(&place, &["twice", "--dry-run"]);
    assert_eq!(
        (&dry["readings"], &dry["duplicates"]),
        (&json!(1), &json!(1))
    );
}

#[test]
fn an_energy_is_stored_at_the_end_of_its_interval() {
    let quarters = b"Start;Ende;Verbrauch (kWh)\n 01.04.2024 00:00:00; 01.04.2024 00:15:00;0,121\n";
    let expected = [
        row("2024-03-31T22:00:00Z", None, 0.0),
        row("2024-03-31T22:15:00Z", None, 121.0),
    ];
    assert_eq!(
        taken(quarters, &with(&INTO, &["--tz", "Europe/Vienna"])),
        expected
    );
    let statistics =
        b"statistic_id,unit,start,mean,sum,state\nsensor.e,kWh,2026-01-05T10:00:00+00:00,,0,100\n\
        sensor.e,kWh,2026-01-05T11:00:00+00:00,,1.5,101.5\n";
    let state = taken(statistics, &with(&METER, &["--watthours-column", "state"]));
    let ends = [
        row("2026-01-05T11:00:00Z", None, 100_000.0),
        row("2026-01-05T12:00:00Z", None, 101_500.0),
    ];
    assert_eq!(state, ends);
    let starts = b"Tijdstip;kWh\n2026-01-05 10:00;1,5\n2026-01-05 10:15;2\n";
    let question = asked(starts, &INTO);
    assert!(
        question.contains("from 2026-01-05T10:00:00.000Z to 2026-01-05T10:15:00.000Z with --times start, and from 2026-01-05T09:45:00.000Z"),
        "{question}"
    );
    let taken = taken(starts, &with(&INTO, &["--times", "start"]));
    assert_eq!(taken[2], row("2026-01-05T10:30:00Z", None, 2_000.0));
}

#[test]
fn the_column_says_what_a_comma_is() {
    let tabs = b"time\twatts\n2026-01-05 10:00\t850\n2026-01-05 10:01\t1,250\n";
    assert!(asked(tabs, &METER).contains("--decimals comma"));
    let point = taken(tabs, &with(&METER, &["--decimals", "point"]));
    assert_eq!(point[1], row("2026-01-05T10:01:00Z", 1_250.0, None));
    let semicolons = b"time;watthours\n2026-01-05 10:00;999,5\n2026-01-05 10:15;1.001\n";
    assert_eq!(
        taken(semicolons, &METER)[1],
        row("2026-01-05T10:15:00Z", None, 1_001.0)
    );
    let spaces = "time;watthours\n2026-01-05 10:00;1\u{a0}250,5\n";
    assert_eq!(
        taken(spaces.as_bytes(), &METER)[0],
        row("2026-01-05T10:00:00Z", None, 1_250.5)
    );
}

#[test]
fn money_is_no_energy_and_two_energies_are_a_question() {
    let cost = b"Start,End,Consumption Cost (GBP),Consumption (kWh)\n2026-01-05T10:00:00Z,2026-01-05T10:30:00Z,0.12,0.5\n";
    assert_eq!(
        taken(cost, &INTO)[1],
        row("2026-01-05T10:30:00Z", None, 500.0)
    );
    let two = b"Start,End,Production (kWh),Consumption (kWh)\n2026-01-05T10:00:00Z,2026-01-05T10:30:00Z,3,0.5\n";
    let question = asked(two, &INTO);
    assert!(
        question.contains("they are Production (kWh), Consumption (kWh)"),
        "{question}"
    );
    let both = [
        "--watthours-column",
        "Production (kWh)",
        "--watthours-column",
        "Consumption (kWh)",
    ];
    assert_eq!(
        taken(two, &with(&INTO, &both))[1],
        row("2026-01-05T10:30:00Z", None, 3_500.0)
    );
}

#[test]
fn forms_that_needed_an_editor() {
    let utf16: Vec<u8> = "time,watthours\n2026-01-05T10:00:00Z,5\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let ten = |value| vec![row("2026-01-05T10:00:00Z", None, value)];
    for (file, options, expected) in [
        (&utf16[..], &[][..], ten(5.0)),
        (
            b"sep=;\ntime;watthours\n2026-01-05T10:00:00Z;1,5\n",
            &[],
            ten(1.5),
        ),
        (b"time;watthours\n2026-01-05 10:00;1,5;\n", &[], ten(1.5)),
        (
            b"time,watthours\n2026-01-05 10:00,1.5\n2026-01-05 11:00,\n",
            &[],
            ten(1.5),
        ),
        (b"time;watthours\n20260105 10:00;1,5\n", &[], ten(1.5)),
        (
            b"time,watthours\n01/05/2026 10:00 AM,1.5\n",
            &["--dates", "mdy"],
            ten(1.5),
        ),
        (
            b"Date,Time,Reading (kWh)\n2026-01-05,10:00,1.5\n",
            &[],
            ten(1_500.0),
        ),
        (
            b"time;watthours\n04.01.2026 24:00;2\n",
            &[],
            vec![row("2026-01-05T00:00:00Z", None, 2.0)],
        ),
        (
            b"{\n \"values\": [\n  {\"timestamp\": \"2026-01-05 10:00\", \"value\": 0.1}\n ]\n}",
            &["--watthours-column", "value", "--unit", "kWh"],
            ten(100.0),
        ),
    ] {
        let shown = String::from_utf8_lossy(file).into_owned();
        assert_eq!(taken(file, &with(&METER, options)), expected, "{shown}");
    }
    let nem12 = b"100,NEM12,202601060000,A,B\n200,6001,E1B1,,E1,,1,kWh,720,\n300,20260105,1.5,2,A,,,20260106,\n900\n";
    let expected = [
        row("2026-01-04T14:00:00Z", None, 0.0),
        row("2026-01-05T02:00:00Z", None, 1_500.0),
        row("2026-01-05T14:00:00Z", None, 2_000.0),
    ];
    assert_eq!(taken(nem12, &INTO), expected);
}

#[test]
fn an_import_is_undone() {
    let place = Place::new();
    prepare(&place);
    place.file(
        "a.csv",
        b"time,watts\n2026-01-05T10:00:00Z,1\n2026-01-05T11:00:00Z,2\n2026-01-05T12:00:00Z,3\n",
    );
    place.file(
        "b.csv",
        b"time,watts\n2026-01-05T11:00:00Z,5\n2026-01-05T11:30:00Z,7\n",
    );
    import(&place, &["a.csv", "--sensor", "meter"]);
    import(&place, &["b.csv", "--sensor", "meter"]);
    // Changed readings stay.
    let undone = import(&place, &["a.csv", "--sensor", "meter", "--undo"]);
    assert_eq!(undone, json!({"deleted": 2}));
    let left = [
        row("2026-01-05T11:00:00Z", 5.0, None),
        row("2026-01-05T11:30:00Z", 7.0, None),
    ];
    assert_eq!(stored(&place, "meter"), left);
}

/// The end of an interval without energy is not the start of the next one.
#[test]
fn undoing_a_later_file_leaves_the_end_of_an_earlier_one() {
    let place = Place::new();
    prepare(&place);
    let file = |name: &str, start: &str, end: &str, energy: u8| {
        let table = format!("start,end,kWh\n{start},{end},{energy}\n");
        place.file(name, table.as_bytes());
    };
    let [first, middle, last] = [10, 11, 12].map(|hour| format!("2026-01-05T{hour}:00:00Z"));
    file("a.csv", &first, &middle, 0);
    file("b.csv", &middle, &last, 2);
    import(&place, &["a.csv", "--sensor", "supplier"]);
    let before = stored(&place, "supplier");
    import(&place, &["b.csv", "--sensor", "supplier"]);
    let undo = ["b.csv", "--sensor", "supplier", "--undo"];
    assert_eq!(import(&place, &undo), json!({"deleted": 1}));
    assert_eq!(stored(&place, "supplier"), before);
    // As docs/MOVING.md says of undoing the earlier one.
    import(&place, &["b.csv", "--sensor", "supplier"]);
    import(&place, &["a.csv", "--sensor", "supplier", "--undo"]);
    assert_eq!(stored(&place, "supplier").len(), 1);
    import(&place, &["b.csv", "--sensor", "supplier"]);
    let left = [row(&middle, None, -0.0), row(&last, None, 2_000.0)];
    assert_eq!(stored(&place, "supplier"), left);
}

#[test]
fn a_described_format_of_the_account_is_used() {
    let place = Place::new();
    prepare(&place);
    let format = "name = \"Mine\"\nsource = \"\"\ncolumns = [\"when\", \"used\"]\n[read]\ntime = \"when\"\nenergy = [\"used\"]\n\
        unit = \"kWh\"\ntimes = \"start\"\nintervals = true\n";
    place.run_on(format.as_bytes(), &["formats", "add", "-"]);
    place.file(
        "mine.csv",
        b"when,used\n2026-01-05T10:00:00Z,1\n2026-01-05T11:00:00Z,2\n",
    );
    let run = place.run(&["import", "mine.csv", "--sensor", "supplier"]);
    assert!(run.err.contains("it was read as a file of Mine"), "{run:?}");
    assert_eq!(
        stored(&place, "supplier")[2],
        row("2026-01-05T12:00:00Z", None, 2_000.0)
    );
}

#[test]
fn what_looks_like_a_register_is_taken_if_a_format_says_intervals() {
    let place = Place::new();
    prepare(&place);
    let mut table = "when,used (kWh)\n".to_owned();
    for nth in 0..30 {
        let (day, hour) = (5 + nth / 24, nth % 24);
        writeln!(table, "2026-01-{day:02}T{hour:02}:00:00Z,50.{nth:03}").unwrap();
    }
    place.file("rising.csv", table.as_bytes());
    let command = [
        "import",
        "rising.csv",
        "--sensor",
        "supplier",
        "--times",
        "start",
    ];
    let run = place.run(&command);
    assert_eq!(run.status, 1, "{run:?}");
    assert!(run.err.contains("`intervals = true`"), "{run:?}");
    let format = "name = \"Mine\"\ncolumns = [\"when\", \"used*\"]\n[read]\ntime = \"when\"\nenergy = [\"used*\"]\n\
        unit = \"kWh\"\ntimes = \"start\"\nintervals = true\n";
    place.run_on(format.as_bytes(), &["formats", "add", "-"]);
    place.ok(&command[..4]);
    assert_eq!(
        stored(&place, "supplier")[30],
        row("2026-01-06T06:00:00Z", None, 50_029.0)
    );
}
