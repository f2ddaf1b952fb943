//! Whole files, as other systems write them.

mod forms;
mod known_labels;
mod label_forms;
mod labels;
mod suppliers;

use clap::Parser;
use proptest::prelude::*;

use super::*;
use crate::admin::ReadingRow;
use crate::export::{ExportFormat, write_row};

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    import: ImportArgs,
}

/// A reading as text, to be compared.
type Shown = (String, Option<f64>, Option<f64>);

/// Checks `text` as `wattkeeper import FILE --sensor x` and `options` would, on 2026-06-01.
fn check(text: &[u8], options: &[&str]) -> Result<(RowTally, Vec<Shown>)> {
    check_for(None, text, options)
}

/// The same for this sensor.
fn check_for(
    sensor: Option<ImportTarget>,
    text: &[u8],
    options: &[&str],
) -> Result<(RowTally, Vec<Shown>)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, text).unwrap();
    let line = ["import", path.to_str().unwrap(), "--sensor", "x"];
    let import = Line::parse_from(line.iter().chain(options)).import;
    let now = Timestamp::parse("2026-06-01T00:00:00").unwrap();
    let options = ImportOptions {
        sensor,
        ..import.options(now)?
    };
    let checked = import.check(import.open(true)?, &options, dir.path())?;
    let readings = checked.values.readings()?.map(|reading| {
        let measures = reading.as_ref().unwrap().measures;
        (
            reading.unwrap().time.to_string(),
            measures.watts(),
            measures.watthours(),
        )
    });
    let shown = readings.collect();
    Ok((checked.tally, shown))
}

fn readings(text: &str, options: &[&str]) -> Vec<Shown> {
    match check(text.as_bytes(), options) {
        Ok((_, readings)) => readings,
        Err(error) => panic!("{error:#}"),
    }
}

fn error(text: &str, options: &[&str]) -> String {
    match check(text.as_bytes(), options) {
        Ok((tally, _)) => panic!("{tally:?}"),
        Err(error) => format!("{error:#}"),
    }
}

fn shown(time: &str, watts: impl Into<Option<f64>>, watthours: impl Into<Option<f64>>) -> Shown {
    (time.into(), watts.into(), watthours.into())
}

#[test]
fn our_own_export() {
    let text = "time,watts,watthours\n\
        2026-01-05T10:00:00.000Z,234,70.3\n\
        2026-01-05T10:01:00.250Z,,-0.1\n\
        2026-01-05T10:02:00.000Z,-5,\n";
    let expected = [
        shown("2026-01-05T10:00:00.000Z", 234.0, 70.3),
        shown("2026-01-05T10:01:00.250Z", None, -0.1),
        shown("2026-01-05T10:02:00.000Z", -5.0, None),
    ];
    assert_eq!(readings(text, &[]), expected);
    let lines = "{\"time\":\"2026-01-05T10:00:00.000Z\",\"watts\":234,\"watthours\":70.3}\n\
        {\"time\":\"2026-01-05T10:01:00.250Z\",\"watthours\":-0.1}\n\n\
        {\"time\":\"2026-01-05T10:02:00.000Z\",\"watts\":-5,\"watthours\":null,\"x\":[1]}";
    assert_eq!(readings(lines, &[]), expected);
}

#[test]
fn emoncms() {
    let text = "1767607200,239\n1767607210,null\n1767607220,241.5\n";
    let (tally, found) = check(text.as_bytes(), &["--watts-column", "2"]).unwrap();
    assert_eq!(
        found,
        [
            shown("2026-01-05T10:00:00.000Z", 239.0, None),
            shown("2026-01-05T10:00:20.000Z", 241.5, None),
        ]
    );
    assert_eq!((tally.read, tally.good, tally.no_value), (3, 2, 1));

    let asked = error(text, &[]);
    assert!(asked.contains("--watts-column"), "{asked}");
    assert!(asked.contains("1 (1767607200), 2 (239)"), "{asked}");
    // Its two other forms of time.
    let dates = "05/01/2026 11:00:00,1.5\n";
    assert!(
        error(dates, &["--watthours-column", "2", "--unit", "Wh"]).contains("1 of 1 rows are bad")
    );
    let options = [
        "--watthours-column",
        "2",
        "--unit",
        "kWh",
        "--dates",
        "dmy",
        "--tz",
        "Europe/Berlin",
    ];
    assert_eq!(
        readings(dates, &options),
        [shown("2026-01-05T10:00:00.000Z", None, 1_500.0)]
    );
    let iso = "2026-01-05T11:00:00+01:00;1,5\n";
    assert_eq!(
        readings(iso, &["--watthours-column", "2", "--unit", "Wh"]),
        [shown("2026-01-05T10:00:00.000Z", None, 1.5)]
    );
}

