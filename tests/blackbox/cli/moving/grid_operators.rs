//! MSCONS and XML of ebUtilities, as grid operators in Germany and Austria send them.

use std::fmt::Write as _;

use serde_json::json;

use super::{error, import, row, stored};
use crate::place::Place;

/// A place with sensors for energies of intervals, for each direction, and one for a register.
fn prepared() -> Place {
    let place = Place::new();
    place.prepare();
    for (id, role, register) in [
        ("drawn", "grid-import", "interval"),
        ("fed", "grid-export", "interval"),
        ("both", "sub-meter", "interval"),
        ("meter", "grid-import", "counter"),
    ] {
        place.ok(&[
            "sensor",
            "add",
            id,
            "--account",
            "home",
            "--role",
            role,
            "--register",
            register,
            "--at-grid",
            "connection",
        ]);
    }
    place
}

/// An interchange with the segments of one message, each on a line.
fn mscons(segments: &str) -> String {
    format!(
        "UNA:+.? '\nUNB+UNOC:3+9900000000001:500+9900000000002:500+260106:0500+1'\nUNH+1+MSCONS:D:04B:UN:2.4c'\n\
        BGM+7+NUMBER+9'\nDTM+137:202601060500?+00:303'\nNAD+MS+9900000000001::293'\nUNS+D'\nNAD+DP'\n{segments}\
        UNT+9+1'\nUNZ+1+1'\n"
    )
}

const POINT: &str = "LOC+172+DE00056266802AO6G56M11SN51G21M24S'\nDTM+163:202601050000?+00:303'\nDTM+164:202601060000?+00:303'\n";

/// A series of quarter-hours with these kinds and energies, from ten in UTC on.
fn profile(code: &str, values: &[&str]) -> String {
    let mut text = format!("LIN+1'\nPIA+5+{}:SRW'\n", code.replace(':', "?:"));
    for (quarter, value) in values.iter().enumerate() {
        let clock = |quarter: usize| format!("2026010510{:02}?+00:303", 15 * quarter);
        let (start, end) = (clock(quarter), clock(quarter + 1));
        write!(text, "QTY+{value}'\nDTM+163:{start}'\nDTM+164:{end}'\n").unwrap();
    }
    text
}

