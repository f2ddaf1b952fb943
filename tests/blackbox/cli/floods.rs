//! Clients that send more than the service can keep: its use of memory and processor time, and
//! whether others are still served. Memory is the peak of resident memory, and work is processor
//! time: neither depends on how busy the machine is.

#![cfg(target_os = "linux")]

use std::io::{ErrorKind, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::memory::peak_kib;
use crate::place::{Place, Serving};
use crate::stops::Stops;
use crate::support::{Connection, at, basic, request};

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

/// A megabyte of gzip blocks without content, of ten bits each: 01 for a block that is not the last
/// one and has fixed codes, and the code for its end.
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

/// Blocks of deflate with tables of their own, each of 131 bits and for 32 spaces: as many of them
/// as a body may have take the most time to unpack.
fn small_blocks() -> Vec<u8> {
    // As (bits, number), the first bit lowest.
    let head = [(1, 0), (2, 2), (5, 0), (5, 0), (4, 14)];
    // The lengths of the codes for lengths: of 18, which repeats zeros, and of 1.
    let lengths = (0..18).map(|n| (3, u32::from(n == 2 || n == 17)));
    let (one, zeros) = ((1, 0), |count: u32| [(1, 1), (7, count - 11)]);
    // Codes of one bit for the space, for the end of the block, and for a distance that does not
    // occur.
    let codes = [&zeros(32)[..], &[one], &zeros(138), &zeros(85), &[one, one]].concat();
    let data = [&[(1, 0); 32][..], &[(1, 1)]].concat();
    let block: Vec<(u32, u32)> = head
        .into_iter()
        .chain(lengths)
        .chain(codes)
        .chain(data)
        .collect();
    let bits = block
        .iter()
        .flat_map(|&(count, number)| (0..count).map(move |bit| number >> bit & 1));
    let bits: Vec<u32> = bits.collect();
    // Eight blocks end with a byte.
    let eight = bits.repeat(8);
    let byte = |bits: &[u32]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit);
    let eight: Vec<u8> = eight
        .chunks(8)
        .map(|bits| u8::try_from(byte(bits)).unwrap())
        .collect();
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    [&head[..], &eight.repeat(4_000)].concat()
}

#[test]
fn gzip_with_the_most_blocks_takes_little_time() {
    let place = Place::new();
    let server = place.serve(&[]);
    let headers = [("Content-Encoding", "gzip")];
    let upload = request("POST", "/api/v0.2/elec", &headers, &small_blocks());
    let before = ticks(&server);
    for _ in 0..8 {
        let answer = Connection::open(address(&server)).exchange(&upload);
        answer.assert_problem(400, "malformed_json", "not valid gzip");
    }
    let took = ticks(&server) - before;
    assert!(took < 200, "{took} ticks of 10 ms");
}

/// As many readings as an upload may have, of a day that is the client's own.
fn full_upload(client: u8) -> Vec<u8> {
    let begin = at("2020-01-01T00:00:00").saturating_add_millis(i64::from(client) * 86_400_000);
    let reading = |n: i64| {
        let time = begin.saturating_add_millis(n * 1_000);
        format!(r#"{{"time":"{time}","watts":{n}.5,"watthours":{n}.25}}"#)
    };
    let readings: Vec<String> = (0..10_000).map(reading).collect();
    format!(
        r#"{{"sensor_id":"house","readings":[{}]}}"#,
        readings.join(",")
    )
    .into_bytes()
}

/// Sends an upload until it is stored.
fn upload_in_the_end(server: &Serving, client: Ipv4Addr, upload: &[u8]) {
    for _ in 0..1_000 {
        let mut connection = Connection::open_from(client, address(server));
        // An upload that is refused need not be read.
        let _ = connection.try_send(upload);
        match connection.receive_head().map(|head| head.status) {
            Ok(200) => return,
            Ok(503) | Err(_) => thread::sleep(Duration::from_millis(50)),
            Ok(status) => panic!("{status}"),
        }
    }
    panic!("it is always refused");
}

#[test]
fn full_uploads_at_once_take_little_memory_and_hold_up_nobody() {
    /// Beyond what the service takes without them. One client's own address leaves less to it.
    const LIMIT_KIB: u64 = 64 * 1_024;
    let place = Place::new();
    place.prepare();
    let (api_id, api_key) = place.key();
    let writer = place.json(&["key", "add", "home", "--scope", "write"]);
    let [id, key] = ["api_id", "api_key"].map(|name| writer[name].as_str().unwrap());
    let writer = basic(id, key);
    let server = place.serve(&[]);
    assert_eq!(server.upload(&api_id, &api_key, "house", 1.0), 200);
    let before = peak_kib(&server);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            loop {
                assert_eq!(server.upload(&api_id, &api_key, "house", 1.0), 200);
                if is_over.load(Ordering::SeqCst) {
                    break;
                }
            }
        });
        let _stops = Stops(&is_over);
        let uploads: Vec<_> = (0..24)
            .map(|client| {
                let (server, writer) = (&server, &writer);
                scope.spawn(move || {
                    let headers = [("Authorization", writer.as_str())];
                    let upload = request("POST", "/api/v0.2/elec", &headers, &full_upload(client));
                    // From as many addresses, so that each has a share of its own.
                    upload_in_the_end(server, Ipv4Addr::new(127, 0, 1, 1 + client), &upload);
                })
            })
            .collect();
        for upload in uploads {
            upload.join().unwrap();
        }
    });
    let more = peak_kib(&server) - before;
    assert!(more < LIMIT_KIB, "{more} KiB");
}
