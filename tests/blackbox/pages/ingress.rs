//! The pages by Home Assistant's ingress.

use std::net::{IpAddr, Ipv4Addr};

use wattkeeper::Secret;
use wattkeeper::Supervisor;

use crate::pages::browser::{Browser, PASSWORD, SESSION, location};
use crate::pages::proxy::{BELOW, Proxy};
use crate::support::{Connection, Service, request};

/// Where ingress is in these tests. Everybody else is at another address of this machine.
const INGRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// What Home Assistant sends to a browser that came by a name of its own, with TLS.
const HEADERS: &str = "Host: house.elsewhere.example:8123\r\n\
    X-Forwarded-Host: house.elsewhere.example:8123\r\n\
    X-Forwarded-Proto: https\r\n\
    X-Forwarded-For: 192.168.1.20, 172.30.32.1\r\n\
    X-Ingress-Path: /api/hassio_ingress/t0k_en-\r\n";

fn addon() -> Service {
    Service::start_with(|config| {
        let ingress = IpAddr::from(INGRESS);
        config.http.trusted_proxies.push(ingress.into());
        config.supervisor = Some(Supervisor {
            // Nothing answers there.
            url: "http://127.0.0.2:9".into(),
            ingress,
            token: Secret::new("t0ken".into()),
        });
    })
}

fn below(page: &str) -> String {
    format!("{BELOW}{page}")
}

#[test]
fn who_comes_by_home_assistant_sets_the_password() {
    let service = addon();
    let proxy = Proxy::start(service.address(), INGRESS, HEADERS);
    // Others get no access with any request.
    let stranger = Browser::new(&service);
    let sent = [
        ("X-Ingress-Path", "/api/hassio_ingress/x"),
        ("X-Forwarded-For", "127.0.0.2"),
    ];
    let answer = stranger.send("GET", "/sign-in", &sent, b"");
    assert_eq!(answer.status(), 200, "{}", answer.text());

    let browser = Browser::at(proxy.address);
    let sign_in = browser.get(&below("/"));
    let setup = browser.get(location(&sign_in));
    let setup = location(&setup);
    let fields = [("password", PASSWORD), ("again", PASSWORD)];
    let answer = browser.submit(setup, &below("/setup"), &fields);
    assert_eq!(location(&answer), below("/settings/sensor/new"));
    let cookie = answer.head.header("set-cookie").unwrap();
    assert!(cookie.starts_with(&format!("__Host-{SESSION}=")) && cookie.contains("Secure"));
    // Once: from then on the password counts.
    assert_eq!(
        browser
            .page(&below("/settings"))
            .matches("<h1>Settings</h1>")
            .count(),
        1
    );
    let next = Browser::at(proxy.address);
    assert!(next.page(&below("/sign-in")).contains("id=\"password\""));
    assert_eq!(next.get(setup).status(), 403);
    assert_eq!(proxy.strays(), [""; 0]);
}

#[test]
fn any_name_of_home_assistant_is_known_by_ingress_alone() {
    let service = addon();
    let asked =
        "GET /sign-in HTTP/1.1\r\nHost: house.elsewhere.example\r\nX-Ingress-Path: /x\r\n\r\n";
    for (from, status) in [
        (INGRESS, 303),
        (Ipv4Addr::LOCALHOST, 421),
        (Ipv4Addr::new(127, 0, 0, 3), 421),
    ] {
        let mut connection = Connection::open_from(from, service.address());
        connection.send(asked.as_bytes());
        assert_eq!(connection.receive().status(), status, "{from}");
    }
}

#[test]
fn devices_are_shown_an_address_that_they_reach() {
    let service = addon();
    let page = |from, headers: &[(&str, &str)]| {
        let mut connection = Connection::open_from(from, service.address());
        connection.send(&request("GET", "/openapi", headers, b""));
        connection.receive().text().to_owned()
    };
    let local = Ipv4Addr::LOCALHOST;
    // By TLS, the name may be one that leads here from elsewhere only.
    let by_tls = [("X-Forwarded-Proto", "https")];
    // The port of the settings; a test's service listens at any free port.
    assert!(page(INGRESS, &by_tls).contains("<code>http://homeassistant.local:0/api/v0.2"));
    assert!(page(INGRESS, &[]).contains("<code>http://localhost:0/api/v0.2"));
    assert!(
        page(local, &[("X-Forwarded-Prefix", "/energy")])
            .contains("<code>http://localhost/api/v0.2")
    );
}

#[test]
fn a_proxy_says_below_which_path_devices_find_the_service() {
    let service = Service::start_with(|config| {
        config.http.trusted_proxies = vec!["127.0.0.2/32".parse().unwrap()];
    });
    let page = |from, prefix: &str| {
        let mut connection = Connection::open_from(from, service.address());
        connection.send(&request(
            "GET",
            "/openapi",
            &[("X-Forwarded-Prefix", prefix)],
            b"",
        ));
        connection.receive().text().to_owned()
    };
    assert!(page(INGRESS, "/energy/").contains("<code>http://localhost/energy/api/v0.2</code>"));
    for (from, prefix) in [
        (Ipv4Addr::LOCALHOST, "/energy"),
        (INGRESS, "//evil.example"),
        (INGRESS, "/\"><script>"),
        (INGRESS, "/$(reboot)"),
    ] {
        let page = page(from, prefix);
        assert!(
            page.contains("<code>http://localhost/api/v0.2</code>"),
            "{prefix}: {page}"
        );
    }
}
