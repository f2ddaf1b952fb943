//! How large the body of each route may be.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpStream;
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use wattkeeper::Timestamp;

use crate::cli::memory::allocated_kib;
use crate::pages::browser::Browser;
use crate::pages::rights::forms;
use crate::place::Place;
use crate::support::{Connection, Service, basic, house_basic, request};

const KIB: usize = 1_024;
const MIB: usize = 1_024 * KIB;

/// Each route of the API with a body, its query, and the most bytes.
const ROUTES: [(&str, &str, &str, usize); 22] = [
    ("POST", "/api/v0.2/elec", "", MIB),
    ("POST", "/api/v0.2/corrections", "", 16 * KIB),
    ("POST", "/api/v0.2/contracts", "", 256 * KIB),
    ("POST", "/api/v0.2/contracts/from-template", "", 64 * KIB),
    ("PUT", "/api/v0.2/prices", "?series=day-ahead", 16 * MIB),
    ("PUT", "/api/v0.2/formats", "", 16_000),
    ("PUT", "/api/v0.2/days", "?list=tempo", MIB),
    ("POST", "/api/v0.2/utility", "", 64 * KIB),
    ("PUT", "/api/v0.2/offers", "", 64 * KIB),
    ("PUT", "/api/v0.2/purchases", "", 4 * KIB),
    ("PUT", "/api/v0.2/tenancies", "", 4 * KIB),
    (
        "POST",
        "/api/v0.2/what-if",
        "?start_time=2025-07-01&end_time=2025-07-02",
        16 * MIB,
    ),
    ("POST", "/api/v0.2/notices", "", 4 * KIB),
    ("POST", "/write", "", MIB),
    ("POST", "/query", "", 64 * KIB),
    ("POST", "/api/v2/write", "", MIB),
    ("POST", "/api/v2/query", "", 64 * KIB),
    ("POST", "/input/post", "", MIB),
    ("POST", "/input/post.json", "", MIB),
    ("POST", "/input/post/{node}", "", MIB),
    ("POST", "/input/bulk", "", MIB),
    ("POST", "/input/bulk.json", "", MIB),
];

fn gzip(length: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![b' '; length]).unwrap();
    encoder.finish().unwrap()
}

/// The head of a request whose body is announced with this header.
fn head(method: &str, target: &str, cookie: &str, body: &str) -> String {
    let who = if cookie.is_empty() {
        format!("Authorization: {}", house_basic())
    } else {
        format!("Cookie: {cookie}")
    };
    format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n{who}\r\n{body}\r\n\r\n")
}

#[test]
fn no_body_is_larger_than_its_route_needs() {
    let service = Service::start();
    let of_description = service
        .send(&request("GET", "/openapi.json", &[], b""))
        .json();
    let described = of_description["paths"].as_object().unwrap().iter();
    let described = described.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods
            .filter(|(_, it)| it.get("requestBody").is_some())
            .map(move |(method, it)| ((method.to_uppercase(), path.clone()), it.clone()))
    });
    let described: BTreeMap<(String, String), Value> = described.collect();
    let known = ROUTES.map(|(method, path, ..)| (method.to_owned(), path.to_owned()));
    assert_eq!(
        described.keys().cloned().collect::<BTreeSet<_>>(),
        BTreeSet::from(known)
    );
    for (method, path, query, most) in ROUTES {
        let description = &described[&(method.to_owned(), path.to_owned())]["requestBody"];
        let is_own = path.starts_with("/api/v0.2/") && path != "/api/v0.2/elec";
        if is_own {
            let text = description["description"].as_str().unwrap_or_default();
            assert!(
                text.contains(&format!("At most {most} bytes")),
                "{path}: {text}"
            );
        }
        let target = path.replace("{node}", "1") + query;
        let expected = format!("at most {most} bytes");
        // Announced, and never sent.
        let mut announced = Connection::open(service.address());
        let length = format!("Content-Length: {}", most + 1);
        announced.send(head(method, &target, "", &length).as_bytes());
        let answer = announced.receive();
        assert_eq!(answer.status(), 413, "{target}: {}", answer.text());
        assert!(
            answer.text().contains(&expected),
            "{target}: {}",
            answer.text()
        );
        // In chunks, and compressed.
        let mut chunked = Connection::open(service.address());
        chunked.send(head(method, &target, "", "Transfer-Encoding: chunked").as_bytes());
        let piece = vec![b' '; 64 * KIB];
        let mut left = most + 1;
        while left > 0 {
            let length = left.min(piece.len());
            let begin = format!("{length:x}\r\n");
            let framed = [begin.as_bytes(), &piece[..length], b"\r\n"];
            // It may be refused before its end.
            if chunked.try_send(&framed.concat()).is_err() {
                break;
            }
            left -= length;
        }
        assert_eq!(chunked.receive().status(), 413, "{target}, in chunks");
        let auth = house_basic();
        for (length, is_refused) in [(most + 1, true), (most, false)] {
            let headers = [("Authorization", &*auth), ("Content-Encoding", "gzip")];
            let answer = service.send(&request(method, &target, &headers, &gzip(length)));
            assert_eq!(
                answer.status() == 413,
                is_refused,
                "{target}: {}",
                answer.text()
            );
        }
    }
}

