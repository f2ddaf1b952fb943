//! Files of suppliers: Tibber, Octopus, Green Button. The imported energy is compared with daily
//! sums of the file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{error, import, row, stored};
use crate::place::{Place, both_ways};

/// A sensor for energies of intervals, whose days are those of Berlin.
fn prepare(place: &Place) {
    place.prepare();
    place.ok(&[
        "sensor",
        "add",
        "supplier",
        "--account",
        "home",
        "--role",
        "grid-import",
        "--register",
        "interval",
        "--at-grid",
        "connection",
    ]);
}

/// The energy of each day as the ledger counts it, in watt-hours, by the day's beginning.
fn days(place: &Place, from: &str, to: &str) -> Vec<f64> {
    let rows = place.json(&[
        "energy", "supplier", "--from", from, "--to", to, "--by", "1d",
    ]);
    let rows = rows["data"].as_array().unwrap().iter();
    rows.map(|row| row["energy"].as_f64().unwrap()).collect()
}

const OCTOPUS: &str = "\u{feff}Consumption (kWh), Start, End\r\n \
    0.093, 2025-10-26T00:30:00+01:00, 2025-10-26T01:00:00+01:00\r\n \
    0.110, 2025-10-26T01:30:00+01:00, 2025-10-26T01:00:00Z\r\n \
    0E-20, 2025-10-26T01:30:00Z, 2025-10-26T02:00:00Z\r\n";

#[test]
fn a_gap_between_intervals_gets_no_energy() {
    both_ways(|place| {
        prepare(place);
        place.file("octopus.csv", OCTOPUS.as_bytes());
        let arguments = ["octopus.csv", "--sensor", "supplier"];
        let dry = import(place, &[&arguments[..], &["--dry-run"]].concat());
        assert_eq!(
            (&dry["readings"], &dry["total_watthours"]),
            (&json!(3), &json!(203.0))
        );
        assert_eq!(import(place, &arguments)["stored"], json!(6));
        let expected = [
            row("2025-10-25T23:30:00Z", None, 0.0),
            row("2025-10-26T00:00:00Z", None, 93.0),
            row("2025-10-26T00:30:00Z", None, 0.0),
            row("2025-10-26T01:00:00Z", None, 110.0),
            row("2025-10-26T01:30:00Z", None, 0.0),
            row("2025-10-26T02:00:00Z", None, 0.0),
        ];
        assert_eq!(stored(place, "supplier"), expected);
        import(place, &arguments);
        assert_eq!(stored(place, "supplier"), expected);
        // A later file brings the missing values; stored values stay, also where the later file
        // begins.
        let later = "Start,End,Consumption (kWh)\n2025-10-26T00:00:00Z,2025-10-26T00:30:00Z,0.5\n";
        place.file("later.csv", later.as_bytes());
        import(place, &["later.csv", "--sensor", "supplier"]);
        let mut with_it = expected.to_vec();
        with_it[2].2 = Some(500.0);
        assert_eq!(stored(place, "supplier"), with_it);
        import(place, &arguments);
        assert_eq!(stored(place, "supplier"), with_it);
    });
}

/// Half-hours from one midnight of Berlin to another, given in UTC seconds, with a different energy
/// each, in watt-hours.
fn half_hours(from: i64, to: i64) -> Vec<(i64, u32)> {
    let starts = (0..)
        .map(|n| from + 1_800 * n)
        .take_while(|start| *start < to);
    let energies = (0_u32..).map(|n| n * 7_919 % 1_501);
    starts.zip(energies).collect()
}

/// `YYYY-MM-DDTHH:MM:SS` of seconds since 1970, in March and October of 2025 only.
fn text(seconds: i64) -> String {
    // 2025-03-28 and 2025-10-24
    let (first, month, day) = if seconds < 1_750_000_000 {
        (1_743_120_000, 3, 28)
    } else {
        (1_761_264_000, 10, 24)
    };
    let (days, rest) = ((seconds - first) / 86_400, (seconds - first) % 86_400);
    format!(
        "2025-{month:02}-{:02}T{:02}:{:02}:00",
        day + days,
        rest / 3_600,
        rest / 60 % 60
    )
}

