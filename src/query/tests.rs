//! Results against a plain model, on any mixture of sealed, young, late and corrected readings.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::*;
pub(super) use crate::domain::time::at;
use crate::domain::{
    Account, AccountName, Calendar, Interval, Measures, Meter, MeterKind, Phases, Plan, Reading,
    Role, Sensor, SensorId, SentParts, TimeRange, Timestamp, Upload, UploadedReading, Zone,
};
use crate::store::{OpenMode, Store, StoreSettings};

pub(super) fn house() -> SensorId {
    SensorId::new("house").unwrap()
}

pub(super) fn open(dir: &Path, block_readings: usize) -> Store {
    let settings = StoreSettings {
        block_readings,
        ..StoreSettings::default()
    };
    let store = Store::open_anywhere(dir, settings, OpenMode::CreateIfMissing).unwrap();
    let name = AccountName::new("home").unwrap();
    let account = Account {
        name: name.clone(),
        plan: Plan::Paid,
        zone: Zone::UTC,
        phases: Phases::default(),
        created: at(0),
    };
    store.edit(move |edit| edit.put_account(account)).unwrap();
    let sensor = Sensor {
        id: house(),
        account: name,
        name: String::new(),
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
    store
}

/// Stores readings by an import, which seals them, or by an upload, which leaves them young.
pub(super) fn put(store: &Store, readings: &[Reading], sealed: bool) {
    if readings.is_empty() {
        return;
    }
    if sealed {
        store.import_durably(&house(), readings.to_vec()).unwrap();
        return;
    }
    let readings = readings.iter().map(|reading| UploadedReading {
        time: Some(reading.time),
        measures: reading.measures,
    });
    let upload = Upload::new(house(), readings.collect()).unwrap();
    store.append_durably_blocking(upload, at(0)).unwrap();
}

pub(super) fn points(store: &Store, query: Query) -> Vec<Point> {
    let mut series = query.run(store, &house(), at(0)).unwrap();
    let mut points = Vec::new();
    while series.next_run(&mut points).unwrap() {}
    points
}

#[test]
fn an_upload_after_the_look_at_the_clock_does_not_hide_the_latest_power() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 64);
    let upload = |ms, watts| {
        let reading = UploadedReading {
            time: Some(at(ms)),
            measures: Measures::new(Some(watts), None).unwrap(),
        };
        let upload = Upload::new(house(), vec![reading]).unwrap();
        store.append_durably_blocking(upload, at(ms)).unwrap();
    };
    upload(100_000, 1.0);
    // A request reads the clock; before it reads the store, another upload arrives.
    let now = at(150_000);
    upload(150_001, 2.0);
    let mut latest = Query::LatestRate.run(&store, &house(), now).unwrap();
    let mut points = Vec::new();
    latest.next_run(&mut points).unwrap();
    assert_eq!(
        points,
        [Point {
            time: at(150_001),
            value: 2.0
        }]
    );
    // An arrival far ahead still counts as none: a clock was wrong.
    let long_before = Query::LatestRate.run(&store, &house(), at(90_000));
    assert!(matches!(long_before, Err(QueryError::NoRecentData)));
}

/// Each kind of result, computed from all readings one by one.
struct Model {
    readings: BTreeMap<Timestamp, Measures>,
    calendar: Calendar,
    range: TimeRange,
}

impl Model {
    fn by_start(&self, late_ms: i64, values: &[(Timestamp, f64)]) -> BTreeMap<Timestamp, Vec<f64>> {
        let mut buckets: BTreeMap<Timestamp, Vec<f64>> = BTreeMap::new();
        for &(time, value) in values {
            let counted_at = time.saturating_add_millis(-late_ms);
            let bucket = self.calendar.clone().bucket(counted_at);
            buckets.entry(bucket.start()).or_default().push(value);
        }
        buckets
    }

    fn rate(&self) -> BTreeMap<Timestamp, Vec<f64>> {
        let values = self
            .readings
            .iter()
            .filter(|(time, _)| self.range.contains(**time));
        let watts = values.filter_map(|(time, measures)| Some((*time, measures.watts()?)));
        self.by_start(0, &watts.collect::<Vec<_>>())
    }

    fn consumption(&self) -> BTreeMap<Timestamp, Vec<f64>> {
        let registers = self.readings.iter();
        let registers: Vec<(Timestamp, f64)> = registers
            .filter_map(|(time, measures)| Some((*time, measures.watthours()?)))
            .collect();
        let differences = registers
            .windows(2)
            .map(|pair| (pair[1].0, pair[1].1 - pair[0].1));
        let in_range: Vec<(Timestamp, f64)> = differences
            .filter(|(time, _)| self.range.start() < *time && *time <= self.range.end())
            .collect();
        self.by_start(1, &in_range)
    }
}

