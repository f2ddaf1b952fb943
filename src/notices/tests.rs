//! Notices found in a store, at times set by the test.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use proptest::prelude::*;

use super::finder::NoticeFinder;
use crate::backups::BackupSettings;
use crate::domain::time::at;
use crate::domain::{
    Account, AccountName, Decimal, Measures, Meter, MeterKind, Phases, Plan, Reading, Role, Sensor,
    SensorId, Sign, SilentAfter, Timestamp, Upload, UploadedReading, Zone,
};
use crate::ingest::Ingest;
use crate::ledger::contract::{Contract, ContractChange, Label, PriceSeries, SeriesPrice};
use crate::ledger::notice::{ClockFault, KnownNotice, NoticeKey, NoticeKind};
use crate::ledger::{Author, Correction, Fact, Made};
use crate::store::{OpenMode, Store, StoreSettings};

pub(super) const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

pub(super) fn id(text: &str) -> SensorId {
    SensorId::new(text).unwrap()
}

fn home() -> AccountName {
    AccountName::new("home").unwrap()
}

/// A house in UTC that is looked at by a finder.
pub(super) struct Found {
    pub(super) store: Arc<Store>,
    finder: NoticeFinder,
    _dir: tempfile::TempDir,
}

impl Found {
    pub(super) fn new(started: Timestamp, sensors: &[(&str, Role, MeterKind)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path());
        let created = at("2020-01-01T00:00:00");
        let account = Account {
            name: home(),
            plan: Plan::Paid,
            zone: Zone::UTC,
            phases: Phases::default(),
            created,
        };
        store.edit(move |edit| edit.put_account(account)).unwrap();
        for (name, role, kind) in sensors {
            let sensor = Sensor {
                role: *role,
                meter: Meter::new(*kind),
                ..Sensor::new(id(name), home(), created)
            };
            store.put_sensor_durably(sensor).unwrap();
        }
        let store = Arc::new(store);
        Self {
            finder: finder(&store, None, started),
            store,
            _dir: dir,
        }
    }

    /// The open notices after a run at `now`: id and start.
    pub(super) fn look(&mut self, now: Timestamp) -> Vec<(String, Timestamp)> {
        let newest_arrival = self.store.newest_arrival();
        self.finder.look(newest_arrival, now).unwrap();
        open_in(&self.store)
    }

    pub(super) fn ids(&mut self, now: Timestamp) -> Vec<String> {
        self.look(now).into_iter().map(|(id, _)| id).collect()
    }

    pub(super) fn upload(
        &self,
        sensor: &str,
        readings: &[(Timestamp, Option<f64>, Option<f64>)],
        arrival: Timestamp,
    ) {
        let readings = readings
            .iter()
            .map(|&(time, watts, watthours)| UploadedReading {
                time: Some(time),
                measures: Measures::new(watts, watthours).unwrap(),
            });
        let upload = Upload::new(id(sensor), readings.collect()).unwrap();
        self.store.append_durably_blocking(upload, arrival).unwrap();
    }

    pub(super) fn import(
        &self,
        sensor: &str,
        readings: impl IntoIterator<Item = (Timestamp, Option<f64>, f64)>,
    ) {
        let readings: Vec<Reading> = readings
            .into_iter()
            .map(|(time, watts, watthours)| Reading {
                time,
                measures: Measures::new(watts, Some(watthours)).unwrap(),
            })
            .collect();
        for chunk in readings.chunks(Store::IMPORT_CHUNK) {
            self.store
                .import_durably(&id(sensor), chunk.to_vec())
                .unwrap();
        }
    }

    pub(super) fn known(&self, id: &str) -> Option<KnownNotice> {
        self.store.registry().notice(&key(id)).cloned()
    }
}

fn open(dir: &Path) -> Store {
    Store::open_anywhere(dir, StoreSettings::default(), OpenMode::CreateIfMissing).unwrap()
}

fn finder(store: &Arc<Store>, backups: Option<BackupSettings>, started: Timestamp) -> NoticeFinder {
    let is_stopping = Arc::new(AtomicBool::new(false));
    let ingest = Ingest::new(Arc::clone(store));
    NoticeFinder::new(
        (Arc::clone(store), ingest, Arc::default()),
        backups,
        started,
        is_stopping,
    )
}

