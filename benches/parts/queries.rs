//! Each kind of query, up to its last point.

use std::ops::Range;

use criterion::{Criterion, Throughput};
use wattkeeper::domain::calendar::Zone;
use wattkeeper::domain::interval::Interval;
use wattkeeper::domain::reading::{Upload, UploadedReading};
use wattkeeper::domain::time::{MS_PER_DAY, TimeRange, Timestamp};
use wattkeeper::domain::{Meter, MeterKind};
use wattkeeper::ledger::Facts;
use wattkeeper::query::{Aggregate, LedgerEnergy, Query};
use wattkeeper::store::Store;

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
