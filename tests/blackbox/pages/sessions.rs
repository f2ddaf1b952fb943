//! Sessions: how long they last and what ends them.

use crate::pages::browser::{Browser, SESSION, location};
use crate::support::{HOUR, Service};

#[test]
fn sign_out_ends_the_session() {
    let mut service = Service::start();
    let token;
    {
        let browser = Browser::set_up(&service);
        token = browser.cookie(SESSION).unwrap();
        let other = Browser::signed_in(&service);
        let answer = browser.submit("/", "/sign-out", &[]);
        assert_eq!(location(&answer), "/sign-in");
        assert_eq!(browser.cookie(SESSION), None);
        assert!(!browser.is_signed_in());
        // The old cookie is useless.
        browser.set_cookie(SESSION, &token);
        assert!(!browser.is_signed_in());
        assert!(other.is_signed_in());
    }
    service.restart();
    let browser = Browser::new(&service);
    browser.set_cookie(SESSION, &token);
    assert!(!browser.is_signed_in());
}

#[test]
fn a_restart_keeps_sessions() {
    let mut service = Service::start();
    let token = Browser::set_up(&service).cookie(SESSION).unwrap();
    service.restart();
    let browser = Browser::new(&service);
    browser.set_cookie(SESSION, &token);
    assert!(browser.is_signed_in());
    assert_eq!(browser.submit("/", "/sign-out", &[]).status(), 303);
}

#[test]
fn a_session_ends_thirty_days_after_its_last_use() {
    let mut service = Service::start();
    let token = Browser::set_up(&service).cookie(SESSION).unwrap();
    let unused = Browser::signed_in(&service).cookie(SESSION).unwrap();
    service.clock.advance(29 * 24 * HOUR);
    {
        let browser = Browser::new(&service);
        browser.set_cookie(SESSION, &token);
        let answer = browser.get("/");
        assert_eq!(answer.status(), 200);
        // The cookie is renewed for as long.
        let cookie = answer.head.header("set-cookie").unwrap();
        assert!(
            cookie.contains(&token) && cookie.contains("Max-Age=2592000"),
            "{cookie}"
        );
        assert_eq!(browser.get("/").head.header("set-cookie"), None);
    }
    service.restart();
    service.clock.advance(2 * 24 * HOUR);
    let browser = Browser::new(&service);
    browser.set_cookie(SESSION, &unused);
    assert!(!browser.is_signed_in());
    browser.set_cookie(SESSION, &token);
    assert!(browser.is_signed_in());
}

#[test]
fn made_up_tokens_are_refused() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let browser = Browser::new(&service);
    for token in ["", "x", &"A".repeat(43), "../..", "%00"] {
        browser.set_cookie(SESSION, token);
        assert!(!browser.is_signed_in(), "{token:?}");
    }
    // The token of a visit is not a session.
    browser.page("/sign-in");
    let visit = browser.cookie("wattkeeper_visit").unwrap();
    browser.set_cookie(SESSION, &visit);
    assert!(!browser.is_signed_in());
}

#[test]
fn signing_in_creates_a_new_token() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let browser = Browser::new(&service);
    browser.page("/sign-in");
    let before = browser.cookie("wattkeeper_visit").unwrap();
    assert_eq!(
        browser.sign_in(crate::pages::browser::PASSWORD).status(),
        303
    );
    assert_ne!(browser.cookie(SESSION), Some(before));
}

#[test]
fn only_hashes_of_tokens_are_stored() {
    let mut service = Service::start();
    let token = Browser::set_up(&service).cookie(SESSION).unwrap();
    service.stop();
    let mut folders = vec![service.data_dir().to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files += 1;
                let bytes = std::fs::read(&path).unwrap();
                for secret in [token.as_str(), crate::pages::browser::PASSWORD] {
                    let found = bytes
                        .windows(secret.len())
                        .any(|it| it == secret.as_bytes());
                    assert!(!found, "{}", path.display());
                }
            }
        }
    }
    assert!(files > 0);
}
