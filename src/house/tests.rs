//! Houses against a plain model, over changes of clocks.

use proptest::prelude::*;

use super::*;
use crate::domain::account::{AccountName, Plan};
use crate::domain::calendar::Zone;
use crate::domain::interval::Interval;
use crate::domain::price::Price;
use crate::domain::reading::{Measures, Reading, Upload, UploadedReading};
use crate::domain::role::RegisterKind;
use crate::domain::time::TimeRange;
use crate::query::power::Course;
use crate::store::{OpenMode, StoreSettings};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn id(text: &str) -> SensorId {
    SensorId::new(text).unwrap()
}

fn open(dir: &std::path::Path, sensors: &[(&str, Role, RegisterKind)]) -> (Store, Account) {
    let settings = StoreSettings {
        block_readings: 64,
        ..StoreSettings::default()
    };
    let store = Store::open(dir, settings, OpenMode::CreateIfMissing).unwrap();
    let created = at("2020-01-01T00:00:00");
    let account = Account {
        name: AccountName::new("home").unwrap(),
        plan: Plan::Paid,
        zone: Zone::parse("Europe/Berlin").unwrap(),
        price: Some(Price::parse("0.5", "€").unwrap()),
        created,
    };
    store.put_account_durably(account.clone()).unwrap();
    for (name, role, register) in sensors {
        let sensor = Sensor {
            id: id(name),
            account: account.name.clone(),
            name: (*name).to_owned(),
            authorized: true,
            role: *role,
            register: *register,
            created,
        };
        store.put_sensor_durably(sensor).unwrap();
    }
    (store, account)
}

fn import(store: &Store, sensor: &str, registers: &[(Timestamp, f64)]) {
    let readings = registers.iter().map(|&(time, watthours)| Reading {
        time,
        measures: Measures::new(None, Some(watthours)).unwrap(),
    });
    store
        .import_durably(&id(sensor), readings.collect())
        .unwrap();
}

fn upload(store: &Store, sensor: &str, watts: f64, time: Timestamp) {
    let reading = UploadedReading {
        time: Some(time),
        measures: Measures::new(Some(watts), None).unwrap(),
    };
    let upload = Upload::new(id(sensor), vec![reading]).unwrap();
    store.append_durably_blocking(upload, time).unwrap();
}

fn watthours(energy: Option<Energy>) -> Option<f64> {
    energy.map(|energy| energy.watthours)
}

fn both(comparison: Comparison) -> [Option<f64>; 2] {
    [comparison.now, comparison.before].map(watthours)
}

/// A register that rises by one each hour from one time to another.
fn hourly(from: &str, to: &str) -> Vec<(Timestamp, f64)> {
    let (from, to) = (at(from), at(to));
    let hours = 0..=(to.millis() - from.millis()) / 3_600_000;
    let time = |hour: i64| from.saturating_add_millis(hour * 3_600_000);
    hours
        .zip(0_u32..)
        .map(|(hour, count)| (time(hour), f64::from(count)))
        .collect()
}

#[test]
fn each_period_stands_against_the_one_before() {
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = open(dir.path(), &[("house", Role::Grid, RegisterKind::Net)]);
    // An hour of summer time on the day after one of 23 hours: 10:00 on a Monday.
    let now = at("2026-03-30T08:00:00");
    import(
        &store,
        "house",
        &hourly("2025-02-28T23:00:00", "2026-03-30T08:00:00"),
    );
    let house = House::at(&store, &account, now).unwrap();
    let energies = house.sensors[0].energies;
    assert_eq!(both(energies.today), [Some(10.0), Some(9.0)]);
    assert_eq!(both(energies.yesterday), [Some(23.0), Some(24.0)]);
    assert_eq!(both(energies.week), [Some(10.0), Some(10.0)]);
    // 30 days less an hour and 10; February, which has no 30th.
    assert_eq!(
        both(energies.month),
        [Some(29.0 * 24.0 - 1.0 + 10.0), Some(28.0 * 24.0)]
    );
    let january = 31.0 * 24.0;
    let this_year = january + 28.0 * 24.0 + 29.0 * 24.0 - 1.0 + 10.0;
    // A year before the readings begin in March, and the clocks changed on the 30th.
    assert_eq!(
        both(energies.year),
        [Some(this_year), Some(29.0 * 24.0 + 10.0 - 1.0)]
    );
    assert!(energies.year.before.unwrap().is_partial);
    assert!(!energies.year.now.unwrap().is_partial);
    assert_eq!(energies.today.now.unwrap().cost, Some(10.0 / 1_000.0 * 0.5));
    assert_eq!(house.grid.unwrap().energies, energies);
    assert_eq!((house.solar, house.used), (None, None));
}

