//! The known formats of suppliers with local times, on the days when clocks change.

use super::labels::{FileOrder, ImportWay, LabelForm, TrueInterval, kwh, stored};
use crate::domain::{LocalDate, Zone};

const MINUTE: i64 = 60_000;

/// A row's start and end as its clocks show them, and its energy.
struct ShownRow {
    from: String,
    to: String,
    last_minute: String,
    kwh: String,
}

impl ShownRow {
    fn comma(&self) -> String {
        self.kwh.replace('.', ",")
    }
}

/// Day, month and year of a local time, and its time of day.
fn parts(text: &str) -> [&str; 4] {
    [&text[8..10], &text[5..7], &text[..4], &text[11..16]]
}

fn dmy(text: &str, between: char) -> String {
    let [day, month, year, _] = parts(text);
    format!("{day}{between}{month}{between}{year}")
}

fn mdy(text: &str) -> String {
    let [day, month, year, _] = parts(text);
    format!("{month}/{day}/{year}")
}

fn ymd(text: &str, between: char) -> String {
    let [day, month, year, _] = parts(text);
    format!("{year}{between}{month}{between}{day}")
}

fn clock(text: &str) -> &str {
    &text[11..16]
}

fn half_day(text: &str) -> String {
    let hour: u32 = clock(text)[..2].parse().unwrap();
    let twelve = (hour + 11) % 12 + 1;
    let half = if hour < 12 { "AM" } else { "PM" };
    format!("{twelve}:{} {half}", &clock(text)[3..])
}

/// A format: its file, a zone with its days of changes, the minutes of an interval, its header and
/// a row.
type KnownForm = (
    &'static str,
    &'static str,
    i64,
    &'static str,
    fn(&ShownRow) -> String,
);

const EUROPE: [(i32, u8, u8); 2] = [(2025, 3, 30), (2025, 10, 26)];
const AMERICA: [(i32, u8, u8); 2] = [(2025, 3, 9), (2025, 11, 2)];

