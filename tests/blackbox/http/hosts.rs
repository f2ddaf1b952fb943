//! The names that the service answers to, against DNS rebinding.

use wattkeeper::Config;

use crate::pages::browser::Browser;
use crate::support::{
    API_ID, API_KEY, ELEC, MINUTE, Response, SENSORS, Service, basic, house_basic, request,
};

/// A GET that names this host.
fn get_of(service: &Service, host: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    send_to(service, host, request("GET", path, headers, b""))
}

fn send_to(service: &Service, host: &str, request: Vec<u8>) -> Response {
    let bytes = String::from_utf8(request).unwrap();
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
        // Nobody has such a name in public DNS.
        "3f2a9c0b71de",
        "nas:8080",
        "nas.lan:8080",
        "energy.home.arpa",
        "nas.fritz.box",
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
        config.http.hosts = ["energy.example.org", "*.example.net"]
            .map(|name| name.parse().unwrap())
            .into();
    });
    for host in [
        "energy.example.org",
        "Energy.Example.org:443",
        "pi.example.net",
        "a.b.example.net.",
    ] {
        assert_eq!(status_of(&service, host), 200, "{host}");
    }
    for host in [
        "example.org",
        "example.net",
        "energy.example.org.evil.example",
    ] {
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

/// The request of a device with a fixed address, whose network resolves that address to this
/// service.
#[test]
fn programs_with_a_key_of_their_own_may_name_any_host() {
    let service = Service::start();
    let (house, query) = (house_basic(), format!("api_id={API_ID}&api_key={API_KEY}"));
    let authorized = [("Authorization", house.as_str())];
    let token = format!("Token {API_ID}:{API_KEY}");
    let by_token = [("Authorization", token.as_str())];
    let get = |path: String, headers: &[(&str, &str)]| request("GET", &path, headers, b"");
    let post = |path: &str, headers: &[(&str, &str)], body: &str| {
        request("POST", path, headers, body.as_bytes())
    };
    let form = ("Content-Type", "application/x-www-form-urlencoded");
    let reading = r#"{"sensor_id":"house","watts":5}"#;
    let with_key =
        format!(r#"{{"sensor_id":"house","api_id":"{API_ID}","api_key":"{API_KEY}","watts":5}}"#);
    let (user, lines) = (
        format!("u={API_ID}&p={API_KEY}"),
        "power,sensor=house watts=5",
    );
    for sent in [
        post(ELEC, &[], &with_key),
        post(ELEC, &authorized, reading),
        post(&format!("{ELEC}?{query}"), &authorized, reading),
        get(
            format!("{ELEC}?sensor_id=house&type=latest_rate&{query}"),
            &[],
        ),
        get(
            format!("{ELEC}?sensor_id=house&type=latest_rate"),
            &authorized,
        ),
        post(&format!("/write?{user}"), &[], lines),
        post("/api/v2/write?bucket=home", &by_token, lines),
        get(format!("/query?{user}&q=SHOW+DATABASES"), &[]),
        get(
            format!("/input/post?node=house&apikey={API_ID}:{API_KEY}&json=power:5"),
            &[],
        ),
        post(
            "/input/post?node=house",
            &[form],
            &format!("apikey={API_ID}:{API_KEY}&json=power:5"),
        ),
        get(format!("/feed/list.json?apikey={API_ID}:{API_KEY}"), &[]),
    ] {
        service.clock.advance(MINUTE);
        let text = String::from_utf8_lossy(&sent).into_owned();
        let answer = send_to(&service, "api.example.com", sent);
        assert!(
            [200, 204].contains(&answer.status()),
            "{text}: {}",
            answer.text()
        );
        assert!(
            !answer.text().contains("false"),
            "{text}: {}",
            answer.text()
        );
    }
    // A sensor learns what is wrong with its reading, or its key.
    let bad = with_key.replace("watts", "wats");
    let answer = send_to(&service, "api.example.com", post(ELEC, &[], &bad));
    answer.assert_problem(400, "missing_field", "watts");
    let wrong = basic(API_ID, "wrong");
    let wrong = post(ELEC, &[("Authorization", &wrong)], reading);
    send_to(&service, "api.example.com", wrong).assert_problem(401, "bad_credentials", "");
}

/// Requests that a page under a foreign name can make a browser send, and requests without a key.
#[test]
fn without_a_key_of_its_own_no_request_names_another_host() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let session = browser.cookies();
    let house = house_basic();
    let (authorized, cookie) = (
        ("Authorization", house.as_str()),
        ("Cookie", session.as_str()),
    );
    let key = format!("{ELEC}?sensor_id=house&type=latest_rate&api_id={API_ID}&api_key={API_KEY}");
    let reading = r#"{"sensor_id":"house","watts":5}"#;
    let origin = ("Origin", "http://evil.example");
    let site = ("Sec-Fetch-Site", "same-origin");
    for (method, path, headers, body) in [
        ("GET", ELEC, vec![], ""),
        ("POST", ELEC, vec![], ""),
        ("POST", ELEC, vec![], "{"),
        ("POST", ELEC, vec![], reading),
        // A browser adds its cookies and its HTTP Basic credentials by itself.
        ("GET", &key, vec![cookie], ""),
        ("POST", ELEC, vec![cookie, authorized], reading),
        ("POST", ELEC, vec![authorized, origin], reading),
        ("GET", "/query?q=SHOW+DATABASES", vec![authorized, site], ""),
        ("POST", "/write", vec![], "power,sensor=house watts=5"),
        ("POST", "/api/v2/write?bucket=home", vec![], "api_key"),
        ("POST", "/api/v2/query", vec![], "api_key"),
        ("GET", "/ping", vec![], ""),
        ("POST", "/input/post?node=house", vec![], "json=power:5"),
        (
            "GET",
            "/input/post?node=house&json=power:5&apikey=",
            vec![],
            "",
        ),
        ("GET", "/feed/list.json", vec![], ""),
        ("PUT", ELEC, vec![], reading),
        // All other requests need a name of the service.
        ("GET", SENSORS, vec![authorized], ""),
        ("GET", "/", vec![authorized, cookie], ""),
        ("GET", "/chart?api_key=x", vec![authorized], ""),
        ("GET", "/metrics", vec![("Authorization", "Bearer x")], ""),
        ("GET", "/nowhere", vec![authorized], ""),
        (
            "POST",
            "/sign-in",
            vec![origin],
            "name=administrator&password=x",
        ),
        ("POST", "/settings/account", vec![cookie, origin], "token=x"),
    ] {
        let sent = request(method, path, &headers, body.as_bytes());
        let answer = send_to(&service, "evil.example", sent);
        assert_eq!(
            answer.status(),
            421,
            "{method} {path} {body}: {}",
            answer.text()
        );
        assert_eq!(answer.head.header("set-cookie"), None);
    }
    assert_eq!(service.all_watts(), []);
}
