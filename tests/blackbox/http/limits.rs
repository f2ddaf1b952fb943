//! Guards: how large a request may be, how long a client may take.

use std::io::Write as _;
use std::net::Ipv4Addr;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use wattkeeper::Config;

use crate::support::{
    API_ID, Connection, ELEC, Service, at, basic, house_basic, power, request, until_processed,
    with_house,
};

const LARGEST: usize = 64 * 1024;

fn small_bodies(config: &mut Config) {
    config.http.max_body = LARGEST;
}

/// An upload of exactly `length` bytes.
fn upload_of(length: usize) -> Vec<u8> {
    let whole = |padding: usize| {
        with_house(&json!({"watts": 1, "padding": " ".repeat(padding)}))
            .to_string()
            .into_bytes()
    };
    let body = whole(length - whole(0).len());
    assert_eq!(body.len(), length);
    body
}

#[test]
fn a_body_may_be_as_large_as_the_limit_and_no_larger() {
    let service = Service::start_with(small_bodies);
    service
        .post(upload_of(LARGEST))
        .assert_json(r#"{"accepted":1}"#);
    service
        .post(upload_of(LARGEST + 1))
        .assert_problem_shape(413);
    service
        .post(upload_of(10 * LARGEST))
        .assert_problem_shape(413);
    assert_eq!(service.all_watts().len(), 1);
}

#[test]
fn a_chunked_body_is_limited_too() {
    let service = Service::start_with(small_bodies);
    let head =
        format!("POST {ELEC} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    let body = upload_of(LARGEST + 1);
    let mut connection = Connection::open(service.address());
    connection.send(head.as_bytes());
    for piece in body.chunks(10_000) {
        let framed = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
        connection.send(&framed);
    }
    connection.send(b"0\r\n\r\n");
    connection.receive().assert_problem_shape(413);
    assert!(service.all_watts().is_empty());
}

#[test]
fn a_compressed_body_is_limited_once_unpacked() {
    let service = Service::start_with(small_bodies);
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let send = |body: &[u8]| {
        service.send(&request(
            "POST",
            ELEC,
            &[("Content-Encoding", "gzip")],
            body,
        ))
    };
    send(&gzip(&upload_of(LARGEST))).assert_json(r#"{"accepted":1}"#);
    send(&gzip(&upload_of(LARGEST + 1))).assert_problem_shape(413);
    // A thousand times the limit in a body that is smaller than the limit itself.
    let bomb = gzip(&vec![b' '; 50 * LARGEST]);
    assert!(bomb.len() < LARGEST);
    send(&bomb).assert_problem_shape(413);
    assert_eq!(service.all_watts().len(), 1);
}

#[test]
fn a_head_is_limited() {
    let service = Service::start();
    let mut connection = Connection::open(service.address());
    let long = "x".repeat(1_000);
    let mut sent =
        connection.try_send(format!("GET {ELEC} HTTP/1.1\r\nHost: localhost\r\n").as_bytes());
    for n in 0..10_000 {
        if sent.is_err() {
            break;
        }
        sent = connection.try_send(format!("X-Filler-{n}: {long}\r\n").as_bytes());
    }
    if let Ok(head) = connection.receive_head() {
        assert!((400..500).contains(&head.status), "{head:?}");
    }
    connection.wait_until_closed();
    service.accept(&json!({"watts": 1}));
}

fn impatient(config: &mut Config) {
    let moment = Duration::from_secs(1);
    config.http.head_timeout = moment;
    config.http.request_timeout = moment;
    config.http.idle_timeout = moment;
}

#[test]
fn a_client_that_never_ends_its_head_is_cut_off() {
    let service = Service::start_with(impatient);
    let begun = [
        "",
        "GET",
        "POST /api/v0.2/elec HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    ];
    let connections = begun.map(|begun| {
        let mut connection = Connection::open(service.address());
        connection.send(begun.as_bytes());
        connection
    });
    for mut connection in connections {
        connection.wait_until_closed();
    }
    service.accept(&json!({"watts": 1}));
}

/// Sends a byte now and then, which must not keep the connection open for ever.
fn drip_until_cut_off(connection: &mut Connection) {
    let mut drips = 0;
    while connection.try_send(b"X").is_ok() && drips < 600 {
        std::thread::sleep(Duration::from_millis(100));
        drips += 1;
    }
    assert!(drips < 600, "never cut off");
}

#[test]
fn a_client_that_drips_its_head_is_cut_off() {
    let service = Service::start_with(impatient);
    let mut connection = Connection::open(service.address());
    connection.send(format!("GET {ELEC} HTTP/1.1\r\nHost: localhost\r\n").as_bytes());
    drip_until_cut_off(&mut connection);
}

#[test]
fn a_client_that_drips_a_later_head_is_cut_off() {
    let service = Service::start_with(impatient);
    let mut connection = until_processed(|| {
        let mut connection = Connection::open(service.address());
        connection.send(&request("GET", "/nothing", &[], b""));
        (connection.receive_head().unwrap().status, connection)
    });
    drip_until_cut_off(&mut connection);
}

#[test]
fn a_client_that_never_ends_its_body_is_cut_off() {
    let service = Service::start_with(impatient);
    let mut whole = Connection::open(service.address());
    let body = with_house(&json!({"watts": 1})).to_string();
    let bytes = request("POST", ELEC, &[], body.as_bytes());
    whole.send(&bytes[..bytes.len() - 1]);
    // Told why, or simply cut off; never accepted.
    if let Ok(head) = whole.receive_head() {
        assert_eq!(head.status, 408);
    }
    whole.wait_until_closed();
    assert!(service.all_watts().is_empty());
    service.accept(&json!({"watts": 1}));
}

#[test]
fn an_idle_connection_is_closed() {
    let service = Service::start_with(impatient);
    let mut connection = Connection::open(service.address());
    connection.send(&request("GET", ELEC, &[], b""));
    assert!(matches!(
        connection.receive_head().unwrap().status,
        400 | 408
    ));
    connection.wait_until_closed();
}

#[test]
fn a_client_that_stops_reading_is_cut_off() {
    let service = Service::start_with(|config| config.http.stall_timeout = Duration::from_secs(1));
    let begin = at("2020-01-01T00:00:00");
    // More than the buffers between service and client hold.
    let history: Vec<_> = (0..600_000)
        .map(|n: i32| power(begin.saturating_add_millis(i64::from(n) * 1_000), n.into()))
        .collect();
    service.import(&history);
    let mut connection = Connection::open(service.address());
    let target =
        format!("{ELEC}?sensor_id=house&type=rate&start_time=2020-01-01&end_time=2026-01-06");
    let headers = [("Authorization", &*house_basic())];
    connection.send(&request("GET", &target, &headers, b""));
    let head = connection.receive_head().unwrap();
    assert_eq!(head.status, 200);
    drip_until_cut_off(&mut connection);
    // Cut off, and never an end that makes half a result look whole.
    connection.receive_body(&head).unwrap_err();
    service.accept(&json!({"watts": 1}));
}

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn an_upload_has_at_most_as_many_readings_as_allowed() {
    let service = Service::start_with(|config| config.http.max_readings = 100);
    let batch = |count: usize| {
        let list: Vec<_> = (0..count)
            .map(|n| json!({"watts": n, "time": format!("2026-01-05T09:{:02}:{:02}", n / 60, n % 60)}))
            .collect();
        with_house(&json!({"readings": list})).to_string()
    };
    service.post(batch(100)).assert_json(r#"{"accepted":100}"#);
    let answer = service.post(batch(101));
    answer.assert_problem(413, "too_many_readings", "at most 100 readings");
    answer.assert_problem(413, "too_many_readings", "got at least 101");
    let headers = [("Authorization", &*house_basic())];
    let lines = |count: i64| {
        let line = |n| format!("p,sensor=house watts={n} {}\n", 1_767_000_000 + n);
        (0..count).map(line).collect::<Vec<_>>().concat()
    };
    let write = |path: &str, count| {
        let path = format!("{path}?precision=s");
        service.send(&request("POST", &path, &headers, lines(count).as_bytes()))
    };
    for path in ["/write", "/api/v2/write"] {
        assert_eq!(write(path, 100).status(), 204);
        let answer = write(path, 101);
        assert_eq!(answer.status(), 413);
        assert!(
            answer.text().contains("at most 100 readings"),
            "{}",
            answer.text()
        );
    }
    let bulk = |count: usize| {
        let items: Vec<_> = (0..count)
            .map(|n| format!("[{n},\"house\",{{\"power\":1}}]"))
            .collect();
        let form = format!("time=1767000000&data=[{}]", items.join(","));
        service.send(&request("POST", "/input/bulk", &headers, form.as_bytes()))
    };
    assert_eq!(bulk(100).text(), "ok");
    let answer = bulk(101);
    assert_eq!(answer.status(), 413);
    assert!(
        answer.text().contains("at most 100 readings"),
        "{}",
        answer.text()
    );
    assert_eq!(service.all_watts().len(), 200);
}

#[test]
fn a_line_with_very_many_fields_is_refused_once() {
    let service = Service::start();
    let line = format!("p,sensor=house {}watts=1", "watts=1,".repeat(100_000));
    let headers = [("Authorization", &*house_basic())];
    let answer = service.send(&request("POST", "/write", &headers, line.as_bytes()));
    assert_eq!(answer.status(), 400);
    assert!(answer.text().contains("dropped=1\""), "{}", answer.text());
    assert!(service.all_watts().is_empty());
}

#[test]
fn half_sent_bodies_keep_nobody_else_waiting() {
    let service = Service::start();
    let large = upload_of(1_000_000);
    let upload = request("POST", ELEC, &[], &large);
    let client = |number| Ipv4Addr::new(127, 0, 0, number);
    let held: Vec<Connection> = (0..16)
        .map(|_| {
            let mut connection = Connection::open_from(client(1), service.address());
            // Refused while it is sent, perhaps.
            let _ = connection.try_send(&upload[..900_000]);
            connection
        })
        .collect();
    for n in 2..5 {
        let mut other = Connection::open_from(client(n), service.address());
        other.exchange(&upload).assert_json(r#"{"accepted":1}"#);
    }
    drop(held);
}

#[test]
fn packed_bodies_with_credentials_inside_or_in_the_head_are_unpacked() {
    let service = Service::start();
    let whole = packed(&upload_of(900_000));
    let gzip = ("Content-Encoding", "gzip");
    // Those inside win.
    let [right, wrong] = [house_basic(), basic(API_ID, "a wrong key")];
    for headers in [
        &[gzip][..],
        &[gzip, ("Authorization", &right)],
        &[gzip, ("Authorization", &wrong)],
    ] {
        service
            .send(&request("POST", ELEC, headers, &whole))
            .assert_json(r#"{"accepted":1}"#);
    }
}

#[test]
fn slow_clients_do_not_hold_up_the_others() {
    let service = Service::start();
    let begun = format!("POST {ELEC} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{{");
    let stalled: Vec<Connection> = (0..begun.len())
        .map(|sent| {
            let mut connection = Connection::open(service.address());
            connection.send(&begun.as_bytes()[..sent]);
            connection
        })
        .collect();
    for _ in 0..20 {
        service.accept(&json!({"watts": 1}));
    }
    drop(stalled);
    assert_eq!(service.all_watts().len(), 20);
}

/// Bodies that are parsed at once are short. Honest clients send far less.
#[test]
fn bodies_that_say_little_are_short() {
    let service = Service::start();
    let basic = house_basic();
    let headers = [("Authorization", basic.as_str())];
    let long = "[".repeat(LARGEST + 1);
    for (path, most) in [
        ("/api/v0.2/corrections", 16 * 1_024),
        ("/api/v0.2/notices", 4 * 1_024),
        ("/api/v0.2/utility", LARGEST),
        ("/query", LARGEST),
        ("/api/v2/query", LARGEST),
    ] {
        let send = |length| {
            let body = &long.as_bytes()[..length];
            service.send(&request("POST", path, &headers, body))
        };
        let answer = send(most + 1);
        assert_eq!(answer.status(), 413, "{path}");
        let expected = format!("at most {most} bytes");
        assert!(answer.text().contains(&expected), "{path}");
        assert_eq!(send(most).status(), 400, "{path}");
    }
}
