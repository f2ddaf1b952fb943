//! The settings of API keys.

use crate::pages::browser::{Browser, location};
use crate::support::{HOUR, Response, SENSOR, Service, upload_as};

/// The api_id and the api_key on a page.
#[track_caller]
pub(crate) fn shown(answer: &Response) -> (String, String) {
    assert_eq!(answer.status(), 200, "{}", answer.text());
    let after = |label: &str| {
        let (_, rest) = answer.text().split_once(label).unwrap();
        rest.split('<').next().unwrap().to_owned()
    };
    (
        after("data-copy=\"the api_id\">"),
        after("data-copy=\"the api_key\">"),
    )
}

fn upload(service: &Service, (api_id, api_key): &(String, String)) -> u16 {
    upload_as(service, Some((api_id, api_key)), None).status()
}

#[test]
fn a_key_is_created_rotated_and_revoked() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let fields = [("account", "home"), ("scope", "full"), ("label", "the hub")];
    let answer = browser.submit_own("/settings/key/new", &fields);
    let first = shown(&answer);
    assert_eq!(answer.head.header("cache-control"), Some("no-store"));
    assert_eq!((first.0.len(), first.1.len()), (16, 40));
    assert_eq!(upload(&service, &first), 200);
    let address = format!("/settings/key?id={}", first.0);
    let pages = [browser.page(&address), browser.page("/settings")];
    for page in &pages {
        assert!(page.contains("the hub") && page.contains("upload and download"));
        assert!(!page.contains(&first.1), "shown twice");
    }

    let answer = browser.submit(&address, "/settings/key/rotate", &[]);
    let second = shown(&answer);
    assert_eq!(second.0, first.0);
    assert_ne!(second.1, first.1);
    assert_eq!(upload(&service, &first), 401);
    assert_eq!(upload(&service, &second), 200);

    let answer = browser.submit(&address, "/settings/key/revoke", &[]);
    assert!(browser.page(location(&answer)).contains("API key revoked"));
    assert_eq!(upload(&service, &second), 401);
    assert_eq!(browser.get(&address).status(), 404);
}

#[test]
fn a_key_has_its_scope() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for (scope, uploads) in [("write", 200), ("read", 403)] {
        let fields = [("account", "home"), ("scope", scope), ("label", "")];
        let answer = browser.submit_own("/settings/key/new", &fields);
        assert_eq!(upload(&service, &shown(&answer)), uploads, "{scope}");
    }
    let long = "x".repeat(129);
    for (account, scope, label, reason) in [
        ("home", "all", "", "full, read or write"),
        ("none", "full", "", "no account"),
        ("home", "full", &long, "128 bytes"),
    ] {
        let fields = [("account", account), ("scope", scope), ("label", label)];
        let answer = browser.submit_own("/settings/key/new", &fields);
        assert_eq!(answer.status(), 422);
        assert!(answer.text().contains(reason), "{}", answer.text());
    }
    // The key of the house and two new ones.
    assert_eq!(service.store().registry().credentials().count(), 3);
}

#[test]
fn the_last_use_survives_a_restart() {
    let mut service = Service::start();
    let address = "/settings/key?id=house-id";
    let token = {
        let browser = Browser::set_up(&service);
        assert!(browser.page(address).contains("never"));
        service.clock.advance(HOUR);
        service.accept(&serde_json::json!({"watts": 1}));
        assert!(browser.page(address).contains("5 Jan 2026, 11:30"));
        assert!(
            browser
                .page("/settings")
                .contains("Last used 5 Jan 2026, 11:30")
        );
        browser.cookie(crate::pages::browser::SESSION).unwrap()
    };
    service.restart();
    let browser = Browser::new(&service);
    browser.set_cookie(crate::pages::browser::SESSION, &token);
    assert!(browser.page(address).contains("5 Jan 2026, 11:30"));
    // A failed attempt does not count as a use.
    service.clock.advance(HOUR);
    assert_eq!(upload(&service, &("house-id".into(), "wrong".into())), 401);
    assert!(browser.page(address).contains("5 Jan 2026, 11:30"));
    assert!(browser.page("/settings").contains(SENSOR));
}
