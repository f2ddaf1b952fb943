//! `wattkeeper clock`.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use wattkeeper::OpenMode;
use wattkeeper::SensorId;
use wattkeeper::Timestamp;
use wattkeeper::{Measures, Upload, UploadedReading};

use crate::place::Place;

#[test]
fn a_clock_that_is_right_again_can_be_trusted() {
    let place = Place::new();
    place.prepare();
    let (api_id, api_key) = place.key();
    // An upload that came while the clock was years ahead.
    let store = place.open(OpenMode::Existing);
    let upload = Upload::new(
        SensorId::new("house").unwrap(),
        vec![UploadedReading {
            time: None,
            measures: Measures::new(Some(1.0), None).unwrap(),
        }],
    );
    let ahead = Timestamp::parse("2099-01-01T00:00:00").unwrap();
    store
        .append_durably_blocking(upload.unwrap(), ahead)
        .unwrap();
    store.close().unwrap();
    drop(store);

    let serving = place.serve(&[]);
    let upload = || serving.upload(&api_id, &api_key, "house", 2.0);
    assert_eq!(upload(), 503);
    let asked = place.error(&["clock", "trust"]);
    assert!(
        asked.contains("1 sensors uploaded") && asked.contains("--yes"),
        "{asked}"
    );
    assert_eq!(upload(), 503);
    assert_eq!(place.json(&["clock", "trust", "--yes"])["sensors"], 1);
    let (mut status, begun) = (upload(), Instant::now());
    // A command with PostgreSQL goes past the server, which looks once a minute.
    while place.backend.url().is_some() && status == 503 && begun.elapsed() < Duration::from_mins(5)
    {
        thread::sleep(Duration::from_millis(200));
        status = upload();
    }
    assert_eq!(status, 200);
    // With nothing to forget, it does not ask.
    assert_eq!(place.json(&["clock", "trust"])["sensors"], 0);
    assert_eq!(place.json(&["sensor", "list"])[0]["active"], true);
    assert_eq!(place.json(&["sensor", "list"])[0]["readings"], json!(2));
    let log = serving.stop();
    // Once, not for each request.
    assert_eq!(log.matches("wattkeeper clock trust").count(), 1, "{log}");
}
