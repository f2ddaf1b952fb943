//! A database that Home Assistant's own recorder wrote. `make.py` beside it says from what, and
//! this computes it again: two hours with nothing but statistics, and one with its states.

use std::io::Read as _;

use flate2::read::GzDecoder;
use serde_json::json;

use super::{import, stored};
use crate::place::Place;

const PACKED: &[u8] = include_bytes!("../../../fixtures/home-assistant/home-assistant_v2.db.gz");

/// The meter's register in that minute, in watt-hours, as if it had not been exchanged.
fn register(minute: i32) -> f64 {
    let before = 9_410_938 + 13 * minute.min(89);
    let after = if minute < 90 {
        0
    } else {
        200 + 17 * (minute - 90)
    };
    f64::from(before + after)
}

fn power(minute: i32) -> f64 {
    f64::from(minute * 7_919 % 30_001 - 5_000) / 10.0
}

fn at(minute: i32) -> String {
    format!("2026-01-05T{:02}:{:02}:00Z", 10 + minute / 60, minute % 60)
}

/// The values of a sensor that has one measure, with their times.
fn values(place: &Place, sensor: &str) -> Vec<(String, f64)> {
    let rows = stored(place, sensor).into_iter();
    rows.map(|(time, watts, watthours)| (time, watts.or(watthours).unwrap()))
        .collect()
}

#[track_caller]
fn assert_equal(found: &[(String, f64)], expected: &[(String, f64)]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.0, expected.0);
        // Home Assistant adds up kilowatt-hours: far less than a thousandth of a watt-hour is lost.
        assert!(
            (found.1 - expected.1).abs() < 1e-3,
            "{found:?} {expected:?}"
        );
    }
}

#[test]
fn what_its_recorder_wrote_comes_back_value_by_value() {
    let place = Place::new();
    place.prepare();
    let mut database = Vec::new();
    GzDecoder::new(PACKED).read_to_end(&mut database).unwrap();
    place.file("home-assistant_v2.db", &database);
    let add = [
        "sensor",
        "add",
        "power",
        "--account",
        "home",
        "--role",
        "sub-meter",
    ];
    place.ok(&add);
    let series = |name: &str, unit: &str, first: &str, last: &str, values: u32| json!({"series": name, "unit": unit, "values": values, "first": first, "last": last});
    assert_eq!(
        place.json(&["import", "home-assistant_v2.db", "--list"]),
        json!([
            series(
                "sensor.house_energy",
                "kWh",
                "2026-01-05T11:00:00.000Z",
                "2026-01-05T13:00:00.000Z",
                15
            ),
            series(
                "sensor.house_power",
                "W",
                "2026-01-05T10:30:00.000Z",
                "2026-01-05T12:59:00.000Z",
                63
            ),
        ])
    );
    let [energy, power_of] = [
        ["house", "--watthours-column", "sensor.house_energy"],
        ["power", "--watts-column", "sensor.house_power"],
    ];
    for arguments in [energy, power_of] {
        import(
            &place,
            &[&["home-assistant_v2.db", "--sensor"], &arguments[..]].concat(),
        );
    }
    // A register is the one at the end of its hour, or of its five minutes; the meter was read in
    // the last minute.
    let ends = [60, 120].into_iter().chain((125..=180).step_by(5));
    let expected: Vec<_> = ends.map(|end| (at(end), register(end - 1))).collect();
    assert_equal(&values(&place, "house"), &expected);
    // Power is the mean of an hour in the middle of it, and then each state.
    let mean = |hour: i32| {
        let minutes = hour * 60..(hour + 1) * 60;
        (at(hour * 60 + 30), minutes.map(power).sum::<f64>() / 60.0)
    };
    let states = (120..180).map(|minute| (at(minute), power(minute)));
    let expected: Vec<_> = [mean(0), mean(1)].into_iter().chain(states).collect();
    assert_equal(&values(&place, "power"), &expected);
}
