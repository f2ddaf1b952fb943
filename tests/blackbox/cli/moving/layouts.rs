//! Where times and values are in a table, and what belongs together.

use serde_json::json;

use super::{error, import, row, stored};
use crate::place::Place;

/// Adds a sensor for energies of intervals, whose days are those of Vienna.
fn prepare() -> Place {
    let place = Place::new();
    place.ok(&["account", "add", "home", "--tz", "Europe/Vienna"]);
    let add = |id: &str, register: &str| {
        let of = ["sensor", "add", id, "--account", "home", "--role"];
        let at_grid = ["grid-import", "--at-grid", "connection"];
        place.ok(&[&of[..], &at_grid, &["--register", register]].concat());
    };
    add("bought", "interval");
    add("meter", "counter");
    place
}

fn taken(place: &Place, name: &str, file: &str, options: &[&str]) -> serde_json::Value {
    place.file(name, file.as_bytes());
    import(place, &[&[name, "--sensor"], options].concat())
}

fn refused(place: &Place, name: &str, file: &str, options: &[&str]) -> String {
    place.file(name, file.as_bytes());
    error(place, &[&[name, "--sensor"], options].concat())
}

#[test]
fn times_of_day_belong_to_dates_whatever_their_names() {
    let place = prepare();
    let four = "Startdatum;Startuhrzeit;Enddatum;Enduhrzeit;Verbrauch (in kWh)\n\
        01.08.2023;00:00;01.08.2023;00:15;0,054\n01.08.2023;23:45;02.08.2023;00:00;0,074\n";
    taken(&place, "four.csv", four, &["bought"]);
    let expected = [
        row("2023-07-31T22:00:00Z", None, 0.0),
        row("2023-07-31T22:15:00Z", None, 54.0),
        row("2023-08-01T21:45:00Z", None, 0.0),
        row("2023-08-01T22:00:00Z", None, 74.0),
    ];
    assert_eq!(stored(&place, "bought"), expected);
    let compact = "Datum;Uhrzeit;Zählerstand (kWh)\n20260105;0015;1\n20260105;0030;2\n";
    taken(&place, "compact.csv", compact, &["meter"]);
    assert_eq!(stored(&place, "meter")[1].0, "2026-01-04T23:30:00Z");
    // Two times of day for one date: nothing tells which one counts.
    let two = "Tag;Messung;Versand;Verbrauch (kWh)\n05.01.2026;10:00;10:05;0,5\n05.01.2026;10:15;10:20;0,25\n";
    let why = refused(&place, "two.csv", two, &["bought", "--times", "end"]);
    assert!(
        why.contains("the times of day in Messung, Versand"),
        "{why}"
    );
    // As the question says.
    let options = ["bought", "--times", "end", "--time-column", "Messung"];
    taken(&place, "two.csv", two, &options);
    assert_eq!(
        stored(&place, "bought").last().unwrap().0,
        "2026-01-05T09:15:00Z"
    );
}

#[test]
fn a_row_may_lack_its_last_cells() {
    let place = prepare();
    let short = "Von;Bis;Verbrauch (kWh);Status;Bemerkung\n05.01.2026 10:00;05.01.2026 10:15;0,5\n\
        05.01.2026 10:15;05.01.2026 10:30\n05.01.2026 10:30;05.01.2026 10:45;0,25;x\n";
    let outcome = taken(&place, "short.csv", short, &["bought"]);
    assert_eq!(outcome["skipped"], json!(1));
    assert_eq!(stored(&place, "bought").len(), 4);
}

#[test]
fn all_dates_decide_whether_the_day_comes_first() {
    let place = prepare();
    let quarters = |days: u32| {
        let rows = (0..days * 96).map(|n| {
            let (day, hour, minute) = (n / 96 + 1, n / 4 % 24, n % 4 * 15);
            format!("{day:02}-01-2024;{hour:02}:{minute:02};0,1\n")
        });
        format!("Datum;Tijd;Verbruik (kWh)\n{}", rows.collect::<String>())
    };
    let options = ["bought", "--times", "start"];
    let why = refused(&place, "twelve.csv", &quarters(12), &options);
    assert!(why.contains("1152 of 1152 rows are bad"), "{why}");
    let outcome = taken(&place, "fourteen.csv", &quarters(14), &options);
    assert_eq!(outcome["read"], json!(14 * 96));
    let all = stored(&place, "bought");
    assert_eq!(all.last().unwrap().0, "2024-01-14T23:00:00Z");
    // A line that is wrong is named by its own number, also where it was read ahead.
    let wrong = quarters(14).replacen("02-01-2024;00:00;0,1", "02-01-2024;00:00;x", 1);
    place.file("wrong.csv", wrong.as_bytes());
    let run = place.run(&[&["import", "wrong.csv", "--sensor"], &options[..]].concat());
    assert!(run.err.contains("line 98: "), "{run:?}");
}