fn open_in(store: &Store) -> Vec<(String, Timestamp)> {
    let registry = store.registry();
    let open = registry.notices().filter(|(_, known)| known.is_open());
    open.map(|(key, known)| (key.id.clone(), known.notice.since))
        .collect()
}

fn key(id: &str) -> NoticeKey {
    NoticeKey {
        account: Some(home()),
        id: id.to_owned(),
    }
}

pub(super) fn after(time: Timestamp, ms: i64) -> Timestamp {
    time.saturating_add_millis(ms)
}

#[test]
fn a_remark_is_told_while_such_uploads_come() {
    let start = at("2026-01-05T10:00:00");
    let sensor = [("house", Role::Grid, MeterKind::Net)];
    let mut house = Found::new(start, &sensor);
    let ingest = Ingest::new(Arc::clone(&house.store));
    let is_stopping = Arc::default();
    house.finder = NoticeFinder::new(
        (Arc::clone(&house.store), ingest.clone(), Arc::default()),
        None,
        start,
        is_stopping,
    );
    let clock = [("sensor-clock:house".to_owned(), start)];
    ingest.remark_clock(&id("house"), ClockFault::ahead(-90 * DAY), start);
    // It belongs to no account here.
    ingest.remark_clock(&id("other"), ClockFault::ahead(HOUR), start);
    assert_eq!(house.look(start), clock);
    let known = house.known("sensor-clock:house");
    assert_eq!(
        known.as_ref().unwrap().notice.happened,
        "The clock of house is 90 days behind."
    );
    let later = after(start, 20 * HOUR);
    ingest.remark_clock(&id("house"), ClockFault::ahead(-91 * DAY), later);
    assert_eq!(house.look(after(start, 30 * HOUR)), clock);
    assert_eq!(house.known("sensor-clock:house"), known);
    assert_eq!(house.look(after(start, 46 * HOUR)), []);
    // After a start nothing is known for a while.
    ingest.remark_clock(
        &id("house"),
        ClockFault::ahead(HOUR),
        after(start, 47 * HOUR),
    );
    let again = [("sensor-clock:house".to_owned(), after(start, 47 * HOUR))];
    assert_eq!(house.look(after(start, 47 * HOUR)), again);
    house.finder = finder(&house.store, None, after(start, 48 * HOUR));
    assert_eq!(house.look(after(start, 50 * HOUR)), again);
    assert_eq!(house.look(after(start, 74 * HOUR)), []);
}

#[test]
fn missing_prices_are_told_until_they_come() {
    let mut found = Found::new(at("2026-01-05T10:00:00"), &[]);
    let contract = Contract::parse(
        r#"{"from":"2026-01-05","name":"Spot","currency":"EUR","components":[{"energy":{"series":"day-ahead"}}]}"#,
    );
    let put = ContractChange::Put(Box::new(contract.unwrap()));
    found
        .store
        .edit(move |edit| edit.change_contracts(&home(), put))
        .unwrap();
    let now = at("2026-01-05T10:30:00");
    let told = |since: &str| vec![("prices-missing:day-ahead".to_owned(), at(since))];
    assert_eq!(found.look(now), told("2026-01-05T00:00:00"));
    let price = |hours: i64| SeriesPrice {
        from: at("2026-01-05T00:00:00").saturating_add_millis(hours * HOUR),
        to: at("2026-01-05T01:00:00").saturating_add_millis(hours * HOUR),
        price: Decimal::ONE,
    };
    let name = Label::new("day-ahead").unwrap();
    let upload = |found: &Found, hours: std::ops::Range<i64>| {
        let series = PriceSeries::new(name.clone(), hours.map(price).collect()).unwrap();
        found.store.put_prices_durably(&home(), &series).unwrap();
    };
    // Until noon: not three hours ahead yet.
    upload(&found, 0..12);
    assert_eq!(found.look(now), told("2026-01-05T00:00:00"));
    upload(&found, 12..24);
    assert_eq!(found.look(now), []);
    // An hour before they end.
    let evening = at("2026-01-05T23:00:00");
    assert_eq!(found.look(evening), []);
    let minute_later = evening.saturating_add_millis(MINUTE);
    assert_eq!(found.look(minute_later), told("2026-01-06T00:00:00"));
}

