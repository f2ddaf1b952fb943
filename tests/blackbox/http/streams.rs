//! Large results: complete and in order, while other clients are slow, gone or uploading.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use serde_json::json;
use wattkeeper::Reading;

use crate::support::{Connection, ELEC, Service, at, house_basic, power, register, request};

const READINGS: i32 = 300_000;

/// A service with a reading a second, more than all buffers between service and client hold.
fn long_history() -> Service {
    let service = Service::start();
    service.import(readings());
    service
}

fn readings() -> &'static [Reading] {
    static READINGS_MADE: OnceLock<Vec<Reading>> = OnceLock::new();
    READINGS_MADE.get_or_init(|| {
        let begin = at("2020-01-01T00:00:00");
        (0..READINGS)
            .map(|n| {
                power(
                    begin.saturating_add_millis(i64::from(n) * 1_000),
                    f64::from(n % 977),
                )
            })
            .collect()
    })
}

/// The whole result, to the byte.
fn expected() -> &'static str {
    static EXPECTED: OnceLock<String> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        let mut text = String::from(r#"{"units":"watts","data":["#);
        for (n, reading) in readings().iter().enumerate() {
            let comma = if n == 0 { "" } else { "," };
            let watts = reading.measures.watts().unwrap();
            write!(text, r#"{comma}{{"t":"{}","v":{watts}}}"#, reading.time).unwrap();
        }
        text + "]}"
    })
}

/// Compares long texts without printing them.
#[track_caller]
fn assert_same(found: &[u8], expected: &str) {
    if found == expected.as_bytes() {
        return;
    }
    let same = found.iter().zip(expected.as_bytes());
    let differs = same.take_while(|(a, b)| a == b).count();
    let lengths = (found.len(), expected.len());
    panic!("differs at byte {differs}, lengths {lengths:?}");
}

fn download() -> Vec<u8> {
    download_taking("identity")
}

fn download_taking(encoding: &str) -> Vec<u8> {
    let target =
        format!("{ELEC}?sensor_id=house&type=rate&start_time=2020-01-01&end_time=2021-01-01");
    let headers = [
        ("Authorization", &*house_basic()),
        ("Accept-Encoding", encoding),
    ];
    request("GET", &target, &headers, b"")
}

/// A connection with a download that has begun.
fn begun(service: &Service) -> (Connection, crate::support::Head) {
    begun_with(service, &download())
}

fn begun_with(service: &Service, download: &[u8]) -> (Connection, crate::support::Head) {
    let mut connection = Connection::open(service.address());
    connection.send(download);
    let head = connection.receive_head().unwrap();
    assert_eq!(head.status, 200);
    (connection, head)
}

#[test]
fn a_long_result_is_complete_and_in_order() {
    let service = long_history();
    let answer = service.send(&download());
    assert_eq!(answer.status(), 200);
    assert_same(&answer.body, expected());
    // And once more by HTTP/1.0, where the end of the connection ends the body.
    let old = String::from_utf8(download())
        .unwrap()
        .replace("HTTP/1.1", "HTTP/1.0");
    let answer = service.send(old.as_bytes());
    assert_eq!(answer.head.header("transfer-encoding"), None);
    assert_same(&answer.body, expected());
}

#[test]
fn a_long_consumption_adds_up() {
    let service = Service::start();
    let begin = at("2020-01-01T00:00:00");
    let registers: Vec<Reading> = (0..100_000)
        .map(|n: i32| Reading {
            time: begin.saturating_add_millis(i64::from(n) * 60_000),
            measures: wattkeeper::Measures::new(None, Some(f64::from(n) / 10.0)).unwrap(),
        })
        .collect();
    service.import(&registers);
    let deltas = service.points("consumption", "2020-01-01", "2021-01-01");
    assert_eq!(deltas.len(), 99_999);
    assert!(deltas.iter().all(|point| point.1 == 0.1));
    assert!(deltas.is_sorted());
    let net = service.points("net_consumption", "2020-01-01", "2021-01-01");
    assert_eq!(net[0].1, 9_999.9);
}

#[test]
fn clients_that_leave_do_no_harm() {
    let mut service = long_history();
    for n in 0..20 {
        let (connection, _) = begun(&service);
        drop(connection);
        service.accept(&json!({ "watts": n }));
    }
    let answer = service.send(&download());
    assert_same(&answer.body, expected());
    // Nothing of theirs is left that a stop would have to wait for.
    service.restart();
    assert_eq!(service.points("rate", "2026-01-01", "2027-01-01").len(), 20);
}