#[test]
fn times_may_have_marks() {
    let place = prepare();
    let names = "time,Wh\n2024-06-01 12:00:00 GMT+0200,500\n2024-06-01 13:00:00 UTC+02:00,600\n2024-06-01 14:00 CEST+0200,700\n";
    taken(&place, "names.csv", names, &["meter"]);
    let times: Vec<_> = stored(&place, "meter").into_iter().map(|it| it.0).collect();
    assert_eq!(
        times,
        [
            "2024-06-01T10:00:00Z",
            "2024-06-01T11:00:00Z",
            "2024-06-01T12:00:00Z"
        ]
    );
    let solaredge = r#"{"energy":{"timeUnit":"HOUR","unit":"Wh","values":[
        {"date":"2024-06-01 12:00:00 CEST+0200","value":500},
        {"date":"2024-06-01 13:00:00 CEST+0200","value":600}]}}"#;
    taken(
        &place,
        "solaredge.json",
        solaredge,
        &["bought", "--times", "start"],
    );
    assert_eq!(
        stored(&place, "bought")[2],
        row("2024-06-01T12:00:00Z", None, 600.0)
    );
    // A mark of summer time tells the passes of the doubled hour apart, in any order.
    let doubled = "Zeit;Verbrauch (kWh)\n2023-10-29 01:00:00 DST;0,1\n2023-10-29 02:00:00 DST;0,2\n\
        2023-10-29 02:00:00;0,3\n2023-10-29 03:00:00;0,4\n";
    taken(
        &place,
        "doubled.csv",
        doubled,
        &["bought", "--times", "start"],
    );
    let found = stored(&place, "bought");
    let expected = [
        row("2023-10-28T23:00:00Z", None, 0.0),
        row("2023-10-29T00:00:00Z", None, 100.0),
        row("2023-10-29T01:00:00Z", None, 200.0),
        row("2023-10-29T02:00:00Z", None, 300.0),
        row("2023-10-29T03:00:00Z", None, 400.0),
    ];
    assert_eq!(found[..5], expected);
    let clocks =
        "Datum;Zeit;Verbrauch (kWh)\n05.01.2026;10:00 Uhr;0,5\n05.01.2026;10:15 Uhr;0,25\n";
    taken(&place, "uhr.csv", clocks, &["bought", "--times", "end"]);
    assert_eq!(
        stored(&place, "bought").last().unwrap().0,
        "2026-01-05T09:15:00Z"
    );
}

#[test]
fn what_is_measured_chooses_no_rows() {
    let place = prepare();
    let days = "Datum;Verbruik (kWh);Temperatuur\n2014-12-30;8,3;5,5\n2014-12-31;9,1;6,5\n2014-12-31;9,2;7,5\n";
    let why = refused(&place, "days.csv", days, &["bought", "--times", "start"]);
    assert!(
        !why.contains("--where") && why.contains("leave one out"),
        "{why}"
    );
    let tariffs = days
        .replace("Temperatuur", "Tarief")
        .replace("5,5", "laag")
        .replace("6,5", "hoog")
        .replace("7,5", "laag");
    let why = refused(
        &place,
        "tariffs.csv",
        &tariffs,
        &["bought", "--times", "start"],
    );
    assert!(why.contains("--where 'Tarief=hoog'"), "{why}");
}