/// The four midnights of Berlin around three days, in seconds; the second day has 23 or 25 hours.
const DAYS: [([i64; 4], [&str; 2]); 2] = [
    (
        [1_743_202_800, 1_743_289_200, 1_743_372_000, 1_743_458_400],
        ["2025-03-29", "2025-04-01"],
    ),
    (
        [1_761_343_200, 1_761_429_600, 1_761_519_600, 1_761_606_000],
        ["2025-10-25", "2025-10-28"],
    ),
];

#[test]
fn days_of_any_length_have_the_energy_of_the_file() {
    for (midnights, [from, to]) in DAYS {
        let rows = half_hours(midnights[0], midnights[3]);
        let mut sums = BTreeMap::new();
        for (start, energy) in &rows {
            let day = midnights
                .iter()
                .filter(|midnight| *midnight <= start)
                .count();
            *sums.entry(day).or_insert(0) += energy;
        }
        let expected: Vec<_> = sums.values().map(|sum| f64::from(*sum)).collect();
        let kwh = |energy: u32| format!("{}.{:03}", energy / 1_000, energy % 1_000);
        // Newest first, as Octopus answers; and as Tibber does.
        let octopus = rows.iter().rev().map(|(start, energy)| {
            let (start, end) = (text_utc(*start), text_utc(start + 1_800));
            format!(
                "{{\"consumption\":{},\"interval_start\":\"{start}\",\"interval_end\":\"{end}\"}}",
                kwh(*energy)
            )
        });
        let octopus = format!(
            "{{\"count\":9,\"next\":null,\"results\":[{}]}}",
            octopus.collect::<Vec<_>>().join(",")
        );
        let tibber = rows.iter().map(|(start, energy)| {
            let (start, end) = (text_utc(*start), text_utc(start + 1_800));
            format!(
                "{{\"from\":\"{start}\",\"to\":\"{end}\",\"cost\":0.3,\"consumption\":{},\"consumptionUnit\":\"kWh\"}}",
                kwh(*energy)
            )
        });
        let tibber = format!(
            "{{\"data\":{{\"viewer\":{{\"homes\":[{{\"id\":\"x\",\"consumption\":{{\"nodes\":[{}]}}}}]}}}}}}",
            tibber.collect::<Vec<_>>().join(",")
        );
        let espi = green_button(
            &rows
                .iter()
                .map(|(start, energy)| (*start, i64::from(*energy)))
                .collect::<Vec<_>>(),
        );
        for (name, file) in [
            ("octopus.json", octopus),
            ("tibber.json", tibber),
            ("usage.xml", espi),
        ] {
            let place = Place::new();
            prepare(&place);
            place.file(name, file.as_bytes());
            import(&place, &[name, "--sensor", "supplier"]);
            assert_eq!(days(&place, from, to), expected, "{name} {from}");
        }
    }
}

fn text_utc(seconds: i64) -> String {
    format!("{}Z", text(seconds))
}

/// A feed with one hourly series of electricity from the grid, half an hour each, in tenths of a
/// watt-hour times ten.
fn green_button(readings: &[(i64, i64)]) -> String {
    let mut values = String::new();
    for (start, value) in readings {
        write!(
            values,
            "<espi:IntervalReading><espi:cost>5</espi:cost><espi:timePeriod><espi:duration>1800</espi:duration>\
             <espi:start>{start}</espi:start></espi:timePeriod><espi:value>{}</espi:value></espi:IntervalReading>",
            value * 10
        )
        .unwrap();
    }
    feed(&format!(
        "{}{}{}",
        entry("R/1/U/1/M/1", "R/1/U/1/M", &["T/1"], "<espi:MeterReading/>"),
        entry(
            "R/1/U/1/M/1/I/1",
            "R/1/U/1/M/1/I",
            &[],
            &format!(
                "<espi:IntervalBlock><espi:interval><espi:duration>1</espi:duration><espi:start>1</espi:start></espi:interval>{values}\
             </espi:IntervalBlock>"
            )
        ),
        entry("T/1", "T", &[], &reading_type(1, 72, -1)),
    ))
}

