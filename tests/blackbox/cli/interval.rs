//! Uploads that are answered before they are stored (`store.durability` = "30s"): their use of disk
//! and memory, and the loss that a start replays of them.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use serde_json::json;
use wattkeeper::OpenMode;
use wattkeeper::Timestamp;
use wattkeeper::{Sensor, SensorId};

use super::memory::peak_kib;
use crate::place::{self, Place, Serving};

const SENSORS: i64 = 64;
/// Of each sensor, one a minute, in so many uploads of so many readings.
const UPLOADS: i64 = 15;
const BATCH: i64 = 250;
/// Beyond what the service takes without them.
const MEMORY_KIB: u64 = 16 * 1_024;
const DISK_BYTES: u64 = 5 * 1_024 * 1_024;
/// All of the readings would take 2 MiB.
const JOURNAL_BYTES: u64 = 1_536 * 1_024;

fn name(sensor: i64) -> String {
    format!("sensor {sensor}")
}

fn add_sensors(place: &Place) {
    let store = place.open(OpenMode::Existing);
    let house = SensorId::new("house").unwrap();
    let known = store.registry().sensor(&house).cloned().unwrap();
    for sensor in 0..SENSORS {
        let id = SensorId::new(&name(sensor)).unwrap();
        let sensor = Sensor {
            id,
            ..known.clone()
        };
        store.put_sensor_durably(sensor).unwrap();
    }
    store.close().unwrap();
}

/// Uploads to all sensors in turn.
fn upload_all(server: &Serving, (api_id, api_key): &(String, String)) {
    let agent = ureq::Agent::new_with_defaults();
    let begin = Timestamp::parse("2026-01-01T00:00:00").unwrap();
    for upload in 0..UPLOADS {
        for sensor in 0..SENSORS {
            let reading = |n: i64| {
                let time = begin.saturating_add_millis(n * 60_000);
                // Noise, as in a real house; the register counts up.
                let watts = (n * n + sensor) % 7_919;
                json!({"time": time.to_string(), "watts": watts, "watthours": n * 10})
            };
            let readings: Vec<_> = (upload * BATCH..(upload + 1) * BATCH)
                .map(reading)
                .collect();
            let body = json!({
                "sensor_id": name(sensor), "api_id": api_id, "api_key": api_key, "readings": readings,
            });
            let answer = agent.post(server.elec()).send(body.to_string()).unwrap();
            assert_eq!(answer.status(), 200);
        }
    }
}

fn bytes_in(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).unwrap();
    let sizes = entries.map(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes_in(&path)
        } else {
            fs::metadata(path).unwrap().len()
        }
    });
    sizes.sum()
}

#[test]
fn uploads_that_are_stored_later_take_little_disk_and_memory_and_are_not_all_replayed() {
    let place = Place::new();
    place.prepare();
    add_sensors(&place);
    let key = place.key();
    let serve = || {
        let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
        command.env("WATTKEEPER_STORE_DURABILITY", "30s");
        Serving::start(command)
    };
    let mut server = serve();
    let before = peak_kib(&server);
    upload_all(&server, &key);
    let more = peak_kib(&server) - before;
    assert!(more < MEMORY_KIB, "{more} KiB");
    let disk = bytes_in(&place.data_dir());
    assert!(disk < DISK_BYTES, "{disk} bytes");
    // So that it cannot put anything in order.
    server.signal("KILL");
    assert_eq!(place::wait(&mut server.child), None, "by the signal");
    // It is all that a start can replay.
    let journal = fs::metadata(place.data_dir().join("journal")).unwrap();
    assert!(journal.len() < JOURNAL_BYTES, "{} bytes", journal.len());
    let again = serve();
    let more = peak_kib(&again).saturating_sub(before);
    assert!(more < MEMORY_KIB, "{more} KiB");
}
