//! Forms whose bodies come slowly: what their senders may do is that of the end, and they hold up
//! nobody.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use wattkeeper::{AccountName, Membership, PersonName};

use crate::pages::browser::{Browser, PASSWORD, SESSION, hidden_fields};
use crate::pages::people::{add_person, browser_of};
use crate::support::{Connection, Response, Service};

/// The service has read the head of a request by then.
const MEANWHILE: Duration = Duration::from_millis(300);
/// Far longer than any answer here takes.
const LONG: Duration = Duration::from_mins(10);
const SOON: Duration = Duration::from_secs(30);

/// A service that waits long for bodies.
fn patient() -> Service {
    Service::start_with(|config| config.http.request_timeout = LONG)
}

/// The fields of a form, with the token of this browser.
fn fields(browser: &Browser<'_>, more: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut all = hidden_fields(&browser.page("/"), "/sign-out");
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    all.extend(more.iter().map(own));
    all
}

/// The answer to a form that begins before `change` and ends after it.
fn around(
    browser: &Browser<'_>,
    (action, more): (&str, &[(&str, &str)]),
    change: impl FnOnce(),
) -> Response {
    let (mut connection, rest) = browser.begin_form(action, &fields(browser, more));
    thread::sleep(MEANWHILE);
    change();
    connection.exchange(&rest)
}

#[test]
fn what_was_taken_away_meanwhile_does_not_count() {
    let service = patient();
    let administrator = Browser::set_up(&service);
    add_person(&service, "Anna", &[("home", Membership::Member)]);
    let anna = browser_of(&service, "Anna");
    let name = PersonName::new("Anna").unwrap();
    let memberships = |accounts| {
        let set = service.store().edit({
            let name = name.clone();
            move |edit| edit.set_memberships(&name, accounts)
        });
        set.unwrap();
    };
    let bill = ("/bills", &[("account", "home")][..]);
    let answer = around(&anna, bill, || memberships(BTreeMap::new()));
    assert_eq!(answer.status(), 404, "{}", answer.text());
    let home = AccountName::new("home").unwrap();
    memberships(BTreeMap::from([(home, Membership::Member)]));
    // The session given meanwhile does.
    assert_eq!(around(&anna, bill, || ()).status(), 422);
    let removed = || {
        service
            .store()
            .edit({
                let name = name.clone();
                move |edit| edit.remove_person(&name)
            })
            .unwrap();
    };
    let answer = around(&anna, bill, removed);
    assert_eq!(answer.head.header("location"), Some("./sign-in"));

    // A stolen cookie is worth nothing once the password was changed elsewhere.
    let thief = Browser::new(&service);
    let stolen = Browser::signed_in(&service).cookie(SESSION).unwrap();
    thief.set_cookie(SESSION, &stolen);
    let key = (
        "/settings/key/new",
        &[("account", "home"), ("scope", "full")][..],
    );
    let keys = || service.store().registry().credentials().count();
    let before = keys();
    let answer = around(&thief, key, || {
        let new = "another password";
        let form = [("current", PASSWORD), ("password", new), ("again", new)];
        let changed = administrator.submit("/settings", "/settings/password", &form);
        assert_eq!(changed.status(), 303, "{}", changed.text());
    });
    assert_eq!(answer.head.header("location"), Some("../../sign-in"));
    assert_eq!(keys(), before);
}

/// Begins an upload of prices, which ends when the connection does.
fn begin_prices(browser: &Browser<'_>) -> Connection {
    let more = [("account", "home"), ("series", "a"), ("table", "x")];
    let (connection, _) = browser.begin_form("/costs/prices", &fields(browser, &more));
    thread::sleep(MEANWHILE);
    connection
}

#[test]
fn whoever_may_change_nothing_is_refused_before_the_body() {
    let service = patient();
    drop(Browser::set_up(&service));
    add_person(&service, "Viewer", &[("home", Membership::Viewer)]);
    let viewer = browser_of(&service, "Viewer");
    for action in ["/costs/prices", "/bills", "/settings/key/new"] {
        let (mut connection, _) = viewer.begin_form(action, &fields(&viewer, &[]));
        assert_eq!(connection.receive_head().unwrap().status, 404, "{action}");
    }
}

#[test]
fn slow_uploads_of_prices_hold_up_nobody() {
    let service = patient();
    let administrator = Browser::set_up(&service);
    add_person(&service, "Anna", &[("home", Membership::Member)]);
    let anna = browser_of(&service, "Anna");
    let begun = Instant::now();
    let slow = (begin_prices(&anna), begin_prices(&anna));
    // In another session she is the same person.
    for browser in [&anna, &browser_of(&service, "Anna")] {
        let head = begin_prices(browser).receive_head().unwrap();
        assert_eq!(head.status, 503);
        assert!(head.header("retry-after").is_some() && begun.elapsed() < SOON);
    }
    // Others do not wait for the rest of a body.
    let more = [
        ("account", "home"),
        ("series", "day-ahead"),
        ("length", "hour"),
        ("table", "2026-01-05T10:00:00Z,0.1"),
    ];
    let form = fields(&administrator, &more);
    let (mut next, rest) = administrator.begin_form("/costs/prices", &form);
    let answer = next.exchange(&rest);
    assert_eq!(answer.status(), 303, "{}", answer.text());
    drop(slow);
    // And there is room again.
    let form = fields(&anna, &more);
    thread::sleep(MEANWHILE);
    let (mut again, rest) = anna.begin_form("/costs/prices", &form);
    assert_eq!(again.exchange(&rest).status(), 303);
}
