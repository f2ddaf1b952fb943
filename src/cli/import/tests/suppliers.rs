//! The examples of formats in `imports/`, made up, each with its expected readings beside it: in
//! `NAME.expected`, or in `NAME.ROLE.expected` for a sensor of that role.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::*;
use crate::domain::{MeterKind, Role};
use crate::ingest::file::ImportTarget;

fn sensor(role: Role, register: MeterKind) -> ImportTarget {
    ImportTarget {
        sensor: "x".to_owned(),
        register,
        role,
        plausible: 25_000,
    }
}

fn lines(readings: Vec<Shown>) -> String {
    let line = |(time, watts, watthours): Shown| {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |it| it.to_string());
        let (time, watts) = (time.replace(".000Z", "Z"), number(watts));
        format!("{time} {watts} {}\n", number(watthours))
    };
    readings.into_iter().map(line).collect()
}

#[test]
fn files_of_suppliers_are_read_without_any_option() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root.join("tests/fixtures/imports")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "expected") {
            continue;
        }
        let shown = path.display();
        // Its interface does not say which end of an interval a time is.
        let asks = path.file_stem().is_some_and(|stem| stem == "gb-n3rgy");
        let options: &[&str] = if asks { &["--times", "end"] } else { &[] };
        let text = fs::read(&path).unwrap();
        let mut is_expected = false;
        for role in std::iter::once(None).chain(Role::ALL.map(Some)) {
            let of = role.map_or_else(String::new, |role| format!("{}.", role.as_str()));
            let Ok(expected) = fs::read_to_string(path.with_extension(format!("{of}expected")))
            else {
                continue;
            };
            // The first register that the file is for.
            let mut read = [MeterKind::Interval, MeterKind::Counter].map(|register| {
                let sensor = role.map(|role| sensor(role, register));
                check_for(sensor, &text, options)
            });
            let [intervals, registers] = &mut read;
            let readings = if intervals.is_ok() {
                intervals
            } else {
                registers
            };
            match readings {
                Ok((_, readings)) => {
                    assert_eq!(lines(std::mem::take(readings)), expected, "{shown} {of}");
                }
                Err(error) => panic!("{shown} {of}: {error:#}"),
            }
            is_expected = true;
        }
        assert!(is_expected, "{shown} has no expected readings");
        found.insert(path.file_stem().unwrap().to_owned());
    }
    for entry in fs::read_dir(root.join("imports")).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap();
        let is_known = stem == "words" || found.contains(stem);
        assert!(is_known, "{} has no file", path.display());
    }
}
