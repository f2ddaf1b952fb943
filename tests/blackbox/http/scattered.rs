//! A sensor with more readings in memory than it may have: its uploads wait until some are sealed.

use std::fs;

use serde_json::json;
use wattkeeper::Scope;
use wattkeeper::SensorId;
use wattkeeper::StoreError;
use wattkeeper::{Upload, UploadedReading};

use crate::support::{
    ACCOUNT, SENSOR, START, Service, at, house_basic, power, request, with_house,
};

/// As Emoncms' clients send it, without an id.
const KEY: &str = "0123456789abcdef0123456789abcdef";
const UPLOADED: i64 = 10_000;
/// The service keeps 262,144 readings of a sensor in memory.
const ACCEPTED: i64 = 27;

/// Stores readings, each upload at other times.
fn store(service: &Service, round: i64) -> Result<usize, StoreError> {
    let readings = (round * UPLOADED..(round + 1) * UPLOADED).map(|nth| {
        let time = at("2015-01-01T00:00:00Z").saturating_add_millis(nth * 1_000);
        let measures = power(time, 5.0).measures;
        let time = Some(time);
        UploadedReading { time, measures }
    });
    let upload = Upload::new(SensorId::new(SENSOR).unwrap(), readings.collect()).unwrap();
    service.store().append_durably_blocking(upload, at(START))
}

#[test]
fn a_sensor_with_too_many_waits_in_each_protocol_and_others_go_on() {
    let service = Service::start();
    service.add_sensor(ACCOUNT, "garden");
    service.add_key_with(ACCOUNT, "emon", Scope::Full, KEY);
    // Nothing can be sealed, as if that took very long: no file of blocks can be made.
    let folder = |name| service.data_dir().join("data").join(name);
    fs::rename(folder("blocks"), folder("aside")).unwrap();
    for round in 0..ACCEPTED {
        assert_eq!(store(&service, round).unwrap(), 10_000);
    }
    let refused = store(&service, ACCEPTED);
    assert!(
        matches!(refused, Err(StoreError::SensorBehind(_))),
        "{refused:?}"
    );
    let basic = house_basic();
    let influx = |lines: &str| {
        let headers = [("Authorization", basic.as_str())];
        service.send(&request(
            "POST",
            "/write?db=home",
            &headers,
            lines.as_bytes(),
        ))
    };
    let elec = service.upload(&json!({"watts": 1}));
    elec.assert_problem(503, "sensor_behind", SENSOR);
    let emoncms = format!("/input/post?fulljson=%7B%22power1%22%3A5%7D&node=house&apikey={KEY}");
    let emoncms = service.send(&request("GET", &emoncms, &[], b""));
    for answer in [elec, influx("p,sensor=house watts=1"), emoncms] {
        assert_eq!(
            (answer.status(), answer.head.header("retry-after")),
            (503, Some("5"))
        );
    }
    let garden = with_house(&json!({"sensor_id": "garden", "watts": 1}));
    service
        .post(garden.to_string())
        .assert_json(r#"{"accepted":1}"#);
    assert_eq!(influx("p,sensor=garden watts=1").status(), 204);
}