#[test]
fn a_sensor_that_dies_is_told_after_three_spacings_of_its_readings() {
    let start = at("2026-01-05T10:00:00");
    let mut house = Found::new(start, &[("house", Role::Grid, MeterKind::Net)]);
    // Every 20 min, except that the last two uploads came within a minute.
    for minutes in [0, 20, 40, 41] {
        let time = after(start, minutes * MINUTE);
        house.upload("house", &[(time, Some(1.0), None)], time);
    }
    let last = after(start, 41 * MINUTE);
    assert_eq!(house.ids(after(last, HOUR)), Vec::<String>::new());
    let told = vec![("sensor-silent:house".to_owned(), last)];
    assert_eq!(house.look(after(last, HOUR + 1)), told);
    // A late upload does not end it yet.
    let again = after(last, 2 * HOUR);
    house.upload("house", &[(again, Some(1.0), None)], again);
    assert_eq!(house.ids(again), Vec::<String>::new());
}

#[test]
fn batches_are_silent_after_three_uploads_and_a_set_limit_goes_before() {
    let start = at("2026-01-05T10:00:00");
    let mut house = Found::new(start, &[("house", Role::Grid, MeterKind::Net)]);
    for hour in 1..=2 {
        let arrival = after(start, hour * HOUR);
        let minutes = (0..60).map(|minute| {
            let time = after(arrival, (minute - 60) * MINUTE);
            (time, Some(1.0), None)
        });
        house.upload("house", &minutes.collect::<Vec<_>>(), arrival);
    }
    let last = after(start, 2 * HOUR);
    assert_eq!(house.ids(after(last, 3 * HOUR)), Vec::<String>::new());
    assert_eq!(house.ids(after(last, 3 * HOUR + 1)).len(), 1);
    let set = |sensor: &mut Sensor| sensor.silent_after = SilentAfter::minutes(400);
    house
        .store
        .update_sensor_durably(&id("house"), set)
        .unwrap();
    // Half of 400 min has not passed.
    assert_eq!(house.look(after(last, 3 * HOUR + 1)), []);
}

#[test]
fn a_dismissed_notice_stays_hidden_until_it_ends_also_after_a_restart() {
    let start = at("2026-01-05T10:00:00");
    let mut house = Found::new(start, &[("house", Role::Grid, MeterKind::Net)]);
    for minutes in [0, 1] {
        let time = after(start, minutes * MINUTE);
        house.upload("house", &[(time, Some(1.0), None)], time);
    }
    let silent = "sensor-silent:house";
    let now = after(start, 12 * MINUTE);
    assert_eq!(house.ids(now), [silent]);
    let by = Made::new(now, Author::CommandLine, "").unwrap();
    let dismissed = house
        .store
        .edit(move |edit| edit.dismiss_notice(key(silent), by))
        .unwrap();
    assert!(!dismissed.is_shown());
    let before = house.known(silent);
    // Another finder, as after a restart.
    house.finder = finder(&house.store, None, now);
    assert_eq!(house.ids(after(now, HOUR)), [silent]);
    assert_eq!(house.known(silent), before);
    let back = after(now, 2 * HOUR);
    for minutes in [0, 1] {
        let time = after(back, minutes * MINUTE);
        house.upload("house", &[(time, Some(1.0), None)], time);
    }
    assert_eq!(house.ids(after(back, MINUTE)), Vec::<String>::new());
    assert_eq!(house.known(silent), None);
    // The last two uploads before were an hour apart, those after it a minute.
    assert_eq!(house.ids(after(back, 12 * MINUTE)), [silent]);
    assert!(house.known(silent).unwrap().is_shown());
    house.store.remove_sensor_durably(&id("house")).unwrap();
    assert_eq!(open_in(&house.store), []);
}

/// A register read every ten minutes, with power that matches it.
fn steady(from: Timestamp, days: i64, watts: f64) -> Vec<(Timestamp, Option<f64>, f64)> {
    let readings = 0..=days * 144;
    let hours = |nth: i64| f64::from(i32::try_from(nth).unwrap()) / 6.0;
    readings
        .map(|nth| {
            (
                after(from, nth * 10 * MINUTE),
                Some(watts),
                hours(nth) * watts,
            )
        })
        .collect()
}

