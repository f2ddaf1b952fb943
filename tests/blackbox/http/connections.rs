//! HTTP itself as old and odd clients speak it.

use std::fs;
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use serde_json::json;
use wattkeeper::Config;

use crate::support::{
    Connection, ELEC, SENSOR, Service, house_basic, points_of, request, with_house,
};

fn upload_body(watts: i32) -> String {
    with_house(&json!({ "watts": watts })).to_string()
}

#[test]
fn http_1_0_uploads_and_downloads() {
    let service = Service::start();
    let body = upload_body(5);
    let length = body.len();
    let mut connection = Connection::open(service.address());
    let upload = format!("POST {ELEC} HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}");
    connection
        .exchange(upload.as_bytes())
        .assert_json(r#"{"accepted":1}"#);
    connection.wait_until_closed();

    let mut connection = Connection::open(service.address());
    let basic = house_basic();
    let range = "start_time=2026-01-05&end_time=2026-01-06";
    let download = format!(
        "GET {ELEC}?sensor_id={SENSOR}&type=rate&{range} HTTP/1.0\r\nAuthorization: {basic}\r\n\r\n"
    );
    let answer = connection.exchange(download.as_bytes());
    // A client of 1.0 knows no chunks.
    assert_eq!(answer.head.header("transfer-encoding"), None);
    assert_eq!(points_of(&answer).len(), 1);
    connection.wait_until_closed();

    let mut connection = Connection::open(service.address());
    let bad = connection.exchange(format!("GET {ELEC} HTTP/1.0\r\n\r\n").as_bytes());
    bad.assert_problem_shape(400);
    connection.wait_until_closed();
}

#[test]
fn connection_close_closes() {
    let service = Service::start();
    let mut connection = Connection::open(service.address());
    let bytes = request(
        "POST",
        ELEC,
        &[("Connection", "close")],
        upload_body(1).as_bytes(),
    );
    connection.exchange(&bytes).assert_json(r#"{"accepted":1}"#);
    connection.wait_until_closed();
    assert_eq!(service.all_watts().len(), 1);
}

#[test]
fn a_connection_serves_many_requests() {
    let service = Service::start();
    let mut connection = Connection::open(service.address());
    for n in 0..20 {
        let answer = connection.exchange(&request("POST", ELEC, &[], upload_body(n).as_bytes()));
        answer.assert_json(r#"{"accepted":1}"#);
        assert_eq!(answer.head.version, "HTTP/1.1");
        // An error does not end it either.
        let answer = connection.exchange(&request("GET", ELEC, &[], b""));
        answer.assert_problem_shape(400);
    }
    assert_eq!(service.all_watts().len(), 20);
}

#[test]
fn requests_sent_ahead_are_answered_in_order() {
    let service = Service::start();
    let mut connection = Connection::open(service.address());
    let basic = house_basic();
    let headers = [("Authorization", &*basic)];
    let latest = format!("{ELEC}?sensor_id={SENSOR}&type=latest_rate");
    let mut bytes = Vec::new();
    for n in 0..10 {
        bytes.extend(request("POST", ELEC, &[], upload_body(n).as_bytes()));
        bytes.extend(request("GET", &latest, &headers, b""));
    }
    connection.send(&bytes);
    for n in 0..10 {
        connection.receive().assert_json(r#"{"accepted":1}"#);
        let points = points_of(&connection.receive());
        assert_eq!(points[0].1, f64::from(n));
    }
}

#[test]
fn a_body_in_chunks_is_taken() {
    let service = Service::start();
    let body = upload_body(5);
    let mut connection = Connection::open(service.address());
    connection.send(
        format!("POST {ELEC} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            .as_bytes(),
    );
    for piece in body.as_bytes().chunks(7) {
        let framed = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        connection.send(&framed);
    }
    connection.send(b"0\r\n\r\n");
    connection.receive().assert_json(r#"{"accepted":1}"#);
    assert_eq!(service.all_watts().len(), 1);
}

#[test]
fn a_request_may_come_in_pieces() {
    let service = Service::start();
    let mut connection = Connection::open(service.address());
    for piece in request("POST", ELEC, &[], upload_body(5).as_bytes()).chunks(3) {
        connection.send(piece);
    }
    connection.receive().assert_json(r#"{"accepted":1}"#);
}

/// The head of an upload by a client that sends the body only after `100 Continue`.
fn head_that_waits(body: &str) -> Vec<u8> {
    let length = body.len();
    format!("POST {ELEC} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n").into_bytes()
}

#[test]
fn a_client_that_waits_to_continue_gets_100_continue() {
    let service = Service::start();
    let body = upload_body(5);
    let mut connection = Connection::open(service.address());
    connection.send(&head_that_waits(&body));
    assert_eq!(connection.receive_head().unwrap().status, 100);
    connection
        .exchange(body.as_bytes())
        .assert_json(r#"{"accepted":1}"#);
}

#[test]
fn a_request_needs_no_further_headers() {
    let service = Service::start();
    let body = upload_body(5);
    let length = body.len();
    let bare = format!(
        "POST {ELEC} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    service
        .send(bare.as_bytes())
        .assert_json(r#"{"accepted":1}"#);
    // By HTTP/1.0 not even these.
    let bare = format!("POST {ELEC} HTTP/1.0\r\ncontent-length:{length}\r\n\r\n{body}");
    service
        .send(bare.as_bytes())
        .assert_json(r#"{"accepted":1}"#);
}

#[test]
fn a_stop_finishes_what_is_in_flight() {
    let mut service = Service::start();
    let mut connection = Connection::open(service.address());
    let body = upload_body(5);
    connection.send(&head_that_waits(&body));
    // Told to go on: so the request is certainly under way.
    assert_eq!(connection.receive_head().unwrap().status, 100);
    std::thread::scope(|scope| {
        let stopping = scope.spawn(|| service.stop());
        connection.send(body.as_bytes());
        connection.receive().assert_json(r#"{"accepted":1}"#);
        stopping.join().unwrap();
    });
    service.restart();
    assert_eq!(service.all_watts().len(), 1);
}

fn few(config: &mut Config) {
    config.http.max_connections = 16;
}

const fn client(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, number)
}

/// Connections of one client that are idle after a request, for longer than they may stay if others come.
fn idle(service: &Service, client: Ipv4Addr, count: usize) -> Vec<Connection> {
    let open = |_| {
        let mut connection = Connection::open_from(client, service.address());
        assert_eq!(healthy(&mut connection), 200);
        connection
    };
    let connections = (0..count).map(open).collect();
    thread::sleep(Duration::from_millis(300));
    connections
}

fn healthy(connection: &mut Connection) -> u16 {
    connection
        .exchange(&request("GET", "/healthz", &[], b""))
        .status()
}

#[test]
fn idle_connections_make_room_for_other_clients() {
    let service = Service::start_with(few);
    let held: Vec<_> = (1..=2).map(|n| idle(&service, client(n), 8)).collect();
    // Both workers: each has its own count.
    let mut others = idle(&service, client(3), 2);
    for connection in &mut others {
        assert_eq!(healthy(connection), 200);
    }
    for mut connection in held.into_iter().flatten().take(2) {
        connection.wait_until_closed();
    }
}

#[test]
fn a_client_has_half_of_the_connections() {
    let service = Service::start_with(few);
    let uploads: Vec<_> = (0..8)
        .map(|n| {
            let mut connection = Connection::open_from(client(1), service.address());
            let body = upload_body(n);
            connection.send(&head_that_waits(&body));
            assert_eq!(connection.receive_head().unwrap().status, 100);
            (connection, body)
        })
        .collect();
    Connection::open_from(client(1), service.address()).wait_until_closed();
    assert_eq!(
        healthy(&mut Connection::open_from(client(2), service.address())),
        200
    );
    for (mut connection, body) in uploads {
        connection
            .exchange(body.as_bytes())
            .assert_json(r#"{"accepted":1}"#);
    }
}

#[test]
fn a_trusted_proxy_has_all_connections() {
    let service = Service::start_with(|config| {
        few(config);
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    for mut connection in idle(&service, client(1), 16) {
        assert_eq!(healthy(&mut connection), 200);
    }
}

#[test]
fn a_large_body_and_what_follows_it_are_read() {
    let service = Service::start();
    let mut fields = with_house(&json!({"watts": 1}));
    fields["padding"] = "x".repeat(300_000).into();
    let body = fields.to_string();
    let mut connection = Connection::open(service.address());
    let upload = request("POST", ELEC, &[], body.as_bytes());
    let pieces: Vec<_> = (body.as_bytes().chunks(50_000))
        .map(|piece| [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat())
        .collect();
    let chunked = [
        &*request("POST", ELEC, &[("Transfer-Encoding", "chunked")], b""),
        &pieces.concat(),
        b"0\r\n\r\n",
    ]
    .concat();
    let health = request("GET", "/healthz", &[], b"").repeat(200);
    // At the same time: neither waits until the other has read.
    let mut sender = connection.second();
    thread::scope(|scope| {
        scope.spawn(move || sender.send(&[&*upload, &health, &chunked, &health].concat()));
        for _ in 0..2 {
            connection.receive().assert_json(r#"{"accepted":1}"#);
            for _ in 0..200 {
                assert_eq!(connection.receive().status(), 200);
            }
        }
    });
}

/// Of each connection that a service has: how many bytes its client has not read, and how many the service has not.
fn unread(service: SocketAddr) -> Vec<(u64, u64)> {
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let own = format!(":{:04X}", service.port());
    let of_line = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // 01 is an established connection.
        if !fields[1].ends_with(&own) || fields[3] != "01" {
            return None;
        }
        let (sent, received) = fields[4].split_once(':').unwrap();
        let bytes = |text| u64::from_str_radix(text, 16).unwrap();
        Some((bytes(sent), bytes(received)))
    };
    table.lines().skip(1).filter_map(of_line).collect()
}

/// systemd's `MemoryMax=` counts what the kernel keeps of connections.
#[test]
fn the_kernel_keeps_little_of_what_nobody_reads() {
    let service = Service::start();
    let requests = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(3_000);
    let clients: Vec<TcpStream> = (0..8)
        .map(|_| TcpStream::connect(service.address()).unwrap())
        .collect();
    let fill = |mut client: &TcpStream| {
        let patience = Some(Duration::from_millis(300));
        client.set_write_timeout(patience).unwrap();
        // It sends until the service takes no more.
        while client.write(requests.as_bytes()).is_ok() {}
    };
    thread::scope(|scope| {
        for client in &clients {
            scope.spawn(|| fill(client));
        }
    });
    let found = unread(service.address());
    assert!(!found.is_empty());
    for (by_client, by_service) in found {
        // The kernel looks at the limit before it takes a piece, which may have 64 KiB.
        assert!((1..=192 << 10).contains(&by_client), "{by_client}");
        assert!(by_service <= 64 << 10, "{by_service}");
    }
}
