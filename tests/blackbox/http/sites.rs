//! Requests from pages of other sites, with the credentials that a browser keeps.

use serde_json::json;
use wattkeeper::{Config, MeterKind, Role};

use crate::pages::browser::{Browser, PASSWORD};
use crate::pages::dashboard::put_sensor;
use crate::support::{
    API_ID, API_KEY, ELEC, MINUTE, NOTICES, Response, SENSORS, Service, house_basic, request,
    with_house,
};

const CORRECTIONS: &str = "/api/v0.2/corrections";

const EVIL: [&[(&str, &str)]; 6] = [
    &[("Origin", "http://evil.example")],
    &[("Origin", "null")],
    // Another service of this machine.
    &[("Origin", "http://localhost:8123")],
    &[("Origin", "https://localhost")],
    &[("Sec-Fetch-Site", "same-site")],
    &[("Sec-Fetch-Site", "cross-site")],
];
const OWN: [&[(&str, &str)]; 4] = [
    &[],
    &[("Origin", "http://localhost")],
    &[("Origin", "null"), ("Sec-Fetch-Site", "same-origin")],
    &[("Sec-Fetch-Site", "none")],
];

/// A request with the house's credentials by Basic.
fn send(
    service: &Service,
    method: &str,
    target: &str,
    more: &[(&str, &str)],
    body: &[u8],
) -> Response {
    let basic = house_basic();
    let headers = [&[("Authorization", basic.as_str())], more].concat();
    service.send(&request(method, target, &headers, body))
}

const UPLOAD: &[u8] = br#"{"sensor_id":"house","watts":1}"#;
/// Of each protocol, one request that stores a reading.
const WRITES: [(&str, &str, &[u8]); 3] = [
    ("POST", ELEC, UPLOAD),
    ("POST", "/write", b"power,sensor=house watts=1"),
    ("POST", "/input/post/house", b"fulljson={\"power\":1}"),
];

#[test]
fn other_sites_cannot_write_with_the_browser_s_credentials() {
    let service = Service::start();
    for (method, target, body) in WRITES {
        for headers in EVIL {
            let answer = send(&service, method, target, headers, body);
            let text = answer.text();
            assert_eq!(answer.status(), 403, "{target} {headers:?}: {text}");
            assert!(text.contains("http.cors_origins"), "{text}");
        }
    }
    assert_eq!(service.all_watts(), []);
    for (method, target, body) in WRITES {
        for headers in OWN {
            let answer = send(&service, method, target, headers, body);
            let text = answer.text();
            assert!(answer.status() < 300, "{target} {headers:?}: {text}");
            service.clock.advance(1_000);
        }
    }
    assert_eq!(service.all_watts().len(), WRITES.len() * OWN.len());
}

/// One of each kind of data that people enter; the notice is that of [`dead_sensor`].
const ENTRIES: [(&str, &str, &[u8]); 10] = [
    ("PUT", "/api/v0.2/days?list=tempo", b"2026-01-05,red"),
    (
        "PUT",
        "/api/v0.2/formats",
        b"name = \"x\"\ncolumns = [\"a\"]",
    ),
    ("PUT", "/api/v0.2/prices?series=hourly", b"2026-01-05T10:00:00Z,0.1"),
    (
        "POST",
        CORRECTIONS,
        br#"{"sensor_id":"house","kind":"wrong","from":"2026-01-05T10:00:00","to":"2026-01-05T11:00:00"}"#,
    ),
    (
        "POST",
        "/api/v0.2/contracts",
        br#"{"from":"2026-01-01","name":"Flat","currency":"EUR","components":[{"energy":{"price":0.3}}]}"#,
    ),
    (
        "PUT",
        "/api/v0.2/offers",
        br#"{"from":"2026-01-01","name":"Flat","currency":"EUR","components":[{"energy":{"price":0.3}}]}"#,
    ),
    (
        "PUT",
        "/api/v0.2/purchases",
        br#"{"name":"Roof","kind":"panels","date":"2022-05-01","amount":14500}"#,
    ),
    (
        "PUT",
        "/api/v0.2/tenancies",
        br#"{"name":"Flat","sensor":"flat","from":"2026-01-01"}"#,
    ),
    (
        "POST",
        "/api/v0.2/utility",
        br#"{"from":"2026-01-01","to":"2026-02-01","total":73.5}"#,
    ),
    ("POST", NOTICES, br#"{"dismiss":"sensor-silent:house"}"#),
];

/// A service with a notice, as its sensor uploads no more.
fn dead_sensor() -> Service {
    let service = Service::start();
    // The sub-meter of a tenancy.
    put_sensor(&service, "flat", "Flat", Role::SubMeter, MeterKind::Counter);
    for watts in [1, 2] {
        service.clock.advance(MINUTE);
        service.accept(&json!({ "watts": watts }));
    }
    service.clock.advance(10 * MINUTE + 1);
    service.await_notices(&["sensor-silent:house"]);
    service
}

#[test]
fn other_sites_cannot_enter_anything_with_the_browser_s_credentials() {
    let service = dead_sensor();
    let state = || {
        let paths = [
            "/api/v0.2/prices",
            "/api/v0.2/days",
            "/api/v0.2/formats",
            CORRECTIONS,
            "/api/v0.2/contracts",
            "/api/v0.2/offers",
            "/api/v0.2/purchases",
            "/api/v0.2/tenancies",
            "/api/v0.2/utility",
            NOTICES,
        ];
        paths.map(|path| send(&service, "GET", path, &[], b"").json())
    };
    let before = state();
    for (method, target, body) in ENTRIES {
        for headers in EVIL {
            let answer = send(&service, method, target, headers, body);
            answer.assert_problem(403, "cross_site", "http.cors_origins");
        }
    }
    assert_eq!(state(), before);
    // The same is stored when no other site sends it.
    for (method, target, body) in ENTRIES {
        let answer = send(&service, method, target, OWN[1], body);
        assert_eq!(answer.status(), 200, "{target}: {}", answer.text());
    }
    let after = state();
    for (before, after) in before.iter().zip(&after) {
        assert_ne!(before, after);
    }
}

/// An image on any page sends a GET, and nothing shows that if the page says `no-referrer` and
/// there is no TLS.
#[test]
fn a_get_does_not_write_with_what_a_browser_keeps() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for target in [
        "/input/post/house?fulljson={%22power%22:1}",
        "/input/post.json?node=house&json={power:1}",
        "/input/bulk?data=[[0,%22house%22,{%22power%22:1}]]",
    ] {
        let refused = send(&service, "GET", target, &[], b"");
        assert_eq!(refused.status(), 403, "{}", refused.text());
        assert!(refused.text().contains("apikey="), "{}", refused.text());
        assert_eq!(browser.get(target).status(), 401);
    }
    assert_eq!(service.all_watts(), []);
    // A proxy may ask for credentials of its own and pass them on.
    let with_key =
        format!("/input/post?node=house&fulljson={{%22power%22:1}}&apikey={API_ID}:{API_KEY}");
    let headers = [("Authorization", "Basic cHJveHk6cw==")];
    let answer = service.send(&request("GET", &with_key, &headers, b""));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert_eq!(service.all_watts().len(), 1);
}