#[test]
fn sums_among_the_values_are_left_out() {
    let place = prepare();
    let hours = (0..24).map(|hour| {
        let next = match hour {
            23 => "2024-01-02 00:00".to_owned(),
            _ => format!("2024-01-01 {:02}:00", hour + 1),
        };
        format!("2024-01-01 {hour:02}:00,{next},0.1\n")
    });
    let hours = hours.collect::<String>();
    let day = format!(
        "BeginDate,EndDate,Verbrauch (kWh)\n2024-01-01 00:00,2024-01-02 00:00,2.4\n{hours}"
    );
    place.file("day.csv", day.as_bytes());
    let run = place.run(&["import", "day.csv", "--sensor", "bought"]);
    assert!(run.err.contains("left out: 1 that cover others"), "{run:?}");
    let all = stored(&place, "bought");
    assert_eq!(
        (all.len(), all[24].clone()),
        (25, row("2024-01-01T23:00:00Z", None, 100.0))
    );
    // One that is no sum of the others is a question.
    let other = day.replace(",2.4", ",3.4");
    let why = refused(&place, "other.csv", &other, &["bought"]);
    assert!(why.contains("two intervals overlap"), "{why}");
}

#[test]
fn a_sum_below_the_table_and_lines_of_text_are_no_rows() {
    let place = prepare();
    let table = |last: &str| {
        format!(
            "From,To,Consumption (kWh)\n2024-01-01 00:00,2024-01-01 01:00,0.25\n\
             2024-01-01 01:00,2024-01-01 02:00,1.5\n====\nData of the period:,,2024-01-01 for 2 days\n\
             2024-01-01 02:00,2024-01-01 03:00,0.5\n,,\n,,{last}\n"
        )
    };
    place.file("sum.csv", table("2.25").as_bytes());
    let run = place.run(&["import", "sum.csv", "--sensor", "bought"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(stored(&place, "bought").len(), 4);
    // Another number there is lost energy.
    let why = refused(&place, "other.csv", &table("1.25"), &["bought"]);
    assert!(why.contains("1 of 7 rows are bad"), "{why}");
}

#[test]
fn series_beside_each_other_are_named_by_number() {
    let place = prepare();
    let side = "kWh;;;kWh;;\nDATE_FROM;DATE_TO;VALUE;DATE_FROM;DATE_TO;VALUE\n\
        29.03.2023 00:00;29.03.2023 23:59;18,2;29.03.2023 00:00;29.03.2023 00:14;0,1\n\
        30.03.2023 00:00;30.03.2023 23:59;10,9;29.03.2023 00:15;29.03.2023 00:29;0,2\n\
        ;;;29.03.2023 00:30;29.03.2023 00:44;0,3\n";
    let why = refused(&place, "side.csv", side, &["bought"]);
    assert!(why.contains("4 (DATE_FROM)"), "{why}");
    let of = |time: &'static str, value: &'static str| {
        [
            "bought",
            "--time-column",
            time,
            "--watthours-column",
            value,
            "--unit",
            "kWh",
        ]
    };
    taken(&place, "side.csv", side, &of("4", "6"));
    let quarters = [
        row("2023-03-28T22:00:00Z", None, 0.0),
        row("2023-03-28T22:15:00Z", None, 100.0),
        row("2023-03-28T22:30:00Z", None, 200.0),
        row("2023-03-28T22:45:00Z", None, 300.0),
    ];
    assert_eq!(stored(&place, "bought"), quarters);
    let undone = [
        &["import", "side.csv", "--undo", "--sensor"],
        &of("4", "6")[..],
    ]
    .concat();
    place.ok(&undone);
    taken(&place, "side.csv", side, &of("1", "3"));
    assert_eq!(
        stored(&place, "bought")[2],
        row("2023-03-30T22:00:00Z", None, 10_900.0)
    );
}

#[test]
fn a_path_names_a_value_of_json() {
    let place = prepare();
    let rows = [(10, 1.5, 4_321.5), (11, 1.6, 4_321.6)].map(|(hour, today, total)| {
        json!({
            "time": format!("2025-06-01T{hour}:00:00Z"),
            "today": {"grid": {"import": today}},
            "total": {"grid": {"import": total}},
        })
    });
    let nested = json!({ "data": rows });
    for text in [
        nested.to_string(),
        serde_json::to_string_pretty(&nested).unwrap(),
    ] {
        let options = ["meter", "--unit", "kWh", "--watthours-column"];
        let named = |column: &'static str| [&options[..], &[column]].concat();
        let why = refused(&place, "nested.json", &text, &named("import"));
        assert!(
            why.contains("today.grid.import, total.grid.import"),
            "{why}"
        );
        taken(&place, "nested.json", &text, &named("total.grid.import"));
        assert_eq!(
            stored(&place, "meter")[1],
            row("2025-06-01T11:00:00Z", None, 4_321_600.0)
        );
    }
}

#[test]
fn a_dry_run_says_how_a_table_is_read() {
    let place = prepare();
    let table = "Datum;Zeit von;Zeit bis;Verbrauch (kWh);Einspeisung (kWh);Temperatur (C)\n\
        05.01.2026;10:00;10:15;0,5;0,25;7\n05.01.2026;10:15;10:30;0,5;1;8\n";
    place.file("table.csv", table.as_bytes());
    let options = ["import", "table.csv", "--sensor", "bought", "--dry-run"];
    let options = [&options[..], &["--watthours-column", "Verbrauch (kWh)"]].concat();
    let run = place.run(&options);
    let begin = "Times: Datum, Zeit von, Datum, Zeit bis, both ends of each interval (by the name)\n\
        Times without an offset: in Europe/Vienna (as in the account)\n\
        Energy of each interval: Verbrauch (kWh), in kWh (as you chose)\n";
    assert!(run.out.starts_with(begin), "{run:?}");
    let left = "not used: Einspeisung (kWh) (2 values, together 1.25 kWh)";
    assert!(run.err.contains(left), "{run:?}");
    let json = place.json(&options);
    assert_eq!(
        json["plan"][1],
        json!({"part": "zone", "zone": "Europe/Vienna", "by": "account"})
    );
    assert_eq!(stored(&place, "bought"), []);
}

/// Questions name options that answer them: following them, a file is imported.
#[test]
fn the_remedy_of_a_question_works() {
    let day = |n: u32| format!("0{n}/02/2026");
    let files = [
        "Start;Ende;Bezug (kWh);Einspeisung (kWh);Verbrauch (kWh)\n2026-01-05 10:00;2026-01-05 10:15;0,5;0;0,5\n2026-01-05 10:15;2026-01-05 10:30;0,5;0;0,5\n".to_owned(),
        format!("Date;Consumption\n{} 10:00;0.5\n{} 11:00;0.6\n{} 12:00;0.2\n", day(1), day(1), day(1)),
        "Start,End,Tariff,kWh\n2026-01-05T10:00Z,2026-01-05T11:00Z,high,0.5\n2026-01-05T10:00Z,2026-01-05T11:00Z,low,0.25\n".to_owned(),
        "a,b,c\n2026-01-05T10:00Z,2026-01-06T11:00Z,0.5\n2026-01-05T11:00Z,2026-01-06T11:00Z,0.2\n".to_owned(),
        "DATE_FROM;VALUE;DATE_FROM;VALUE\n29.03.2023 00:00;18,2;29.03.2023 00:00;0,1\n30.03.2023 00:00;10,9;29.03.2023 01:00;0,2\n".to_owned(),
    ];
    for file in files {
        let place = prepare();
        place.file("file.csv", file.as_bytes());
        let mut options = ["import", "file.csv", "--sensor", "bought"]
            .map(str::to_owned)
            .to_vec();
        for _ in 0..6 {
            let arguments: Vec<_> = options.iter().map(String::as_str).collect();
            let run = place.run(&arguments);
            if run.status == 0 {
                break;
            }
            options.extend(answer(&run.err));
        }
        assert!(!stored(&place, "bought").is_empty(), "{options:?}");
    }
}

/// The first option that an error recommends, with its value.
fn answer(error: &str) -> [String; 2] {
    // Of a column, the first one with another number or name than the times before.
    let columns = error.split("they are ").nth(1).unwrap_or_default();
    let columns = columns.split(';').next().unwrap_or_default();
    let column = |index: usize| {
        let name = columns.trim().split(", ").nth(index).unwrap_or_default();
        let number = name.split(" (").next().unwrap_or_default();
        let is_numbered = number.parse::<u32>().is_ok();
        if is_numbered { number } else { name }.to_owned()
    };
    let option = |name: &str, value: String| [name.to_owned(), value];
    if let Some((_, filter)) = error.split_once("--where '") {
        option("--where", filter.split('\'').next().unwrap().to_owned())
    } else if error.contains("--time-column COLUMN") {
        option("--time-column", column(0))
    } else if error.contains("--watthours-column COLUMN") {
        let last = columns.split(", ").count() - 1;
        option("--watthours-column", column(last))
    } else if error.contains("--unit") {
        option("--unit", "kWh".to_owned())
    } else if error.contains("--dates dmy") {
        option("--dates", "dmy".to_owned())
    } else if error.contains("--times start") {
        option("--times", "start".to_owned())
    } else {
        panic!("{error}")
    }
}
