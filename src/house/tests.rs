//! Houses against a plain model, across changes of the clocks.

use proptest::prelude::*;

use super::periods::periods;
use super::*;
use crate::domain::{
    Account, AccountName, Measures, Meter, MeterKind, Plan, Price, Reading, Role, Sensor, SensorId,
    Timestamp, Upload, UploadedReading, Zone,
};
use crate::store::{OpenMode, Store, StoreSettings};

fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap()
}

fn id(text: &str) -> SensorId {
    SensorId::new(text).unwrap()
}

fn open(dir: &std::path::Path, sensors: &[(&str, Role, MeterKind)]) -> (Store, Account) {
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
            meter: Meter::new(*register),
            part_of: None,
            silent_after: None,
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

/// A register that rises by one watt-hour each hour.
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
fn each_period_is_compared_with_the_one_before() {
    let dir = tempfile::tempdir().unwrap();
    let (store, account) = open(dir.path(), &[("house", Role::Grid, MeterKind::Net)]);
    // Monday, 10:00 by summer time; the day before had 23 hours.
    let now = at("2026-03-30T08:00:00");
    import(
        &store,
        "house",
        &hourly("2025-02-28T23:00:00", "2026-03-30T08:00:00"),
    );
    let house = House::energies_at(&store, &account, now).unwrap();
    let energies = house.sensors[0].1;
    let [today, yesterday, week, month, year] = energies;
    assert_eq!(both(today), [Some(10.0), Some(9.0)]);
    assert_eq!(both(yesterday), [Some(23.0), Some(24.0)]);
    assert_eq!(both(week), [Some(10.0), Some(10.0)]);
    // 29 days less an hour, and 10 hours. February has no 30th, so all of it counts.
    assert_eq!(
        both(month),
        [Some(29.0 * 24.0 - 1.0 + 10.0), Some(28.0 * 24.0)]
    );
    let january = 31.0 * 24.0;
    let this_year = january + 28.0 * 24.0 + 29.0 * 24.0 - 1.0 + 10.0;
    // Last year the readings begin in March, and the clocks changed on the 30th.
    assert_eq!(
        both(year),
        [Some(this_year), Some(29.0 * 24.0 + 10.0 - 1.0)]
    );
    assert!(year.before.unwrap().is_partial);
    assert!(!year.now.unwrap().is_partial);
    assert_eq!(today.now.unwrap().cost, Some(10.0 / 1_000.0 * 0.5));
    assert_eq!(house.grid, Some(energies));
    assert_eq!((house.solar, house.used), (None, None));
}

#[test]
fn what_is_missing_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = ["a", "b", "c"].map(|id| (id, Role::Grid, MeterKind::Net));
    let (store, account) = open(dir.path(), &sensors);
    // One sensor without readings since yesterday, one with a single register, one without any.
    import(
        &store,
        "a",
        &hourly("2026-07-06T00:00:00", "2026-07-07T10:00:00"),
    );
    import(&store, "b", &[(at("2026-07-08T01:00:00"), 7.0)]);
    let now = at("2026-07-08T08:00:00");
    let house = House::energies_at(&store, &account, now).unwrap();
    let [(_, a), (_, b), (_, c)] = &house.sensors[..] else {
        panic!("three sensors");
    };
    assert_eq!(both(a[0]), [None, Some(10.0)]);
    assert_eq!(both(b[0]), [None, None]);
    assert_eq!(both(c[4]), [None, None]);
    let [today, yesterday, ..] = house.grid.unwrap();
    let yesterday = yesterday.now.unwrap();
    assert_eq!((yesterday.watthours, yesterday.is_partial), (12.0, true));
    assert_eq!(both(today), [None, Some(10.0)]);

    let power = House::power_at(&store, &account.name, now);
    let nothing = PowerNow {
        watts: None,
        presence: Presence::Never,
    };
    assert_eq!((power.sensors[2].1, power.grid), (nothing, Some(nothing)));
}