#[test]
fn credentials_that_no_browser_adds_and_downloads_are_not_concerned() {
    let service = Service::start();
    let upload = with_house(&serde_json::json!({"watts": 1})).to_string();
    let token = format!("Token {API_ID}:{API_KEY}");
    for headers in EVIL {
        let answer = service.send(&request("POST", ELEC, headers, upload.as_bytes()));
        assert_eq!(answer.status(), 200, "{}", answer.text());
        let with_token = [headers, &[("Authorization", token.as_str())]].concat();
        let line = b"power,sensor=house watts=1";
        let answer = service.send(&request("POST", "/write", &with_token, line));
        assert_eq!(answer.status(), 204, "{}", answer.text());
        assert_eq!(send(&service, "GET", SENSORS, headers, b"").status(), 200);
    }
}

#[test]
fn sites_in_the_settings_can_write() {
    let service = Service::start_with(|config: &mut Config| {
        config.http.cors_origins = vec!["https://house.example".parse().unwrap()];
    });
    let write = |headers: &[(&str, &str)]| send(&service, "POST", ELEC, headers, UPLOAD);
    let site = ("Sec-Fetch-Site", "cross-site");
    assert_eq!(
        write(&[("Origin", "https://house.example"), site]).status(),
        200
    );
    write(&[("Origin", "https://evil.example"), site]).assert_problem(403, "cross_site", "");
}

#[test]
fn the_origin_is_that_of_the_proxy() {
    let service = Service::start_with(|config: &mut Config| {
        config.http.hosts = vec!["energy.example.org".parse().unwrap()];
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    let write = |origin: &str| {
        let headers = [
            ("Origin", origin),
            ("X-Forwarded-Host", "energy.example.org"),
            ("X-Forwarded-Proto", "https"),
        ];
        send(&service, "POST", ELEC, &headers, UPLOAD).status()
    };
    assert_eq!(write("https://energy.example.org"), 200);
    assert_eq!(write("http://energy.example.org"), 403);
}

#[test]
fn forms_of_other_sites_are_refused() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let sign_in = |name: &'static str, value: &str| {
        let browser = Browser::new(&service);
        browser.page("/sign-in");
        let mut browser = browser;
        browser.headers = vec![(name, value.to_owned())];
        browser.sign_in(PASSWORD)
    };
    for (name, value) in [
        ("Origin", "http://evil.example"),
        ("Sec-Fetch-Site", "same-site"),
    ] {
        let answer = sign_in(name, value);
        assert_eq!(answer.status(), 403, "{value}");
        assert!(answer.text().contains("another site"), "{}", answer.text());
    }
    // Our own forms, with and without TLS.
    for (name, value) in [
        ("Origin", "null"),
        ("Origin", "http://localhost"),
        ("Sec-Fetch-Site", "same-origin"),
    ] {
        assert_eq!(sign_in(name, value).status(), 303, "{value}");
    }
}
