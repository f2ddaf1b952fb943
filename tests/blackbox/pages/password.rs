//! `/settings/password`.

use crate::pages::browser::{Browser, PASSWORD, SESSION, location};
use crate::support::Service;

const NEW: &str = "battery staple";

fn change(browser: &Browser<'_>, current: &str, password: &str, again: &str) -> (u16, String) {
    let fields = [
        ("current", current),
        ("password", password),
        ("again", again),
    ];
    let answer = browser.submit("/settings", "/settings/password", &fields);
    (answer.status(), answer.text().to_owned())
}

#[test]
fn a_change_ends_all_sessions_but_a_new_one() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let other = Browser::signed_in(&service);
    // Somebody who copied the cookie of this very browser.
    let thief = Browser::new(&service);
    thief.set_cookie(SESSION, &browser.cookie(SESSION).unwrap());
    assert!(thief.is_signed_in());
    let (status, page) = change(&browser, PASSWORD, NEW, NEW);
    assert_eq!(status, 303, "{page}");
    assert!(browser.is_signed_in() && !thief.is_signed_in());
    assert!(!other.is_signed_in());
    assert!(
        browser
            .page("/settings?done=password")
            .contains("Password changed")
    );
    assert_eq!(other.sign_in(PASSWORD).status(), 403);
    assert_eq!(location(&other.sign_in(NEW)), "/");
}

#[test]
fn a_refused_change_changes_nothing() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let other = Browser::signed_in(&service);
    for (current, password, again, reason) in [
        (NEW, NEW, NEW, "Wrong password"),
        (PASSWORD, "short", "short", "at least 10 characters"),
        (PASSWORD, NEW, "battery stapl", "do not match"),
    ] {
        let (status, page) = change(&browser, current, password, again);
        assert_eq!(status, 422);
        assert!(page.contains(reason), "{page}");
        assert!(!page.contains(NEW) && !page.contains(PASSWORD));
    }
    assert!(browser.is_signed_in() && other.is_signed_in());
    assert_eq!(Browser::new(&service).sign_in(PASSWORD).status(), 303);
}
