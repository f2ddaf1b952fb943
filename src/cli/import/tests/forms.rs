//! Forms of files of many suppliers, inverters and programs, made up in the way they write them.

use super::{check, error, readings, shown};

const TEN: &str = "2026-01-05T10:00:00.000Z";
const QUARTER: &str = "2026-01-05T10:15:00.000Z";

/// The readings at two times.
fn two(texts: &[&str], options: &[&str], [first, second]: [f64; 2]) {
    for text in texts {
        let expected = [shown(TEN, None, first), shown(QUARTER, None, second)];
        assert_eq!(readings(text, options), expected, "{text}");
    }
}

#[test]
fn units_in_a_row_of_their_own() {
    let solar_web = "Datum und Uhrzeit;Energie vom Netz;Produktion\n[dd.MM.yyyy HH:mm];[Wh];[Wh]\n\
        05.01.2026 10:00;25,5;1\n05.01.2026 10:15;24,25;2\n";
    let column = ["--watthours-column", "Energie vom Netz [Wh]"];
    two(&[solar_web], &column, [25.5, 24.25]);
    let explorer = "sep=;\nVersion CSV1|Tool SE\n\n;SN: 2;SN: 2\n;Gesamtertrag;Leistung\n;Counter;Analog\n\
        dd.MM.yyyy HH:mm:ss;kWh;kW\n05.01.2026 10:00:00;1,5;0,25\n";
    assert_eq!(readings(explorer, &[]), [shown(TEN, 250.0, 1_500.0)]);
}

#[test]
fn units_in_cells() {
    let grafana =
        "\"Time\",\"House power\"\n2026-01-05 10:00:00,850 W\n2026-01-05 10:15:00,1.25 kW\n";
    let expected = [shown(TEN, 850.0, None), shown(QUARTER, 1_250.0, None)];
    assert_eq!(readings(grafana, &[]), expected);
    assert!(error(&grafana.replace("1.25 kW", "1 kWh"), &[]).contains("1 of 2 rows"));
}

#[test]
fn a_price_by_energy_is_none() {
    let text =
        "Aika;Kulutus (kWh);Hinta (c/kWh)\n05.01.2026 10:00;0,5;5,5\n05.01.2026 10:15;0,6;5,4\n";
    two(&[text], &[], [500.0, 600.0]);
}

#[test]
fn both_ends_in_one_cell() {
    for time in [
        "2026-01-05 10:00:00 to 2026-01-05 10:15:00",
        "05.01.2026 10:00 - 05.01.2026 10:15",
        "05.01.2026 10:00 - 10:15",
        "05-Jan-2026,10:00-10:15",
        "2026-01-05T00:00:00,10:00 - 10:15",
    ] {
        let names = if time.contains(',') {
            "Date,Time"
        } else {
            "Period"
        };
        let text = format!("{names},Usage (kWh)\n{time},0.5\n");
        assert_eq!(
            readings(&text, &[]),
            [shown(QUARTER, None, 500.0)],
            "{time}"
        );
    }
    let midnight = "Date,Time,Usage (kWh)\n2026-01-04,23:45 - 00:00,0.5\n";
    assert_eq!(
        readings(midnight, &[]),
        [shown("2026-01-05T00:00:00.000Z", None, 500.0)]
    );
}

#[test]
fn the_last_second_or_minute_of_an_interval() {
    for (end, expected) in [
        ("10:14:59", QUARTER),
        ("10:14", QUARTER),
        ("10:15", QUARTER),
        ("10:13", "2026-01-05T10:13:00.000Z"),
    ] {
        let text = format!("Von;Bis;Verbrauch (kWh)\n05.01.2026 10:00;05.01.2026 {end};0,5\n");
        assert_eq!(
            readings(&text, &[]),
            [shown(expected, None, 500.0)],
            "{end}"
        );
    }
}

