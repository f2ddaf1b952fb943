//! Sums of two sensors; one begins later and is reset.

use std::path::Path;

use super::super::tests::open;
use super::*;
use crate::domain::{Measures, MeterKind, Reading, Sensor, SensorId};
use crate::query::{Course, first_reading};

/// Two hours of two sensors, a reading each minute. The one in the west begins ten minutes later
/// and is reset once.
fn east_and_west(dir: &Path, begin: Timestamp) -> (Store, [Sensor; 2]) {
    let sensors = [("east", MeterKind::Net), ("west", MeterKind::Counter)];
    let (store, _) = open(dir, &sensors.map(|(id, kind)| (id, Role::Grid, kind)));
    let sensors = sensors.map(|(id, _)| {
        let id = SensorId::new(id).unwrap();
        store.registry().sensor(&id).cloned().unwrap()
    });
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
    let of = |sensors: &[Sensor]| HouseSensors::these(&store, sensors.iter(), begin).unwrap();
    let both = of(&sensors);
    let group = SensorGroup {
        store: &store,
        house: &both,
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
    let (hours, resets) = group.energy_by(range, Interval::Hour, 5).unwrap();
    let bar = |start, watthours, known_minutes: i32| EnergyBar {
        start,
        watthours,
        estimated: 0.0,
        known: f64::from(known_minutes) / 120.0,
    };
    // The sensor in the west is ten minutes late, and the last readings of both are a minute older
    // than the end.
    let expected = [bar(begin, 67.0, 110), bar(minute(60), 59.0, 118)];
    assert_eq!(hours, expected);
    let (tens, _) = group.energy_by(range, Interval::TenMinutes, 5).unwrap();
    // Half of the first ten minutes: those of one sensor.
    assert_eq!((tens[0].known, tens[1].known), (0.5, 1.0));
    assert_eq!((resets.count, resets.first[0].time), (1, minute(60)));

    let east = of(&sensors[..1]);
    let one = SensorGroup {
        house: &east,
        ..group
    };
    let alone = one.power(range, 10).unwrap().unwrap();
    assert!(matches!(alone.course, Course::Columns(columns) if columns.len() == 10));
    let later = TimeRange::new(minute(1_000), minute(2_000)).unwrap();
    assert_eq!(group.power(later, 10).unwrap(), None);
    let (bars, _) = group.energy_by(later, Interval::Day, 5).unwrap();
    assert_eq!(bars, []);
}

#[test]
fn what_a_house_uses_is_grid_and_panels_less_what_its_battery_takes() {
    let dir = tempfile::tempdir().unwrap();
    let roles = [
        ("battery", Role::BatteryCharge, 20),
        ("grid", Role::GridImport, 100),
        ("out", Role::GridExport, 5),
        ("roof", Role::Solar, 50),
    ];
    let (store, account) = open(
        dir.path(),
        &roles.map(|(id, role, _)| (id, role, MeterKind::Counter)),
    );
    let hour = |hours: i64| Timestamp::from_millis(hours * 3_600_000).unwrap();
    for (sensor, _, hourly) in roles {
        // The meter at the grid begins an hour later.
        let from = i32::from(sensor == "grid");
        let readings = (from..=3).map(|nth| Reading {
            time: hour(i64::from(nth)),
            measures: Measures::new(Some(f64::from(hourly)), Some(f64::from(nth * hourly)))
                .unwrap(),
        });
        let id = SensorId::new(sensor).unwrap();
        store.import_durably(&id, readings.collect()).unwrap();
    }
    let sensors: Vec<Sensor> = store.registry().sensors().cloned().collect();
    let house = HouseSensors::these(&store, sensors.iter(), hour(3)).unwrap();
    let group = SensorGroup {
        store: &store,
        house: &house,
        zone: &account.zone,
    };
    let range = |from, to| TimeRange::new(hour(from), hour(to)).unwrap();
    let power = group.power(range(0, 3), 400).unwrap().unwrap();
    assert_eq!((power.peak.value, power.least.value), (125.0, 125.0));
    // Without the grid's meter, nobody knows.
    let (bars, _) = group.energy_by(range(0, 3), Interval::Hour, 5).unwrap();
    let bars: Vec<_> = bars.iter().map(|it| (it.start, it.watthours)).collect();
    assert_eq!(bars, [(hour(1), 125.0), (hour(2), 125.0)]);
    assert_eq!(group.energy(range(1, 3)).unwrap(), Some(250.0));
    assert_eq!(group.energy(range(0, 1)).unwrap(), None);
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
