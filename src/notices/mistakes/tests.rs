//! Mistakes in the set-up of a house, and honest houses that look a little like them.

use crate::domain::Role::{
    self, Battery, BatteryCharge, BatteryDischarge, Grid, GridExport, GridImport, Solar, SubMeter,
};
use crate::domain::time::at;
use crate::domain::{MeterKind, Timestamp};
use crate::ledger::notice::NoticeKind::{
    self, GridSwapped, PartsExceedHouse, PowerInKw, RegisterInKwh, SameMeter,
};
use crate::notices::FirstReadings;
use crate::notices::tests::{DAY, Found, MINUTE, after, id};
use crate::query::{Point, first_points};
use crate::store::Measure;

/// The power of a sensor, by the hour of its eight days.
type Course = fn(f64) -> f64;

/// The measures that it sends.
#[derive(Clone, Copy, PartialEq)]
enum Sends {
    Both,
    Power,
    Kilowatts,
    KilowattHours,
    Register,
}

use self::Sends::{Both, KilowattHours, Kilowatts, Power, Register};

const START: &str = "2026-03-02T00:00:00";

fn hour_of_day(hour: f64) -> f64 {
    hour % 24.0
}

/// A house that is lived in: a base load, a fridge, a cooker in the evening.
fn house(hour: f64) -> f64 {
    let fridge = if (hour * 1.7) % 1.0 < 0.4 { 90.0 } else { 0.0 };
    let cooker = if (18.0..18.5).contains(&hour_of_day(hour)) {
        4_000.0
    } else {
        0.0
    };
    210.37 + fridge + cooker + 30.0 * (hour * 3.1).sin()
}

/// Panels, on days with more and with fewer clouds.
fn panels(hour: f64) -> f64 {
    let sun = ((hour_of_day(hour) - 6.0) / 12.0 * std::f64::consts::PI).sin();
    let is_day = (6.0..18.0).contains(&hour_of_day(hour));
    if is_day {
        sun.max(0.0) * (3_000.0 + 900.0 * (hour * 1.3).sin())
    } else {
        0.0
    }
}

fn car(hour: f64) -> f64 {
    if (1.0..5.0).contains(&hour_of_day(hour)) {
        11_000.0
    } else {
        0.0
    }
}

/// A battery: fills by day, gives more at night than the house takes. Charge is positive.
fn battery(hour: f64) -> f64 {
    match hour_of_day(hour) {
        of_day if (9.0..15.0).contains(&of_day) => 1_000.0,
        of_day if !(4.0..20.0).contains(&of_day) => -600.0,
        _ => 0.0,
    }
}

fn net(hour: f64) -> f64 {
    house(hour) - panels(hour)
}

fn net_with_battery(hour: f64) -> f64 {
    net(hour) + battery(hour)
}

/// The open notices after eight days of such a house.
fn found(sensors: &[Measured]) -> Vec<String> {
    let start = at(START);
    let kinds = sensors
        .iter()
        .map(|(name, role, ..)| (*name, *role, MeterKind::usual(*role)));
    let mut found = Found::new(start, &kinds.collect::<Vec<_>>());
    for (name, _, course, sends) in sensors {
        let mut shown = 15_000_000.0;
        for day in 0..8 {
            let readings = (0..288).map(|nth| {
                let hour = f64::from(day) * 24.0 + f64::from(nth) / 12.0;
                let time = after(start, i64::from(day) * DAY + i64::from(nth) * 5 * MINUTE);
                let watts = course(hour);
                let reading = match sends {
                    Sends::Both => (time, Some(watts), Some(shown)),
                    Sends::Power => (time, Some(watts), None),
                    Sends::Kilowatts => (time, Some((watts).round() / 1e3), None),
                    Sends::KilowattHours => (time, Some(watts), Some(shown / 1e3)),
                    Sends::Register => (time, None, Some(shown)),
                };
                shown += watts / 12.0;
                reading
            });
            let arrival = after(start, (i64::from(day) + 1) * DAY);
            found.upload(name, &readings.collect::<Vec<_>>(), arrival);
        }
    }
    let ids = found.ids(after(start, 8 * DAY + MINUTE));
    let of_now = |id: &String| !id.starts_with("unusual") && !id.starts_with("sensor-silent");
    ids.into_iter().filter(of_now).collect()
}