#[test]
fn what_is_missing_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = ["a", "b", "c"].map(|id| (id, Role::Grid, RegisterKind::Net));
    let (store, account) = open(dir.path(), &sensors);
    // Nothing since yesterday; one register alone; nothing ever.
    import(
        &store,
        "a",
        &hourly("2026-07-06T00:00:00", "2026-07-07T10:00:00"),
    );
    import(&store, "b", &[(at("2026-07-08T01:00:00"), 7.0)]);
    let house = House::at(&store, &account, at("2026-07-08T08:00:00")).unwrap();
    let [a, b, c] = &house.sensors[..] else {
        panic!("three sensors");
    };
    assert_eq!(both(a.energies.today), [None, Some(10.0)]);
    assert_eq!(both(b.energies.today), [None, None]);
    assert_eq!(both(c.energies.year), [None, None]);
    assert_eq!(
        c.live,
        Live {
            power: None,
            presence: Presence::Never
        }
    );
    let grid = house.grid.unwrap();
    let yesterday = grid.energies.yesterday.now.unwrap();
    assert_eq!((yesterday.watthours, yesterday.is_partial), (12.0, true));
    assert_eq!(
        (grid.watts, both(grid.energies.today)),
        (None, [None, Some(10.0)])
    );
}

#[test]
fn nothing_is_added_twice() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("east", Role::Grid, RegisterKind::Net),
        ("heat", Role::SubMeter, RegisterKind::Counter),
        ("roof", Role::Solar, RegisterKind::Counter),
        ("west", Role::Grid, RegisterKind::Net),
    ];
    let (store, account) = open(dir.path(), &sensors);
    let now = at("2026-07-08T08:00:00");
    for (sensor, registers, watts) in [
        ("east", [100.0, 90.0], 500.0),
        ("heat", [5.0, 20.0], 300.0),
        // A reset.
        ("roof", [40.0, 30.0], 700.0),
        ("west", [0.0, 4.0], -100.0),
    ] {
        let times = ["2026-07-07T21:00:00", "2026-07-08T06:00:00"].map(at);
        import(
            &store,
            sensor,
            &[(times[0], registers[0]), (times[1], registers[1])],
        );
        upload(&store, sensor, watts, now);
    }
    let house = House::at(&store, &account, now).unwrap();
    let told = |total: Option<Total>| {
        let total = total.unwrap();
        (total.watts, watthours(total.energies.today.now))
    };
    assert_eq!(told(house.grid), (Some(400.0), Some(-6.0)));
    assert_eq!(told(house.solar), (Some(700.0), Some(30.0)));
    assert_eq!(told(house.used), (Some(1_100.0), Some(24.0)));
    assert_eq!(house.sensors.len(), 4);
    assert_eq!(watthours(house.sensors[1].energies.today.now), Some(15.0));
    assert_eq!(house.sensors[1].live.presence, Presence::Active);

    let sensor = house.sensors[0].sensor.clone();
    let revoked = Sensor {
        authorized: false,
        ..sensor
    };
    store.put_sensor_durably(revoked).unwrap();
    let later = now.saturating_add_millis(2 * 3_600_000 + 1);
    let house = House::at(&store, &account, later).unwrap();
    let names: Vec<&str> = house
        .sensors
        .iter()
        .map(|it| it.sensor.id.as_str())
        .collect();
    assert_eq!(names, ["heat", "roof", "west"]);
    assert_eq!(house.sensors[0].live.presence, Presence::SilentSince(now));
    assert_eq!(
        (house.sensors[0].live.power, house.grid.unwrap().watts),
        (None, None)
    );
}

/// Two hours of two sensors at the grid, a reading each minute. The one in the west begins ten minutes later and is reset once.
fn east_and_west(dir: &std::path::Path, begin: Timestamp) -> (Store, Account) {
    let both = [
        ("east", Role::Grid, RegisterKind::Net),
        ("west", Role::Grid, RegisterKind::Counter),
    ];
    let (store, account) = open(dir, &both);
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
            .import_durably(&id(sensor), readings.collect())
            .unwrap();
    }
    (store, account)
}

