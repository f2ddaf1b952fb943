//! `/sign-in`.

use std::net::Ipv4Addr;

use crate::pages::browser::{Browser, PASSWORD, SESSION, location};
use crate::support::{Service, WRONG, download_as, request};

#[test]
fn the_password_signs_in() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let browser = Browser::new(&service);
    assert!(!browser.is_signed_in());
    let answer = browser.sign_in("another password");
    assert_eq!(answer.status(), 403);
    assert!(answer.text().contains("Wrong password"));
    assert!(!browser.is_signed_in());
    assert_eq!(browser.sign_in("").status(), 403);
    assert_eq!(browser.sign_in(&"x".repeat(300)).status(), 403);
    assert_eq!(location(&browser.sign_in(PASSWORD)), "/");
    assert!(browser.is_signed_in());
    assert_eq!(location(&browser.get("/sign-in")), "/");
}

#[test]
fn leads_back_to_the_requested_page() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let browser = Browser::new(&service);
    let answer = browser.get("/settings?done=a%20b&x=1");
    let to_sign_in = location(&answer).to_owned();
    assert_eq!(to_sign_in, "/sign-in?to=settings%3Fdone%3Da%2520b%26x%3D1");
    let answer = browser.submit(&to_sign_in, "/sign-in", &[("password", PASSWORD)]);
    assert_eq!(location(&answer), "/settings?done=a%20b&x=1");
    for elsewhere in [
        "https://evil.example/",
        "/settings",
        "//evil.example/",
        "/\\evil.example",
        "javascript:alert(1)",
    ] {
        let browser = Browser::new(&service);
        let fields = [("password", PASSWORD), ("to", elsewhere)];
        let answer = browser.submit_own("/sign-in", &fields);
        assert_eq!(location(&answer), "/", "{elsewhere}");
    }
}

#[test]
fn attempts_are_throttled_by_address() {
    let service = Service::start_with(|config| config.http.failed_sign_ins_per_minute = 3);
    drop(Browser::set_up(&service));
    let browser = Browser::new(&service);
    let elsewhere = Ipv4Addr::new(127, 0, 0, 2);
    for _ in 0..3 {
        assert_eq!(
            browser.sign_in_from(elsewhere, "wrong password").status(),
            403
        );
    }
    // Even the right password is refused now, or the limit would not stop guessing.
    for password in ["wrong password", PASSWORD] {
        let answer = browser.sign_in_from(elsewhere, password);
        assert_eq!(answer.status(), 429);
        assert!(answer.text().contains("Too many attempts"));
        let wait: u64 = answer.head.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=20).contains(&wait), "{wait}");
        assert_eq!(answer.head.header("set-cookie"), None);
    }
    assert_eq!(browser.sign_in(PASSWORD).status(), 303);
}

#[test]
fn wrong_keys_do_not_lock_the_administrator_out() {
    let service = Service::start_with(|config| config.http.failed_sign_ins_per_minute = 3);
    drop(Browser::set_up(&service));
    // A key alone is counted by address, without an api id.
    let headers = [("Authorization", "Token wr0ng-key")];
    let write = request("POST", "/write", &headers, b"house watts=1");
    let mut statuses: Vec<u16> = (0..5).map(|_| service.send(&write).status()).collect();
    statuses.dedup();
    assert_eq!(statuses, [401, 429]);
    let browser = Browser::new(&service);
    assert_eq!(browser.sign_in(PASSWORD).status(), 303);
    // Nor do wrong passwords lock the keys out.
    let stranger = Browser::new(&service);
    let mut attempts = (0..100).map(|_| stranger.sign_in("wrong password").status());
    assert!(attempts.any(|status| status == 429));
    service.accept(&serde_json::json!({"watts": 1}));
    download_as(&service, WRONG, None).assert_problem(401, "bad_credentials", "");
}

#[test]
fn without_an_administrator_it_says_what_to_do() {
    let service = Service::start();
    let browser = Browser::new(&service);
    let page = browser.page("/sign-in");
    assert!(page.contains("wattkeeper serve") && !page.contains("type=\"password\""));
    let answer = browser.get("/");
    assert_eq!(location(&answer), "/sign-in");
}

#[test]
fn cookies_are_hidden_from_scripts_and_other_sites() {
    let service = Service::start_with(|config| {
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    drop(Browser::set_up(&service));
    for (proto, is_secure) in [
        (None, false),
        (Some("http"), false),
        (Some("https"), true),
        // The last value is the proxy's own; the client may have sent those before it.
        (Some("http, HTTPS"), true),
        (Some("https, http"), false),
    ] {
        let mut browser = Browser::new(&service);
        browser.headers = proto
            .map(|proto| ("X-Forwarded-Proto", proto.to_owned()))
            .into_iter()
            .collect();
        let visit = browser.get("/sign-in");
        let session = browser.sign_in(PASSWORD);
        for answer in [&visit, &session] {
            let cookie = answer.head.header("set-cookie").unwrap();
            let flags: Vec<&str> = cookie.split("; ").skip(1).collect();
            assert!(flags.contains(&"HttpOnly"), "{cookie}");
            assert!(flags.contains(&"SameSite=Strict"), "{cookie}");
            assert!(flags.contains(&"Path=/"), "{cookie}");
            assert_eq!(flags.contains(&"Secure"), is_secure, "{proto:?}: {cookie}");
            assert_eq!(cookie.starts_with("__Host-"), is_secure, "{cookie}");
            assert!(!cookie.contains("Domain"), "{cookie}");
        }
        let cookie = session.head.header("set-cookie").unwrap();
        assert!(cookie.contains(&format!("{SESSION}=")), "{cookie}");
        assert!(browser.is_signed_in());
        // By TLS a cookie with the plain name, which anybody on the host can plant, is none.
        let token = cookie.split(['=', ';']).nth(1).unwrap();
        let mut planted = Browser::new(&service);
        planted.headers = browser.headers.clone();
        planted.set_cookie(SESSION, token);
        assert_eq!(planted.is_signed_in(), !is_secure);
        assert!(cookie.contains("Max-Age=2592000"), "{cookie}");
    }
}

#[test]
fn x_forwarded_proto_needs_a_trusted_proxy() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let mut browser = Browser::new(&service);
    browser.headers = vec![("X-Forwarded-Proto", "https".to_owned())];
    let answer = browser.sign_in(PASSWORD);
    let cookie = answer.head.header("set-cookie").unwrap();
    assert!(!cookie.contains("Secure"), "{cookie}");
}