#[test]
fn uploads_go_on_during_slow_downloads() {
    let service = long_history();
    let slow: Vec<_> = (0..10).map(|_| begun(&service)).collect();
    for n in 0..30 {
        service.accept(&json!({ "watts": n }));
        // Into the middle of the range being read, where it changes nothing.
        service.accept(&json!({"time": "2020-01-02T00:00:00", "watthours": n}));
    }
    assert_eq!(service.points("rate", "2026-01-01", "2027-01-01").len(), 30);
    for (mut connection, head) in slow {
        let body = connection.receive_body(&head).unwrap();
        assert_same(&body, expected());
    }
}

#[test]
fn reports_that_nobody_reads_hold_no_turn() {
    let service = Service::start();
    let begin = at("2016-01-01T00:00:00");
    let hours: Vec<Reading> = (0..24 * 3_653)
        .map(|n| {
            register(
                begin.saturating_add_millis(i64::from(n) * 3_600_000),
                f64::from(n),
            )
        })
        .collect();
    service.import(&hours);
    let report = |interval| {
        let target = format!(
            "/api/v0.2/energy?sensor_id=house&start_time=2016-01-01&end_time=2025-12-31&interval={interval}"
        );
        request("GET", &target, &[("Authorization", &*house_basic())], b"")
    };
    // More than there are turns, of one account, which has one.
    let unread: Vec<_> = (0..6)
        .map(|_| begun_with(&service, &report("1h")))
        .collect();
    let read = service.send(&report("1y")).json();
    assert_eq!(read["data"].as_array().unwrap().len(), 10);
    // All at once: one that nobody reads for long is broken off.
    thread::scope(|scope| {
        for (mut connection, head) in unread {
            scope.spawn(move || {
                let body = connection.receive_body(&head).unwrap();
                let whole: serde_json::Value = serde_json::from_slice(&body).unwrap();
                assert_eq!(whole["data"].as_array().unwrap().len(), 24 * 3_652);
            });
        }
    });
}

/// A service with a history that fits in no cache: readings a second apart that cannot be
/// compressed, read from disk.
pub(crate) fn history_on_disk() -> Service {
    let mut service = Service::start_with(|config| config.store.cache_size = 1 << 20);
    let begin = at("2020-01-01T00:00:00");
    let mut bits = 1_u64;
    let history: Vec<Reading> = (0..400_000)
        .map(|n| {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            // Between 1 and 2, all 52 bits of the fraction used.
            let watts = f64::from_bits(0x3ff0_0000_0000_0000 | (bits >> 12));
            power(begin.saturating_add_millis(n * 1_000), watts)
        })
        .collect();
    service.import(&history);
    service.restart();
    service
}

/// Overwrites what the store has written, as a dying card does.
pub(crate) fn destroy_disk(service: &Service) {
    let mut folders = vec![service.data_dir().to_owned()];
    let is_of =
        |path: &Path, name: &str| path.parent().is_some_and(|folder| folder.ends_with(name));
    let mut destroyed = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if is_of(&path, "log") || is_of(&path, "blocks") {
                let length = fs::metadata(&path).unwrap().len();
                let mut file = fs::OpenOptions::new().write(true).open(path).unwrap();
                io::copy(&mut io::repeat(0).take(length), &mut file).unwrap();
                destroyed += 1;
            }
        }
    }
    assert!(destroyed > 1, "{destroyed}");
}

#[test]
fn a_failure_midway_breaks_the_connection() {
    let service = history_on_disk();
    let (mut connection, head) = begun(&service);
    let (mut packed, packed_head) = begun_with(&service, &download_taking("gzip"));
    assert_eq!(packed_head.header("content-encoding"), Some("gzip"));
    destroy_disk(&service);
    connection.receive_body(&head).unwrap_err();
    packed.receive_body(&packed_head).unwrap_err();
}

#[test]
fn half_a_result_never_looks_whole() {
    let service = long_history();
    let (mut connection, head) = begun(&service);
    service.store().close().unwrap();
    // A download under way can still end; otherwise the connection breaks.
    if let Ok(body) = connection.receive_body(&head) {
        assert_same(&body, expected());
    }
}