const HOME_ASSISTANT: &str = "entity_id,state,last_changed\n\
    sensor.house_power,unknown,2026-01-05T10:00:00.000Z\n\
    sensor.house_power,234.5,2026-01-05T10:00:10.123Z\n\
    sensor.house_power,unavailable,2026-01-05T10:00:20.000Z\n\
    sensor.house_energy,1.1,2026-01-05T10:00:10.123Z\n\
    sensor.kitchen,20.1,2026-01-05T10:00:10.123Z\n";

#[test]
fn home_assistant_history() {
    let options = [
        "--watts-column",
        "sensor.house_power",
        "--watthours-column",
        "sensor.house_energy",
        "--unit",
        "kWh",
    ];
    let (tally, found) = check(HOME_ASSISTANT.as_bytes(), &options).unwrap();
    assert_eq!(found, [shown("2026-01-05T10:00:10.123Z", 234.5, 1_100.0),]);
    assert_eq!((tally.no_value, tally.other, tally.bad), (2, 1, 0));

    let asked = error(HOME_ASSISTANT, &[]);
    assert!(
        asked.contains("sensor.house_energy, sensor.house_power, sensor.kitchen"),
        "{asked}"
    );
    let mixed = error(HOME_ASSISTANT, &["--watts-column", "state"]);
    assert!(
        mixed.contains("--where 'entity_id=sensor.house_power'"),
        "{mixed}"
    );
    let one = [
        "--watts-column",
        "state",
        "--where",
        "entity_id=sensor.kitchen",
    ];
    assert_eq!(
        readings(HOME_ASSISTANT, &one),
        [shown("2026-01-05T10:00:10.123Z", 20.1, None)]
    );
    let slip = error(
        HOME_ASSISTANT,
        &[
            "--watts-column",
            "sensor.house_power",
            "--watthours-column",
            "sensor.energy",
            "--unit",
            "Wh",
        ],
    );
    assert!(slip.contains("nothing in it is of sensor.energy"), "{slip}");
    assert!(slip.contains("sensor.kitchen"), "{slip}");
}

#[test]
fn home_assistant_history_with_attributes() {
    let text = "entity_id,state,last_changed,temperature\n\
        sensor.p,1,2026-01-05T10:00:00.000Z\n\
        climate.x,heat,2026-01-05T10:00:00.000Z,20\n";
    assert_eq!(
        readings(text, &["--watts-column", "sensor.p"]),
        [shown("2026-01-05T10:00:00.000Z", 1.0, None)]
    );
}

#[test]
fn home_assistant_statistics() {
    let text = "statistic_id\tunit\tstart\tsum\tstate\n\
        sensor.e\tkWh\t05.01.2026 11:00\t0.5\t100.25\n\
        sensor.e\tkWh\t05.01.2026 12:00\t1.5\t101.25\n";
    let options = [
        "--watthours-column",
        "state",
        "--unit",
        "kWh",
        "--tz",
        "Europe/Berlin",
    ];
    assert_eq!(
        readings(text, &options),
        [
            shown("2026-01-05T11:00:00.000Z", None, 100_250.0),
            shown("2026-01-05T12:00:00.000Z", None, 101_250.0),
        ]
    );
    let two = format!("{text}sensor.f\tkWh\t05.01.2026 12:00\t1\t1\n");
    assert!(error(&two, &options).contains("--where 'statistic_id=sensor.e'"));
}

