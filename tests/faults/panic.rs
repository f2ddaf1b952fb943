//! A panic in one of sled's threads: its writes are lost, and sled reports nothing.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wattkeeper::domain::reading::{Measures, Upload, UploadedReading};
use wattkeeper::domain::sensor::SensorId;
use wattkeeper::store::{OpenMode, StoreError, StoreSettings, salvage};

use crate::service::{PATIENCE, Place, SENSORS, at, open};

/// The environment variable that marks a child.
const CHILD: &str = "FAULT_PANIC";

/// The work of a child. The panic affects all stores of a process, so it needs its own.
#[test]
#[ignore = "needs a parent: a_panic_of_sled_is_noticed"]
fn panicking() {
    if std::env::var(CHILD).is_err() {
        return;
    }
    let place = Place::new();
    let store = open(&place.data_dir(), OpenMode::Existing).unwrap();
    let measures = Measures::new(Some(1.0), None).unwrap();
    let upload = |ms| {
        let time = Some(at(ms));
        let sensor = SensorId::new(SENSORS[0]).unwrap();
        let upload = Upload::new(sensor, vec![UploadedReading { time, measures }]).unwrap();
        store.append_durably_blocking(upload, at(ms))
    };
    upload(0).unwrap();
    let another = thread::Builder::new().spawn(|| panic!("on purpose"));
    assert!(another.unwrap().join().is_err());
    upload(1).unwrap();
    let sleds = thread::Builder::new().name("sled-io-5".into());
    let panicked = sleds.spawn(|| panic!("on purpose")).unwrap().join();
    assert!(panicked.is_err());
    let begun = Instant::now();
    while store.unavailable().is_none() {
        assert!(begun.elapsed() < PATIENCE, "the panic goes unnoticed");
        thread::sleep(Duration::from_millis(10));
    }
    assert!(matches!(upload(2), Err(StoreError::Poisoned(_))));
}

/// The same for a salvage, which has two stores open.
#[test]
#[ignore = "needs a parent: a_salvage_goes_on_after_a_panic_in_the_damaged_copy"]
fn salvaging() {
    if std::env::var(CHILD).is_err() {
        return;
    }
    let place = Place::new();
    let store = open(&place.data_dir(), OpenMode::Existing).unwrap();
    let measures = Measures::new(Some(1.0), None).unwrap();
    for ms in 0..5 {
        let time = Some(at(ms));
        let sensor = SensorId::new(SENSORS[0]).unwrap();
        let upload = Upload::new(sensor, vec![UploadedReading { time, measures }]).unwrap();
        store.append_durably_blocking(upload, at(ms)).unwrap();
    }
    store.close().unwrap();
    drop(store);
    let mut has_panicked = false;
    let panic_once = move |_| {
        if !std::mem::replace(&mut has_panicked, true) {
            let sleds = thread::Builder::new().name("sled-io-5".into());
            let panicked = sleds.spawn(|| panic!("on purpose")).unwrap().join();
            assert!(panicked.is_err());
            // Time to notice it.
            thread::sleep(Duration::from_secs(2));
        }
    };
    let new = place.path().join("new");
    let settings = StoreSettings::default();
    let salvaged = salvage(&place.data_dir(), &new, settings, at(9), panic_once).unwrap();
    assert_eq!((salvaged.counts.readings, salvaged.lost.len()), (5, 0));
}

#[test]
fn a_panic_of_sled_is_noticed() {
    assert_child_succeeds("panic::panicking");
}

#[test]
fn a_salvage_goes_on_after_a_panic_in_the_damaged_copy() {
    assert_child_succeeds("panic::salvaging");
}

fn assert_child_succeeds(test: &str) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored"])
        .env(CHILD, "yes")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
}