#[test]
fn dates_with_names_of_months_and_days() {
    for time in [
        "05-Jan-2026 10:00",
        "5 January 2026 10:00",
        "Jan 5, 2026 10:00 AM",
        "January 5 2026, 10:00:00 AM",
        "5. Januar 2026 10:00",
        "Mo, 05.01.2026 10:00",
        "Monday 5 Jan 2026 10:00",
        "lundi 5 janvier 2026 10:00",
        "5 gennaio 2026 10:00",
        "05-ene-26 10:00",
        "2026-Jan-05 10:00",
        "5 stycznia 2026 10:00",
        "05.01.2026 11:00 MEZ",
        "2026-01-05 12:00 PM CEST",
        "2026-01-05T11:00+01:00[Europe/Berlin]",
    ] {
        let text = format!("when;watts\n{time};5\n");
        assert_eq!(readings(&text, &[]), [shown(TEN, 5.0, None)], "{time}");
    }
    for (month, number) in [
        ("juillet", 7),
        ("juin", 6),
        ("července", 7),
        ("červen", 6),
        ("mars", 3),
        ("maj", 5),
        ("Oct", 10),
    ] {
        let text = format!("when;watts\n5 {month} 2025;5\n");
        let expected = format!("2025-{number:02}-05T00:00:00.000Z");
        assert_eq!(
            readings(&text, &[]),
            [shown(&expected, 5.0, None)],
            "{month}"
        );
    }
    for time in ["1/5/26 10:00 AM", "1/5/2026 10:00:00 AM"] {
        let text = format!("time,watts\n{time},5\n");
        assert_eq!(
            readings(&text, &["--dates", "mdy"]),
            [shown(TEN, 5.0, None)],
            "{time}"
        );
        assert!(error(&text, &[]).contains("1 of 1 rows"));
    }
    for text in [
        "Month,Consumption (kWh)\n2026-01,250.5\n",
        "Monat;Verbrauch (kWh)\nJanuar 2026;250,5\n",
    ] {
        let expected = shown("2026-01-01T00:00:00.000Z", None, 250_500.0);
        assert_eq!(readings(text, &[]), [expected], "{text}");
    }
}

#[test]
fn a_column_in_utc_is_read_so() {
    let berlin = ["--tz", "Europe/Berlin"];
    let two_columns = "datetime_utc,datetime_local,watt_hours\n2026-01-05 10:00,2026-01-05 20:00,1.5\n2026-01-05 10:15,2026-01-05 20:15,2\n";
    two(
        &[two_columns, &two_columns.replace("datetime_local", "Local")],
        &berlin,
        [1.5, 2.0],
    );
    let other = "Time (UTC+1);watts\n05.01.2026 11:00;5\n";
    assert_eq!(readings(other, &berlin), [shown(TEN, 5.0, None)]);
}

#[test]
fn numbers_of_hours_from_nought_are_clocks() {
    let berlin = ["--tz", "Europe/Berlin"];
    let hours = (0..24).filter(|hour| *hour != 2);
    let rows: Vec<_> = hours
        .map(|hour| format!("2026-03-29,{hour},{hour}\n"))
        .collect();
    let text = format!("Date,Hour,kWh\n{}", rows.concat());
    let read = readings(&text, &berlin);
    assert_eq!(read[2], shown("2026-03-29T01:00:00.000Z", None, 3_000.0));
    assert_eq!(read[22], shown("2026-03-29T21:00:00.000Z", None, 23_000.0));
    // From 1 to 24, they follow the clock on a day of 23 hours, too.
    let clock = "Date,Hour,kWh\n2026-03-29,1,1\n2026-03-29,24,1\n";
    let last = shown("2026-03-29T22:00:00.000Z", None, 1_000.0);
    assert_eq!(readings(clock, &berlin)[1], last);
    let none = error(&clock.replace(",24,", ",25,"), &berlin);
    assert!(none.contains("1 of 2 rows"), "{none}");
    let skipped = error(&format!("{clock}2026-03-29,3,1\n"), &berlin);
    assert!(skipped.contains("the hour that was skipped"), "{skipped}");
}

#[test]
fn json_of_programs() {
    let openhab = "{\"name\":\"Power\",\"data\":[{\"time\":1767607200000,\"state\":\"5\"}]}";
    let broker = "[{\"val\":5,\"ts\":1767607200000,\"ack\":true}]";
    let emoncms = "[[1767607200000,5]]";
    let influx = "{\"results\":[{\"series\":[{\"name\":\"W\",\"columns\":[\"time\",\"mean\"],\"values\":[[\"2026-01-05T10:00:00Z\",5],[\"2026-01-05T10:01:00Z\",null]]}]}]}";
    for (text, column) in [
        (openhab, "state"),
        (broker, "val"),
        (emoncms, "value 1"),
        (influx, "mean"),
    ] {
        let read = readings(text, &["--watts-column", column]);
        assert_eq!(read, [shown(TEN, 5.0, None)], "{text}");
    }
}

