//! Preflight requests of browsers for pages of other sites.

use wattkeeper::{Config, WebOrigin};

use crate::support::{ELEC, Response, Service, basic, house_basic, request};

const SITE: &str = "https://house.example";

fn with_origins(origins: &[&str]) -> Service {
    let origins: Vec<WebOrigin> = origins.iter().map(|text| text.parse().unwrap()).collect();
    Service::start_with(|config: &mut Config| config.http.cors_origins = origins)
}

/// A download by a page of `origin`.
fn download(service: &Service, origin: &str, credentials: &str) -> Response {
    let target =
        format!("{ELEC}?sensor_id=house&type=rate&start_time=2026-01-05&end_time=2026-01-06");
    let headers = [("Authorization", credentials), ("Origin", origin)];
    service.send(&request("GET", &target, &headers, b""))
}

/// A browser's preflight request for a page's upload with these headers.
fn preflight(service: &Service, origin: &str, method: &str) -> Response {
    let headers = [
        ("Origin", origin),
        ("Access-Control-Request-Method", method),
        (
            "Access-Control-Request-Headers",
            "authorization,content-type",
        ),
    ];
    service.send(&request("OPTIONS", ELEC, &headers, b""))
}

fn allowed(answer: &Response) -> Option<&str> {
    let credentials = answer.head.header("access-control-allow-credentials");
    assert_eq!(credentials, None);
    answer.head.header("access-control-allow-origin")
}

#[test]
fn by_default_no_site_is_allowed() {
    let service = Service::start();
    let answer = download(&service, SITE, &house_basic());
    assert_eq!((answer.status(), allowed(&answer)), (200, None));
    let answer = preflight(&service, SITE, "POST");
    answer.assert_problem(405, "method_not_allowed", "GET, POST");
    assert_eq!(allowed(&answer), None);
}

#[test]
fn a_site_that_is_named_is_allowed_and_no_other() {
    let service = with_origins(&[SITE, "http://localhost:3000"]);
    for origin in [SITE, "http://localhost:3000"] {
        let answer = download(&service, origin, &house_basic());
        assert_eq!((answer.status(), allowed(&answer)), (200, Some(origin)));
        let vary = answer.head.header("vary").unwrap().to_lowercase();
        assert!(vary.contains("origin"), "{vary}");
        assert!(vary.contains("accept-encoding"), "{vary}");
        let answer = preflight(&service, origin, "POST");
        assert_eq!((answer.status(), allowed(&answer)), (200, Some(origin)));
        let methods = answer.head.header("access-control-allow-methods").unwrap();
        for method in ["GET", "POST", "PUT", "DELETE"] {
            assert!(methods.contains(method), "{methods}");
        }
        let headers = answer.head.header("access-control-allow-headers").unwrap();
        for header in ["authorization", "content-type"] {
            assert!(headers.to_lowercase().contains(header), "{headers}");
        }
    }
    for origin in [
        "http://house.example",
        "https://house.example:8443",
        "https://evil.example",
        "null",
    ] {
        let answer = download(&service, origin, &house_basic());
        assert_eq!((answer.status(), allowed(&answer)), (200, None), "{origin}");
        assert_eq!(allowed(&preflight(&service, origin, "POST")), None);
    }
    let answer = preflight(&service, SITE, "PATCH");
    assert!(answer.status() >= 400, "{}", answer.status());
}

#[test]
fn any_site_is_any_site() {
    let service = with_origins(&["*"]);
    let answer = download(&service, "https://anywhere.example", &house_basic());
    assert_eq!((answer.status(), allowed(&answer)), (200, Some("*")));
    let answer = preflight(&service, "https://anywhere.example", "POST");
    assert_eq!((answer.status(), allowed(&answer)), (200, Some("*")));
}

#[test]
fn pages_can_read_why_they_were_refused() {
    let service = with_origins(&[SITE]);
    let answer = download(&service, SITE, &basic("house-id", "wrong"));
    assert_eq!(allowed(&answer), Some(SITE));
    answer.assert_problem(401, "bad_credentials", "");
}

#[test]
fn clients_that_are_no_browsers_see_no_difference() {
    let service = with_origins(&[SITE]);
    let bare = request("OPTIONS", ELEC, &[], b"");
    let answer = service.send(&bare);
    answer.assert_problem(405, "method_not_allowed", "GET, POST");
    service.accept(&serde_json::json!({"watts": 5}));
    assert_eq!(allowed(&service.ask("type=latest_rate")), None);
    // The commands' way in is for no page.
    let headers = [("Origin", SITE), ("Access-Control-Request-Method", "POST")];
    let answer = service.send(&request("OPTIONS", "/admin/", &headers, b""));
    assert_eq!(allowed(&answer), None);
}
