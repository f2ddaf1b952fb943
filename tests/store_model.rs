//! Tests the store and its queries against a simple model. After any sequence of uploads, imports,
//! restarts and kills, and with either backend, the answers equal those of a sorted map, no matter
//! what has been sealed meanwhile.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod backend;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;
use wattkeeper::Role;
use wattkeeper::SentParts;
use wattkeeper::Zone;
use wattkeeper::{Account, AccountName, Phases, Plan};
use wattkeeper::{
    BackupError, Durability, OpenMode, Store, StoreSettings, restore, restore_into_postgres,
    write_backup,
};
use wattkeeper::{Measures, Reading, Upload, UploadedReading, register_difference};
use wattkeeper::{Meter, MeterKind};
use wattkeeper::{Point, Query, QueryError};
use wattkeeper::{Sensor, SensorId};
use wattkeeper::{TimeRange, Timestamp};

use backend::TestBackend;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms).unwrap()
}

fn sensor_id(id: &str) -> SensorId {
    SensorId::new(id).unwrap()
}

/// The place of a store, and its settings.
struct Place {
    dir: tempfile::TempDir,
    backend: TestBackend,
    settings: StoreSettings,
}

impl Place {
    fn new(block_readings: usize, is_interval: bool) -> Self {
        let backend = TestBackend::new();
        // PostgreSQL has no interval mode.
        let is_interval = is_interval && backend.url().is_none();
        let minute = Duration::from_mins(1);
        let settings = StoreSettings {
            block_readings,
            durability: if is_interval {
                Durability::Interval(minute)
            } else {
                Durability::Always
            },
            ..StoreSettings::default()
        };
        let dir = tempfile::tempdir().unwrap();
        Self {
            dir,
            backend,
            settings,
        }
    }

    fn open(&self) -> Store {
        let opened = self
            .backend
            .open(self.dir.path(), self.settings, OpenMode::CreateIfMissing);
        opened.unwrap()
    }

    /// The store as the next process finds it after a kill.
    fn kill(&mut self, store: Store) -> Store {
        if self.backend.url().is_some() {
            // PostgreSQL continues. Unfinished transactions are rolled back, at the latest when the
            // next front-end needs their locks.
            let next = self.open();
            drop(store);
            return next;
        }
        if self.settings.durability != Durability::Always {
            // Any other change makes acknowledged uploads durable.
            register(&store, &SENSORS);
        }
        let left = killed(self.dir.path());
        drop(store);
        self.dir = left;
        self.open()
    }
}