#[test]
fn a_jump_is_told_until_it_is_decided() {
    let start = at("2026-01-01T00:00:00");
    let mut house = Found::new(start, &[("house", Role::GridImport, MeterKind::Counter)]);
    let mut readings = steady(start, 3, 600.0);
    let jump = after(start, DAY);
    for (_, _, watthours) in readings.iter_mut().filter(|(time, ..)| *time >= jump) {
        *watthours += 1e6;
    }
    house.import("house", readings);
    let now = after(start, 3 * DAY);
    let told = format!("event-open:house:{jump}");
    assert_eq!(house.look(now), [(told.clone(), jump)]);
    // It stays open, at any age.
    let later = after(now, 60 * DAY);
    assert_eq!(house.ids(later), [told]);
    let made = Made::new(later, Author::CommandLine, "").unwrap();
    let decided = Correction::new(1, id("house"), made, Fact::Event(jump, false)).unwrap();
    house
        .store
        .edit(move |edit| edit.add_correction(&home(), decided))
        .unwrap();
    // At the next run, because the corrections changed.
    assert_eq!(house.ids(after(later, MINUTE)), Vec::<String>::new());
}

#[test]
fn a_counter_that_falls_all_day_is_told_with_its_first_events() {
    let start = at("2026-01-01T00:00:00");
    let mut house = Found::new(start, &[("house", Role::GridImport, MeterKind::Counter)]);
    let inverted = |sensor: &mut Sensor| {
        sensor.meter.power_sign = Sign::Inverted;
        sensor.meter.register_sign = Sign::Inverted;
    };
    house
        .store
        .update_sensor_durably(&id("house"), inverted)
        .unwrap();
    let rising = steady(start, 2, 600.0).into_iter();
    house.import("house", rising.map(|(time, _, shown)| (time, None, shown)));
    let told = house.look(after(start, 2 * DAY));
    assert_eq!(told.len(), 20);
    assert_eq!(told[0].1, after(start, 10 * MINUTE));
}

#[test]
fn power_that_drifts_from_the_register_is_told_after_three_days() {
    let start = at("2026-01-01T00:00:00");
    let mut house = Found::new(start, &[("heat", Role::SubMeter, MeterKind::Net)]);
    let off = |factor: f64| {
        (0..=4 * 1_440_i32).map(move |minute| {
            let time = after(start, i64::from(minute) * MINUTE);
            (
                time,
                Some(1_000.0 * factor),
                f64::from(minute) * 1_000.0 / 60.0,
            )
        })
    };
    house.import("heat", off(1.04));
    assert_eq!(house.ids(after(start, 4 * DAY)), Vec::<String>::new());
    house.import("heat", off(1.06));
    let told = [("power-drift:heat".to_owned(), after(start, DAY))];
    assert_eq!(house.look(after(start, 4 * DAY + HOUR)), told);
    // With the sign inverted, both are inverted.
    let inverted = |sensor: &mut Sensor| {
        sensor.meter.power_sign = Sign::Inverted;
        sensor.meter.register_sign = Sign::Inverted;
    };
    house
        .store
        .update_sensor_durably(&id("heat"), inverted)
        .unwrap();
    let ids = house.ids(after(start, 4 * DAY + 2 * HOUR));
    assert_eq!(ids, ["inverted-sign:heat", "power-drift:heat"]);
}

