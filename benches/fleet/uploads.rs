//! How many uploads a second a front-end stores in PostgreSQL, without HTTP before it: `benches/fleet/run` calls this.
//!
//!     cargo bench --bench uploads -- ENGINE_URL ACCOUNT SENSORS CLIENTS SECONDS
//!
//! The sensors `sensor0`, `sensor1` and so on of the account must be registered. Each client has one upload under way at a time.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench fails by panicking, and says what it measured"
)]

use std::env::args;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::task::JoinSet;
use wattkeeper::AccountName;
use wattkeeper::SensorId;
use wattkeeper::Timestamp;
use wattkeeper::{Measures, Upload, UploadedReading};
use wattkeeper::{OpenMode, PostgresSettings, Store, StoreSettings};

/// When the readings begin, in milliseconds since 1970; each sensor has one every ten seconds.
const BEGIN: i64 = 1_700_000_000_000;
const EVERY: i64 = 10_000;

fn main() {
    let given: Vec<String> = args().skip(1).filter(|it| it != "--bench").collect();
    let [url, account, sensors, clients, seconds] = &*given else {
        println!("uploads: left out, as it needs PostgreSQL: benches/fleet/run has one");
        return;
    };
    let settings = PostgresSettings {
        url: url.parse().unwrap(),
        password_file: None,
        allow_async: false,
        allow_clear_text_password: false,
        connections: 8,
    };
    let store = Store::open_in_postgres(settings, StoreSettings::default(), OpenMode::Existing);
    let store = Arc::new(store.unwrap());
    let account = AccountName::new(account).unwrap();
    let sensors: usize = sensors.parse().unwrap();
    let names = (0..sensors).map(|n| SensorId::new(&format!("sensor{n}")).unwrap());
    let names: Arc<[SensorId]> = names.collect();
    let made = Arc::new(AtomicUsize::new(0));
    let end = Instant::now() + Duration::from_secs(seconds.parse().unwrap());
    let client = |store: Arc<Store>, names: Arc<[SensorId]>, made: Arc<AtomicUsize>| {
        let account = account.clone();
        async move {
            let mut longest = Duration::ZERO;
            let mut count = 0;
            while Instant::now() < end {
                let (upload, arrival) = upload(&names, made.fetch_add(1, Ordering::Relaxed));
                let begun = Instant::now();
                store
                    .append_durably(&account, upload, arrival)
                    .await
                    .unwrap();
                longest = longest.max(begun.elapsed());
                count += 1;
            }
            (count, longest)
        }
    };
    let begun = Instant::now();
    let runtime = Builder::new_current_thread().build().unwrap();
    let results = runtime.block_on(async {
        let clients = (0..clients.parse().unwrap())
            .map(|_| client(Arc::clone(&store), Arc::clone(&names), Arc::clone(&made)));
        clients.collect::<JoinSet<_>>().join_all().await
    });
    let seconds = begun.elapsed().as_secs_f64();
    let uploads: u32 = results.iter().map(|(count, _)| count).sum();
    let longest = results.iter().map(|(_, longest)| *longest).max();
    println!(
        r#"{{"requests":{uploads},"microseconds":{:.0},"max":{}}}"#,
        seconds * 1e6,
        longest.unwrap_or_default().as_micros(),
    );
    store.close().unwrap();
}

/// The n-th upload: the sensors take turns.
fn upload(names: &[SensorId], n: usize) -> (Upload, Timestamp) {
    let round = i64::try_from(n / names.len()).unwrap();
    let time = Timestamp::from_millis(BEGIN + EVERY * round).unwrap();
    let watts = f64::from(u32::try_from(200 + n * 7_919 % 1_000).unwrap());
    let watthours = f64::from(u32::try_from(1_000_000 + round).unwrap());
    let reading = UploadedReading {
        time: Some(time),
        measures: Measures::new(Some(watts), Some(watthours)).unwrap(),
    };
    let sensor = names.get(n % names.len()).unwrap();
    (Upload::new(sensor.clone(), vec![reading]).unwrap(), time)
}