fn register(store: &Store, ids: &[&str]) {
    let name = AccountName::new("home").unwrap();
    let account = Account {
        name: name.clone(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created: at(0),
    };
    store.edit(move |edit| edit.put_account(account)).unwrap();
    for id in ids {
        let id = sensor_id(id);
        let name = name.clone();
        let sensor = Sensor {
            id,
            account: name,
            name: "a sensor".into(),
            authorized: true,
            role: Role::Grid,
            meter: Meter::new(MeterKind::Net),
            part_of: None,
            silent_after: None,
            is_announced: true,
            sent_parts: SentParts::default(),
            created: at(0),
        };
        store.put_sensor_durably(sensor).unwrap();
    }
}

/// The model of one sensor's readings.
#[derive(Default)]
struct Model {
    readings: BTreeMap<i64, (Option<f64>, Option<f64>)>,
    last_assigned: Option<i64>,
    arrived: bool,
}

impl Model {
    fn put(&mut self, ms: i64, (watts, watthours): Measured) {
        let entry = self.readings.entry(ms).or_default();
        *entry = (watts.or(entry.0), watthours.or(entry.1));
    }

    fn assign(&mut self, arrival: i64) -> i64 {
        let mut ms = self
            .last_assigned
            .map_or(arrival, |last| arrival.max(last + 1));
        while self.readings.contains_key(&ms) {
            ms += 1;
        }
        self.last_assigned = Some(ms);
        ms
    }

    fn rate(&self, start: i64, end: i64) -> Vec<(i64, f64)> {
        self.readings
            .range(start..=end)
            .filter_map(|(&ms, &(watts, _))| Some((ms, watts?)))
            .collect()
    }

    fn registers(&self) -> impl DoubleEndedIterator<Item = (i64, f64)> {
        self.readings
            .iter()
            .filter_map(|(&ms, &(_, watthours))| Some((ms, watthours?)))
    }

    fn consumption(&self, start: i64, end: i64) -> Vec<(i64, f64)> {
        let registers: Vec<(i64, f64)> = self.registers().collect();
        let deltas = registers
            .windows(2)
            .map(|pair| (pair[1].0, register_difference(pair[0].1, pair[1].1)));
        deltas.filter(|&(ms, _)| start < ms && ms <= end).collect()
    }

    fn net(&self, start: i64, end: i64) -> Vec<(i64, f64)> {
        let at = |limit| self.registers().rev().find(|&(ms, _)| ms <= limit);
        let Some((ms, at_end)) = at(end) else {
            return Vec::new();
        };
        let (_, at_start) = at(start).or_else(|| self.registers().next()).unwrap();
        vec![(ms, register_difference(at_start, at_end))]
    }

    fn latest_rate(&self) -> Option<(i64, f64)> {
        let newest = self
            .readings
            .iter()
            .rev()
            .find_map(|(&ms, &(watts, _))| Some((ms, watts?)));
        newest.filter(|_| self.arrived)
    }
}

type Measured = (Option<f64>, Option<f64>);

#[derive(Clone, Debug)]
enum Step {
    Upload {
        sensor: usize,
        later_ms: i64,
        readings: Vec<(Option<i64>, Measured)>,
    },
    Import {
        sensor: usize,
        readings: Vec<(i64, Measured)>,
    },
    Delete {
        sensor: usize,
        range: (i64, i64),
    },
    Restart,
    Kill,
    RemoveSensor {
        sensor: usize,
    },
}

/// Far from now, so that uploads without a time come later; and close together, so that times
/// collide.
fn any_ms() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -300_i64..300, 2 => NOW - 20..NOW + 60, 1 => Just(-5_000_000_000), 1 => -5_000_000_000..5_000_000_000_i64]
}

const NOW: i64 = 1_700_000_000_000;