const FORMATS: [KnownForm; 12] = [
    (
        "at-wiener-netze",
        "Europe/Vienna",
        15,
        "Datum;Zeit von;Zeit bis;Verbrauch [kWh]",
        |row| {
            let (from, to) = (clock(&row.from), clock(&row.to));
            format!("{};{from}:00;{to}:00;{}", dmy(&row.from, '.'), row.comma())
        },
    ),
    (
        "be-fluvius",
        "Europe/Brussels",
        15,
        "Van (datum);Van (tijdstip);Tot (datum);Tot (tijdstip);EAN-code;Register;Volume;Eenheid",
        |row| {
            let [from, to] =
                [&row.from, &row.to].map(|time| format!("{};{}:00", dmy(time, '-'), clock(time)));
            format!("{from};{to};54;Afname Nacht;{};kWh", row.comma())
        },
    ),
    (
        "dk-eloverblik",
        "Europe/Copenhagen",
        60,
        "MålepunktsID;Fra_dato;Til_dato;Mængde;Måleenhed;Kvalitet",
        |row| {
            let [from, to] =
                [&row.from, &row.to].map(|time| format!("{} {}:00", dmy(time, '-'), clock(time)));
            format!("571;{from};{to};{};KWH;Målt", row.comma())
        },
    ),
    (
        "es-datadis",
        "Europe/Madrid",
        60,
        "CUPS;Fecha;Hora;Consumo_kWh;Metodo_obtencion",
        |row| {
            let end = match clock(&row.to) {
                "00:00" => "24:00",
                other => other,
            };
            let date = if end == "24:00" { &row.from } else { &row.to };
            format!("ES003;{};{end};{};R", ymd(date, '/'), row.comma())
        },
    ),
    (
        "ie-esb-kwh",
        "Europe/Dublin",
        30,
        "MPRN,Meter Serial Number,Read Value,Read Type,Read Date and End Time",
        |row| {
            let end = format!("{} {}", dmy(&row.to, '-'), clock(&row.to));
            format!("10,2,{},Active Import Interval (kWh),{end}", row.kwh)
        },
    ),
    (
        "no-elhub",
        "Europe/Oslo",
        60,
        "Fra,Til,KWH 60 Forbruk,Kvalitet",
        |row| {
            let [from, to] =
                [&row.from, &row.to].map(|time| format!("{} {}", dmy(time, '.'), clock(time)));
            format!("{from},{to},\"{}\",Avlest", row.comma())
        },
    ),
    (
        "us-pge-kwh",
        "America/New_York",
        15,
        "TYPE,DATE,START TIME,END TIME,USAGE (kWh),COST,NOTES",
        |row| {
            let (from, to) = (clock(&row.from), clock(&row.last_minute));
            let date = ymd(&row.from, '-');
            format!("Electric usage,{date},{from},{to},{},$0.15,", row.kwh)
        },
    ),
    (
        "us-pge",
        "America/Los_Angeles",
        60,
        "TYPE,DATE,START TIME,END TIME,USAGE,UNITS,COST,NOTES",
        |row| {
            let (from, to) = (clock(&row.from), clock(&row.last_minute));
            let date = ymd(&row.from, '-');
            format!("Electric usage,{date},{from},{to},{},kWh,$0.15,", row.kwh)
        },
    ),
    (
        "us-pge-import",
        "America/Denver",
        15,
        "TYPE,DATE,START TIME,END TIME,IMPORT (kWh),EXPORT (kWh),COST,NOTES",
        |row| {
            let (from, to) = (clock(&row.from), clock(&row.last_minute));
            let date = ymd(&row.from, '-');
            format!("Electric usage,{date},{from},{to},{},0.00,$0.15,", row.kwh)
        },
    ),
    (
        "us-sce",
        "America/Los_Angeles",
        60,
        "\"Energy consumption time period\",\"Usage(Real energy in kilowatt-hours)\",\"Reading quality\"",
        |row| {
            let [from, to] =
                [&row.from, &row.to].map(|time| format!("{} {}:00", ymd(time, '-'), clock(time)));
            format!("\"{from} to {to}\",\"{}\",\"\"", row.kwh)
        },
    ),
    (
        "us-sdge",
        "America/Los_Angeles",
        60,
        "Meter Number,Date,Start Time,Duration,Consumption,Generation,Net",
        |row| {
            let (date, start) = (mdy(&row.from), half_day(&row.from));
            format!(
                "\"0\",\"{date}\",\"{start}\",\"60\",\"{0}\",\"\",\"{0}\"",
                row.kwh
            )
        },
    ),
    (
        "us-smart-meter-texas",
        "America/Chicago",
        15,
        "ESIID,USAGE_DATE,REVISION_DATE,USAGE_START_TIME,USAGE_END_TIME,USAGE_KWH,ESTIMATED_ACTUAL,CONSUMPTION_SURPLUSGENERATION",
        |row| {
            let (date, from, to) = (mdy(&row.from), clock(&row.from), clock(&row.to));
            format!(
                "'1,{date},01/06/2026 07:40:29, {from}, {to},{},A,Consumption",
                row.kwh
            )
        },
    ),
];

#[test]
fn each_known_format_is_read_right_on_the_days_when_clocks_change() {
    let mut wrong = Vec::new();
    for (stem, zone, minutes, header, write) in FORMATS {
        let is_of_ends = matches!(stem, "ie-esb-kwh" | "es-datadis");
        let days = if zone.starts_with("Europe") {
            EUROPE
        } else {
            AMERICA
        };
        for (year, month, day) in days {
            for order in [FileOrder::Time, FileOrder::Clock, FileOrder::NewestFirst] {
                for is_naive in [false, true] {
                    let way = ImportWay {
                        form: if is_of_ends {
                            LabelForm::End
                        } else {
                            LabelForm::FromTo
                        },
                        order,
                        minutes,
                        is_equal: false,
                        zone: Zone::parse(zone).unwrap(),
                        day: LocalDate::new(year, month, day).unwrap(),
                        is_24: false,
                        is_naive,
                        is_once: false,
                    };
                    let row = |interval: &TrueInterval| {
                        let [from, to] = way.local_ends(*interval);
                        let text = |local: i64| super::labels::at(local).to_string();
                        write(&ShownRow {
                            from: text(from),
                            to: text(to),
                            last_minute: text(to - MINUTE),
                            kwh: kwh(interval.2),
                        })
                    };
                    let rows: Vec<_> = way.rows().iter().map(row).collect();
                    let text = format!("{header}\n{}\n", rows.join("\n"));
                    let found = stored(&text, &["--tz", zone]);
                    let is_right = found.as_ref().is_ok_and(|(found, _)| *found == way.truth());
                    if !is_right {
                        let found = found.map(|(found, remarks)| {
                            let pairs = found.into_iter().zip(way.truth());
                            let other = pairs.into_iter().find(|(one, truth)| one != truth);
                            (other, remarks)
                        });
                        wrong.push(format!("{stem} {month} {order:?} {is_naive}: {found:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