fn starts(points: &[Point]) -> Vec<Timestamp> {
    points.iter().map(|point| point.time).collect()
}

fn total(points: &[Point]) -> f64 {
    points.iter().map(|point| point.value).sum()
}

pub(super) fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()) + 1e-6
}

/// Whether a query has the same answer with sealed readings and without.
#[track_caller]
fn assert_alike(points: &[Point], of_rows: &[Point], query: &Query) {
    // The summary of a block adds its powers in another order, which may change the last digit.
    if !matches!(query, Query::RateByInterval(.., Aggregate::Mean)) {
        assert_eq!(points, of_rows);
        return;
    }
    assert_eq!(starts(points), starts(of_rows));
    for (point, of_rows) in points.iter().zip(of_rows) {
        assert!(
            is_near(point.value, of_rows.value),
            "{point:?}, {of_rows:?}"
        );
    }
}

pub(super) fn any_zone() -> impl Strategy<Value = Zone> {
    let names = [
        "UTC",
        "Europe/Berlin",
        "Pacific/Apia",
        "America/St_Johns",
        "America/Sao_Paulo",
        "Asia/Kathmandu",
        "Australia/Lord_Howe",
    ];
    proptest::sample::select(names.to_vec()).prop_map(|name| Zone::parse(name).unwrap())
}

/// Readings after some begin, in any order; some have only one of the measures.
pub(super) fn any_readings() -> impl Strategy<Value = Vec<(i64, Measures)>> {
    let tenth = || (-50_000_i32..50_000).prop_map(|tenths| f64::from(tenths) / 10.0);
    let measures = prop_oneof![
        3 => (tenth(), tenth()).prop_map(|(watts, watthours)| (Some(watts), Some(watthours))),
        1 => tenth().prop_map(|watts| (Some(watts), None)),
        1 => tenth().prop_map(|watthours| (None, Some(watthours))),
    ];
    let reading = (0_i64..6_000, measures).prop_map(|(minute, (watts, watthours))| {
        (minute * 60_000, Measures::new(watts, watthours).unwrap())
    });
    // A page of a block has 256.
    prop_oneof![
        proptest::collection::vec(reading.clone(), 0..100),
        proptest::collection::vec(reading, 600..1_200),
    ]
}