#[test]
fn a_load_profile_has_measured_substituted_and_missing_values() {
    let place = prepared();
    let text =
        mscons(&(POINT.to_owned() + &profile("1-1:1.29.0", &["220:0.25", "67:0.5:KWH", "20:0"])));
    place.file("profile.edi", text.as_bytes());
    let run = place.run(&["import", "profile.edi", "--sensor", "drawn"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("left out: 1 without a value"), "{run:?}");
    assert!(
        run.err.contains("1 of its values are substitutes"),
        "{run:?}"
    );
    let expected = [
        row("2026-01-05T10:00:00Z", None, 0.0),
        row("2026-01-05T10:15:00Z", None, 250.0),
        row("2026-01-05T10:30:00Z", None, 500.0),
    ];
    assert_eq!(stored(&place, "drawn"), expected);
    // On one line, with other marks, in local time.
    let local = "UNA|;,\\ ~UNB;UNOC|3;1;2;260106|0500;1~UNH;1;MSCONS|D|04B|UN|2.2e~LOC;172;DE1~LIN;1~PIA;5;1-1:1.29.0|SRW~\
        QTY;220|0,25~DTM;163|202601051100|203~DTM;164|202601051115|203~UNT;9;1~";
    place.file("local.edi", local.as_bytes());
    import(
        &place,
        &["local.edi", "--sensor", "both", "--tz", "Europe/Berlin"],
    );
    assert_eq!(stored(&place, "both"), expected[..2]);
}

#[test]
fn the_hour_that_comes_twice_is_read_right() {
    let place = prepared();
    let quarter = |value: &str, from: &str, to: &str| {
        format!("QTY+220:{value}'DTM+163:{from}:203'DTM+164:{to}:203'")
    };
    let mut text = "LOC+172+DE1'LIN+1'PIA+5+1-1?:1.29.0:SRW'".to_owned();
    let hours = [
        "202510260100",
        "202510260200",
        "202510260200",
        "202510260300",
        "202510260400",
    ];
    for (pair, value) in hours.windows(2).zip(["1", "2", "3", "4"]) {
        text += &quarter(value, pair[0], pair[1]);
    }
    place.file("autumn.edi", mscons(&text).as_bytes());
    import(
        &place,
        &["autumn.edi", "--sensor", "drawn", "--tz", "Europe/Berlin"],
    );
    let ends: Vec<_> = stored(&place, "drawn")
        .into_iter()
        .skip(1)
        .map(|row| (row.0, row.2.unwrap()))
        .collect();
    let expected = [
        "2025-10-26T00:00:00Z",
        "2025-10-26T01:00:00Z",
        "2025-10-26T02:00:00Z",
        "2025-10-26T03:00:00Z",
    ];
    let expected: Vec<_> = expected
        .map(str::to_owned)
        .into_iter()
        .zip([1e3, 2e3, 3e3, 4e3])
        .collect();
    assert_eq!(ends, expected);
}

#[test]
fn the_role_of_the_sensor_chooses_the_direction() {
    let place = prepared();
    let both = POINT.to_owned()
        + &profile("1-1:1.29.0", &["220:1"])
        + &profile("1-1:2.29.0", &["220:2"])
        + &profile("1-1:3.29.0", &["220:3"]);
    place.file("both.edi", mscons(&both).as_bytes());
    for (sensor, energy, other) in [
        ("drawn", 1_000.0, "1-1:2.29.0"),
        ("fed", 2_000.0, "1-1:1.29.0"),
    ] {
        let run = place.run(&["import", "both.edi", "--sensor", sensor]);
        assert_eq!(run.status, 0, "{run:?}");
        assert!(
            run.err.contains("does not suit the role of the sensor") && run.err.contains(other),
            "{run:?}"
        );
        assert_eq!(stored(&place, sensor)[1].2, Some(energy));
    }
    let question = error(&place, &["both.edi", "--sensor", "both"]);
    assert!(
        question.contains("choose the series") && question.contains("1-1:2.29.0 of DE00"),
        "{question}"
    );
    import(
        &place,
        &[
            "both.edi",
            "--sensor",
            "both",
            "--watthours-column",
            "1-1:2.29.0",
        ],
    );
    assert_eq!(stored(&place, "both")[1].2, Some(2_000.0));
    let listed = place.json(&["import", "both.edi", "--list"]);
    assert_eq!(listed.as_array().unwrap().len(), 3);
    assert_eq!(listed[0]["unit"], json!("kWh"));
    // Two metering points.
    let points = both.replace("1-1?:2.29.0", "1-1?:1.29.0");
    let points = points.replacen(
        "LIN+1'\nPIA+5+1-1?:1.29.0:SRW'\nQTY+220:2",
        "NAD+DP'\nLOC+172+OTHER'\nLIN+1'\nPIA+5+1-1?:1.29.0:SRW'\nQTY+220:2",
        1,
    );
    place.file("points.edi", mscons(&points).as_bytes());
    let question = error(&place, &["points.edi", "--sensor", "drawn"]);
    assert!(question.contains("1-1:1.29.0 of OTHER"), "{question}");
    let one = ["--watthours-column", "1-1:1.29.0", "--where", "meter=OTHER"];
    import(
        &place,
        &[&["points.edi", "--sensor", "drawn"], &one[..]].concat(),
    );
    assert_eq!(stored(&place, "drawn")[1].2, Some(2_000.0));
}

#[test]
fn readings_of_a_register() {
    let place = prepared();
    let reading = |value: &str, time: &str| {
        format!("LIN+1'\nPIA+5+1-1?:1.8.0:SRW'\nQTY+220:{value}'\nDTM+9:{time}'\n")
    };
    let registers = "LOC+172+DE1'\nRFF+MG:7'\n".to_owned()
        + &reading("1000.5", "202601010000?+01:303")
        + &reading("1250", "202602010000?+01:303");
    place.file("registers.edi", mscons(&registers).as_bytes());
    import(&place, &["registers.edi", "--sensor", "meter"]);
    let expected = [
        row("2025-12-31T23:00:00Z", None, 1_000_500.0),
        row("2026-01-31T23:00:00Z", None, 1_250_000.0),
    ];
    assert_eq!(stored(&place, "meter"), expected);
    let refused = error(&place, &["registers.edi", "--sensor", "drawn"]);
    assert!(refused.contains("--from-registers"), "{refused}");
    import(
        &place,
        &["registers.edi", "--sensor", "drawn", "--from-registers"],
    );
    assert_eq!(stored(&place, "drawn")[1].2, Some(249_500.0));
    // A date alone may be either end of its day.
    let days = "LOC+172+DE1'\n".to_owned() + &reading("1", "20260131:102");
    place.file("days.edi", mscons(&days).as_bytes());
    let arguments = ["days.edi", "--sensor", "meter", "--tz", "Europe/Berlin"];
    let question = error(&place, &arguments);
    assert!(
        question.contains("--times start or --times end"),
        "{question}"
    );
    place.ok(&["sensor", "remove", "meter", "--yes"]);
    place.ok(&[
        "sensor",
        "add",
        "meter",
        "--account",
        "home",
        "--role",
        "grid-import",
        "--register",
        "counter",
        "--at-grid",
        "connection",
    ]);
    import(&place, &[&arguments[..], &["--times", "end"]].concat());
    assert_eq!(
        stored(&place, "meter"),
        [row("2026-01-31T23:00:00Z", None, 1_000.0)]
    );
}

#[test]
fn messages_without_readings_say_what_they_are() {
    let place = prepared();
    let into = ["--sensor", "drawn"];
    for (text, expected) in [
        (mscons("").replace("MSCONS:", "INVOIC:"), "INVOIC, which is a bill, and has no readings: ask the grid operator"),
        (mscons("").replace("MSCONS:", "APERAK:"), "APERAK, which reports errors"),
        (mscons("LIN+1'QTY+220:0.25:KWH'"), "an MSCONS message without a load profile"),
        (mscons("LOC+172+DE1'LIN+1'PIA+5+1-1?:3.29.0:SRW'QTY+220:1'DTM+163:202601050000?+00:303'DTM+164:202601050015?+00:303'"), "it has no series of power or energy"),
        (mscons("LIN+1'QTY+220:1").replace("UNT+9+1'\nUNZ+1+1'\n", ""), "the file is incomplete"),
        (
            "<ns:CMRequest xmlns:ns=\"http://www.ebutilities.at/schemata\"><ns:ProcessDirectory/></ns:CMRequest>".to_owned(),
            "a message CMRequest of ebUtilities, which has no energies",
        ),
        ("<ConsumptionRecord><Energy/></ConsumptionRecord>".to_owned(), "without energies"),
        ("<ConsumptionRecord><Energy>".to_owned(), "it is incomplete"),
    ] {
        place.file("message", text.as_bytes());
        let refused = error(&place, &[&["message"], &into[..]].concat());
        assert!(refused.contains(expected), "{refused}");
    }
    // A cancelled message has no values.
    let cancelled = mscons(&(POINT.to_owned() + &profile("1-1:1.29.0", &["220:1"])))
        .replace("NUMBER+9", "NUMBER+1");
    place.file("cancelled.edi", cancelled.as_bytes());
    let run = place.run(&["import", "cancelled.edi", "--sensor", "drawn"]);
    assert!(
        run.status != 0 && stored(&place, "drawn").is_empty(),
        "{run:?}"
    );
}

/// A `ConsumptionRecord` with these series, each a code and its positions.
fn record(series: &[(&str, &[&str])]) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><cr:ConsumptionRecord \
        xmlns:cr=\"http://www.ebutilities.at/schemata/customerprocesses/consumptionrecord/01p31\" xmlns:ct=\"x\">\
        <cr:ProcessDirectory><ct:MeteringPoint>AT0010000000000000001000000000001</ct:MeteringPoint><cr:Energy>\
        <cr:MeteringIntervall>QH</cr:MeteringIntervall>"
        .to_owned();
    for (code, positions) in series {
        write!(text, "<cr:EnergyData MeterCode=\"{code}\" UOM=\"KWH\">").unwrap();
        for (quarter, position) in positions.iter().enumerate() {
            let clock = |quarter: usize| format!("2026-01-05T11:{:02}:00+01:00", 15 * quarter);
            let (start, end) = (clock(quarter), clock(quarter + 1));
            write!(
                text,
                "<cr:EP><cr:DTF>{start}</cr:DTF><cr:DTT>{end}</cr:DTT>{position}</cr:EP>"
            )
            .unwrap();
        }
        text += "</cr:EnergyData>";
    }
    text + "</cr:Energy></cr:ProcessDirectory></cr:ConsumptionRecord>"
}

