//! Sums of two sensors, one of which begins later and is reset.

use std::path::Path;

use super::super::tests::{house, open};
use super::super::{Course, first_reading};
use super::*;
use crate::domain::{Measures, Meter, Reading, SensorId};

/// Two hours of two sensors, a reading each minute. The one in the west begins ten minutes later and is reset once.
fn east_and_west(dir: &Path, begin: Timestamp) -> (Store, [Sensor; 2]) {
    let store = open(dir, 64);
    let house = store.registry().sensor(&house()).cloned().unwrap();
    let sensors = [("east", MeterKind::Net), ("west", MeterKind::Counter)];
    let sensors = sensors.map(|(id, register)| Sensor {
        id: SensorId::new(id).unwrap(),
        meter: Meter::new(register),
        ..house.clone()
    });
    for sensor in &sensors {
        store.put_sensor_durably(sensor.clone()).unwrap();
    }
    for (sensor, from, sign) in [("east", 0, 1.0), ("west", 10, -0.5)] {
        let readings = (from..120).map(|nth: i32| {
            let shown = match sensor {
                "west" if nth >= 60 => 7.0,
                "west" => 5_000.0,
                _ => f64::from(nth),
            };
            Reading {
                time: begin.saturating_add_millis(i64::from(nth) * 60_000),
                measures: Measures::new(Some(sign * 60.0), Some(shown)).unwrap(),
            }
        });
        store
            .import_durably(&SensorId::new(sensor).unwrap(), readings.collect())
            .unwrap();
    }
    (store, sensors)
}

#[test]
fn several_sensors_are_added_up() {
    let dir = tempfile::tempdir().unwrap();
    let begin = Timestamp::parse("2026-07-07T22:00:00").unwrap();
    let minute = |minutes: i64| begin.saturating_add_millis(minutes * 60_000);
    let (store, sensors) = east_and_west(dir.path(), begin);
    let zone = Zone::parse("Europe/Berlin").unwrap();
    let group = SensorGroup {
        store: &store,
        sensors: &sensors,
        zone: &zone,
    };
    let range = TimeRange::new(begin, minute(120)).unwrap();
    assert_eq!(first_reading(&store, &sensors).unwrap(), Some(begin));
    assert_eq!(
        first_reading(&store, &sensors[1..]).unwrap(),
        Some(minute(10))
    );
    assert_eq!(first_reading(&store, &[]).unwrap(), None);

    let power = group.power(range, 400).unwrap().unwrap();
    let Course::Readings(points) = power.course else {
        panic!("columns")
    };
    // While one of them is silent, the sum is not known.
    assert_eq!((points.len(), points[0].time), (110, minute(10)));
    assert!(points.iter().all(|point| point.value == 30.0));
    assert_eq!((power.peak, power.least.value), (points[0], 30.0));
    assert!((power.mean - 30.0).abs() < 1e-9);
    // By ten minutes, as there is no room for more points.
    assert_eq!(
        group.mean_power(range, Interval::TenMinutes).unwrap().len(),
        11
    );
    let few = group.power(range, 12).unwrap().unwrap().course;
    assert!(matches!(few, Course::Readings(points) if points.len() == 11));

    assert_eq!(group.energy(range).unwrap(), Some(119.0 + 7.0));
    let hours = group.energy_by(range, Interval::Hour).unwrap();
    let hours: Vec<(Timestamp, f64)> = hours.iter().map(|it| (it.time, it.value)).collect();
    // The register at an hour's end counts in that hour.
    assert_eq!(hours, [(begin, 67.0), (minute(60), 59.0)]);
    let resets = group.resets(range, 5).unwrap();
    assert_eq!((resets.count, resets.first[0].time), (1, minute(60)));

    let one = SensorGroup {
        sensors: &sensors[..1],
        ..group
    };
    let alone = one.power(range, 10).unwrap().unwrap();
    assert!(matches!(alone.course, Course::Columns(columns) if columns.len() == 10));
    let later = TimeRange::new(minute(1_000), minute(2_000)).unwrap();
    assert_eq!(group.power(later, 10).unwrap(), None);
    assert_eq!(group.energy_by(later, Interval::Day).unwrap(), []);
}

#[test]
fn the_points_of_a_sum_are_limited() {
    let hour = |hours: i64| Timestamp::from_millis(hours * 3_600_000).unwrap();
    let range = |hours| TimeRange::new(hour(0), hour(hours)).unwrap();
    for (range, columns, expected) in [
        (range(100), 100, Interval::Hour),
        (range(100), 0, Interval::Week),
        // However many are asked for.
        (range(10_000), u32::MAX, Interval::Hour),
        (TimeRange::ALL, u32::MAX, Interval::Year),
        (TimeRange::ALL, 10, Interval::Year),
    ] {
        assert_eq!(interval_for(range, columns), expected, "{columns}");
    }
}