/// Begins near changes of the clocks in some of the zones.
pub(super) fn any_begin() -> impl Strategy<Value = i64> {
    proptest::sample::select(vec![
        1_774_600_000_000_i64,
        1_792_700_000_000,
        1_325_100_000_000,
        1_541_200_000_000,
        1_161_900_000_000,
        -3_000_000,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn results_match_a_plain_model(
        zone in any_zone(),
        interval in proptest::sample::select(Interval::ALL.to_vec()),
        block_readings in proptest::sample::select(vec![16, 300, 2_000]),
        begin in any_begin(),
        step in 1_i64..20,
        batches in proptest::collection::vec((any_readings(), any::<bool>()), 1..4),
        ends in (-1_000_i64..7_000, 0_i64..8_000),
    ) {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        // The first one seals imported readings, the second one nothing.
        let stores = [open(dirs[0].path(), block_readings), open(dirs[1].path(), 4_096)];
        let mut readings = BTreeMap::new();
        for (batch, sealed) in batches {
            let batch: BTreeMap<Timestamp, Measures> = batch
                .into_iter()
                .map(|(ms, measures)| (at(begin + ms * step), measures))
                .collect();
            let batch: Vec<Reading> =
                batch.into_iter().map(|(time, measures)| Reading { time, measures }).collect();
            put(&stores[0], &batch, sealed);
            put(&stores[1], &batch, false);
            for Reading { time, measures } in batch {
                let known = readings.entry(time).or_insert(measures);
                *known = known.overlaid_by(measures);
            }
        }
        let start = begin + ends.0 * 60_000 * step;
        let range = TimeRange::new(at(start), at(start + ends.1 * 60_000 * step)).unwrap();
        let calendar = Calendar::new(zone.clone(), interval);
        let model = Model { readings, calendar, range };
        let ask = |query: Query| {
            let [points, of_rows] = stores.each_ref().map(|store| points(store, query.clone()));
            assert_alike(&points, &of_rows, &query);
            assert!(points.is_sorted_by(|a, b| a.time < b.time));
            points
        };

        let expected = model.rate();
        let by = |aggregate| ask(Query::RateByInterval(range, zone.clone(), interval, aggregate));
        for (aggregate, of) in [
            (Aggregate::Min, f64::min as fn(f64, f64) -> f64),
            (Aggregate::Max, f64::max),
        ] {
            let expected: Vec<Point> = expected
                .iter()
                .map(|(&time, watts)| Point { time, value: watts.iter().copied().reduce(of).unwrap() })
                .collect();
            prop_assert_eq!(by(aggregate), expected);
        }
        let means = by(Aggregate::Mean);
        prop_assert_eq!(starts(&means), expected.keys().copied().collect::<Vec<_>>());
        for (point, watts) in means.iter().zip(expected.values()) {
            let count = f64::from(u32::try_from(watts.len()).unwrap());
            let mean = watts.iter().sum::<f64>() / count;
            prop_assert!(is_near(point.value, mean), "{} and {}", point.value, mean);
        }

        let expected = model.consumption();
        let energy = ask(Query::ConsumptionByInterval(range, zone.clone(), interval));
        prop_assert_eq!(starts(&energy), expected.keys().copied().collect::<Vec<_>>());
        for (point, differences) in energy.iter().zip(expected.values()) {
            let sum: f64 = differences.iter().sum();
            prop_assert!(is_near(point.value, sum), "{} and {}", point.value, sum);
        }
        let net = total(&ask(Query::NetConsumption(range)));
        prop_assert!((net - total(&energy)).abs() < 1e-3, "{net}: {energy:?}");
        prop_assert!((net - total(&ask(Query::Consumption(range)))).abs() < 1e-3, "{net}");
    }
}

/// A store with a sealed reading each minute, from the second on: energy at the first belongs to
/// the day before.
fn sealed(dir: &Path, measures: impl Fn(i64) -> (Option<f64>, Option<f64>)) -> Store {
    let store = open(dir, 16);
    let readings = (1..=64).map(|n| {
        let (watts, watthours) = measures(n);
        Reading {
            time: at(n * 60_000),
            measures: Measures::new(watts, watthours).unwrap(),
        }
    });
    put(&store, &readings.collect::<Vec<_>>(), true);
    store
}

/// The text of a run is kept in memory until it is sent, and so is that of many clients at once.
#[test]
fn a_run_of_a_block_with_a_bucket_for_each_reading_is_cut() {
    const READINGS: i32 = 4_096;
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 4_096);
    let readings = (0..READINGS).map(|n| Reading {
        time: at(i64::from(n) * 60_000),
        measures: Measures::new(Some(1.0), Some(n.into())).unwrap(),
    });
    put(&store, &readings.collect::<Vec<_>>(), true);
    let (range, zone, interval) = (TimeRange::ALL, Zone::UTC, Interval::Minute);
    for query in [
        Query::RateByInterval(range, zone.clone(), interval, Aggregate::Mean),
        Query::ConsumptionByInterval(range, zone, interval),
    ] {
        let mut series = query.run(&store, &house(), at(0)).unwrap();
        let (mut all, mut points) = (0, Vec::new());
        let mut is_more = true;
        while is_more {
            is_more = series.next_run(&mut points).unwrap();
            assert!(points.len() <= 2 * walk::MOST_SLOTS, "{}", points.len());
            all += points.len();
            points.clear();
        }
        assert!(all >= 4_095, "{all}");
    }
}

#[test]
fn a_summary_with_an_infinite_sum_is_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let store = sealed(dir.path(), |n| {
        (Some(if n % 2 == 0 { f64::MAX } else { 0.0 }), None)
    });
    let by_day = Query::RateByInterval(TimeRange::ALL, Zone::UTC, Interval::Day, Aggregate::Mean);
    let [mean] = *points(&store, by_day) else {
        panic!("one day");
    };
    assert!((mean.value / (f64::MAX / 2.0) - 1.0).abs() < 1e-11);
}

#[test]
fn the_only_register_of_a_block_may_be_the_sensors_first() {
    let dir = tempfile::tempdir().unwrap();
    let store = sealed(dir.path(), |n| (Some(1.0), (n == 3).then_some(500.0)));
    let by_day = || Query::ConsumptionByInterval(TimeRange::ALL, Zone::UTC, Interval::Day);
    assert_eq!(points(&store, by_day()), []);
    let later = Reading {
        time: at(70 * 60_000),
        measures: Measures::new(None, Some(501.5)).unwrap(),
    };
    put(&store, &[later], false);
    let expected = Point {
        time: at(0),
        value: 1.5,
    };
    assert_eq!(points(&store, by_day()), [expected]);
}