fn feed(entries: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><!-- {} --><feed xmlns=\"http://www.w3.org/2005/Atom\" xmlns:espi=\"http://naesb.org/espi\">\
         <link rel=\"self\" href=\"feed\"/>{entries}</feed>",
        "x".repeat(3_000)
    )
}

fn entry(own: &str, up: &str, related: &[&str], content: &str) -> String {
    let related: Vec<_> = related
        .iter()
        .map(|it| format!("<link rel=\"related\" href=\"{it}\"/>"))
        .collect();
    let related = related.concat();
    format!(
        "<entry><link rel=\"self\" href=\"{own}\"/><link rel=\"up\" href=\"{up}\"/>{related}<content>{content}</content></entry>"
    )
}

fn reading_type(direction: u32, unit: u32, multiplier: i32) -> String {
    format!(
        "<espi:ReadingType><espi:accumulationBehaviour>4</espi:accumulationBehaviour><espi:commodity>1</espi:commodity>\
         <espi:flowDirection>{direction}</espi:flowDirection><espi:intervalLength>3600</espi:intervalLength><espi:kind>12</espi:kind>\
         <espi:powerOfTenMultiplier>{multiplier}</espi:powerOfTenMultiplier><espi:uom>{unit}</espi:uom></espi:ReadingType>"
    )
}

/// Import and export side by side, and the daily sums and costs of the import.
fn several() -> String {
    let block = |values: &[i64]| {
        let values: Vec<_> = values
            .iter()
            .map(|it| {
                format!(
                    "<espi:IntervalReading><espi:value>{it}</espi:value></espi:IntervalReading>"
                )
            })
            .collect();
        let values = values.concat();
        format!(
            "<espi:IntervalBlock><espi:interval><espi:start>1767607200</espi:start></espi:interval>{values}</espi:IntervalBlock>"
        )
    };
    feed(
        &[
            entry("T/1", "", &[], &reading_type(1, 72, 0)),
            entry("T/2", "", &[], &reading_type(19, 31, 3)),
            entry("T/3", "", &[], &reading_type(1, 80, 0)),
            entry("M/1", "", &["M/1/I", "T/1"], "<espi:MeterReading/>"),
            entry("M/1/I/1", "M/1/I", &[], &block(&[273, 100])),
            entry("M/2", "", &["T/2"], "<espi:MeterReading/>"),
            entry("", "", &[], &block(&[36])),
            entry("M/3", "", &["T/3"], "<espi:MeterReading/>"),
            entry("M/3/I/1", "", &[], &block(&[9])),
        ]
        .concat(),
    )
}

#[test]
fn green_button_asks_which_of_several() {
    let place = Place::new();
    prepare(&place);
    place.file("usage.xml", several().as_bytes());
    let asked = error(&place, &["usage.xml", "--sensor", "supplier"]);
    assert!(
        asked.contains("they are imported each 3600 s M/1 (Wh), exported each 3600 s M/2 (Wh);"),
        "{asked}"
    );
    let listed = place.json(&["import", "usage.xml", "--list"]);
    assert_eq!(
        listed[1],
        json!({"series": "imported each 3600 s M/1", "unit": "Wh", "values": 2,
            "first": "2026-01-05T10:00:00.000Z", "last": "2026-01-05T12:00:00.000Z"})
    );
    let exported = [
        "usage.xml",
        "--sensor",
        "supplier",
        "--watthours-column",
        "exported each 3600 s M/2",
    ];
    import(&place, &exported);
    // 36 kJ are 10 Wh.
    assert_eq!(
        stored(&place, "supplier"),
        [
            row("2026-01-05T10:00:00Z", None, 0.0),
            row("2026-01-05T11:00:00Z", None, 10.0)
        ]
    );
    place.file("cut.xml", &several().as_bytes()[..5_000]);
    assert!(error(&place, &["cut.xml", "--sensor", "supplier"]).contains("cut.xml"));
    place.file(
        "other.xml",
        b"<?xml version=\"1.0\"?><list><body>no</body></list>",
    );
    assert!(
        error(&place, &["other.xml", "--sensor", "supplier"])
            .contains("neither a Green Button file")
    );
}