/// Sensors with the same drift.
#[test]
fn power_that_does_not_determine_the_energy_is_not_compared() {
    let start = at("2026-01-01T00:00:00");
    let sensors = ["seldom", "signed", "way", "off"];
    let sensors = sensors.map(|name| (name, Role::SubMeter, MeterKind::Counter));
    let mut house = Found::new(start, &sensors);
    let day = |minute: i32| minute % 1_440 < 720;
    for (name, every, watts, register) in [
        // A kettle between two readings; a one-way meter in a house with panels; an inverter's own
        // use at night; and a wrong register.
        ("seldom", 15, [1_060.0; 2], [1_000.0; 2]),
        ("signed", 1, [1_000.0, -3_000.0], [1_100.0, 0.0]),
        ("way", 1, [1_000.0, -9.0], [1_000.0, 0.0]),
        ("off", 1, [1_100.0, -9.0], [1_000.0, 0.0]),
    ] {
        let mut shown = 0.0;
        let readings = (0..=4 * 1_440 / every).map(|nth| {
            let place = usize::from(!day(nth * every));
            let reading = (
                after(start, i64::from(nth * every) * MINUTE),
                Some(watts[place]),
                shown,
            );
            shown += register[place] * f64::from(every) / 60.0;
            reading
        });
        house.import(name, readings.collect::<Vec<_>>());
    }
    let ids = house.ids(after(start, 4 * DAY));
    let drifts = ids.iter().filter(|id| id.starts_with("power-drift"));
    assert_eq!(drifts.collect::<Vec<_>>(), ["power-drift:off"]);
}

/// Two houses whose grid meter falls at night: one has panels, one a plant that produces day and
/// night.
#[test]
fn export_at_night_is_a_wrong_sign_unless_a_plant_produces_then() {
    let start = at("2026-01-01T00:00:00");
    for is_plant in [false, true] {
        let grid = ("grid", Role::Grid, MeterKind::Net);
        let roof = ("roof", Role::Solar, MeterKind::Counter);
        let mut house = Found::new(start, &[grid, roof]);
        let (mut exported, mut produced) = (Vec::new(), Vec::new());
        let (mut shown, mut sum) = (0.0, 0.0);
        for hour in 0..=8 * 24 {
            let time = after(start, hour * HOUR);
            exported.push((time, None, shown));
            produced.push((time, None, sum));
            shown -= 500.0;
            if is_plant || (8..16).contains(&(hour % 24)) {
                sum += 1_000.0;
            }
        }
        house.import("grid", exported);
        house.import("roof", produced);
        let ids = house.ids(after(start, 8 * DAY));
        let is_told = ids.iter().any(|id| id == "inverted-sign:grid");
        assert_eq!(is_told, !is_plant, "{ids:?}");
    }
}

#[test]
fn an_unusual_day_and_a_higher_base_load_are_told() {
    let start = at("2026-01-01T00:00:00");
    let sensors = [
        ("house", Role::GridImport),
        ("freezer", Role::SubMeter),
        ("pump", Role::SubMeter),
    ];
    let mut house = Found::new(
        start,
        &sensors.map(|(name, role)| (name, role, MeterKind::Counter)),
    );
    // 12 kWh a day for 35 days, then 24 kWh: most of the difference is the pump.
    let end = after(start, 35 * DAY);
    for (name, before, later) in [
        ("house", 500.0, 1_000.0),
        ("freezer", 100.0, 200.0),
        ("pump", 20.0, 380.0),
    ] {
        let mut readings = steady(start, 35, before);
        let (_, _, shown) = readings.pop().unwrap();
        let more = steady(end, 8, later).into_iter();
        readings.extend(more.map(|(time, watts, watthours)| (time, watts, shown + watthours)));
        house.import(name, readings);
    }
    assert_eq!(house.ids(after(end, HOUR)), Vec::<String>::new());
    // The day after the change, because it was unusual; only the newest night has 1 kW.
    let day = after(end, DAY + 7 * HOUR);
    assert_eq!(house.look(day), [(format!("unusual-day:{end}"), end)]);
    let known = house.known(&format!("unusual-day:{end}")).unwrap();
    assert_eq!(
        known.notice.happened,
        "The house used 24.0 kWh in a day, where 9.6 to 14.4 kWh are likely."
    );
    // The next day is judged too, and is a separate notice.
    let next = after(end, DAY);
    assert_eq!(house.ids(after(day, DAY)), [format!("unusual-day:{next}")]);
    // Four of the last seven nights have 1 kW.
    let base = after(end, 4 * DAY + 7 * HOUR);
    let told = house.look(base);
    let (kind, since) = &told[0];
    assert_eq!(kind, "base-load-rose");
    // The seventh night back, from 22:00.
    assert_eq!(*since, after(end, -2 * DAY - 2 * HOUR));
    let known = house.known("base-load-rose").unwrap();
    let happened = "The house uses more at night than in the four weeks before, most of it pump.";
    assert_eq!(known.notice.happened, happened);
}