#[test]
fn influx_command_line() {
    let text = "name,time,host,power\n\
        energy,1767607200000000000,a,239\n\
        energy,1767607210500000000,a,240\n";
    assert_eq!(
        readings(text, &["--watts-column", "power"]),
        [
            shown("2026-01-05T10:00:00.000Z", 239.0, None),
            shown("2026-01-05T10:00:10.500Z", 240.0, None),
        ]
    );
    let mixed = format!("{text}energy,1767607220000000000,b,1\n");
    let why = error(&mixed, &["--watts-column", "power"]);
    assert!(
        why.contains("line 4: it holds several series: host is a, then b"),
        "{why}"
    );
    let one = ["--watts-column", "power", "--where", "host=b"];
    assert_eq!(
        readings(&mixed, &one),
        [shown("2026-01-05T10:00:20.000Z", 1.0, None)]
    );
    // Grouped by tags: the header comes again before each series.
    let grouped = "name,tags,time,mean\n\
        energy,host=a,1767607200000000000,1\n\n\
        name,tags,time,mean\n\
        energy,host=b,1767607200000000000,\n";
    assert!(readings(grouped, &["--watts-column", "mean"]).len() == 1);
    let why = error(&grouped.replace(",\n", ",2\n"), &["--watts-column", "mean"]);
    assert!(why.contains("tags is host=a, then host=b"), "{why}");
}

const FLUX: &str = "#group,false,false,true,true,false,false,true,true,true\r\n\
    #datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,double,string,string,string\r\n\
    #default,_result,,,,,,,,\r\n\
    ,result,table,_start,_stop,_time,_value,_field,_measurement,host\r\n\
    ,,0,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,2026-01-05T10:00:00Z,239,power,energy,a\r\n\
    ,,1,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,2026-01-05T10:00:00Z,1.5,total,energy,a\r\n\
    \r\n\
    #group,false,false,true,true,true,false,false,true,true\r\n\
    #datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,string,dateTime:RFC3339,string,string,string\r\n\
    #default,_result,,,,,,,,\r\n\
    ,result,table,_start,_stop,_field,_time,_value,_measurement,host\r\n\
    ,,2,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,mode,2026-01-05T10:00:00Z,auto,energy,a\r\n\
    ,,3,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,power,2026-01-05T10:01:00Z,240,energy,HOST\r\n";

#[test]
fn flux() {
    let one_host = FLUX.replace("HOST", "a");
    let options = [
        "--watts-column",
        "power",
        "--watthours-column",
        "total",
        "--unit",
        "kWh",
    ];
    let (tally, found) = check(one_host.as_bytes(), &options).unwrap();
    assert_eq!(
        found,
        [
            shown("2026-01-05T10:00:00.000Z", 239.0, 1_500.0),
            shown("2026-01-05T10:01:00.000Z", 240.0, None),
        ]
    );
    assert_eq!((tally.read, tally.other), (4, 1));

    let asked = error(&one_host, &[]);
    assert!(
        asked.contains("nothing in it is of watts or watthours"),
        "{asked}"
    );
    assert!(asked.contains("mode, power, total"), "{asked}");
    let mixed = error(&FLUX.replace("HOST", "b"), &["--watts-column", "power"]);
    assert!(mixed.contains("host is a, then b"), "{mixed}");
    let as_it_is = one_host.replace("power", "watts");
    assert_eq!(readings(&as_it_is, &[]).len(), 2);
}

#[test]
fn flux_with_a_column_for_each_field() {
    let text = "#group,false,false,true,true,false,true,false,false\n\
        #datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,dateTime:RFC3339,string,double,double\n\
        #default,_result,,,,,,,\n\
        ,result,table,_start,_stop,_time,host,power,total\n\
        ,,0,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,2026-01-05T10:00:00Z,a,239,1.5\n\
        ,,0,2026-01-01T00:00:00Z,2026-02-01T00:00:00Z,2026-01-05T10:01:00Z,a,,\n";
    let columns = ["--watts-column", "power", "--watthours-column", "total"];
    assert!(error(text, &columns).contains("add --unit Wh or --unit kWh"));
    let options = [&columns[..], &["--unit", "Wh"]].concat();
    assert_eq!(
        readings(text, &options),
        [shown("2026-01-05T10:00:00.000Z", 239.0, 1.5)]
    );
    let mixed = format!(
        "{text}{}",
        text.lines().nth(4).unwrap().replace(",a,", ",b,")
    );
    assert!(error(&mixed, &options).contains("--where 'host=a'"));
}