fn any_measured() -> impl Strategy<Value = Measured> {
    let number = || (-100_000_i32..100_000).prop_map(|tenths| f64::from(tenths) / 10.0);
    prop_oneof![
        number().prop_map(|watts| (Some(watts), None)),
        number().prop_map(|watthours| (None, Some(watthours))),
        (number(), number()).prop_map(|(watts, watthours)| (Some(watts), Some(watthours))),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    let uploaded = (proptest::option::weighted(0.7, any_ms()), any_measured());
    let sensor = 0..SENSORS.len();
    let upload = (
        sensor.clone(),
        0_i64..3,
        proptest::collection::vec(uploaded, 1..30),
    )
        .prop_map(|(sensor, later_ms, readings)| Step::Upload {
            sensor,
            later_ms,
            readings,
        });
    let import = (
        sensor.clone(),
        proptest::collection::vec((any_ms(), any_measured()), 1..120),
    )
        .prop_map(|(sensor, readings)| Step::Import { sensor, readings });
    let delete =
        (sensor.clone(), any_range()).prop_map(|(sensor, range)| Step::Delete { sensor, range });
    // This many are sealed at once.
    let flood = (sensor.clone(), any_ms()).prop_map(|(sensor, start)| Step::Upload {
        sensor,
        later_ms: 0,
        readings: (0..1_100_i32)
            .map(|n| {
                (
                    Some(start + i64::from(n)),
                    (Some(0.5), Some(f64::from(n % 70))),
                )
            })
            .collect(),
    });
    let remove = sensor.prop_map(|sensor| Step::RemoveSensor { sensor });
    prop_oneof![
        12 => upload, 4 => import, 1 => flood, 2 => delete, 1 => Just(Step::Restart), 1 => Just(Step::Kill), 1 => remove
    ]
}

/// One ID is a prefix of another: their keys must not mix.
const SENSORS: [&str; 2] = ["a", "ab"];

fn measures((watts, watthours): Measured) -> Measures {
    Measures::new(watts, watthours).unwrap()
}

fn apply(step: &Step, store: &Store, models: &mut [Model], arrival: &mut i64) {
    match step {
        Step::Upload {
            sensor,
            later_ms,
            readings,
        } => {
            *arrival += later_ms;
            let uploaded = readings.iter().map(|&(ms, measured)| UploadedReading {
                time: ms.map(at),
                measures: measures(measured),
            });
            let upload = Upload::new(sensor_id(SENSORS[*sensor]), uploaded.collect()).unwrap();
            assert_eq!(
                store.append_durably_blocking(upload, at(*arrival)).unwrap(),
                readings.len()
            );
            let model = &mut models[*sensor];
            for &(ms, measured) in readings {
                if let Some(ms) = ms {
                    model.put(ms, measured);
                }
            }
            for &(_, measured) in readings.iter().filter(|(ms, _)| ms.is_none()) {
                let ms = model.assign(*arrival);
                model.put(ms, measured);
            }
            model.arrived = true;
        }
        Step::Import { sensor, readings } => {
            let rows = readings.iter().map(|&(ms, measured)| Reading {
                time: at(ms),
                measures: measures(measured),
            });
            store
                .import_durably(&sensor_id(SENSORS[*sensor]), rows.collect())
                .unwrap();
            for &(ms, measured) in readings {
                models[*sensor].put(ms, measured);
            }
        }
        Step::Delete {
            sensor,
            range: (start, end),
        } => {
            let range = TimeRange::new(at(*start), at(*end)).unwrap();
            let deleted = store
                .delete_durably(&sensor_id(SENSORS[*sensor]), range)
                .unwrap();
            let model = &mut models[*sensor];
            let before = model.readings.len();
            model.readings.retain(|ms, _| ms < start || end < ms);
            assert_eq!(deleted, before - model.readings.len());
        }
        Step::RemoveSensor { sensor } => {
            store
                .remove_sensor_durably(&sensor_id(SENSORS[*sensor]))
                .unwrap();
            register(store, &SENSORS[*sensor..=*sensor]);
            models[*sensor] = Model::default();
        }
        Step::Restart | Step::Kill => unreachable!("done by the caller"),
    }
}

fn run(
    query: Query,
    store: &Store,
    sensor: &SensorId,
    now: Timestamp,
) -> Result<Vec<(i64, f64)>, QueryError> {
    let mut series = query.run(store, sensor, now)?;
    let mut points: Vec<Point> = Vec::new();
    while series.next_run(&mut points)? {}
    Ok(points
        .iter()
        .map(|point| (point.time.millis(), point.value))
        .collect())
}

fn check(
    store: &Store,
    models: &[Model],
    ranges: &[(i64, i64)],
    arrival: i64,
) -> Result<(), TestCaseError> {
    for (id, model) in SENSORS.iter().zip(models) {
        let sensor = sensor_id(id);
        let ask = |query| run(query, store, &sensor, at(arrival)).unwrap();
        prop_assert_eq!(
            store.count_readings(&sensor, TimeRange::ALL).unwrap(),
            model.readings.len() as u64
        );
        let whole = (Timestamp::MIN.millis(), Timestamp::MAX.millis());
        // Ranges that begin or end at a reading or next to one.
        let at_reading = |n: i64| {
            let count = i64::try_from(model.readings.len().max(1)).unwrap();
            model
                .readings
                .keys()
                .nth(usize::try_from(n.rem_euclid(count)).unwrap())
        };
        let beside = ranges.iter().filter_map(|&(m, n)| {
            let (a, b) = (*at_reading(m)?, *at_reading(n)?);
            Some((a.min(b) - m.rem_euclid(2), a.max(b) + n.rem_euclid(3)))
        });
        for (start, end) in ranges.iter().copied().chain(beside).chain([whole]) {
            let range = TimeRange::new(at(start), at(end)).unwrap();
            prop_assert_eq!(ask(Query::Rate(range)), model.rate(start, end));
            let consumption = ask(Query::Consumption(range));
            prop_assert_eq!(&consumption, &model.consumption(start, end));
            let net = ask(Query::NetConsumption(range));
            prop_assert_eq!(&net, &model.net(start, end));
            if let Some(&(_, net)) = net.first() {
                let sum: f64 = consumption.iter().map(|(_, value)| value).sum();
                prop_assert!((net - sum).abs() < 1e-3, "net {net}, sum {sum}");
            }
        }
        match run(Query::LatestRate, store, &sensor, at(arrival)) {
            Ok(points) => {
                prop_assert_eq!(points, model.latest_rate().into_iter().collect::<Vec<_>>());
            }
            Err(QueryError::NoRecentData) => prop_assert_eq!(model.latest_rate(), None),
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }
    Ok(())
}

/// A restored backup gives the same answers as the store, with any backend.
fn check_copies(
    store: &Store,
    place: &Place,
    models: &[Model],
    ranges: &[(i64, i64)],
    arrival: i64,
) -> Result<(), TestCaseError> {
    let dir = tempfile::tempdir().unwrap();
    let (file, folder) = (dir.path().join("backup"), dir.path().join("copy"));
    let page = |cursor| store.backup_page(&cursor);
    write_backup(&file, at(arrival), page, |_| Ok::<(), BackupError>(())).unwrap();
    let settings = StoreSettings {
        block_readings: 64,
        ..StoreSettings::default()
    };
    let mut copies = vec![restore(&file, &folder, settings, |_| {}).map(|restored| {
        let copy = Store::open(&folder, settings, OpenMode::Existing);
        (restored, copy.unwrap())
    })];
    if place.backend.url().is_some() {
        let backend = TestBackend::new();
        let postgres = backend.settings().unwrap();
        copies.push(
            restore_into_postgres(&file, postgres, settings, |_| {}).map(|restored| {
                let copy = backend.open(&folder, settings, OpenMode::Existing);
                (restored, copy.unwrap())
            }),
        );
    }
    for copy in copies {
        let (restored, copy) = copy.unwrap();
        let readings = models.iter().map(|model| model.readings.len() as u64);
        prop_assert_eq!(restored.backup.counts.readings, readings.sum::<u64>());
        let registry_of = |store: &Store| format!("{:?}", store.registry());
        prop_assert_eq!(registry_of(&copy), registry_of(store));
        for id in SENSORS {
            let sensor = sensor_id(id);
            prop_assert_eq!(
                copy.activity(&sensor).unwrap().unwrap_or_default(),
                store.activity(&sensor).unwrap().unwrap_or_default()
            );
        }
        check(&copy, models, ranges, arrival)?;
    }
    Ok(())
}

/// The folders of a store: the data dir itself, and those in it. Each start makes `index/`.
const FOLDERS: [&str; 4] = ["", "facts", "log", "blocks"];

/// The store in `dir` after a kill: a copy of its files as they are.
fn killed(dir: &Path) -> tempfile::TempDir {
    let mut files = read_files(dir);
    loop {
        // The store may be sealing. A copy made while files change may be in a state that never
        // existed.
        let again = read_files(dir);
        if files == again {
            break;
        }
        files = again;
    }
    let left = tempfile::tempdir().unwrap();
    for folder in FOLDERS {
        fs::create_dir_all(left.path().join(folder)).unwrap();
    }
    for (name, bytes) in files {
        fs::write(left.path().join(name), bytes).unwrap();
    }
    left
}

fn read_files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in FOLDERS {
        for entry in fs::read_dir(dir.join(folder)).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_file() {
                // A file that is no longer needed may be removed.
                if let Ok(bytes) = fs::read(entry.path()) {
                    files.insert(Path::new(folder).join(entry.file_name()), bytes);
                }
            }
        }
    }
    files
}