#[test]
fn the_service_tells_about_itself() {
    let start = at("2026-03-01T10:00:00");
    let mut house = Found::new(start, &[("house", Role::Grid, MeterKind::Net)]);
    let copies = tempfile::tempdir().unwrap();
    let settings = BackupSettings {
        dir: copies.path().join("copies"),
        every: Duration::from_hours(24),
        keep: 2,
    };
    house.finder = finder(&house.store, Some(settings.clone()), start);
    // Without the folder, the age of the backups is unknown.
    assert_eq!(house.ids(after(start, HOUR)), Vec::<String>::new());
    std::fs::create_dir(&settings.dir).unwrap();
    assert_eq!(house.ids(after(start, 10 * MINUTE)), Vec::<String>::new());
    let due = after(start, 10 * MINUTE);
    assert_eq!(
        house.look(after(due, 1)),
        [("backup-overdue".to_owned(), due)]
    );
    let copy = settings.dir.join("wattkeeper-20260301T100000Z.backup");
    std::fs::write(copy, [7]).unwrap();
    assert_eq!(house.ids(after(start, 2 * DAY)), Vec::<String>::new());
    assert_eq!(house.ids(after(start, 2 * DAY + 1)), ["backup-overdue"]);
    let key = NoticeKey {
        account: None,
        id: NoticeKind::BackupOverdue.as_str().to_owned(),
    };
    assert!(house.store.registry().notice(&key).is_some());
    let ahead = after(start, 3 * DAY);
    let known_before = house.store.newest_arrival();
    house.upload("house", &[(ahead, Some(1.0), None)], ahead);
    // An upload from the future: the clock was set back, unless the upload came after the time was
    // read.
    let earlier = after(start, 3 * DAY - 2 * MINUTE);
    house.finder.look(known_before, earlier).unwrap();
    let open: Vec<String> = open_in(&house.store)
        .into_iter()
        .map(|(id, _)| id)
        .collect();
    assert_eq!(open, ["backup-overdue"]);
    assert_eq!(house.ids(earlier), ["backup-overdue", "wrong-clock"]);
}

#[test]
fn an_account_has_a_thousand_notices_at_most_and_those_that_are_open_stay() {
    let start = at("2026-01-05T10:00:00");
    let mut house = Found::new(start, &[("house", Role::Grid, MeterKind::Net)]);
    for nth in 0..1_002_i64 {
        let name = format!("s{nth:04}");
        house
            .store
            .put_sensor_durably(Sensor::new(id(&name), home(), start))
            .unwrap();
        // The ones later by name fell silent earlier.
        for minutes in [0, 1] {
            let time = after(start, minutes * MINUTE - nth * 1_000);
            house.upload(&name, &[(time, Some(1.0), None)], time);
        }
    }
    let now = after(start, 12 * MINUTE);
    let ids = house.ids(now);
    assert_eq!(ids.len(), NoticeKey::MOST);
    assert_eq!(ids[0], "sensor-silent:s0002");
    assert_eq!(house.ids(after(now, MINUTE)), ids);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A second run finds the same notices as the first.
    #[test]
    fn a_second_look_changes_nothing(
        registers in proptest::collection::vec((1_i64..400, 0_u32..200_000, -9_000_i32..9_000), 2..120),
        role in proptest::sample::select(Role::ALL.to_vec()),
        later in 0_i64..3_000,
    ) {
        let start = at("2026-01-01T00:00:00");
        let mut house = Found::new(start, &[("house", role, MeterKind::Counter)]);
        let mut time = start;
        for (minutes, shown, watts) in registers {
            time = after(time, minutes * MINUTE);
            house.upload("house", &[(time, Some(f64::from(watts)), Some(f64::from(shown)))], time);
        }
        let now = after(time, later * MINUTE);
        let first = house.look(now);
        let kept: BTreeMap<_, _> = first.iter().map(|(id, _)| (id.clone(), house.known(id))).collect();
        house.finder = finder(&house.store, None, start);
        prop_assert_eq!(&house.look(now), &first);
        for (id, known) in kept {
            prop_assert_eq!(house.known(&id), known);
        }
    }
}
