//! Malformed requests: the answer says why. Slightly malformed ones are answered.

use serde_json::json;

use crate::support::{
    Connection, ELEC, SENSOR, Service, house_basic, points_of, request, with_house,
};

fn upload_body() -> String {
    with_house(&json!({ "watts": 5 })).to_string()
}

/// Heads without their last line, and a text in the refusal.
const MALFORMED: [(&str, &str); 17] = [
    (
        "GET /elec HTTP/1.1\r\nHost: a\r\nHost: a\r\n",
        "expected one Host",
    ),
    (
        "GET /elec HTTP/1.1\r\nHost: a\r\nContent-Length: five\r\n",
        "Content-Length: expected",
    ),
    (
        "POST /elec HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n",
        "Content-Length: expected",
    ),
    (
        "POST /elec HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n",
        "Content-Length: expected",
    ),
    (
        "POST /elec HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 5\r\n",
        "one Content-Length",
    ),
    (
        "POST /elec HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "got both",
    ),
    (
        "POST /elec HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n",
        "Transfer-Encoding: expected chunked",
    ),
    (
        "POST /elec HTTP/1.0\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: expected none",
    ),
    ("POST /elec HTTP/1.0\r\n", "Content-Length is missing"),
    (
        "GET /elec HTTP/1.1\r\nHost: a\r\nX-Key : a\r\n",
        "line 3: expected NAME: VALUE",
    ),
    (
        "GET /elec HTTP/1.1\r\nHost: a\r\nnothing\r\n",
        "line 3: expected NAME: VALUE",
    ),
    ("GET /elec HTTP/3.7\r\nHost: a\r\n", "expected HTTP/1.1"),
    ("GET /elec\r\n", "a first line such as"),
    ("G(T /elec HTTP/1.1\r\nHost: a\r\n", "expected a method"),
    ("hello\r\n", "a first line such as"),
    ("\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}", "got TLS"),
    ("PRI * HTTP/2.0\r\n", "expected HTTP/1.1"),
];

#[test]
fn what_is_refused_before_any_handler_names_the_reason() {
    let service = Service::start();
    for (head, mentions) in MALFORMED {
        let mut connection = Connection::open(service.address());
        let answer = connection.exchange(format!("{head}\r\n").as_bytes());
        answer.assert_problem(400, "malformed_request", mentions);
        assert_eq!(answer.head.header("connection"), Some("close"), "{head}");
        connection.wait_until_closed();
    }
}

#[test]
fn a_head_that_is_too_large_is_told_so_to_a_client_that_is_still_sending() {
    let service = Service::start();
    for value in ["a".repeat(300_000), "a".repeat(900_000)] {
        let mut connection = Connection::open(service.address());
        let head = request("GET", ELEC, &[("X-Padding", &value)], b"");
        let mut sender = connection.second();
        std::thread::scope(|scope| {
            scope.spawn(move || sender.send(&head));
            let answer = connection.receive();
            answer.assert_problem(431, "head_too_large", "131072");
        });
        connection.finish_sending();
        connection.wait_until_closed();
    }
}

#[test]
fn a_head_with_many_fields_is_told_how_many_there_may_be() {
    let service = Service::start();
    let fields = "X-Some: a\r\n".repeat(200);
    let head = format!("GET {ELEC} HTTP/1.1\r\nHost: localhost\r\n{fields}\r\n");
    let answer = service.send(head.as_bytes());
    answer.assert_problem(431, "head_too_large", "at most 96 header fields");
}

