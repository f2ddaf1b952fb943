//! Requests of emonHub's own interfacer (`EmonHubEmoncmsHTTPInterfacer.py`, August 2026), as they
//! were recorded: byte by byte, with the headers of its client. It takes no answer but `ok`, and
//! repeats everything else for ever, before what came later.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use wattkeeper::InputRule;
use wattkeeper::Quantity;
use wattkeeper::Scope;
use wattkeeper::SensorId;

use crate::support::{
    ACCOUNT, API_ID, API_KEY, Connection, Response, Service, at, points, points_of, request,
};

const KEY: &str = "0123456789abcdef0123456789abcdef";
/// With `sendnames = 1`, as its configurations come: two frames of `MSG, Vrms, P1, P2, E1, E2,
/// pulse` of an emonPi 2.
const WITH_NAMES: &str = "789c8b8e3634b734353637343531d7514acdcdcf2bc8348a373457d2a956f20d7657b232d533d0510a2bca2d56b2323231d03332d5510\
    a3054b2323634024904182959998095b802050d0d8c8c4dc01ca0b0a5a5258859509a539caa6465ae67501bab43c8323354cbe07659c0ed3243b6cb148f5db1003\
    4b2339a";
/// The same of an emonTH, which measures no energy, and of a node that is no sensor.
const NEVER_STORED: &str = "789c8b8e3634b734353637343531d7514acdcdcf2bc9883752d2a9562a49cd2d50b232d533d051ca28cd55b2323231d03332ad8dd541d\
    1919e915f5c02521e60a864650852ec0a64188118154a56c67a06b5b1b1003bc219b7";
/// With `sendnames = 0`: a form.
const WITHOUT_NAMES: &str = "data=%5B%5B1795371548%2C%225%22%2C5.0%2C240.0%2C3.0%5D%5D";

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|c| c.to_digit(16)).collect();
    let pairs = digits.chunks(2);
    pairs
        .map(|pair| u8::try_from(16 * pair[0] + pair[1]).unwrap())
        .collect()
}

/// A service that knows an emonPi, and the time of the recorded requests.
fn start() -> Service {
    let service = Service::start_with(|config| {
        config.http.max_body = 100_000;
        config.emoncms.mappings = vec![InputRule {
            node: "5".into(),
            input: "2".into(),
            sensor: SensorId::new("emonpi2_17").unwrap(),
            quantity: Quantity::new("watts", None).unwrap(),
        }];
    });
    service.add_key_with(ACCOUNT, "emonhub", Scope::Write, KEY);
    service.add_sensor(ACCOUNT, "emonpi2_17");
    service.clock.set(at("2026-11-22T18:19:07.500Z"));
    service
}

/// A bulk as emonHub sends it; packed bodies have no Content-Type.
fn send(service: &Service, target: &str, key: &str, body: &[u8]) -> Response {
    let bearer = format!("Bearer {key}");
    let mut headers = vec![
        ("User-Agent", "python-requests/2.34.2"),
        ("Accept-Encoding", "gzip, deflate"),
        ("Accept", "*/*"),
        ("Authorization", bearer.as_str()),
    ];
    if body.starts_with(b"data=") {
        headers.push(("Content-Type", "application/x-www-form-urlencoded"));
    }
    Connection::open(service.address()).exchange(&request("POST", target, &headers, body))
}

#[track_caller]
fn assert_acknowledged(answer: &Response) {
    assert_eq!((answer.status(), answer.text()), (200, "ok"));
}

fn watts(service: &Service) -> Vec<(String, f64)> {
    let range = "type=rate&start_time=2026-01-01&end_time=2027-01-01&sensor_id=emonpi2_17";
    let answer = service.get(&format!("{range}&api_id={API_ID}&api_key={API_KEY}"));
    points_of(&answer)
}

#[test]
fn its_configuration_as_it_comes_is_understood() {
    let service = start();
    let body = bytes(WITH_NAMES);
    assert_eq!(body.len(), 123);
    let target = "/input/bulk.json?sentat=1795371547&cb=1";
    assert_acknowledged(&send(&service, target, KEY, &body));
    // Both frames came within the second, at fractions of it.
    let stored = watts(&service);
    assert!(!stored.is_empty());
    assert!(
        stored
            .iter()
            .all(|(time, _)| time.starts_with("2026-11-22T18:19:07."))
    );
    assert_eq!(stored.last().unwrap().1, 318.0);
    assert_eq!(service.sensor("emonpi2_17")["latest_watts"], 318.0);
}

#[test]
fn frames_without_names_are_a_form() {
    let service = start();
    let target = "/input/bulk.json?sentat=1795371548";
    assert_acknowledged(&send(&service, target, KEY, WITHOUT_NAMES.as_bytes()));
    assert_eq!(
        watts(&service),
        points([("2026-11-22T18:19:07.000Z", 240.0)])
    );
}

#[test]
fn the_older_form_has_hexadecimal_digits() {
    let service = start();
    let digits = WITH_NAMES.replace(char::is_whitespace, "");
    for parameters in ["sentat=1795371547&c=1", "c=1&sentat=1795371547"] {
        let body = format!("data={digits}");
        let target = format!("/input/bulk.json?{parameters}");
        assert_acknowledged(&send(&service, &target, KEY, body.as_bytes()));
    }
    let form = format!("data=x&apikey={KEY}").replace('x', &digits.to_uppercase());
    let target = "/input/bulk?c=1&sentat=1795371547";
    let headers = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = service.send(&request("POST", target, &headers, form.as_bytes()));
    assert_acknowledged(&answer);
    assert_eq!(watts(&service).last().unwrap().1, 318.0);
}

