//! A primary is killed and its standby promoted: both have all acknowledged readings.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

use super::until;
use crate::backend::{PostgresServer, TestBackend};
use crate::stops::Stops;
use crate::support::{Service, at};

const ROUNDS: i64 = 20;
/// That upload at the same time.
const THREADS: i64 = 4;
/// Uploads that are acknowledged by the primary in a round, at least, and then by the one that took
/// over.
const BEFORE: usize = 40;
const AFTERWARDS: usize = 8;

/// Power by time, as it was acknowledged.
type Acknowledged = Mutex<BTreeMap<String, f64>>;

/// The address of two servers: front-ends find the primary.
fn url_of(one: &PostgresServer, other: &PostgresServer) -> String {
    let host = |server: &PostgresServer| format!("127.0.0.1:{}", server.port());
    let url = one.url("postgres");
    url.replace(&host(one), &format!("{},{}", host(one), host(other)))
}

/// Uploads one reading after the other.
fn upload(service: &Service, first: i64, stop: &AtomicBool, kept: &(Acknowledged, AtomicUsize)) {
    let begin = at("2025-01-01T00:00:00");
    let mut nth = first;
    while !stop.load(Ordering::Acquire) {
        let time = begin.saturating_add_millis(nth).to_string();
        let watts = f64::from(u32::try_from(nth % 4_999).unwrap());
        let answer = service.upload(&json!({"time": time, "watts": watts}));
        match answer.status() {
            200 => {
                kept.0.lock().unwrap().insert(time, watts);
                kept.1.fetch_add(1, Ordering::AcqRel);
            }
            // It may be stored or not.
            503 => thread::sleep(Duration::from_millis(20)),
            status => panic!("{status}: {}", answer.text()),
        }
        nth += THREADS;
    }
}

#[test]
#[ignore = "needs postgres"]
fn postgres_primary_that_is_killed_takes_nothing_acknowledged_along() {
    let mut primary = PostgresServer::start(&[]);
    let kept = (Acknowledged::default(), AtomicUsize::new(0));
    for round in 0..ROUNDS {
        let standby = primary.standby();
        let backend = TestBackend::at(url_of(&primary, &standby));
        let service = Service::start_at(backend, |_| {});
        if round == 0 {
            service.register_house();
        }
        let stop = AtomicBool::new(false);
        let await_more = |count: usize| {
            let known = kept.1.load(Ordering::Acquire);
            until("no upload is acknowledged", || {
                kept.1.load(Ordering::Acquire) >= known + count
            });
        };
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (service, stop, kept) = (&service, &stop, &kept);
                let first = round * 10_000_000 + thread;
                scope.spawn(move || upload(service, first, stop, kept));
            }
            let _stops = Stops(&stop);
            await_more(BEFORE);
            primary.kill();
            standby.promote();
            await_more(AFTERWARDS);
        });
        let found: BTreeMap<String, f64> = service.all_watts().into_iter().collect();
        let missing: Vec<_> = kept.0.lock().unwrap().clone().into_iter().collect();
        let missing: Vec<_> = missing
            .iter()
            .filter(|(time, watts)| found.get(time) != Some(watts))
            .collect();
        assert!(missing.is_empty(), "in round {round}: {missing:?}");
        primary = standby;
    }
}
