//! `wattkeeper export`.

use std::io::Read as _;

use crate::place::{Place, both_ways, wait};

const READINGS: &str = "time,watts,watthours\n\
    1969-12-31T23:59:59.999Z,-0,\n\
    2026-01-05T10:00:00.000Z,234,0.1\n\
    2026-01-05T10:00:00.001Z,,-1234.5678901234567\n\
    2026-01-05T10:01:00.000Z,0.30000000000000004,1e+20\n";

#[test]
fn what_import_takes_back_identical() {
    both_ways(|place| {
        place.prepare();
        place.ok(&[
            "sensor",
            "add",
            "copy",
            "--account",
            "home",
            "--role",
            "sub-meter",
        ]);
        for format in ["csv", "ndjson"] {
            let import = |sensor: &str, text: &str| {
                let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", sensor]);
                assert_eq!(run.status, 0, "{run:?}");
            };
            import("house", READINGS);
            let exported = place.ok(&["export", "--sensor", "house", "--format", format]);
            if format == "csv" {
                assert_eq!(exported, READINGS);
            } else {
                let first = exported.lines().next().unwrap();
                assert_eq!(
                    first,
                    "{\"time\":\"1969-12-31T23:59:59.999Z\",\"watts\":-0}"
                );
            }
            import("copy", &exported);
            assert_eq!(place.ok(&["export", "--sensor", "copy"]), READINGS);
        }
    });
}

#[test]
fn ranges_have_both_ends() {
    let place = Place::new();
    place.prepare();
    place.run_on(READINGS.as_bytes(), &["import", "-", "--sensor", "house"]);
    let times = |range: &[&str]| {
        let text = place.ok(&[&["export", "--sensor", "house"], range].concat());
        let rows = text.lines().skip(1);
        rows.map(|row| row[..24].to_owned()).collect::<Vec<_>>()
    };
    let all: Vec<_> = READINGS.lines().skip(1).map(|row| &row[..24]).collect();
    assert_eq!(times(&[]), all);
    assert_eq!(
        times(&["--start", "2026-01-05T11:00:00.001+01:00"]),
        all[2..]
    );
    assert_eq!(times(&["--end", "2026-01-05T10:00:00.001"]), all[..3]);
    assert_eq!(
        times(&[
            "--start",
            "2026-01-05T10:00:00",
            "--end",
            "2026-01-05T10:00:00"
        ]),
        all[1..2]
    );
    assert_eq!(
        times(&["--start", "2026-01-05", "--end", "2026-01-06"]),
        all[1..]
    );
    assert!(times(&["--start", "2026-01-06"]).is_empty());
}

/// More than a page of readings, a minute apart.
fn many() -> String {
    let mut text = "time,watts,watthours\n".to_owned();
    for minute in 0..40_000 {
        let (hours, minutes) = (minute / 60, minute % 60);
        let (day, hour) = (hours / 24, hours % 24);
        let row = format!(
            "2026-{:02}-{:02}T{hour:02}:{minutes:02}:00.000Z,{minute},\n",
            1 + day / 28,
            1 + day % 28
        );
        text.push_str(&row);
    }
    text
}

#[test]
fn many_pages() {
    both_ways(|place| {
        place.prepare();
        let text = many();
        let run = place.run_on(text.as_bytes(), &["import", "-", "--sensor", "house"]);
        assert_eq!(run.status, 0, "{run:?}");
        assert_eq!(place.ok(&["export", "--sensor", "house"]), text);
    });
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Place::new();
    place.prepare();
    place.run_on(many().as_bytes(), &["import", "-", "--sensor", "house"]);
    let mut child = place
        .command(&["export", "--sensor", "house"])
        .spawn()
        .unwrap();
    let mut start = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut start).unwrap();
    assert_eq!(&start, b"time,watts");
    assert_eq!(wait(&mut child), Some(0));
    let mut said = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut said)
        .unwrap();
    assert_eq!(said, "");
}

#[test]
fn an_empty_sensor_has_a_header_and_an_unknown_one_none() {
    both_ways(|place| {
        place.prepare();
        assert_eq!(
            place.ok(&["export", "--sensor", "house"]),
            "time,watts,watthours\n"
        );
        assert_eq!(
            place.ok(&["export", "--sensor", "house", "--format", "ndjson"]),
            ""
        );
        assert!(place.error(&["export", "--sensor", "x"]).contains("\"x\""));
    });
}