#[test]
fn head_gets_the_refusal_without_its_body() {
    let service = Service::start();
    let mut connection = Connection::open(service.address());
    connection.send(b"HEAD /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    let head = connection.receive_head().unwrap();
    assert_eq!(head.status, 400);
    assert_ne!(head.header("content-length"), Some("0"));
    let mut rest = Vec::new();
    assert!(connection.receive_chunk(&mut rest).is_err());
}

#[test]
fn a_refusal_follows_the_answers_before_it() {
    let service = Service::start();
    let mut connection = Connection::open(service.address());
    for _ in 0..3 {
        let answer = connection.exchange(&request("GET", "/healthz", &[], b""));
        assert_eq!(answer.status(), 200);
    }
    let answer = connection.exchange(b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
    answer.assert_problem(400, "malformed_request", "one Host");
    connection.wait_until_closed();
    // Refusals by a handler stay as they are, and do not end the connection.
    let mut connection = Connection::open(service.address());
    for _ in 0..3 {
        let answer = connection.exchange(&request("GET", ELEC, &[], b""));
        answer.assert_problem(400, "missing_field", "");
    }
}

/// As code for a microcontroller sends it, line by line, without a host.
#[test]
fn a_request_by_hand_needs_no_host() {
    let service = Service::start();
    let body = upload_body();
    let basic = house_basic();
    let upload = format!(
        "POST {ELEC} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut count = 0;
    // In one piece, by lines, and by bytes.
    for pieces in [1, 4, usize::MAX] {
        let mut connection = Connection::open(service.address());
        for piece in upload.as_bytes().chunks((upload.len() / pieces).max(1)) {
            connection.send(piece);
        }
        let answer = connection.receive();
        // Where the end of the head comes in two pieces, it is too late.
        if pieces == usize::MAX && answer.status() == 400 {
            answer.assert_problem(400, "malformed_request", "Host");
        } else {
            answer.assert_json(r#"{"accepted":1}"#);
            count += 1;
        }
        connection.wait_until_closed();
    }
    assert_eq!(service.all_watts().len(), count);
    let mut connection = Connection::open(service.address());
    let download = format!(
        "GET {ELEC}?sensor_id={SENSOR}&type=latest_rate HTTP/1.1\r\nAuthorization: {basic}\r\n\r\n"
    );
    let answer = connection.exchange(download.as_bytes());
    assert_eq!(points_of(&answer).len(), 1);
    assert_eq!(answer.head.header("connection"), Some("close"));
    connection.wait_until_closed();
    // A body in chunks, which ends with an empty line.
    let mut connection = Connection::open(service.address());
    let chunked = format!(
        "POST {ELEC} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
        body.len()
    );
    connection
        .exchange(chunked.as_bytes())
        .assert_json(r#"{"accepted":1}"#);
    connection.wait_until_closed();
}

/// A proxy sends requests of many clients on one connection, each with a host: what lacks one there
/// could be a body.
#[test]
fn only_the_first_head_of_a_connection_may_lack_a_host() {
    let service = Service::start();
    let mut connection = Connection::open(service.address());
    let answer = connection.exchange(&request("GET", "/healthz", &[], b""));
    assert_eq!(answer.status(), 200);
    let answer = connection.exchange(b"GET /healthz HTTP/1.1\r\n\r\n");
    answer.assert_problem(400, "malformed_request", "Host is missing");
    connection.wait_until_closed();
}

#[test]
fn head_is_get_without_the_body() {
    let service = Service::start();
    let basic = house_basic();
    let headers = [("Authorization", &*basic)];
    service
        .send(&request("POST", ELEC, &[], upload_body().as_bytes()))
        .assert_json(r#"{"accepted":1}"#);
    let latest = format!("{ELEC}?sensor_id={SENSOR}&type=latest_rate");
    let mut connection = Connection::open(service.address());
    let mut shown = Vec::new();
    for path in [
        &*latest,
        "/api/v0.2/sensors",
        "/openapi.json",
        "/healthz",
        "/nowhere",
        ELEC,
        "/live",
        "/",
    ] {
        let get = match path {
            // It has no end.
            "/live" => None,
            _ => Some(connection.exchange(&request("GET", path, &headers, b""))),
        };
        connection.send(&request("HEAD", path, &headers, b""));
        let head = connection.receive_head().unwrap();
        if let Some(get) = get {
            assert_eq!(head.status, get.status(), "{path}");
            for name in ["content-type", "content-length"] {
                assert_eq!(head.header(name), get.head.header(name), "{path}: {name}");
            }
        }
        shown.push(head.status);
    }
    assert!(shown.contains(&200) && shown.contains(&404), "{shown:?}");
    // Emoncms' inputs take readings by GET.
    connection.send(&request("HEAD", "/input/post?node=a", &headers, b""));
    assert_eq!(connection.receive_head().unwrap().status, 405);
}

#[test]
fn an_address_that_was_put_together_badly_is_the_one_that_was_meant() {
    let body = upload_body();
    for (base_path, paths) in [
        (
            "/api/v0.2",
            &[
                "//api/v0.2/elec",
                "/api/v0.2//elec",
                "/api/v0.2/api/v0.2/elec",
                "/api/v0.2//api/v0.2/elec/",
            ][..],
        ),
        ("/", &["//elec", "///elec//"][..]),
        ("/energy", &["/energy/energy/elec"][..]),
    ] {
        let service = Service::start_with(|config| config.http.base_path = base_path.to_owned());
        for path in paths {
            let answer = service.send(&request("POST", path, &[], body.as_bytes()));
            answer.assert_json(r#"{"accepted":1}"#);
        }
        let pages = service.send(&request("GET", "//healthz", &[], b""));
        assert_eq!(pages.status(), 200);
    }
}
