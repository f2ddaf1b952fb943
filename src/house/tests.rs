//! Houses against a plain model, across changes of the clocks.

use proptest::prelude::*;

use super::periods::periods;
use super::*;
pub(super) use crate::domain::time::at;
use crate::domain::{
    Account, AccountName, Against, Interval, Measures, Meter, MeterKind, MicroWh, Phases, Plan,
    Reading, Role, Sensor, SensorId, SentParts, Sign, TimeRange, Timestamp, Upload,
    UploadedReading, WeekStart, Zone,
};
use crate::ledger::contract::{ContractChange, FlatContract, FlatTerms};
use crate::ledger::{Author, Correction, Fact, Made};
use crate::store::{OpenMode, Store, StoreSettings};

pub(crate) fn id(text: &str) -> SensorId {
    SensorId::new(text).unwrap()
}

pub(crate) fn open(dir: &std::path::Path, sensors: &[(&str, Role, MeterKind)]) -> (Store, Account) {
    let settings = StoreSettings {
        block_readings: 64,
        ..StoreSettings::default()
    };
    let store = Store::open_anywhere(dir, settings, OpenMode::CreateIfMissing).unwrap();
    let created = at("2020-01-01T00:00:00");
    let account = Account {
        name: AccountName::new("home").unwrap(),
        plan: Plan::Paid,
        zone: Zone::parse("Europe/Berlin").unwrap(),
        phases: Phases::default(),
        created,
    };
    store
        .edit({
            let account = account.clone();
            move |edit| edit.put_account(account)
        })
        .unwrap();
    let terms = FlatTerms {
        price: "0.5",
        currency: "€",
        ..FlatTerms::default()
    };
    let contract = FlatContract::new(terms).unwrap().contract();
    let put = ContractChange::Put(Box::new(contract));
    store
        .edit({
            let name = account.name.clone();
            move |edit| edit.change_contracts(&name, put)
        })
        .unwrap();
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
            is_announced: true,
            sent_parts: SentParts::default(),
            created,
        };
        store.put_sensor_durably(sensor).unwrap();
    }
    (store, account)
}

pub(crate) fn import(store: &Store, sensor: &str, registers: &[(Timestamp, f64)]) {
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
    let house = HouseEnergies::at(&store, &account, now).unwrap();
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
fn panels_that_are_late_do_not_empty_the_comparison_of_a_year() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("house", Role::GridImport, MeterKind::Counter),
        ("roof", Role::Solar, MeterKind::Counter),
    ];
    let (store, account) = open(dir.path(), &sensors);
    let now = at("2026-03-30T08:00:00");
    for (sensor, until) in [
        ("house", now),
        ("roof", now.saturating_add_millis(-3_600_000)),
    ] {
        let shown = hourly("2024-12-31T23:00:00", &until.to_string());
        import(&store, sensor, &shown);
    }
    let [today, .., year] = HouseEnergies::at(&store, &account, now)
        .unwrap()
        .used
        .unwrap();
    let [now, before] = [year.now, year.before].map(Option::unwrap);
    assert!(now.is_partial && now.is_comparable && before.is_comparable);
    // Of today it is more than a hundredth.
    assert!(!today.now.unwrap().is_comparable);
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
    let house = HouseEnergies::at(&store, &account, now).unwrap();
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

    let power = HousePower::at(&store, &account.name, now).unwrap();
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
        let times = ["2026-07-07T22:00:00", "2026-07-08T06:00:00"].map(at);
        import(&store, sensor, &[(times[0], 1.0), (times[1], 1.0 + energy)]);
        upload(&store, sensor, watts, now);
    }
    let power = HousePower::at(&store, &account.name, now).unwrap();
    assert_eq!(power.grid.unwrap().watts, Some(150.0));
    // Energy into the car's battery is no consumption of the house.
    assert_eq!(power.battery.unwrap().watts, Some(9.0));
    assert_eq!(power.used.unwrap().watts, Some(141.0));
    let house = HouseEnergies::at(&store, &account, now).unwrap();
    // Each value of an interval register is an energy.
    assert_eq!(both(house.sensors[1].1[0]), [Some(501.0), None]);
    let today = house.grid.unwrap()[0].now.unwrap();
    // After six o'clock no register came.
    assert_eq!((today.watthours, today.is_partial), (519.0, true));
    // Export is not paid.
    assert_eq!(today.cost, Some(531.0 / 1_000.0 * 0.5));
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
        let times = ["2026-07-07T22:00:00", "2026-07-08T06:00:00"].map(at);
        import(
            &store,
            sensor,
            &[(times[0], registers[0]), (times[1], registers[1])],
        );
        upload(&store, sensor, watts, now);
    }
    let house = HouseEnergies::at(&store, &account, now).unwrap();
    let power = HousePower::at(&store, &account.name, now).unwrap();
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
    // The meters at the grid fed back more than they took.
    let own = house.used.unwrap()[0].now.unwrap().own;
    assert!(own.is_some_and(|own| (0.8..=1.0).contains(&own)), "{own:?}");
    assert_eq!(house.sensors.len(), 4);
    assert_eq!(watthours(house.sensors[1].1[0].now), Some(15.0));
    assert_eq!(power.sensors[1].1.presence, Presence::Uploading);

    let sensor = house.sensors[0].0.clone();
    let revoked = Sensor {
        authorized: false,
        ..sensor
    };
    store.put_sensor_durably(revoked).unwrap();
    let later = now.saturating_add_millis(2 * 3_600_000 + 1);
    let power = HousePower::at(&store, &account.name, later).unwrap();
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
    let power = HousePower::at(&store, &account.name, earlier).unwrap();
    assert_eq!((power.sensors[0].1, power.grid), (silent, Some(silent)));
}

