//! Each kind of query, up to its last point.

use criterion::{Criterion, Throughput};
use wattkeeper::domain::reading::{Upload, UploadedReading};
use wattkeeper::domain::time::{MS_PER_DAY, TimeRange, Timestamp};
use wattkeeper::query::Query;
use wattkeeper::store::Store;

use crate::{readings, stores};

pub(crate) fn run(criterion: &mut Criterion) {
    let history = readings::history();
    let folder = stores::folder();
    let store = stores::store(folder.path(), 1);
    stores::import(&store, &history);
    let newest = history[history.len() - 1];
    // `latest_rate` is about uploads; an import is none.
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
        ("latest power", Query::LatestRate),
    ] {
        let points = count(&store, query, newest.time);
        assert_ne!(points, 0, "{name}");
        group.throughput(Throughput::Elements(points));
        group.bench_function(name, |bencher| {
            bencher.iter(|| count(&store, query, newest.time));
        });
    }
    group.finish();
}

/// How many points the answer has, all of them read.
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
