//! Made-up tables with a row for each day and a column for each interval, or the other way round.

use std::fmt::Write as _;

use serde_json::json;

use super::{Row, error, import, row, stored};
use crate::place::Place;

fn prepare() -> Place {
    let place = Place::new();
    place.prepare();
    let sensor = "sensor add supplier --account home --role sub-meter --register interval";
    place.ok(&sensor.split(' ').collect::<Vec<_>>());
    place
}

/// The readings from `file` in Berlin's zone with `options`.
fn taken(file: &str, options: &[&str]) -> Vec<Row> {
    let place = prepare();
    place.file("days", file.as_bytes());
    let zone = ["days", "--sensor", "supplier", "--tz", "Europe/Berlin"];
    import(&place, &[&zone[..], options].concat());
    stored(&place, "supplier")
}

/// A header with clocks, then rows of 24 hours, each with the values 1, 2, .. from a number on.
fn hours(rows: &[(&str, u32)]) -> String {
    let mut text = "Tag;Einheit".to_owned();
    for hour in 0..24 {
        write!(text, ";{hour:02}:00").unwrap();
    }
    for (day, first) in rows {
        write!(text, "\n{day};kWh").unwrap();
        for hour in 0..24 {
            let is_skipped = *day == "29.03.2026" && hour == 2;
            let value = if is_skipped { 0 } else { first + hour };
            write!(text, ";{value},5").unwrap();
        }
    }
    text.push('\n');
    text
}

#[test]
fn each_column_is_an_interval_of_its_day() {
    let table = hours(&[("28.03.2026", 10), ("29.03.2026", 20), ("30.03.2026", 30)]);
    let table = table.replace(";0,5;23,5", ";;23,5");
    let read = taken(&table, &[]);
    assert_eq!(read.len(), 1 + 24 + 23 + 24);
    assert_eq!(read[0], row("2026-03-27T23:00:00Z", None, 0.0));
    assert_eq!(read[1], row("2026-03-28T00:00:00Z", None, 10_500.0));
    // The hour from two to three was skipped.
    assert_eq!(read[26], row("2026-03-29T01:00:00Z", None, 21_500.0));
    assert_eq!(read[27], row("2026-03-29T02:00:00Z", None, 23_500.0));
    assert_eq!(read[71], row("2026-03-30T22:00:00Z", None, 53_500.0));
    let long = taken(&hours(&[("25.10.2025", 1), ("26.10.2025", 30)]), &[]);
    // One column has both passes.
    assert_eq!(long[26], row("2025-10-26T00:00:00Z", None, 31_500.0));
    assert_eq!(long[27], row("2025-10-26T02:00:00Z", None, 32_500.0));
    assert_eq!(long[48], row("2025-10-26T23:00:00Z", None, 53_500.0));
}

#[test]
fn a_group_is_chosen_by_its_first_and_last_column() {
    let table = "meter,day,H1..,unit\n";
    let names = |kind: &str| {
        (1..=24)
            .map(|n| format!("{kind}{n:02}"))
            .collect::<Vec<_>>()
            .join(",")
    };
    let values = |value: &str| vec![value; 24].join(",");
    let table = table.replace("H1..", &format!("{},{}", names("used"), names("sold")));
    let table = format!(
        "{table}7,2026-01-05,{},{},kWh\n",
        values("0.5"),
        values("0.25")
    );
    let place = prepare();
    place.file("days", table.as_bytes());
    let question = error(&place, &["days", "--sensor", "supplier"]);
    assert!(
        question.contains("they are used01..used24, sold01..sold24"),
        "{question}"
    );
    let read = taken(&table, &["--watthours-column", "sold01..sold24"]);
    assert_eq!(read[24], row("2026-01-05T23:00:00Z", None, 250.0));
    let listed = place.json(&[
        "import",
        "days",
        "--list",
        "--watthours-column",
        "sold01..sold24",
    ]);
    assert_eq!(listed.as_array().unwrap().len(), 3, "{listed}");
    assert_eq!(listed[1]["values"], json!(24));
}

#[test]
fn rows_of_one_day_are_told_apart() {
    let hours = hours(&[("05.01.2026", 1), ("05.01.2026", 50)]);
    let (first, second) = hours.rsplit_once("05.01.2026;").unwrap();
    let table = format!(
        "{}05.01.2026;Bezug;{second}\n",
        first
            .replace("Tag;", "Tag;Art;")
            .replace("05.01.2026;", "05.01.2026;Lieferung;")
    );
    let place = prepare();
    place.file("days", table.as_bytes());
    let question = error(&place, &["days", "--sensor", "supplier"]);
    assert!(question.contains("--where 'Art=Lieferung'"), "{question}");
    let read = taken(&table, &["--where", "Art=Bezug"]);
    assert_eq!(read[1], row("2026-01-05T00:00:00Z", None, 50_500.0));
}

#[test]
fn power_of_days_is_a_mean() {
    let names: Vec<_> = (1..=96)
        .map(|n| format!("{}:{:02}", n / 4, n % 4 * 15))
        .collect();
    let table = format!(
        "Date,{}\n2026-01-05,{}\n",
        names.join(","),
        vec!["0.5"; 96].join(",")
    );
    let read = taken(&table, &["--watts-column", "0:15..24:00", "--unit", "kW"]);
    assert_eq!(
        (read.len(), &read[0]),
        (96, &row("2026-01-04T23:07:30Z", 500.0, None))
    );
}

#[test]
fn a_column_for_each_day_is_turned() {
    let mut table = "Uhrzeit;05.01.2026;06.01.2026\n".to_owned();
    for hour in 0..24 {
        writeln!(table, "{hour:02}:00;{hour};{}", hour + 100).unwrap();
    }
    let read = taken(&table, &["--unit", "kWh"]);
    assert_eq!(read.len(), 49);
    assert_eq!(read[24], row("2026-01-05T23:00:00Z", None, 23_000.0));
    assert_eq!(read[25], row("2026-01-06T00:00:00Z", None, 100_000.0));
}

#[test]
fn a_described_format_may_name_a_group() {
    let place = prepare();
    let format = "name = \"Mine\"\nsource = \"\"\ncolumns = [\"Tag\"]\n[read]\nenergy = [\"00:00..23:00\"]\n\
        zone = \"Europe/Berlin\"\nunit = \"Wh\"\n";
    let added = place.run_on(format.as_bytes(), &["formats", "add", "-"]);
    assert_eq!(added.status, 0, "{added:?}");
    place.file(
        "days",
        hours(&[("05.01.2026", 1)]).replace(";kWh", ";").as_bytes(),
    );
    import(&place, &["days", "--sensor", "supplier"]);
    let read = stored(&place, "supplier");
    assert_eq!(read[24], row("2026-01-05T23:00:00Z", None, 24.5));
}