#[test]
fn power_has_the_sign_of_what_is_measured() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("house", Role::Grid, MeterKind::Net),
        ("roof", Role::Solar, MeterKind::Counter),
    ];
    let (store, account) = open(dir.path(), &sensors);
    let turn = |sensor: &mut Sensor| sensor.meter.power_sign = Sign::Inverted;
    store.update_sensor_durably(&id("roof"), turn).unwrap();
    let now = at("2026-07-08T08:00:00");
    upload(&store, "house", 100.0, now);
    upload(&store, "roof", -700.0, now);
    let power = HousePower::at(&store, &account.name, now).unwrap();
    assert_eq!(power.solar.unwrap().watts, Some(700.0));
    assert_eq!(power.used.unwrap().watts, Some(800.0));
    let house = HouseSensors::of(&store, &account.name, now).unwrap();
    let roof = house.only(|it| it.sensor.role == Role::Solar);
    let range = TimeRange::at(now);
    for (house, watts) in [(&roof, 700.0), (&house, 800.0)] {
        let zone = &account.zone;
        let store = &store;
        let group = SensorGroup { store, house, zone };
        assert_eq!(group.power(range, 100).unwrap().unwrap().mean, watts);
    }
}

/// Revokes a sensor.
fn revoke(store: &Store, name: &str) {
    let change = |sensor: &mut Sensor| sensor.authorized = false;
    store.update_sensor_durably(&id(name), change).unwrap();
}

/// The house's import from one time to another, in watt-hours, and the hours without readings.
fn imported(store: &Store, account: &Account, times: [&str; 2]) -> (Option<f64>, i64) {
    let now = at("2026-04-01T00:00:00");
    let house = HouseSensors::of(store, &account.name, now).unwrap();
    let times = times.map(at);
    let slots = house.between(store, &times).unwrap();
    let slots = slots.all(|_| {}).unwrap();
    let nothing = house.nothing(times[0], times[1]);
    let slot = slots.first().unwrap_or(&nothing);
    let sums = house.sums(slot);
    let energy = sums.imported.energy().map(MicroWh::watthours);
    (energy, sums.imported.missing_ms / 3_600_000)
}

/// A counter that rises by 100 Wh each hour of some days, from 0 on.
fn count_up(store: &Store, name: &str, from: &str, days: i32) {
    let hour = |hour: i32| {
        let time = at(from).saturating_add_millis(i64::from(hour) * 3_600_000);
        (time, f64::from(hour) * 100.0)
    };
    import(store, name, &(0..=24 * days).map(hour).collect::<Vec<_>>());
}

