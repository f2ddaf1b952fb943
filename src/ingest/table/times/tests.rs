//! Times in all forms.

use super::*;
use crate::domain::time::at;

fn times(zone: Option<&str>, order: Option<DateOrder>) -> TimeReader {
    let zone = zone.map(|name| Zone::parse(name).unwrap());
    TimeReader::new(zone, order, at("2026-06-01T00:00:00"))
}

#[test]
fn forms() {
    for text in [
        "2026-01-05T10:00:00",
        "2026-01-05T10:00:00.000Z",
        "2026-01-05T11:00:00+01:00",
        "2026-01-05 10:00:00",
        "2026-01-05 10:00",
        " 2026-01-05 10:00:00 ",
        "2026-01-05 10:00:00Z",
        "2026-01-05 10:00:00 UTC",
        "2026-01-05 11:00:00+01",
        "2026-01-05 11:00:00+0100",
        "2026-01-05 05:00:00 -05:00",
        "2026/01/05 10:00:00",
        "05.01.2026 10:00",
        "5.1.2026, 10:00:00",
        "202601051000",
        "20260105100000",
        "20260105 10:00",
        "05.01.26 10:00",
        "2026-01-05 10:00 AM",
        "5.1.2026 10:00:00 a.m.",
        "1767607200",
        "1767607200.0",
        "1767607200000",
        "1767607200000000",
        "1767607200000000000",
    ] {
        assert_eq!(
            times(None, None).read(text.as_bytes()),
            Ok(at("2026-01-05T10:00:00")),
            "{text}"
        );
    }
    for text in [
        "2026-01-05",
        "05.01.2026",
        "5.1.2026",
        "2026.01.05",
        "20260105",
        "2026-01-05 12:00 AM",
        "2026-01-04 24:00",
        "2026-01-04 24:00:00",
    ] {
        assert_eq!(
            times(None, None).read(text.as_bytes()),
            Ok(at("2026-01-05T00:00:00")),
            "{text}"
        );
    }
    assert_eq!(
        times(None, None).read(b"1767607200.25"),
        Ok(at("2026-01-05T10:00:00.250"))
    );
    assert_eq!(
        times(None, None).read(b"2026-01-05 10:00:00.123456789Z"),
        Ok(at("2026-01-05T10:00:00.123"))
    );
}

#[test]
fn what_could_mean_two_things_is_refused() {
    for text in ["03/04/2026 10:00", "03-04-2026 10:00"] {
        let reason = times(None, None).read(text.as_bytes()).unwrap_err();
        assert!(reason.contains("--dates dmy"), "{reason}");
        assert_eq!(
            times(None, Some(DateOrder::Dmy)).read(text.as_bytes()),
            Ok(at("2026-04-03T10:00:00"))
        );
        assert_eq!(
            times(None, Some(DateOrder::Mdy)).read(text.as_bytes()),
            Ok(at("2026-03-04T10:00:00"))
        );
    }
    // This may be a date without separators, or seconds since 1970.
    for text in ["2026010510", "20261305", "20260105x"] {
        assert!(times(None, None).read(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn no_times() {
    for text in [
        "",
        "time",
        "-1",
        "-1767607200",
        "12",
        "1.2.3",
        "1767607200.x",
        "2026-13-05 10:00:00",
        "2026-01-05 25:00:00",
        "2026-01-05 24:01",
        "2026-01-05 13:00 PM",
        "2026-01-05 0:30 AM",
        "2026-01-05 10",
        "2026-01-05 10:00:00:00",
        "2026-01-05 10:00:00 PST",
        "2026-01-05T10:00:00+1",
        "26-01-05 10:00",
        "2026-01 10:00",
        "99999999999999999999999",
        "\u{fe0f}2026-01-05",
    ] {
        assert!(times(None, None).read(text.as_bytes()).is_err(), "{text:?}");
    }
    assert!(times(None, None).read(b"\xff\xfe").is_err());
}

#[test]
fn the_future_is_refused() {
    assert!(times(None, None).read(b"2026-06-02T00:00:00").is_ok());
    let reason = times(None, None).read(b"2026-06-02T00:00:01").unwrap_err();
    assert!(reason.contains("24 hours ahead"), "{reason}");
}

#[test]
fn local_times() {
    let mut berlin = times(Some("Europe/Berlin"), None);
    for (text, time) in [
        ("2026-01-05T11:00:00", "2026-01-05T10:00:00"),
        // A time with an offset is not local.
        ("2026-01-05T11:00:00Z", "2026-01-05T11:00:00"),
        ("1767607200", "2026-01-05T10:00:00"),
        ("2025-10-26 01:30", "2025-10-25T23:30:00"),
        ("2025-10-26 03:00", "2025-10-26T02:00:00"),
    ] {
        assert_eq!(berlin.read(text.as_bytes()), Ok(at(time)), "{text}");
    }
    let reason = berlin.read(b"2026-03-29 02:30").unwrap_err();
    assert!(reason.contains("set forward"), "{reason}");
}

#[test]
fn a_label_in_a_repeated_hour_needs_the_other_rows() {
    let mut berlin = times(Some("Europe/Berlin"), None);
    let reason = berlin.read(b"2025-10-26 02:30").unwrap_err();
    assert!(reason.contains("came twice"), "{reason}");
    let label = berlin.label(b"2025-10-26 02:30").unwrap();
    let (first, second) = (at("2025-10-26T00:30:00"), at("2025-10-26T01:30:00"));
    assert_eq!(
        berlin.start(label, When::From),
        Ok(RowWhen {
            when: When::From(first),
            doubt: Some(WhenDoubt::Second(When::From(second))),
        })
    );
}

#[test]
fn ends_on_the_days_when_clocks_change() {
    let mut berlin = times(Some("Europe/Berlin"), None);
    let mut end = |text: &str| {
        let label = berlin.label(text.as_bytes()).unwrap();
        berlin.end(label, When::Until)
    };
    let until = |text: &str| When::Until(at(text));
    // The moment of the change.
    let change = RowWhen::sure(until("2026-03-29T01:00:00"));
    assert_eq!(end("2026-03-29 02:00"), Ok(change));
    assert_eq!(end("2026-03-29 03:00"), Ok(change));
    assert!(matches!(
        end("2026-03-29 02:15"),
        Err(TimeFault::Skipped(_))
    ));
    assert_eq!(
        end("2025-10-26 03:00"),
        Ok(RowWhen {
            when: until("2025-10-26T02:00:00"),
            doubt: Some(WhenDoubt::FirstEnd(until("2025-10-26T01:00:00"))),
        })
    );
}

#[test]
fn a_day_begins_also_where_clocks_skip_its_midnight() {
    let mut beirut = times(Some("Asia/Beirut"), None);
    assert_eq!(beirut.read(b"2025-03-30"), Ok(at("2025-03-29T22:00:00")));
    assert!(beirut.read(b"2025-03-30 00:00").is_err());
}

#[test]
fn names_of_columns_do_not_look_like_times() {
    for cell in ["time", "last_changed", "power 2024", "2024", "W", ""] {
        assert!(!TimeReader::looks_like_one(cell.as_bytes()), "{cell}");
    }
    for cell in ["1357003243", "01/02/2024 10:00:00", "2024-01-01T00:00:00Z"] {
        assert!(TimeReader::looks_like_one(cell.as_bytes()), "{cell}");
    }
}
