//! A thread of sled's that panics: what it was to write is never written, and sled tells nobody.

use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use wattkeeper::domain::reading::{Measures, Upload, UploadedReading};
use wattkeeper::domain::sensor::SensorId;
use wattkeeper::store::{OpenMode, StoreError};

use crate::service::{PATIENCE, Place, SENSORS, at, open};

/// Tells a child that it is one.
const CHILD: &str = "FAULT_PANIC";

/// What a child does: the panic concerns all stores of a process.
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
        assert!(begun.elapsed() < PATIENCE, "it is not noticed");
        thread::sleep(Duration::from_millis(10));
    }
    assert!(matches!(upload(2), Err(StoreError::Poisoned(_))));
}

#[test]
fn a_panic_of_sled_is_noticed() {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["panic::panicking", "--exact", "--ignored"])
        .env(CHILD, "yes")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
}