#[test]
fn a_house_that_changes_its_grid_meter_lacks_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("old", Role::Grid, MeterKind::Counter),
        ("new", Role::Grid, MeterKind::Counter),
    ];
    let (store, account) = open(dir.path(), &sensors);
    count_up(&store, "old", "2026-01-01T00:00:00", 31);
    count_up(&store, "new", "2026-02-01T00:00:00", 59);
    let january = ["2026-01-01T00:00:00", "2026-02-01T00:00:00"];
    let february = ["2026-02-01T00:00:00", "2026-03-01T00:00:00"];
    let both = ["2026-01-01T00:00:00", "2026-03-01T00:00:00"];
    // While the sensor is active, its energy is missing.
    let [days, later] = [31, 28].map(|days| f64::from(days) * 2_400.0);
    assert_eq!(imported(&store, &account, january), (Some(days), 0));
    assert_eq!(imported(&store, &account, february), (Some(later), 28 * 24));
    revoke(&store, "old");
    assert_eq!(imported(&store, &account, january), (Some(days), 0));
    assert_eq!(imported(&store, &account, february), (Some(later), 0));
    assert_eq!(imported(&store, &account, both), (Some(days + later), 0));
    // A house is always at the grid.
    let before = ["2025-12-31T00:00:00", "2026-01-02T00:00:00"];
    assert_eq!(imported(&store, &account, before), (Some(2_400.0), 24));
    // The dashboard shows existing sensors, and its sums include removed ones.
    let now = at("2026-02-11T00:00:00");
    let house = HouseEnergies::at(&store, &account, now).unwrap();
    let shown: Vec<&str> = house.sensors.iter().map(|it| it.0.id.as_str()).collect();
    assert_eq!(shown, ["new"]);
    let this_year = house.grid.unwrap()[4].now.unwrap();
    assert_eq!(this_year.watthours, 41.0 * 2_400.0);
    // When the last one is gone, too, the energy after it is missing.
    revoke(&store, "new");
    let april = ["2026-03-31T00:00:00", "2026-04-02T00:00:00"];
    assert_eq!(imported(&store, &account, april), (Some(2_400.0), 0));
}

#[test]
fn between_two_grid_meters_the_grid_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("drawn", Role::GridImport, MeterKind::Counter),
        ("fed", Role::GridExport, MeterKind::Counter),
        ("old", Role::Grid, MeterKind::Net),
    ];
    let (store, account) = open(dir.path(), &sensors);
    count_up(&store, "old", "2026-01-01T00:00:00", 10);
    count_up(&store, "drawn", "2026-01-13T00:00:00", 10);
    count_up(&store, "fed", "2026-01-13T00:00:00", 10);
    revoke(&store, "old");
    let all = ["2026-01-01T00:00:00", "2026-01-20T00:00:00"];
    assert_eq!(imported(&store, &account, all), (Some(17.0 * 2_400.0), 48));
    // Then the new one goes.
    revoke(&store, "drawn");
    let later = ["2026-01-22T00:00:00", "2026-01-26T00:00:00"];
    assert_eq!(imported(&store, &account, later), (Some(2_400.0), 72));
}

/// Energy of another meter before this one is not missing, in any answer.
#[test]
fn a_meter_is_compared_alone_as_in_its_house() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("old", Role::Grid, MeterKind::Counter),
        ("new", Role::Grid, MeterKind::Counter),
    ];
    let (store, account) = open(dir.path(), &sensors);
    count_up(&store, "old", "2026-01-01T00:00:00", 31);
    count_up(&store, "new", "2026-02-01T00:00:00", 180);
    revoke(&store, "old");
    let now = at("2026-07-31T00:00:00");
    // The utility's meter stayed, and shows 4 % more. Of the first period, the old meter measured
    // ten days.
    let days = [("2026-01-22T00:00:00", 0.0), ("2026-04-01T00:00:00", 59.0)];
    let later = [
        ("2026-06-01T00:00:00", 120.0),
        ("2026-07-30T00:00:00", 179.0),
    ];
    let readings = days.into_iter().chain(later);
    let readings = readings.map(|(time, days)| (time, days * 2_500.0));
    for (time, shown) in readings {
        let made = Made::new(now, Author::CommandLine, "").unwrap();
        let shown = Fact::watthours("shown", shown).unwrap();
        let fact = Fact::Utility(at(time), shown);
        let read = Correction::new(1, id("new"), made, fact).unwrap();
        store
            .edit({
                let name = account.name.clone();
                move |edit| edit.add_correction(&name, read)
            })
            .unwrap();
    }
    let registry = store.registry();
    let sensor = registry.sensor(&id("new")).unwrap();
    let in_house = utility(&store, &account, now).unwrap().sensors;
    let alone = utility_of_sensor(&store, sensor, now).unwrap();
    assert_eq!(in_house, [alone.unwrap()]);
    let offered = in_house[0].calibration.as_ref().unwrap();
    assert_eq!(offered.periods, 3);
}