#[test]
fn a_spreadsheet_with_quotes_and_decimal_commas() {
    let text = "\u{feff}\"Zeit\";\"Leistung; kW\";\"Stand kWh\"\r\n\
        \"05.01.2026 11:00\";\"0,25\";\"1.000\"\r\n\
        \"05.01.2026 11:15\";\"\";\"1000,5\"\r\n";
    let options = [
        "--time-column",
        "zeit",
        "--watts-column",
        "2",
        "--watthours-column",
        "Stand kWh",
        "--unit",
        "kW",
        "--unit",
        "kWh",
        "--tz",
        "Europe/Berlin",
    ];
    assert_eq!(
        readings(text, &options),
        [
            shown("2026-01-05T10:00:00.000Z", 250.0, 1_000_000.0),
            shown("2026-01-05T10:15:00.000Z", None, 1_000_500.0),
        ]
    );
}

#[test]
fn bad_rows_are_named_by_line() {
    let text = "time,watts,watthours\r\n\
        2026-01-05T10:00:00,1,2\r\n\
        yesterday,1,2\r\n\
        \r\n\
        2026-01-05T10:02:00,many,2\r\n\
        2026-01-05T10:03:00,,\r\n\
        2026-01-05T10:04:00,1,5,2\r\n\
        2026-01-05T10:05:00,1\r\n\
        2027-01-05T10:05:00,1,2\r\n\
        ,1,2\r\n";
    let why = error(text, &[]);
    assert!(
        why.contains("5 of 8 rows are bad, nothing was stored"),
        "{why}"
    );
    let (tally, found) = check(text.as_bytes(), &["--skip-bad"]).unwrap();
    // A row may lack its last cells.
    assert_eq!(
        found,
        [
            shown("2026-01-05T10:00:00.000Z", 1.0, 2.0),
            shown("2026-01-05T10:05:00.000Z", 1.0, None)
        ]
    );
    let shown: Vec<_> = tally
        .shown
        .iter()
        .map(|text| text.split(": ").collect::<Vec<_>>())
        .collect();
    let lines: Vec<_> = shown.iter().map(|parts| parts[0]).collect();
    assert_eq!(lines, ["line 3", "line 5", "line 7", "line 9", "line 10"]);
    assert_eq!(shown[1][1..], ["watts", "expected a number, got \"many\""]);
    assert_eq!(shown[2][1], "expected 3 columns, got 4");
}

#[test]
fn lines_are_counted_whatever_ends_them() {
    let lines = |text: &str| {
        let (tally, _) = check(text.as_bytes(), &["--skip-bad"]).unwrap();
        let lines = tally
            .shown
            .iter()
            .map(|text| text.split(':').next().unwrap().to_owned());
        lines.collect::<Vec<_>>()
    };
    for end in ["\n", "\r\n"] {
        let text = [
            "time,watts,\"a remark\"",
            "2026-01-05T10:00:00,1,",
            "x,1,",
            "",
            "",
            "y,1,\"of two",
            "lines\"",
            "z,1,",
            "2026-01-05T10:01:00,2,",
            "w,1,",
        ];
        let text = text.join(end);
        let expected = ["line 3", "line 6", "line 8", "line 10"];
        assert_eq!(lines(&text), expected);
        assert_eq!(lines(&format!("{text}{end}")), expected);
    }
}

#[test]
fn remarks_before_the_header() {
    let text = "# from the meter\ntime,watts\n2026-01-05T10:00:00,1\n";
    assert_eq!(readings(text, &[]).len(), 1);
}

#[test]
fn bad_lines_are_named_too() {
    let text = "{\"time\":1767607200,\"watts\":\"1.5\"}\n{\"time\":\n\n[1]\n{\"watts\":1}\n\
        {\"time\":1767607200,\"watts\":true}\n{\"time\":[],\"watts\":1}\n{\"time\":1767607200}\n\
        {\"time\":1767607200,\"watts\":null}\n";
    let (tally, found) = check(text.as_bytes(), &["--skip-bad"]).unwrap();
    assert_eq!(found, [shown("2026-01-05T10:00:00.000Z", 1.5, None)]);
    let lines: Vec<_> = tally
        .shown
        .iter()
        .map(|text| text.split(':').next().unwrap())
        .collect();
    assert_eq!(
        lines,
        ["line 2", "line 4", "line 5", "line 6", "line 7", "line 8"]
    );
    assert_eq!(tally.no_value, 1);
    let options = [
        "--time-column",
        "t",
        "--watthours-column",
        "e",
        "--unit",
        "kWh",
        "--where",
        "s=1",
    ];
    let other =
        "{\"t\":1767607200000,\"e\":1.1,\"s\":1}\n{\"t\":1767607200000,\"e\":1.1,\"s\":\"2\"}\n";
    assert_eq!(
        readings(other, &options),
        [shown("2026-01-05T10:00:00.000Z", None, 1_100.0)]
    );
}

