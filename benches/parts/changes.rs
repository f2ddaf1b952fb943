//! Changes until they are durable: uploads, and history that goes into blocks. Mostly limited by the disk's syncs.

use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use wattkeeper::SensorId;
use wattkeeper::Store;
use wattkeeper::Timestamp;
use wattkeeper::{Reading, Upload, UploadedReading};

use crate::{readings, stores};

/// How many clients upload at once, each for its own sensor.
const CLIENTS: usize = 64;
/// A day of minutes.
const BATCH: usize = 1_440;

pub(crate) fn run(criterion: &mut Criterion) {
    commits(criterion);
    seals(criterion);
}

fn commits(criterion: &mut Criterion) {
    let folder = stores::folder();
    let store = Arc::new(stores::store(folder.path(), CLIENTS));
    let history = readings::history();
    // Each upload has a different time, so that it is a new row.
    let mut next = 0;
    let mut upload = |sensor: SensorId, count: usize| {
        let taken = history
            .iter()
            .cycle()
            .skip(next % history.len())
            .take(count);
        let readings = taken.enumerate().map(|(index, reading)| UploadedReading {
            time: Some(minute(next + index)),
            measures: reading.measures,
        });
        let upload = Upload::new(sensor, readings.collect()).unwrap();
        next += count;
        upload
    };
    let arrival = minute(0);
    let mut group = criterion.benchmark_group("commit");
    group.bench_function("one upload", |bencher| {
        bencher.iter_batched(
            || upload(stores::sensor(0), 1),
            |upload| store.append_durably_blocking(upload, arrival).unwrap(),
            BatchSize::PerIteration,
        );
    });
    group.throughput(Throughput::Elements(BATCH as u64));
    group.bench_function("one batch of a day", |bencher| {
        bencher.iter_batched(
            || upload(stores::sensor(0), BATCH),
            |upload| store.append_durably_blocking(upload, arrival).unwrap(),
            BatchSize::PerIteration,
        );
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    group.throughput(Throughput::Elements(CLIENTS as u64));
    group.bench_function("64 uploads at once", |bencher| {
        bencher.iter_batched(
            || {
                (0..CLIENTS)
                    .map(|client| upload(stores::sensor(client), 1))
                    .collect()
            },
            |uploads| append_at_once(&runtime, &store, uploads, arrival),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn append_at_once(runtime: &Runtime, store: &Arc<Store>, uploads: Vec<Upload>, arrival: Timestamp) {
    runtime.block_on(async {
        let mut waiting = JoinSet::new();
        for upload in uploads {
            let store = Arc::clone(store);
            waiting.spawn(async move {
                let account = stores::account();
                store.append_durably(&account, upload, arrival).await
            });
        }
        while let Some(answer) = waiting.join_next().await {
            answer.unwrap().unwrap();
        }
    });
}

fn seals(criterion: &mut Criterion) {
    let history = readings::history();
    let mut chunks = history.chunks_exact(Store::IMPORT_CHUNK).cycle();
    let folder = stores::folder();
    let store = stores::store(folder.path(), 1);
    let mut group = criterion.benchmark_group("seal");
    group.throughput(Throughput::Elements(Store::IMPORT_CHUNK as u64));
    // At the end of the history it starts over, and replaces equal blocks.
    group.bench_function("16,384 readings of history", |bencher| {
        bencher.iter_batched(
            || chunks.next().unwrap().to_vec(),
            |chunk| store.import_durably(&stores::sensor(0), chunk).unwrap(),
            BatchSize::PerIteration,
        );
    });
    // The blocks must exist even if a filter skipped the benchmark above.
    stores::import(&store, &history[..Store::IMPORT_CHUNK]);
    let (mut late, mut late_ms) = (0, 0);
    group.throughput(Throughput::Elements(1));
    group.bench_function("a late reading into a block", |bencher| {
        bencher.iter_batched(
            || {
                // Far from the previous one, and between two minutes.
                late = (late + 7_919) % Store::IMPORT_CHUNK;
                let near = history[late];
                late_ms = late_ms % 59_999 + 1;
                let time = near.time.saturating_add_millis(late_ms);
                vec![Reading { time, ..near }]
            },
            |reading| store.import_durably(&stores::sensor(0), reading).unwrap(),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

/// The time this many minutes after the start of 2020.
fn minute(count: usize) -> Timestamp {
    let ms = 1_577_836_800_000 + 60_000 * i64::try_from(count).unwrap();
    Timestamp::from_millis(ms).unwrap()
}