#[test]
fn a_consumption_record_of_austria() {
    let place = prepared();
    let drawn = [
        "<cr:MM>L1</cr:MM><cr:BQ>0.25</cr:BQ>",
        "<cr:MM>L2</cr:MM><cr:BQ>0.5</cr:BQ>",
        "<cr:BQ/>",
    ];
    let shares = ["<cr:BQ>9</cr:BQ>"];
    let text = record(&[
        ("1-1:1.9.0 G.01", &drawn),
        ("1-1:2.9.0 G.02", &shares),
        ("1-1:2.9.0 P.01", &["<cr:BQ>2</cr:BQ>"]),
    ]);
    place.file("record.xml", text.as_bytes());
    let run = place.run(&["import", "record.xml", "--sensor", "drawn"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err.contains("1 of its values are substitutes") && run.err.contains("1-1:2.9.0 G.02"),
        "{run:?}"
    );
    let expected = [
        row("2026-01-05T10:00:00Z", None, 0.0),
        row("2026-01-05T10:15:00Z", None, 250.0),
        row("2026-01-05T10:30:00Z", None, 500.0),
    ];
    assert_eq!(stored(&place, "drawn"), expected);
    import(&place, &["record.xml", "--sensor", "fed"]);
    assert_eq!(stored(&place, "fed")[1].2, Some(2_000.0));
    // A share is taken if it is named.
    import(
        &place,
        &[
            "record.xml",
            "--sensor",
            "both",
            "--watthours-column",
            "1-1:2.9.0 G.02",
        ],
    );
    assert_eq!(stored(&place, "both")[1].2, Some(9_000.0));
    // Without ends, intervals have the length that the message says.
    let starts = text
        .split("<cr:DTT>")
        .map(|part| part.split_once("</cr:DTT>").map_or(part, |(_, rest)| rest))
        .collect::<String>();
    place.file("starts.xml", starts.as_bytes());
    place.ok(&["sensor", "remove", "drawn", "--yes"]);
    place.ok(&[
        "sensor",
        "add",
        "drawn",
        "--account",
        "home",
        "--role",
        "grid-import",
        "--register",
        "interval",
        "--at-grid",
        "connection",
    ]);
    import(&place, &["starts.xml", "--sensor", "drawn"]);
    assert_eq!(stored(&place, "drawn"), expected);
}
