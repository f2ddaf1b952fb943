//! Results packed with gzip, for clients that take it.

use std::io::Read as _;

use flate2::read::GzDecoder;

use crate::support::{ELEC, Response, Service, at, house_basic, power, request};

const COUNT: i32 = 100_000;

/// A house with a reading a second.
fn house() -> Service {
    let service = Service::start();
    let begin = at("2020-01-01T00:00:00");
    let history: Vec<_> = (0..COUNT)
        .map(|n| {
            let time = begin.saturating_add_millis(i64::from(n) * 1_000);
            power(time, f64::from(n % 977))
        })
        .collect();
    service.import(&history);
    service
}

fn download(service: &Service, more: &str, accept: Option<&str>) -> Response {
    let target =
        format!("{ELEC}?sensor_id=house&type=rate&start_time=2020-01-01&end_time=2020-02-01{more}");
    let mut headers = vec![("Authorization", house_basic())];
    headers.extend(accept.map(|accept| ("Accept-Encoding", accept.to_owned())));
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    service.send(&request("GET", &target, &headers, b""))
}

fn unpacked(answer: &Response) -> Vec<u8> {
    let mut plain = Vec::new();
    GzDecoder::new(&*answer.body)
        .read_to_end(&mut plain)
        .unwrap();
    plain
}

fn is_packed(answer: &Response) -> bool {
    assert_eq!(answer.status(), 200);
    // The headers that a cache needs, packed or not.
    let vary = answer.head.header("vary").unwrap().to_lowercase();
    assert!(vary.contains("accept-encoding"), "{vary}");
    match answer.head.header("content-encoding") {
        None => false,
        Some(encoding) => {
            assert_eq!(encoding, "gzip");
            true
        }
    }
}

#[test]
fn a_packed_result_is_the_same_and_smaller() {
    let service = house();
    for (more, content_type) in [
        ("", "application/json"),
        ("&format=ndjson", "application/x-ndjson"),
        ("&format=csv", "text/csv; charset=utf-8"),
        ("&interval=1m", "application/json"),
    ] {
        let plain = download(&service, more, None);
        assert!(!is_packed(&plain));
        let packed = download(&service, more, Some("gzip, deflate, br"));
        assert!(is_packed(&packed), "{more}");
        assert_eq!(packed.head.header("content-type"), Some(content_type));
        assert!(packed.body.len() * 4 < plain.body.len(), "{more}");
        assert!(unpacked(&packed) == plain.body, "{more}");
    }
}

#[test]
fn the_client_says_what_it_takes() {
    let service = house();
    for (accept, packed) in [
        ("gzip", true),
        ("GZIP;q=0.5", true),
        ("br, gzip;q=0.8, identity;q=0.1", true),
        ("gzip, *;q=0", true),
        ("identity;q=0, gzip", true),
        ("identity", false),
        ("br, deflate", false),
        ("gzip;q=0", false),
        ("gzip;q=0, *", false),
        ("identity;q=1, gzip;q=0.5", false),
        ("", false),
        ("gzip;q=much", false),
        // Nothing that there is; it gets what all understand.
        ("*;q=0", false),
    ] {
        let answer = download(&service, "&interval=1m", Some(accept));
        assert_eq!(is_packed(&answer), packed, "{accept:?}");
        let plain = if packed {
            unpacked(&answer)
        } else {
            answer.body.clone()
        };
        assert!(plain.starts_with(b"{\"units\":\"watts\","), "{accept:?}");
    }
}

#[test]
fn short_results_and_errors_are_not_packed() {
    let service = house();
    let answer = download(&service, "&interval=1d", Some("gzip"));
    assert!(!is_packed(&answer));
    answer.json();
    let answer = download(&service, "&interval=7d", Some("gzip"));
    answer.assert_problem(400, "invalid_field", "interval");
}
