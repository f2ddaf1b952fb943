//! A backup under as many uploads as possible. Their rate depends on the machine, so a plain run
//! verifies the backup and prints the rate; `FAULT_RATE=5000` requires one.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::copies::{breaches, fill};
use crate::load::BEGIN_MS;
use crate::service::{PATIENCE, Place, SENSORS, Service, assert_nothing};
use crate::stops::Stops;
use crate::truth::Truth;
use crate::wire::Wire;

/// The number of concurrent clients.
const CLIENTS: u32 = 64;
/// Uploads before the backup begins: by then all clients are busy.
const WARM_UP: u64 = 256;

/// The required rate in uploads per second; 0 to only measure it.
fn wanted_rate() -> f64 {
    std::env::var("FAULT_RATE").map_or(0.0, |rate| rate.parse().unwrap())
}

/// One client: single readings, one after the other.
fn upload(
    service: &Service,
    client: u32,
    truth: &Truth,
    acknowledged: &AtomicU64,
    stopping: &AtomicBool,
) {
    let mut wire = Wire::open(service, PATIENCE).unwrap();
    let sensor = SENSORS[client as usize % 3];
    for n in 0.. {
        if stopping.load(Ordering::SeqCst) {
            return;
        }
        let ms = BEGIN_MS + i64::from(n) * 1_000 + i64::from(client);
        let reading = (ms, f64::from(n % 5_000) / 10.0);
        let ticket = truth.sending(sensor, &[reading]);
        assert_eq!(
            wire.upload(sensor, reading).unwrap(),
            200,
            "{}",
            service.said()
        );
        truth.acknowledged(&ticket, acknowledged.fetch_add(1, Ordering::SeqCst) + 1);
    }
}

#[test]
fn live_backup_amid_all_the_uploads_that_can_be_made() {
    let mut chance = Chance::of_this_run();
    let (place, truth) = (Place::new(), Truth::default());
    let wanted = wanted_rate();
    // If a rate is required, the backup must last long enough to measure it.
    let history = if wanted > 0.0 { 300_000 } else { 20_000 };
    fill(&place, &truth, history, &mut chance);
    let mut command = place.serve_command();
    command.env("WATTKEEPER_STORE_BLOCK_READINGS", "4096");
    let service = place
        .start(command)
        .unwrap_or_else(|ended| panic!("{ended:?}"));
    let (acknowledged, stopping) = (AtomicU64::new(0), AtomicBool::new(false));
    let (begun, meanwhile, seconds) = thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (service, truth) = (&service, &truth);
            let (acknowledged, stopping) = (&acknowledged, &stopping);
            scope.spawn(move || upload(service, client, truth, acknowledged, stopping));
        }
        let _stops = Stops(&stopping);
        let started = Instant::now();
        while acknowledged.load(Ordering::SeqCst) < WARM_UP && started.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(5));
        }
        let begun = acknowledged.load(Ordering::SeqCst);
        let since = Instant::now();
        let printed = place.run(&["backup", "copy"], b"");
        let seconds = since.elapsed().as_secs_f64();
        let meanwhile = acknowledged.load(Ordering::SeqCst) - begun;
        assert!(printed.is_some(), "{}", service.said());
        (begun, meanwhile, seconds)
    });
    let rate = f64::from(u32::try_from(meanwhile).unwrap()) / seconds;
    eprintln!(
        "{begun} uploads acknowledged before the copy, {meanwhile} during its {seconds:.2} s: {rate:.0} a second"
    );
    assert_eq!(service.stop().status, Some(0));
    assert!(begun > 0);
    assert_nothing(&breaches(&place.path().join("copy"), &truth, begun));
    place.assert_sound(&truth);
    assert!(
        rate >= wanted,
        "{rate:.0} uploads per second, {wanted} required"
    );
}