#[test]
fn no_form_is_larger_than_its_page_needs() {
    /// Of a form without a file.
    const MOST: usize = 64 * KIB;
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let session = browser.cookie("wattkeeper_session").unwrap();
    let cookie = format!("wattkeeper_session={session}");
    for path in forms() {
        let has_file = ["/costs/prices", "/costs/what-if", "/settings/sensor/import"];
        let has_file = has_file.contains(&path);
        let most = if has_file { 16 * MIB } else { MOST };
        let mut connection = Connection::open(service.address());
        let length = format!("Content-Length: {}", most + 1);
        connection.send(head("POST", path, &cookie, &length).as_bytes());
        let answer = connection.receive();
        let expected = if path == "/setup" {
            413.min(answer.status())
        } else {
            413
        };
        assert_eq!(answer.status(), expected, "{path}: {}", answer.text());
    }
}

/// Eight at once, each longer than its entity may be, of a text that takes many times its length
/// once it is parsed.
#[test]
#[cfg(target_os = "linux")]
fn large_bodies_of_small_things_take_no_memory() {
    const MOST_KIB: u64 = 64 * 1_024;
    let place = Place::new();
    place.prepare();
    let (api_id, api_key) = place.key();
    let server = place.serve(&[]);
    let before = allocated_kib(&server);
    let mut table = "name = \"a\"\n".to_owned();
    let mut nth = 0;
    while table.len() < MIB - 100 {
        writeln!(table, "a.b{nth}.c.d.e = 1").unwrap();
        nth += 1;
    }
    let nested = format!("{}{}", "[".repeat(MIB / 2 - 10), "]".repeat(MIB / 2 - 10));
    let agent = ureq::Agent::config_builder().http_status_as_error(false);
    let agent = agent.build().new_agent();
    let own = ROUTES.iter().filter(|(.., most)| *most < MIB);
    for (method, path, query, _) in own {
        let body = if path.ends_with("/formats") {
            &table
        } else {
            &nested
        };
        let url = format!("{}{path}{query}", server.url);
        let basic = basic(&api_id, &api_key);
        let send = || {
            let request = if *method == "PUT" {
                agent.put(&url)
            } else {
                agent.post(&url)
            };
            let request = request.header("Authorization", &basic);
            // The connection may end before all is sent.
            request
                .send(body.as_bytes())
                .map_or(413, |answer| answer.status().as_u16())
        };
        thread::scope(|scope| {
            let requests: Vec<_> = (0..8).map(|_| scope.spawn(send)).collect();
            for request in requests {
                let status = request.join().unwrap();
                assert!([413, 503].contains(&status), "{path}: {status}");
            }
        });
        let more = allocated_kib(&server) - before;
        assert!(more <= MOST_KIB, "{path}: {more} KiB");
    }
    server.stop();
}

/// Each asks for a long series of prices, and does not read it.
#[test]
#[cfg(target_os = "linux")]
fn prices_that_nobody_reads_take_little_memory() {
    const MOST_KIB: u64 = 24 * 1_024;
    let place = Place::new();
    place.prepare();
    let (api_id, api_key) = place.key();
    let server = place.serve(&[]);
    let who = basic(&api_id, &api_key);
    let mut table = String::new();
    let start = Timestamp::parse("2020-01-01T00:00:00Z").unwrap();
    for n in 0..100_000 {
        let time = start.saturating_add_millis(n * 900_000);
        writeln!(table, "{time},0.25").unwrap();
    }
    let url = format!("{}/api/v0.2/prices?series=s0", server.url);
    let stored = ureq::put(&url).header("Authorization", &who);
    assert_eq!(stored.send(table.as_bytes()).unwrap().status(), 200);
    let before = allocated_kib(&server);
    let address = server.url.trim_start_matches("http://");
    let ask = |_| {
        let mut client = TcpStream::connect(address).unwrap();
        let headers = [("Authorization", &*who)];
        let request = request("GET", "/api/v0.2/prices?series=s0", &headers, b"");
        client.write_all(&request).unwrap();
        client
    };
    let unread: Vec<TcpStream> = (0..100).map(ask).collect();
    for client in &unread {
        let mut begin = [0; 12];
        while client.peek(&mut begin).unwrap() < begin.len() {}
        assert_eq!(&begin, b"HTTP/1.1 200");
    }
    let more = allocated_kib(&server).saturating_sub(before);
    assert!(more <= MOST_KIB, "{more} KiB");
    server.stop();
}