#[test]
fn what_can_never_be_stored_does_not_hold_up_its_queue() {
    let service = start();
    let never = [
        // Nodes that are no sensors, an input that is no number, a time that is a year ahead, no
        // list at all.
        zlib(r#"[[1795371547,"garage",{"P1":1}]]"#),
        zlib(r#"[[1795371547,"emonpi2_17",{"P1":"x"}]]"#),
        zlib(r#"[[1826907547,"emonpi2_17",{"P1":1}]]"#),
        zlib(r#"{"no":"list"}"#),
        zlib("\u{fffd}"),
        bytes(NEVER_STORED),
    ];
    for body in never {
        let target = "/input/bulk.json?sentat=1795371547&cb=1";
        assert_acknowledged(&send(&service, target, KEY, &body));
    }
    assert!(watts(&service).is_empty());
    // The good frames of a bulk are stored.
    let mixed = zlib(r#"[[1795371540,"garage",{"P1":1}],[1795371541,"emonpi2_17",{"P1":7}]]"#);
    let target = "/input/bulk.json?sentat=1795371547&cb=1";
    assert_acknowledged(&send(&service, target, KEY, &mixed));
    assert_eq!(watts(&service), points([("2026-11-22T18:19:01.000Z", 7.0)]));
    // Clients without a queue get the error, as before: a script, or IoTaWatt, which has the rest
    // on its own disk.
    let told = send(
        &service,
        "/input/bulk.json?time=1795371547&cb=1",
        KEY,
        &mixed,
    );
    assert!(
        told.text().contains("sensor 'garage' does not exist"),
        "{}",
        told.text()
    );
}

/// As `json.dumps` of Python writes a hundred frames: one without a power, one without an energy.
#[test]
fn a_value_that_is_no_number_costs_itself_alone() {
    let frame = |n: i64| {
        let power = if n == 50 {
            "NaN".to_owned()
        } else {
            n.to_string()
        };
        let energy = if n == 70 {
            "-Infinity".to_owned()
        } else {
            (1_000 + n).to_string()
        };
        let time = 1_795_371_000 + n;
        format!("[{time}, \"emonpi2_17\", {{\"P1\": {power}, \"Vrms\": NaN, \"E1\": {energy}}}]")
    };
    let frames: Vec<String> = (0..100).map(frame).collect();
    let frames = format!("[{}]", frames.join(", "));
    let form = format!("data={}", frames.replace(' ', "%20"));
    for (target, body) in [
        ("/input/bulk.json?sentat=1795371547&cb=1", zlib(&frames)),
        ("/input/bulk.json?sentat=1795371547", form.into_bytes()),
    ] {
        let service = start();
        assert_acknowledged(&send(&service, target, KEY, &body));
        let powers = watts(&service);
        assert_eq!(powers.len(), 99);
        assert!(!powers.iter().any(|(_, watts)| *watts == 50.0));
        let range = "type=consumption&start_time=2026-01-01&end_time=2027-01-01";
        let asked = format!("{range}&sensor_id=emonpi2_17&api_id={API_ID}&api_key={API_KEY}");
        // From the first of 99 registers to the last.
        assert_eq!(points_of(&service.get(&asked)).len(), 98);
    }
}

#[test]
fn what_may_change_is_repeated() {
    let service = start();
    let body = bytes(WITH_NAMES);
    let target = "/input/bulk.json?sentat=1795371547&cb=1";
    // A key that is wrong for now, one that may only read, and a clock that is not set.
    assert_eq!(send(&service, target, "wrong", &body).status(), 401);
    service.add_key_with(ACCOUNT, "reader", Scope::Read, &KEY.replace('0', "f"));
    let reader = KEY.replace('0', "f");
    assert_eq!(send(&service, target, &reader, &body).status(), 403);
    assert_acknowledged(&send(&service, target, KEY, &body));
    service.clock.set(at("2020-01-01T00:00:00Z"));
    assert_eq!(send(&service, target, KEY, &body).status(), 503);
}

fn zlib(text: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_packed_bulk_is_limited_once_unpacked() {
    let service = start();
    let items = |count: usize| {
        let item = |n| format!(r#"[{},"emonpi2_17",{{"P1":{}}}]"#, 1_795_370_000 + n, n % 7);
        let items: Vec<String> = (0..count).map(item).collect();
        format!("[{}]", items.join(","))
    };
    let target = "/input/bulk.json?sentat=1795371547&cb=1";
    let fits = items(1_500);
    assert!(fits.len() > 50_000 && fits.len() < 100_000);
    assert_acknowledged(&send(&service, target, KEY, &zlib(&fits)));
    assert_eq!(watts(&service).len(), 1_500);
    let hex = |bytes: &[u8]| {
        let pairs: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        pairs.concat()
    };
    // A thousand times the limit in a body that is smaller than the limit itself, in both forms.
    let bomb = zlib(&" ".repeat(10_000_000));
    assert!(bomb.len() < 20_000);
    let answer = send(&service, target, KEY, &bomb);
    assert_eq!(answer.status(), 413, "{}", answer.text());
    let form = format!("data={}", hex(&bomb));
    let answer = send(
        &service,
        "/input/bulk.json?sentat=1&c=1",
        KEY,
        form.as_bytes(),
    );
    assert_eq!(answer.status(), 413, "{}", answer.text());
    // A stranger's is not unpacked at all.
    assert_eq!(send(&service, target, "wrong", &bomb).status(), 401);
    // A body that is not zlib gets an error: the bytes were changed on the way.
    let mut broken = bytes(WITH_NAMES);
    broken.pop();
    let answer = send(&service, target, KEY, &broken);
    assert!(
        answer.text().contains("not valid zlib"),
        "{}",
        answer.text()
    );
}