#[test]
fn what_is_exported_is_taken_off() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("car", Role::BatteryCharge, MeterKind::Counter),
        ("clock", Role::GridImport, MeterKind::Interval),
        ("in", Role::GridImport, MeterKind::Counter),
        ("out", Role::GridExport, MeterKind::Counter),
    ];
    let (store, account) = open(dir.path(), &sensors);
    let now = at("2026-07-08T08:00:00");
    for (sensor, energy, watts) in [
        ("car", 7_000.0, 9.0),
        ("clock", 500.0, 0.0),
        ("in", 30.0, 200.0),
        ("out", 12.0, 50.0),
    ] {
        let times = ["2026-07-07T21:00:00", "2026-07-08T06:00:00"].map(at);
        import(&store, sensor, &[(times[0], 1.0), (times[1], 1.0 + energy)]);
        upload(&store, sensor, watts, now);
    }
    let power = House::power_at(&store, &account.name, now);
    assert_eq!(power.grid.unwrap().watts, Some(150.0));
    let house = House::energies_at(&store, &account, now).unwrap();
    // The values of an interval register are no totals: its energy is not known.
    assert_eq!(both(house.sensors[1].1[0]), [None, None]);
    let today = house.grid.unwrap()[0].now.unwrap();
    assert_eq!((today.watthours, today.is_partial), (18.0, true));
    assert_eq!(today.cost, Some(18.0 / 1_000.0 * 0.5));
    assert_eq!(house.solar, None);
}

#[test]
fn nothing_is_added_twice() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("east", Role::Grid, MeterKind::Net),
        ("heat", Role::SubMeter, MeterKind::Counter),
        ("roof", Role::Solar, MeterKind::Counter),
        ("west", Role::Grid, MeterKind::Net),
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
    let house = House::energies_at(&store, &account, now).unwrap();
    let power = House::power_at(&store, &account.name, now);
    let today = |energies: Option<Energies>| watthours(energies.unwrap()[0].now);
    let watts = |power: Option<PowerNow>| power.unwrap().watts;
    assert_eq!(
        (watts(power.grid), today(house.grid)),
        (Some(400.0), Some(-6.0))
    );
    assert_eq!(
        (watts(power.solar), today(house.solar)),
        (Some(700.0), Some(30.0))
    );
    assert_eq!(
        (watts(power.used), today(house.used)),
        (Some(1_100.0), Some(24.0))
    );
    assert_eq!(house.sensors.len(), 4);
    assert_eq!(watthours(house.sensors[1].1[0].now), Some(15.0));
    assert_eq!(power.sensors[1].1.presence, Presence::Active);

    let sensor = house.sensors[0].0.clone();
    let revoked = Sensor {
        authorized: false,
        ..sensor
    };
    store.put_sensor_durably(revoked).unwrap();
    let later = now.saturating_add_millis(2 * 3_600_000 + 1);
    let power = House::power_at(&store, &account.name, later);
    let sensors = power.sensors.iter();
    let names: Vec<&str> = sensors.map(|(sensor, _)| sensor.id.as_str()).collect();
    assert_eq!(names, ["heat", "roof", "west"]);
    let silent = PowerNow {
        watts: None,
        presence: Presence::SilentSince(now),
    };
    assert_eq!((power.sensors[0].1, power.grid), (silent, Some(silent)));
    // The clock was set back: the uploads came all the same.
    let earlier = now.saturating_add_millis(-3_600_000);
    let power = House::power_at(&store, &account.name, earlier);
    assert_eq!((power.sensors[0].1, power.grid), (silent, Some(silent)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn energies_match_a_plain_model(
        registers in proptest::collection::btree_map(0_i64..1_200, 0_u32..50, 0..200),
        now_minute in 0_i64..1_728_000,
        kind in proptest::sample::select(vec![MeterKind::Net, MeterKind::Counter]),
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
        let house = House::energies_at(&store, &account, now).unwrap();
        let found = house.sensors[0].1;

        let periods = periods(&account.zone, now);
        let expected = periods.map(|range| [range.now, range.before].map(|range| {
            let within = registers.windows(2).filter(|pair| {
                range.start() < pair[1].0 && pair[1].0 <= range.end()
            });
            let energies: Vec<f64> = within
                .map(|pair| match kind {
                    MeterKind::Counter if pair[1].1 < pair[0].1 => pair[1].1,
                    _ => pair[1].1 - pair[0].1,
                })
                .collect();
            (!energies.is_empty()).then(|| energies.iter().sum::<f64>())
        }));
        prop_assert_eq!(found.map(both), expected);
    }
}