fn any_range() -> impl Strategy<Value = (i64, i64)> {
    (any_ms(), any_ms()).prop_map(|(a, b)| (a.min(b), a.max(b)))
}

/// Fewer with PostgreSQL, because each call is a round trip.
fn cases() -> ProptestConfig {
    ProptestConfig::with_cases(if TestBackend::is_postgres() { 16 } else { 48 })
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn answers_are_those_of_a_plain_model(
        steps in proptest::collection::vec(any_step(), 1..25),
        ranges in proptest::collection::vec(any_range(), 3),
        block_readings in prop_oneof![Just(16_usize), Just(64), Just(4_096)],
        is_interval in any::<bool>(),
    ) {
        let mut place = Place::new(block_readings, is_interval);
        let mut store = place.open();
        register(&store, &SENSORS);
        let mut models = [Model::default(), Model::default()];
        let mut arrival = NOW;
        for step in &steps {
            if let Step::Restart = step {
                store.close().unwrap();
                drop(store);
                store = place.open();
            } else if let Step::Kill = step {
                store = place.kill(store);
            } else {
                apply(step, &store, &mut models, &mut arrival);
            }
            check(&store, &models, &ranges[..1], arrival)?;
        }
        check(&store, &models, &ranges, arrival)?;
        check_copies(&store, &place, &models, &ranges, arrival)?;
        drop(store);
        let store = place.open();
        check(&store, &models, &ranges, arrival)?;
    }

    #[test]
    fn net_consumption_adds_up(
        registers in proptest::collection::btree_map(-1_000_i64..1_000, -100_000_i32..100_000, 1..60),
        mut cuts in [-1_100_i64..1_100, -1_100_i64..1_100, -1_100_i64..1_100],
    ) {
        let place = Place::new(16, false);
        let store = place.open();
        register(&store, &SENSORS);
        let sensor = sensor_id("a");
        let row = |(&ms, &tenths): (&i64, &i32)| Reading { time: at(ms), measures: measures((None, Some(f64::from(tenths) / 10.0))) };
        store.import_durably(&sensor, registers.iter().map(row).collect()).unwrap();
        cuts.sort_unstable();
        let [a, b, c] = cuts;
        let net = |start, end| {
            let range = TimeRange::new(at(start), at(end)).unwrap();
            let points = run(Query::NetConsumption(range), &store, &sensor, at(0)).unwrap();
            points.first().map_or(0.0, |&(_, value)| value)
        };
        prop_assert!((net(a, b) + net(b, c) - net(a, c)).abs() < 1e-5);
    }
}

#[test]
fn a_large_batch_is_one_upload() {
    let place = Place::new(4_096, false);
    let store = place.open();
    register(&store, &SENSORS);
    let sensor = sensor_id("a");
    let readings = (0..80_000).map(|n| UploadedReading {
        time: Some(at(n * 1_000)),
        measures: measures((Some(1.5), None)),
    });
    let upload = Upload::new(sensor.clone(), readings.collect()).unwrap();
    assert_eq!(
        store.append_durably_blocking(upload, at(NOW)).unwrap(),
        80_000
    );
    assert_eq!(
        store.count_readings(&sensor, TimeRange::ALL).unwrap(),
        80_000
    );
    drop(store);
    let store = place.open();
    assert_eq!(
        store.count_readings(&sensor, TimeRange::ALL).unwrap(),
        80_000
    );
}
