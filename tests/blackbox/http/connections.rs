//! HTTP itself as old and odd clients speak it.

use serde_json::json;

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