#[test]
fn a_unit_beside_other_words_for_units() {
    let solar_edge = "{\"energy\":{\"timeUnit\":\"HOUR\",\"unit\":\"Wh\",\"values\":[\n\
        {\"date\":\"2026-01-05 10:00:00\",\"value\":5},{\"date\":\"2026-01-05 10:15:00\",\"value\":null}]}}";
    assert_eq!(readings(solar_edge, &[]), [shown(TEN, None, 5.0)]);
    let states = "{\"sensor.a\":[{\"start\":1767606300000,\"end\":1767607200000,\"change\":0.5,\"unit\":\"kWh\"}]}";
    assert_eq!(readings(states, &[]), [shown(TEN, None, 500.0)]);
}

#[test]
fn sums_and_remarks_below_the_table() {
    let table = "Datum;Uhrzeit;Verbrauch (kWh)\n05.01.2026;10:00;0,5\nSumme;;0,5\n* vorläufig\nStand: heute;;\n";
    let (tally, read) = check(table.as_bytes(), &[]).unwrap();
    assert_eq!(read, [shown(TEN, None, 500.0)]);
    assert_eq!((tally.good, tally.no_value, tally.bad), (1, 3, 0));
    let cut = "Datum;Uhrzeit;Verbrauch (kWh)\n05.01.2026;10:00;0,5\n05.0";
    assert!(error(cut, &[]).contains("1 of 2 rows"));
    let word = "Datum;Uhrzeit;Verbrauch (kWh)\n05.01.2026;10:00;0,5\nirgendwann;11:00;0,5\n";
    assert!(error(word, &[]).contains("1 of 2 rows"));
}

#[test]
fn export_below_zero_has_no_sign() {
    let table = |first: &str| {
        format!(
            "Start,End,Export (kWh)\n2026-01-05T09:45:00Z,{TEN},{first}\n{TEN},{QUARTER},-0.25\n"
        )
    };
    two(&[&table("-0.5")], &[], [500.0, 250.0]);
    two(&[&table("0.5")], &[], [500.0, -250.0]);
    two(
        &[&table("-0.5").replace("Export", "Net use")],
        &[],
        [-500.0, -250.0],
    );
}

#[test]
fn rows_in_a_unit_of_the_other_measure_are_named() {
    let table = "Time,Value kWh,Unit\n2026-01-05 10:00,5,kW\n";
    assert!(error(table, &[]).contains("name their column with --watts-column"));
    let (tally, _) = check(b"Time,Value kWh,Unit\n2026-01-05 10:00,5,m3\n", &[]).unwrap();
    assert_eq!((tally.good, tally.other), (0, 1));
}

#[test]
fn the_last_midnight_of_a_day_may_have_its_date() {
    let rows = ["23:30", "23:45", "0:00"].map(|clock| format!("2026-01-04,{clock},0.5\n"));
    let text = format!("Date,End,Usage (kWh)\n{}", rows.concat());
    let read = readings(&text, &[]);
    assert_eq!(read[2], shown("2026-01-05T00:00:00.000Z", None, 500.0));
    let back =
        "Date,End,Usage (kWh)\n2026-01-04,0:30,0.5\n2026-01-04,0:15,0.5\n2026-01-04,0:00,0.5\n";
    assert_eq!(
        readings(back, &[])[0],
        shown("2026-01-04T00:00:00.000Z", None, 500.0)
    );
}

#[test]
fn a_start_that_is_named_has_its_end() {
    let text = "Start,End,kWh\n2026-01-05 09:00,2026-01-05 10:00,0.5\n2026-01-05 10:00,2026-01-05 10:15,0.25\n";
    two(&[text], &["--time-column", "Start"], [500.0, 250.0]);
    two(&[text], &["--time-column", "End"], [500.0, 250.0]);
}