/// A sensor of a house: its id, its role, and its power.
type Measured = (&'static str, Role, Course, Sends);

fn imported(hour: f64) -> f64 {
    net(hour).max(0.0)
}

fn exported(hour: f64) -> f64 {
    (-net(hour)).max(0.0)
}

fn fridge(hour: f64) -> f64 {
    if (hour * 1.7) % 1.0 < 0.4 { 90.0 } else { 0.0 }
}

/// Houses with a mistake, and its notice.
const WITH_MISTAKES: &[(&[Measured], &[&str])] = &[
    // 560 W and 13 Wh a day.
    (
        &[("house", GridImport, house, KilowattHours)],
        &["register-in-kwh:house"],
    ),
    (
        &[("roof", Solar, panels, KilowattHours)],
        &["register-in-kwh:roof"],
    ),
    (
        &[("house", Grid, net, KilowattHours)],
        &["register-in-kwh:house"],
    ),
    (
        &[("house", GridImport, house, Kilowatts)],
        &["power-in-kw:house"],
    ),
    (
        &[
            ("house", GridImport, house, Both),
            ("meter", Grid, house, Both),
        ],
        &["same-meter:meter"],
    ),
    (
        &[
            ("car", SubMeter, car, Power),
            ("wallbox", SubMeter, car, Power),
        ],
        &["same-meter:wallbox"],
    ),
    (
        &[
            ("in", GridImport, exported, Register),
            ("out", GridExport, imported, Register),
        ],
        &["grid-swapped"],
    ),
    // Panels that give less than the house takes.
    (
        &[
            ("in", GridImport, |_| 0.0, Register),
            (
                "out",
                GridExport,
                |hour| house(hour) - panels(hour) / 20.0,
                Register,
            ),
            ("roof", Solar, |hour| panels(hour) / 20.0, Register),
        ],
        &["grid-swapped"],
    ),
    // With a battery that nights say nothing about.
    (
        &[
            (
                "in",
                GridImport,
                |hour| (-net_with_battery(hour) - 2_000.0).max(0.0),
                Register,
            ),
            (
                "out",
                GridExport,
                |hour| net_with_battery(hour).max(0.0) * 9.0,
                Register,
            ),
            ("roof", Solar, panels, Register),
            ("store", Battery, battery, Register),
        ],
        &["grid-swapped"],
    ),
    (
        &[
            ("plug", GridImport, fridge, Both),
            ("car", SubMeter, car, Both),
        ],
        &["parts-exceed-house"],
    ),
];

/// Houses without one.
const HONEST: &[&[Measured]] = &[
    // A small flat.
    &[(
        "flat",
        GridImport,
        |hour| 20.0 + 40.0 * (hour * 2.0).sin().max(0.0),
        Both,
    )],
    // Empty houses: nothing at all, a door bell, the noise of a clamp.
    &[("empty", GridImport, |_| 0.0, Both)],
    &[("bell", GridImport, |_| 2.35, Power)],
    &[("noise", Grid, |hour| 1.37 * (hour * 91.0).sin(), Both)],
    // Panels, fed in by day.
    &[
        ("in", GridImport, imported, Register),
        ("out", GridExport, exported, Register),
        ("roof", Solar, panels, Both),
    ],
    &[("grid", Grid, net, Both), ("roof", Solar, panels, Register)],
    // A battery that feeds in at night.
    &[
        (
            "in",
            GridImport,
            |hour| net_with_battery(hour).max(0.0),
            Both,
        ),
        (
            "out",
            GridExport,
            |hour| (-net_with_battery(hour)).max(0.0),
            Both,
        ),
        ("roof", Solar, panels, Both),
        ("charge", BatteryCharge, |hour| battery(hour).max(0.0), Both),
        (
            "discharge",
            BatteryDischarge,
            |hour| (-battery(hour)).max(0.0),
            Both,
        ),
    ],
    &[
        ("grid", Grid, net_with_battery, Both),
        ("roof", Solar, panels, Both),
        ("store", Battery, battery, Both),
    ],
    // A car, and everything is measured.
    &[
        ("house", GridImport, |hour| house(hour) + car(hour), Both),
        ("car", SubMeter, |hour| car(hour) * 1.02, Both),
        ("rest", SubMeter, |hour| house(hour) * 0.99, Power),
    ],
    // Two strings of one roof, and two lamps of one kind.
    &[
        ("east", Solar, panels, Both),
        (
            "west",
            Solar,
            |hour| panels(hour) * (1.003 + 0.01 * (hour * 2.0).sin()),
            Both,
        ),
    ],
    &[
        ("one", SubMeter, |_| 15.0, Power),
        ("other", SubMeter, |_| 15.0, Power),
    ],
    // Phases of a heater.
    &[
        ("l1", SubMeter, car, Both),
        ("l2", SubMeter, |hour| car(hour) * 1.004, Both),
    ],
];

#[test]
fn mistakes_are_told_with_what_they_are() {
    for (sensors, expected) in WITH_MISTAKES {
        assert_eq!(found(sensors), *expected, "{}", sensors[0].0);
    }
}

#[test]
fn honest_houses_have_no_mistakes() {
    for sensors in HONEST {
        assert_eq!(found(sensors), Vec::<String>::new(), "{}", sensors[0].0);
    }
}

#[test]
fn a_mistake_is_over_once_it_is_put_right() {
    let start = at(START);
    let mut house = Found::new(start, &[("house", Role::GridImport, MeterKind::Counter)]);
    let day = |day: i64, factor: f64| {
        let begin = f64::from(i32::try_from(day).unwrap()) * 24.0 * 560.0;
        let readings = (0..1_440_i32).map(move |minute| {
            let time = after(start, day * DAY + i64::from(minute) * MINUTE);
            let shown = begin + f64::from(minute) * 560.0 / 60.0;
            (time, Some(560.0), Some((2e6 + shown) * factor))
        });
        readings.collect::<Vec<_>>()
    };
    for nth in 0..2 {
        house.upload("house", &day(nth, 1e-3), after(start, (nth + 1) * DAY));
    }
    let told = vec!["register-in-kwh:house".to_owned()];
    assert_eq!(house.ids(after(start, 2 * DAY + MINUTE)), told);
    assert_eq!(
        house.known(&told[0]).unwrap().notice.happened,
        "The register of house seems to be in kWh, not in Wh."
    );
    // The other way round is not a drift, but the other unit.
    for nth in 2..5 {
        house.upload("house", &day(nth, 1.0), after(start, (nth + 1) * DAY));
    }
    let ids = house.ids(after(start, 5 * DAY + MINUTE));
    assert!(!ids.contains(&told[0]), "{ids:?}");
}

/// The kinds of mistakes that the first readings of `sensor` show.
fn first(house: &Found, sensor: &str, now: Timestamp) -> Vec<NoticeKind> {
    let registry = house.store.registry();
    let sensor = registry.sensor(&id(sensor)).unwrap();
    let first = |measure| first_points(&house.store, &sensor.id, measure, 500).unwrap();
    let (watts, watthours): (Vec<Point>, Vec<Point>) =
        (first(Measure::Watts), first(Measure::Watthours));
    let (watts, watthours) = (&*watts, &*watthours);
    let first = FirstReadings {
        sensor,
        watts,
        watthours,
    };
    let found = first.mistakes(&house.store, now).unwrap();
    found.into_iter().map(|it| it.kind).collect()
}

const NIGHT: &str = "2026-03-02T23:00:00";
const NOON: &str = "2026-03-02T12:00:00";

/// Power, and the register's course, of each sensor in ten minutes.
type FirstOf = (&'static str, Role, f64, Option<(f64, f64)>);

/// The first readings of houses, and the mistakes that those of the sensor `a` show.
const FIRST_READINGS: &[(&[FirstOf], &str, &[NoticeKind])] = &[
    (
        &[("a", GridImport, 560.0, Some((15_363.215, 1e-3)))],
        NOON,
        &[RegisterInKwh],
    ),
    (
        &[("a", Solar, 560.0, Some((15_363.215, 1e-3)))],
        NOON,
        &[RegisterInKwh],
    ),
    (&[("a", GridImport, 0.563, None)], NOON, &[PowerInKw]),
    (&[("a", SubMeter, 0.563, None)], NOON, &[]),
    (
        &[("a", GridImport, 560.0, Some((15_363_215.0, 1.0)))],
        NOON,
        &[],
    ),
    (
        &[
            ("b", Grid, 560.0, Some((15_363_215.0, 1.0))),
            ("a", GridImport, 570.0, Some((15_363_217.0, 1.0))),
        ],
        NOON,
        &[SameMeter],
    ),
    (
        &[("b", Solar, 561.5, None), ("a", Solar, 561.5, None)],
        NOON,
        &[SameMeter],
    ),
    (
        &[("b", Solar, 561.5, None), ("a", SubMeter, 561.5, None)],
        NOON,
        &[],
    ),
    // Fed in while the panels give nothing; at night there need not be any.
    (
        &[("b", Solar, 0.0, None), ("a", GridExport, 700.0, None)],
        NOON,
        &[GridSwapped],
    ),
    (
        &[("b", Solar, 900.0, None), ("a", GridExport, 700.0, None)],
        NOON,
        &[],
    ),
    (&[("a", GridExport, 700.0, None)], NIGHT, &[GridSwapped]),
    (&[("a", Grid, -700.0, None)], NIGHT, &[GridSwapped]),
    (&[("a", Grid, 700.0, None)], NIGHT, &[]),
    (&[("a", GridExport, 700.0, None)], NOON, &[]),
    (
        &[("b", Battery, -900.0, None), ("a", GridExport, 700.0, None)],
        NIGHT,
        &[],
    ),
    (
        &[("b", SubMeter, 900.0, None), ("a", GridImport, 70.0, None)],
        NOON,
        &[PartsExceedHouse],
    ),
    (
        &[("b", SubMeter, 900.0, None), ("a", GridImport, 970.0, None)],
        NOON,
        &[],
    ),
    (
        &[
            ("c", Solar, 900.0, None),
            ("b", SubMeter, 900.0, None),
            ("a", Grid, 70.0, None),
        ],
        NOON,
        &[],
    ),
];

#[test]
fn the_first_readings_show_mistakes() {
    for (sensors, time, expected) in FIRST_READINGS {
        let time = &at(*time);
        let kinds = sensors
            .iter()
            .map(|it| (it.0, it.1, MeterKind::usual(it.1)));
        let house = Found::new(*time, &kinds.collect::<Vec<_>>());
        for (name, _, watts, register) in *sensors {
            let readings = (0..=10_i32).map(|minute| {
                let watts = watts * (1.0 + 0.01 * f64::from(minute % 3));
                let energy = watts * f64::from(minute) / 60.0;
                let shown = register.map(|(shown, factor)| shown + energy * factor);
                (after(*time, i64::from(minute) * MINUTE), Some(watts), shown)
            });
            house.upload(
                name,
                &readings.collect::<Vec<_>>(),
                after(*time, 10 * MINUTE),
            );
        }
        let told = first(&house, "a", after(*time, 11 * MINUTE));
        assert_eq!(told, *expected, "{sensors:?}");
    }
}
