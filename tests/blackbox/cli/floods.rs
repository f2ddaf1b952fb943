//! Clients that send more than the service can keep: what it takes of memory and processor time, and whether others are still
//! served. Memory is the peak of resident memory, and work is processor time: neither depends on how busy the machine is.

#![cfg(target_os = "linux")]

use std::io::{ErrorKind, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::memory::peak_kib;
use crate::place::{Place, Serving};
use crate::support::{Connection, request};

fn address(server: &Serving) -> SocketAddr {
    let address = server.url.strip_prefix("http://").unwrap();
    address.parse().unwrap()
}

/// Processor time of the service so far, in ticks of 10 ms.
fn ticks(server: &Serving) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.child.id())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// Waits until the service has done all that it can do.
fn wait_until_quiet(server: &Serving) {
    let mut before = ticks(server);
    for _ in 0..600 {
        thread::sleep(Duration::from_millis(300));
        let now = ticks(server);
        if now <= before + 1 {
            return;
        }
        before = now;
    }
    panic!("the service never rests");
}

fn is_healthy(server: &Serving) -> bool {
    let mut connection = Connection::open(address(server));
    connection.exchange(&request("GET", "/healthz", &[], b""));
    connection
        .exchange(&request("GET", "/healthz", &[], b""))
        .status()
        == 200
}

/// Sends as much as the service takes, and reads nothing.
fn flood(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_write_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    match stream.write_all(bytes) {
        Ok(()) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}"),
    }
    stream
}

#[test]
fn requests_sent_ahead_take_little_memory() {
    const LIMIT_KIB: u64 = 64 * 1_024;
    let place = Place::new();
    let server = place.serve(&[]);
    let sent = request("GET", "/openapi.json", &[], b"").repeat(3_000);
    let connections: Vec<TcpStream> = (0..120).map(|_| flood(address(&server), &sent)).collect();
    wait_until_quiet(&server);
    assert!(is_healthy(&server));
    let peak = peak_kib(&server);
    assert!(peak < LIMIT_KIB, "{peak} KiB");
    drop(connections);
}

#[test]
fn commands_work_while_clients_hold_all_connections() {
    let place = Place::new();
    let mut command = place.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
    command.env("WATTKEEPER_HTTP_MAX_CONNECTIONS", "8");
    let server = Serving::start(command);
    let held: Vec<TcpStream> = (0..32).map(|_| flood(address(&server), b"GET")).collect();
    assert_eq!(place.json(&["health"])["status"], "ok");
    drop(held);
}

/// A megabyte of gzip blocks without content, of ten bits each: 01 for a block that is not the last one and has fixed codes,
/// and the code for its end.
fn empty_blocks() -> Vec<u8> {
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let four_blocks = [0x02, 0x08, 0x20, 0x80, 0x00];
    [&head[..], &four_blocks.repeat(200_000)].concat()
}

#[test]
fn gzip_without_content_takes_little_time() {
    let place = Place::new();
    let server = place.serve(&[]);
    let upload = request(
        "POST",
        "/api/v0.2/elec",
        &[("Content-Encoding", "gzip")],
        &empty_blocks(),
    );
    let before = ticks(&server);
    thread::scope(|scope| {
        // As many as one client may send at once.
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..4 {
                    let answer = Connection::open(address(&server)).exchange(&upload);
                    answer.assert_problem(400, "malformed_json", "compressed blocks");
                }
            });
        }
    });
    let took = ticks(&server) - before;
    assert!(took < 200, "{took} ticks of 10 ms");
}

#[test]
fn very_many_readings_in_a_small_body_take_little_memory() {
    const LIMIT_KIB: u64 = 64 * 1_024;
    let place = Place::new();
    place.prepare();
    let (api_id, api_key) = place.key();
    let server = place.serve(&[]);
    let list = vec![r#"{"watts":1}"#; 87_000].join(",");
    let plain = format!(
        r#"{{"sensor_id":"house","api_id":"{api_id}","api_key":"{api_key}","readings":[{list}]}}"#
    );
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain.as_bytes()).unwrap();
    let body = encoder.finish().unwrap();
    let headers = [("Content-Encoding", "gzip")];
    let upload = request("POST", "/api/v0.2/elec", &headers, &body);
    for _ in 0..3 {
        let answer = Connection::open(address(&server)).exchange(&upload);
        answer.assert_problem(413, "too_many_readings", "got at least 87000");
    }
    let peak = peak_kib(&server);
    assert!(peak < LIMIT_KIB, "{peak} KiB");
}
