//! Errors that are not about a field: paths, methods, a store or a clock that cannot serve.

use serde_json::json;

use crate::support::{API_ID, API_KEY, ELEC, SENSORS, Service, house_basic, request, with_house};

#[test]
fn a_wrong_method_is_answered_with_the_right_ones() {
    let service = Service::start();
    for (path, right) in [
        (ELEC, &["GET", "POST"][..]),
        ("/api/v0.2/elec/", &["GET", "POST"]),
        (SENSORS, &["GET"]),
    ] {
        for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "POST"] {
            if right.contains(&method) {
                continue;
            }
            let body = with_house(&json!({"watts": 1})).to_string();
            let answer = service.send(&request(method, path, &[], body.as_bytes()));
            answer.assert_problem_shape(405);
            let allow = answer.head.header("allow").unwrap();
            let allowed: Vec<&str> = allow.split(',').map(str::trim).collect();
            for method in right {
                assert!(allowed.contains(method), "{method} in {allow}");
            }
            assert!(!allowed.contains(&method), "{method} in {allow}");
        }
    }
    assert!(service.all_watts().is_empty());
}

#[test]
fn an_unknown_path_is_not_found_and_nothing_redirects() {
    let service = Service::start();
    let body = with_house(&json!({"watts": 1})).to_string();
    for path in [
        "/elec",
        "/api/v0.2",
        "/api/v0.2/",
        "/api/v0.2/electric",
        "/api/v0.2/elec/house",
        "/api/v0.3/elec",
        "/api/v0.2/ELEC",
        "/../../etc/passwd",
        "/%00",
    ] {
        for method in ["GET", "POST"] {
            let headers = [("Authorization", &*house_basic())];
            let answer = service.send(&request(method, path, &headers, body.as_bytes()));
            assert!(
                (400..500).contains(&answer.status()),
                "{path}: {}",
                answer.status()
            );
            assert_eq!(answer.head.header("location"), None);
        }
    }
    let answer = service.send(&request("GET", "/api/v0.2/electric", &[], b""));
    answer.assert_problem_shape(404);
    assert!(service.all_watts().is_empty());
}

#[test]
fn nonsense_is_answered_and_the_service_goes_on() {
    let service = Service::start();
    for bytes in [
        &b"\r\n\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /api/v0.2/elec HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/v0.2/elec HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST /api/v0.2/elec HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /api/v0.2/elec?%%%%&&&===&sensor_id HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /api/v0.2/elec?sensor_id=%ff%fe&api_id=%00&api_key=%0a&type=%c3%28 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /api/v0.2/elec?type=rate HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"BREW /api/v0.2/elec HTCPCP/1.0\r\n\r\n",
        b"GET /api/v0.2/elec HTTP/1.1\r\nAuthorization: \xff\xfe\r\n\r\n",
    ] {
        let mut connection = crate::support::Connection::open(service.address());
        let _ = connection.try_send(bytes);
        connection.finish_sending();
        let answered = connection.receive_head();
        if let Ok(head) = answered {
            assert!((400..500).contains(&head.status), "{bytes:?}: {head:?}");
        }
        service.accept(&json!({"watts": 1}));
    }
}

#[test]
fn fields_of_many_bytes_are_refused_not_fatal() {
    let service = Service::start();
    let long = "x".repeat(100_000);
    let answer = service.upload(&json!({"sensor_id": long, "watts": 1}));
    assert!(matches!(answer.status(), 400 | 403), "{}", answer.status());
    for (field, value) in [
        ("time", &long),
        ("watts", &long),
        ("api_id", &long),
        ("api_key", &long),
    ] {
        let mut upload = json!({"watts": 1});
        upload[field] = json!(value);
        let answer = service.upload(&upload);
        assert!(
            (400..404).contains(&answer.status()),
            "{field}: {}",
            answer.status()
        );
        // The error quotes the value, but not all of it.
        assert!(answer.body.len() < 2_000, "{field}: {}", answer.body.len());
    }
    for field in ["sensor_id", "time"] {
        let mut upload = json!({"watts": 1});
        upload[field] = json!("a\u{0}b\u{1b}[31m\u{202e}");
        let answer = service.upload(&upload);
        assert!(
            (400..404).contains(&answer.status()),
            "{field}: {}",
            answer.status()
        );
    }
    service.accept(&json!({"watts": 1}));
}

#[test]
fn a_store_that_takes_nothing_is_unavailable() {
    let service = Service::start();
    service.store().close().unwrap();
    let answer = service.upload(&json!({"watts": 1}));
    answer.assert_problem(503, "storage_unavailable", "");
    // Invalid requests are still reported as such.
    service
        .upload(&json!({"watts": "x"}))
        .assert_problem(400, "invalid_field", "watts");
}

#[test]
fn an_error_names_the_field_what_was_expected_and_what_came() {
    let service = Service::start();
    let answer = service.get(&format!(
        "sensor_id=house&api_id={API_ID}&api_key={API_KEY}&type=rate&start_time=noon&end_time=2026-01-06"
    ));
    let problem = answer.assert_problem_shape(400);
    assert_eq!(problem["code"], "invalid_field");
    let detail = problem["detail"].as_str().unwrap();
    for part in ["start_time", "YYYY-MM-DD", "noon"] {
        assert!(detail.contains(part), "{part} in {detail}");
    }
}