#[test]
fn what_lay_inside_of_a_revoked_board_lies_in_the_house() {
    let dir = tempfile::tempdir().unwrap();
    let sensors = [
        ("board", Role::SubMeter, MeterKind::Counter),
        ("car", Role::SubMeter, MeterKind::Counter),
        ("grid", Role::Grid, MeterKind::Counter),
    ];
    let (store, account) = open(dir.path(), &sensors);
    for (name, from) in [("grid", "01"), ("board", "01"), ("car", "05")] {
        count_up(&store, name, &format!("2026-01-{from}T00:00:00"), 20);
    }
    let others = || {
        let now = at("2026-01-20T00:00:00");
        let house = HouseSensors::of(&store, &account.name, now).unwrap();
        let times = ["2026-01-04T00:00:00", "2026-01-06T00:00:00"].map(at);
        let slots = house.between(&store, &times).unwrap();
        let slot = slots.all(|_| {}).unwrap().remove(0);
        let sums = house.sums(&slot);
        let other = sums.other.unwrap();
        (
            house.sensors.len(),
            other.energy().unwrap().watthours(),
            other.missing_ms,
        )
    };
    // The car's meter came on the second of the two days, and nothing was missing before.
    assert_eq!(others(), (3, -2_400.0, 0));
    // A revoked sub-meter counts on, as far as it measured.
    revoke(&store, "board");
    assert_eq!(others(), (3, -2_400.0, 0));
    let inside = |sensor: &mut Sensor| sensor.part_of = Some(id("board"));
    store.update_sensor_durably(&id("car"), inside).unwrap();
    assert_eq!(others(), (2, 2_400.0, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A period's energy equals the ledger's of that range alone, and sensors that are read side by
    /// side give the energy that each of them says alone.
    #[test]
    fn energies_are_those_of_the_ledger(
        east in proptest::collection::btree_map(0_i64..1_200, 0_u32..5_000, 0..60),
        west in proptest::collection::btree_map(0_i64..1_200, 0_u32..5_000, 0..60),
        now_minute in 0_i64..1_728_000,
        kind in proptest::sample::select(vec![MeterKind::Net, MeterKind::Counter]),
        interval in proptest::sample::select(vec![Interval::Day, Interval::Week, Interval::Month]),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let sensors = [("east", Role::Grid, kind), ("west", Role::Solar, MeterKind::Counter)];
        let (store, account) = open(dir.path(), &sensors);
        let begin = at("2025-01-01T00:00:00");
        let minutes = |minutes: i64| begin.saturating_add_millis(minutes * 60_000);
        for (id, shown) in [("east", east), ("west", west)] {
            let times = shown
                .into_iter()
                .map(|(nth, shown)| (minutes(nth * 1_440 + (nth * 577) % 1_440), f64::from(shown)));
            import(&store, id, &times.collect::<Vec<_>>());
        }
        let now = minutes(now_minute);
        let sensors = HouseSensors::of(&store, &account.name, now).unwrap();
        let alone = |nth: usize, range: TimeRange| {
            let (slots, _) = sensors.sensors[nth].between(&store, &[range.start(), range.end()]).unwrap().all().unwrap();
            slots.first().map(|slot| slot.flow.net().watthours())
        };

        let house = HouseEnergies::at(&store, &account, now).unwrap();
        let monday = (now, WeekStart::Monday);
        let periods = periods(&account.zone, monday, Against::Before);
        for nth in 0..2 {
            let expected = periods.map(|it| [it.now, it.before].map(|range| alone(nth, range)));
            prop_assert_eq!(house.sensors[nth].1.map(both), expected);
        }

        let range = begin..minutes(1_200 * 1_440);
        let by = (&account.zone, interval);
        let together = sensors.by_interval(&store, range.clone(), by).unwrap().all(|_| {}).unwrap();
        for (nth, it) in sensors.sensors.iter().enumerate() {
            let (slots, _) = it.by_interval(&store, range.clone(), by).unwrap().all().unwrap();
            let own: Vec<_> = slots.iter().map(|slot| (slot.start, slot.flow, slot.estimated_ms)).collect();
            let found: Vec<_> = together
                .iter()
                .filter_map(|slot| Some((slot.start, slot.measured[nth].flow?, slot.measured[nth].estimated_ms)))
                .collect();
            prop_assert_eq!(found, own);
        }
        prop_assert!(together.windows(2).all(|pair| pair[0].end <= pair[1].start));
    }
}
