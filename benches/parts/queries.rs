//! Each kind of query, up to its last point.

use std::hint::black_box;
use std::ops::Range;
use std::time::Instant;

use criterion::{Criterion, Throughput};
use wattkeeper::Interval;
use wattkeeper::Store;
use wattkeeper::Zone;
use wattkeeper::{Aggregate, LedgerEnergy, Query, ledger_events};
use wattkeeper::{Event, Facts};
use wattkeeper::{MS_PER_DAY, TimeRange, Timestamp};
use wattkeeper::{Measures, Reading, Upload, UploadedReading};
use wattkeeper::{Meter, MeterKind};

use crate::{readings, stores};

pub(crate) fn run(criterion: &mut Criterion) {
    let history = readings::history();
    let folder = stores::folder();
    let store = stores::store(folder.path(), 1);
    stores::import(&store, &history);
    let newest = history[history.len() - 1];
    // `latest_rate` answers from uploads; imports do not count.
    let upload = UploadedReading {
        time: Some(newest.time),
        measures: newest.measures,
    };
    let upload = Upload::new(stores::sensor(0), vec![upload]).unwrap();
    store.append_durably_blocking(upload, newest.time).unwrap();

    let all = TimeRange::new(Timestamp::MIN, Timestamp::MAX).unwrap();
    let middle = history[history.len() / 2].time;
    let day = TimeRange::new(middle, middle.saturating_add_millis(MS_PER_DAY - 1)).unwrap();
    let mut group = criterion.benchmark_group("query");
    for (name, query) in [
        ("power of a day", Query::Rate(day)),
        ("power of all years", Query::Rate(all)),
        ("consumption of a day", Query::Consumption(day)),
        ("consumption of all years", Query::Consumption(all)),
        ("net consumption of a day", Query::NetConsumption(day)),
        ("net consumption of all years", Query::NetConsumption(all)),
        (
            "daily mean of all years",
            Query::RateByInterval(all, paris(), Interval::Day, Aggregate::Mean),
        ),
        (
            "daily energy of all years",
            Query::ConsumptionByInterval(all, paris(), Interval::Day),
        ),
        ("latest power", Query::LatestRate),
    ] {
        let points = count(&store, query.clone(), newest.time);
        assert_ne!(points, 0, "{name}");
        group.throughput(Throughput::Elements(points));
        group.bench_function(name, |bencher| {
            bencher.iter(|| count(&store, query.clone(), newest.time));
        });
    }
    // Beside "daily energy of all years", which is the plain difference of registers: at most 1.3 times as long.
    let years = history[0].time..newest.time;
    let days = ledger(&store, years.clone());
    assert_ne!(days, 0);
    group.throughput(Throughput::Elements(days));
    group.bench_function("daily ledger energy of all years", |bencher| {
        bencher.iter(|| ledger(&store, years.clone()));
    });
    let today = newest.time.saturating_add_millis(-MS_PER_DAY)..newest.time;
    group.throughput(Throughput::Elements(1));
    group.bench_function("ledger energy of the last day", |bencher| {
        bencher.iter(|| ledger(&store, today.clone()));
    });
    group.finish();
    in_turns(
        || ledger(&store, years.clone()),
        || {
            let by = Query::ConsumptionByInterval(all, paris(), Interval::Day);
            count(&store, by, newest.time)
        },
    );
    events(criterion);
}

/// Says how many times as long the ledger's days take as the plain ones, measured in turns: what disturbs one disturbs the other.
fn in_turns(ledger: impl Fn() -> u64, plain: impl Fn() -> u64) {
    let seconds = |work: &dyn Fn() -> u64| {
        let begun = Instant::now();
        assert_ne!(black_box(work()), 0);
        begun.elapsed().as_secs_f64()
    };
    let mut ratios: Vec<f64> = (0..40)
        .map(|_| seconds(&ledger) / seconds(&plain))
        .collect();
    ratios.sort_by(f64::total_cmp);
    eprintln!(
        "daily energy of all years: the ledger takes {:.2} x plain",
        ratios[20]
    );
}

/// A counter that is reset 1,000 times within ten years, with a reading every five minutes.
fn events(criterion: &mut Criterion) {
    const SPACING_MS: i64 = 5 * 60_000;
    const READINGS: i64 = 3_652 * MS_PER_DAY / SPACING_MS;
    const RESETS: i64 = 1_000;
    let folder = stores::folder();
    let store = stores::store(folder.path(), 1);
    let reading = |nth: i64| {
        let watthours = i32::try_from(nth % (READINGS / (RESETS + 1)) * 25).unwrap();
        let watts = i32::try_from(300 + nth * 7 % 100).unwrap();
        Reading {
            time: Timestamp::from_millis(nth * SPACING_MS).unwrap(),
            measures: Measures::new(Some(watts.into()), Some(watthours.into())).unwrap(),
        }
    };
    stores::import(&store, &(0..READINGS).map(reading).collect::<Vec<_>>());
    let all = || {
        let meter = (Meter::new(MeterKind::Counter), Facts::default());
        let range = Timestamp::MIN..Timestamp::MAX;
        let most = (|_: &Event| true, 10_000);
        ledger_events(&store, &stores::sensor(0), meter, range, most).unwrap()
    };
    assert!(all().len() >= 1_000, "{}", all().len());
    criterion.bench_function("events/ten years with 1,000 resets", |bencher| {
        bencher.iter(all);
    });
}

/// Reads the ledger's energy by day; returns the number of days.
fn ledger(store: &Store, range: Range<Timestamp>) -> u64 {
    let meter = (Meter::new(MeterKind::Counter), Facts::default());
    let by = (paris(), Interval::Day);
    let energy = LedgerEnergy::by_interval(store, &stores::sensor(0), meter, range, by).unwrap();
    let (days, _) = energy.all().unwrap();
    days.len() as u64
}

/// Includes days of 23 and of 25 hours.
fn paris() -> Zone {
    Zone::parse("Europe/Paris").unwrap()
}

/// Reads all points of the answer; returns their number.
fn count(store: &Store, query: Query, now: Timestamp) -> u64 {
    let mut series = query.run(store, &stores::sensor(0), now).unwrap();
    let (mut run, mut points) = (Vec::new(), 0);
    loop {
        run.clear();
        let more = series.next_run(&mut run).unwrap();
        points += run.len() as u64;
        if !more {
            return points;
        }
    }
}