#[test]
fn mistakes_in_options_and_files_are_reported() {
    let text = "time,watts\n2026-01-05T10:00:00,1\n";
    assert!(error(text, &["--unit", "kWh"]).contains("--watthours-column"));
    assert!(error(text, &["--unit", "kW", "--unit", "W"]).contains("once for power"));
    assert!(error(text, &["--where", "x=1"]).contains("no column \"x\""));
    assert!(error("time,watts\nnever,1\n", &["--skip-bad"]).contains("no good row"));
    assert!(error("[{\"time\":1}]", &[]).contains("no object in it has a time and a number"));
    assert!(error("", &[]).contains("the file is empty"));
    assert_eq!(readings("time,watts\n", &[]), []);
}

#[test]
fn the_hour_that_comes_twice() {
    let text = "time,watts\n2025-10-26 01:30,1\n2025-10-26 02:00,2\n2025-10-26 02:30,3\n\
        2025-10-26 02:00,4\n2025-10-26 02:30,5\n2025-10-26 03:00,6\n";
    let times: Vec<_> = readings(text, &["--tz", "Europe/Berlin"])
        .into_iter()
        .map(|(time, ..)| time[11..16].to_owned())
        .collect();
    assert_eq!(
        times,
        ["23:30", "00:00", "00:30", "01:00", "01:30", "02:00"]
    );
}

/// A reading of any time up to the day of the test.
fn any_reading() -> impl Strategy<Value = ReadingRow> {
    let number =
        proptest::num::f64::NORMAL | proptest::num::f64::SUBNORMAL | proptest::num::f64::ZERO;
    let measures = (proptest::option::of(number), proptest::option::of(number));
    let time = Timestamp::MIN.millis()..1_780_272_000_000;
    (time, measures)
        .prop_filter("a reading measures something", |(_, (watts, watthours))| {
            watts.is_some() || watthours.is_some()
        })
        .prop_map(|(time_ms, (watts, watthours))| ReadingRow {
            time_ms,
            watts,
            watthours,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_export_prints_comes_back_to_the_bit(mut rows in proptest::collection::vec(any_reading(), 1..20)) {
        rows.sort_by_key(|row| row.time_ms);
        rows.dedup_by_key(|row| row.time_ms);
        for format in [ExportFormat::Csv, ExportFormat::Ndjson] {
            let mut text = Vec::new();
            if matches!(format, ExportFormat::Csv) {
                text.extend_from_slice(b"time,watts,watthours\n");
            }
            for row in &rows {
                write_row(&mut text, format, row).unwrap();
            }
            let (_, found) = check(&text, &[]).unwrap();
            let bits = |number: Option<f64>| number.map(f64::to_bits);
            prop_assert_eq!(found.len(), rows.len());
            for ((time, watts, watthours), row) in found.into_iter().zip(&rows) {
                prop_assert_eq!(Timestamp::parse(&time).unwrap().millis(), row.time_ms);
                prop_assert_eq!((bits(watts), bits(watthours)), (bits(row.watts), bits(row.watthours)));
            }
        }
    }

    #[test]
    fn no_file_panics(
        text in "([#\\{\"]|time|_time|entity_id|state|group|datatype|[,;\t\r\n]|[0-9.eE+:TZ -]{1,20}|\\PC){0,60}",
        column in "[0-9]|time|state",
    ) {
        let options = ["--watts-column", &column, "--skip-bad", "--tz", "Europe/Berlin", "--dates", "dmy"];
        let _ = check(text.as_bytes(), &options);
        let _ = check(text.as_bytes(), &["--skip-bad"]);
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = check(&bytes, &["--watts-column", "1"]);
    }
}
