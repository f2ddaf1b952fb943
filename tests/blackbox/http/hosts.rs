//! The names that the service answers to, against DNS rebinding.

use wattkeeper::config::Config;

use crate::pages::browser::Browser;
use crate::support::{ELEC, Response, SENSORS, Service, house_basic, request};

/// A GET that names this host.
fn get_of(service: &Service, host: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    let bytes = String::from_utf8(request("GET", path, headers, b"")).unwrap();
    let bytes = bytes.replace("Host: localhost", &format!("Host: {host}"));
    service.send(bytes.as_bytes())
}

fn status_of(service: &Service, host: &str) -> u16 {
    let headers = [("Authorization", &*house_basic())];
    get_of(service, host, SENSORS, &headers).status()
}

#[test]
fn unknown_names_are_answered_with_what_to_do() {
    let service = Service::start();
    let answer = get_of(&service, "evil.example:8080", SENSORS, &[]);
    answer.assert_problem(421, "unknown_host", "http.hosts");
    answer.assert_problem(421, "unknown_host", "evil.example:8080");
    let by_browser = [("Accept", "text/html")];
    let answer = get_of(&service, "evil.example", "/sign-in", &by_browser);
    assert_eq!(answer.status(), 421);
    assert!(answer.text().starts_with("<!doctype html>"));
    assert!(answer.text().contains("http.hosts"), "{}", answer.text());
    assert_eq!(answer.head.header("set-cookie"), None);
    let known = gethostname();
    for host in [
        "localhost",
        "127.0.0.1:8080",
        "[::1]",
        &known,
        &format!("{known}.local:80"),
    ] {
        assert_eq!(status_of(&service, host), 200, "{host}");
    }
}

fn gethostname() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    name.trim().split('.').next().unwrap().to_owned()
}

#[test]
fn names_in_the_settings_are_known() {
    let service = Service::start_with(|config: &mut Config| {
        config.http.hosts = ["energy.example.org", "*.lan"]
            .map(|name| name.parse().unwrap())
            .into();
    });
    for host in [
        "energy.example.org",
        "Energy.Example.org:443",
        "pi.lan",
        "a.b.lan.",
    ] {
        assert_eq!(status_of(&service, host), 200, "{host}");
    }
    for host in ["example.org", "lan", "energy.example.org.evil.example"] {
        assert_eq!(status_of(&service, host), 421, "{host}");
    }
}

#[test]
fn every_address_is_checked_but_those_of_supervisors() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let description = service
        .send(&request("GET", "/openapi.json", &[], b""))
        .json();
    let described = description["paths"].as_object().unwrap().keys();
    let described = described.map(|path| path.replace("{node}", "house"));
    let pages = [
        "/",
        "/chart",
        "/live",
        "/status",
        "/settings",
        "/settings/account",
        "/sign-in",
        "/setup",
        "/openapi",
        "/static/x/style.css",
        "/nowhere",
    ];
    for path in described.chain(pages.map(str::to_owned)) {
        let answer = get_of(&service, "evil.example", &path, &[]);
        let is_exempt = ["/healthz", "/readyz"].contains(&path.as_str());
        let expected = if is_exempt { 200 } else { 421 };
        assert_eq!(answer.status(), expected, "{path}: {}", answer.text());
        assert_eq!(
            answer.head.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(answer.head.header("strict-transport-security"), None);
    }
}

#[test]
fn clients_without_a_host_are_served() {
    let service = Service::start();
    let (target, basic) = (SENSORS, house_basic());
    let bare = format!("GET {target} HTTP/1.0\r\nAuthorization: {basic}\r\n\r\n");
    assert_eq!(service.send(bare.as_bytes()).status(), 200);
}

#[test]
fn a_trusted_proxy_names_the_host_as_well() {
    let service = Service::start_with(|config: &mut Config| {
        config.http.hosts = vec!["energy.example.org".parse().unwrap()];
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    let forwarded = |host: &str, forwarded: &str| {
        let headers = [
            ("Authorization", &*house_basic()),
            ("X-Forwarded-Host", forwarded),
        ];
        get_of(&service, host, SENSORS, &headers).status()
    };
    assert_eq!(forwarded("127.0.0.1:8080", "energy.example.org"), 200);
    assert_eq!(forwarded("energy.example.org", "energy.example.org"), 200);
    assert_eq!(forwarded("127.0.0.1:8080", "evil.example"), 421);
    // A page can send this header through a proxy that does not set it.
    assert_eq!(forwarded("evil.example", "energy.example.org"), 421);
    // Downloads and uploads alike.
    let upload = request("POST", ELEC, &[("X-Forwarded-Host", "evil.example")], b"{}");
    service
        .send(&upload)
        .assert_problem(421, "unknown_host", "");
}