#[test]
fn what_was_not_delivered_yet_is_left_out_and_corrected_later() {
    let place = Place::new();
    prepare(&place);
    let node = |hour: u32, energy: &str| {
        format!(
            "{{\"from\":\"2026-01-05T{hour:02}:00:00.000+01:00\",\"to\":\"2026-01-05T{:02}:00:00.000+01:00\",\"consumption\":{energy},\
             \"consumptionUnit\":\"kWh\"}}",
            hour + 1
        )
    };
    let nodes = format!("[{},{}]", node(11, "0.546"), node(12, "null"));
    place.file("first.json", nodes.as_bytes());
    assert_eq!(
        import(&place, &["first.json", "--sensor", "supplier"]),
        json!({"read": 2, "stored": 2, "skipped": 1})
    );
    // One object a line, as jq prints them.
    let nodes = format!("{}\n{}\n", node(11, "0.6"), node(12, "1"));
    place.file("second.json", nodes.as_bytes());
    import(&place, &["second.json", "--sensor", "supplier"]);
    assert_eq!(
        stored(&place, "supplier"),
        [
            row("2026-01-05T10:00:00Z", None, 0.0),
            row("2026-01-05T11:00:00Z", None, 600.0),
            row("2026-01-05T12:00:00Z", None, 1_000.0),
        ]
    );
}

#[test]
fn mistakes_are_named() {
    let place = Place::new();
    prepare(&place);
    let error = |name: &str, file: &str, options: &[&str]| {
        place.file(name, file.as_bytes());
        error(&place, &[&[name], options].concat())
    };
    let house = ["--sensor", "house"];
    let wrong_sensor = error("o.csv", OCTOPUS, &house);
    assert!(
        wrong_sensor
            .contains("its values are energies of intervals, but the register of house is net")
            && wrong_sensor.contains("--register interval"),
        "{wrong_sensor}"
    );
    let sensor = ["--sensor", "supplier"];
    let both = "[{\"from\":\"2026-01-05T10:00:00Z\",\"to\":\"2026-01-05T11:00:00Z\",\"consumption\":1},\
        {\"from\":\"2026-01-05T10:00:00Z\",\"to\":\"2026-01-05T11:00:00Z\",\"production\":1}]";
    assert!(error("b.json", both, &sensor).contains("they are consumption, production;"));
    let overlap = "Start,End,Consumption (kWh)\n2026-01-05T00:00:00,2026-01-06T00:00:00,9\n2026-01-05T10:00:00,2026-01-05T11:00:00,1\n";
    assert!(
        error("x.csv", overlap, &sensor)
            .contains("two intervals overlap: one from 2026-01-04T23:00:00.000Z")
    );
    let unit = "Start,End,Consumption\n2026-01-05T00:00:00,2026-01-06T00:00:00,9\n";
    assert!(error("u.csv", unit, &sensor).contains("add --unit Wh or --unit kWh"));
    let bad = format!(
        "{OCTOPUS}x, 2025-10-26T02:00:00Z, 2025-10-26T03:00:00Z\r\n1, 2025-10-26T02:00:00Z, 2025-10-26T02:00:00Z\r\n"
    );
    place.file("bad.csv", bad.as_bytes());
    let run = place.run(&["import", "bad.csv", "--sensor", "supplier"]);
    assert!(
        run.err.starts_with(
            "line 5: Consumption (kWh): expected a number, got \"x\"\nline 6: its end"
        ),
        "{run:?}"
    );
    assert_eq!(
        place.json(&["sensor", "list"])[1]["readings"],
        Value::from(0)
    );
}