#[test]
fn courses_of_several_sensors_are_added_up() {
    let dir = tempfile::tempdir().unwrap();
    let begin = at("2026-07-07T22:00:00");
    let minute = |minutes: i64| begin.saturating_add_millis(minutes * 60_000);
    let (store, account) = east_and_west(dir.path(), begin);
    let registry = store.registry();
    let sensors: Vec<Sensor> = sensors_of(&registry, &account.name).cloned().collect();
    let courses = Courses {
        store: &store,
        sensors: &sensors,
        zone: &account.zone,
    };
    let range = TimeRange::new(begin, minute(120)).unwrap();
    assert_eq!(first_reading(&store, &sensors).unwrap(), Some(begin));
    assert_eq!(
        first_reading(&store, &sensors[1..]).unwrap(),
        Some(minute(10))
    );
    assert_eq!(first_reading(&store, &[]).unwrap(), None);

    let power = courses.power(range, 400).unwrap().unwrap();
    let Course::Readings(points) = power.course else {
        panic!("columns")
    };
    // Where one of them is silent nothing is known of both.
    assert_eq!((points.len(), points[0].time), (110, minute(10)));
    assert!(points.iter().all(|point| point.value == 30.0));
    assert_eq!((power.peak, power.least.value), (points[0], 30.0));
    assert!((power.mean - 30.0).abs() < 1e-9);
    // By ten minutes, where there is no room for more.
    assert_eq!(
        courses
            .mean_power(range, Interval::TenMinutes)
            .unwrap()
            .len(),
        11
    );
    let few = courses.power(range, 12).unwrap().unwrap().course;
    assert!(matches!(few, Course::Readings(points) if points.len() == 11));

    assert_eq!(courses.energy(range).unwrap(), Some(119.0 + 7.0));
    let hours = courses.energy_by(range, Interval::Hour).unwrap();
    let hours: Vec<(Timestamp, f64)> = hours.iter().map(|it| (it.time, it.value)).collect();
    // The register at an hour's end is of that hour.
    assert_eq!(hours, [(begin, 67.0), (minute(60), 59.0)]);
    let resets = courses.resets(range, 5).unwrap();
    assert_eq!((resets.len(), resets[0].time), (1, minute(60)));

    let one = Courses {
        sensors: &sensors[..1],
        ..courses
    };
    let alone = one.power(range, 10).unwrap().unwrap();
    assert!(matches!(alone.course, Course::Columns(columns) if columns.len() == 10));
    let later = TimeRange::new(minute(1_000), minute(2_000)).unwrap();
    assert_eq!(courses.power(later, 10).unwrap(), None);
    assert_eq!(courses.energy_by(later, Interval::Day).unwrap(), []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn energies_are_what_a_plain_model_says(
        registers in proptest::collection::btree_map(0_i64..1_200, 0_u32..50, 0..200),
        now_minute in 0_i64..1_728_000,
        kind in proptest::sample::select(RegisterKind::ALL.to_vec()),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (store, account) = open(dir.path(), &[("house", Role::Grid, kind)]);
        let begin = at("2025-01-01T00:00:00");
        let minutes = |minutes: i64| begin.saturating_add_millis(minutes * 60_000);
        let registers: Vec<(Timestamp, f64)> = registers
            .into_iter()
            .map(|(nth, shown)| (minutes(nth * 1_440 + (nth * 577) % 1_440), f64::from(shown)))
            .collect();
        import(&store, "house", &registers);
        let now = minutes(now_minute);
        let house = House::at(&store, &account, now).unwrap();
        let found = house.sensors[0].energies;

        let periods = Periods::new(&account.zone, now);
        let expected = periods.ranges.map(|range| [range.now, range.before].map(|range| {
            let within = registers.windows(2).filter(|pair| {
                range.start() < pair[1].0 && pair[1].0 <= range.end()
            });
            let energies: Vec<f64> = within
                .map(|pair| match kind {
                    RegisterKind::Counter if pair[1].1 < pair[0].1 => pair[1].1,
                    _ => pair[1].1 - pair[0].1,
                })
                .collect();
            (!energies.is_empty()).then(|| energies.iter().sum::<f64>())
        }));
        let found = [found.today, found.yesterday, found.week, found.month, found.year];
        prop_assert_eq!(found.map(both), expected);
    }
}
