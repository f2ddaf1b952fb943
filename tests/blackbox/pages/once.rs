//! Forms that are sent twice: by a double click, after a lost answer, after a restart.

use std::net::SocketAddr;

use serde_json::Value;

use crate::pages::browser::{Browser, hidden_fields, location};
use crate::support::{Service, house_basic, request};

/// The fields of a form on a page, with these typed in.
fn filled(
    browser: &Browser<'_>,
    (page, action): (&str, &str),
    typed: &[(&str, &str)],
) -> Vec<(String, String)> {
    let mut fields = hidden_fields(&browser.page(page), action);
    fields.retain(|(name, _)| typed.iter().all(|(other, _)| name != other));
    let typed = typed.iter().map(|(name, value)| (*name, *value));
    fields.extend(typed.map(|(name, value)| (name.to_owned(), value.to_owned())));
    fields
}

fn list(service: &Service, path: &str, member: &str) -> Vec<Value> {
    let path = format!("/api/v0.2{path}");
    let headers = [("Authorization", &*house_basic())];
    let answer = service.send(&request("GET", &path, &headers, b""));
    answer.json()[member].as_array().unwrap().clone()
}

fn readings(service: &Service) -> usize {
    list(service, "/corrections?sensor_id=house", "corrections").len()
}

/// The time is that of the click, so the same form has another reading each time.
const READING: [(&str, &str); 2] = [("at", ""), ("shown", "100")];
const METER: (&str, &str) = ("/meter?sensor=house", "/meter");

#[test]
fn a_form_is_saved_once_also_after_a_restart() {
    let mut service = Service::start();
    let session = {
        let browser = Browser::set_up(&service);
        browser.cookie("wattkeeper_session").unwrap()
    };
    let signed_in = |address: SocketAddr| {
        let browser = Browser::at(address);
        browser.set_cookie("wattkeeper_session", &session);
        browser
    };
    let (address, clock) = (service.address(), service.clock.clone());
    let fields = filled(&signed_in(address), METER, &READING);
    // A double click: both come at once.
    std::thread::scope(|scope| {
        let clicks = [(); 4].map(|()| {
            scope.spawn(|| {
                // Of another millisecond, so it would be another reading.
                clock.advance(1);
                let answer = signed_in(address).post("/meter", &fields);
                location(&answer).to_owned()
            })
        });
        for click in clicks {
            assert_eq!(click.join().unwrap(), "/meter?sensor=house&done=typed");
        }
    });
    assert_eq!(readings(&service), 1);
    service.restart();
    service.clock.advance(1);
    let browser = signed_in(service.address());
    let answer = browser.post("/meter", &fields);
    assert_eq!(location(&answer), "/meter?sensor=house&done=typed");
    assert!(browser.page(location(&answer)).contains("100.000"));
    assert_eq!(readings(&service), 1);
    // Another text on the same page is another reading, and so is the same text on another one.
    let other = [
        fields[..fields.len() - 1].to_vec(),
        vec![("shown".into(), "101".into())],
    ];
    assert_eq!(browser.post("/meter", &other.concat()).status(), 303);
    service.clock.advance(1);
    assert_eq!(
        browser
            .submit(METER.0, METER.1, &[READING[0], ("shown", "101")])
            .status(),
        303
    );
    assert_eq!(readings(&service), 3);
}

#[test]
fn a_form_that_is_sent_again_after_another_one_is_a_new_wish() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let bill = [
        ("first", "2026-01-01"),
        ("last", "2026-01-31"),
        ("total", "50"),
    ];
    let page = ("/bills?account=home", "/bills");
    let fields = filled(&browser, page, &bill);
    for _ in 0..2 {
        let answer = browser.post("/bills", &fields);
        assert_eq!(
            location(&answer),
            "/bills?account=home&bill=1&done=bill-added"
        );
    }
    assert_eq!(list(&service, "/utility", "bills").len(), 1);
    // It was removed meanwhile, and is wanted back.
    let removal = filled(
        &browser,
        ("/bills?account=home&bill=1", "/bills/remove"),
        &[],
    );
    for _ in 0..2 {
        let answer = browser.post("/bills/remove", &removal);
        assert!(location(&answer).ends_with("done=bill-removed"));
    }
    assert!(location(&browser.post("/bills", &fields)).ends_with("done=bill-added"));
    assert_eq!(list(&service, "/utility", "bills").len(), 1);
    // A refused form is refused again.
    let wrong = filled(&browser, page, &[("first", "x")]);
    for _ in 0..2 {
        assert_eq!(browser.post("/bills", &wrong).status(), 422);
    }
}

/// A page with a secret that the browser threw away is shown again.
#[test]
fn a_key_and_a_link_are_made_once() {
    let mut service = Service::start();
    let session = {
        let browser = Browser::set_up(&service);
        let page = ("/settings/key/new", "/settings/key/new");
        let new = [("account", "home"), ("scope", "full"), ("label", "car")];
        let fields = filled(&browser, page, &new);
        let [first, second] = [(); 2].map(|()| browser.post(page.1, &fields));
        assert_eq!((first.status(), second.status()), (200, 200));
        assert_eq!(first.text(), second.text());
        let settings = browser.page("/settings");
        assert_eq!(settings.matches(">car<").count(), 1, "{settings}");
        // Another session has a form of its own: it looks at this one again, and makes nothing.
        let other = Browser::signed_in(&service).post(page.1, &fields);
        assert_eq!(other.status(), 422);
        assert!(other.text().contains("value=\"car\""), "{}", other.text());
        assert_ne!(other.text(), first.text());
        let settings = browser.page("/settings");
        assert_eq!(settings.matches(">car<").count(), 1, "{settings}");

        let page = ("/settings/walls", "/settings/walls");
        let fields = filled(&browser, page, &[("name", "kitchen"), ("account", "home")]);
        let [first, second] = [(); 2].map(|()| browser.post(page.1, &fields));
        assert_eq!((first.status(), second.status()), (200, 200));
        assert!(first.text().contains("/wall/open?token=") && first.text() == second.text());
        (browser.cookie("wattkeeper_session").unwrap(), fields)
    };
    // The secret is gone with the memory.
    service.restart();
    let browser = Browser::new(&service);
    browser.set_cookie("wattkeeper_session", &session.0);
    let answer = browser.post("/settings/walls", &session.1);
    assert_eq!(location(&answer), "/settings/walls");
}
