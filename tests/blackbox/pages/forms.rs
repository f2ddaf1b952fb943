//! Forged forms are refused, at every address that takes a form.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::pages::browser::{Browser, PASSWORD, hidden_fields};
use crate::support::Service;

/// Every page that takes a POST, and whether it needs a session.
const FORMS: &[(&str, bool)] = &[
    ("/sign-in", false),
    ("/setup", false),
    ("/language", false),
    ("/sign-out", true),
    ("/events/decide", true),
    ("/events/range", true),
    ("/events/revoke", true),
    ("/meter", true),
    ("/meter/calibrate", true),
    ("/meter/remove", true),
    ("/meter/change", true),
    ("/bills", true),
    ("/bills/remove", true),
    ("/costs/tariff", true),
    ("/costs/contract", true),
    ("/costs/contract/remove", true),
    ("/costs/offer", true),
    ("/costs/offer/remove", true),
    ("/costs/what-if", true),
    ("/costs/purchases", true),
    ("/costs/purchases/remove", true),
    ("/costs/tenancies", true),
    ("/costs/tenancies/remove", true),
    ("/costs/prices", true),
    ("/costs/series/remove", true),
    ("/costs/days", true),
    ("/costs/days/remove", true),
    ("/notices/dismiss", true),
    ("/me", true),
    ("/me/unlink", true),
    ("/settings/password", true),
    ("/settings/account", true),
    ("/settings/account/new", true),
    ("/settings/account/remove", true),
    ("/settings/key/new", true),
    ("/settings/key/rotate", true),
    ("/settings/key/revoke", true),
    ("/settings/sensor/new", true),
    ("/settings/sensor/connect", true),
    ("/settings/sensor/connect/poll", true),
    ("/settings/sensor/connect/topic", true),
    ("/settings/sensor/check", true),
    ("/settings/sensor/import", true),
    ("/settings/sensor/import/forget", true),
    ("/settings/sensor/change", true),
    ("/settings/sensor/authorize", true),
    ("/settings/sensor/remove", true),
    ("/settings/broker", true),
    ("/settings/broker/test", true),
    ("/settings/broker/unsubscribe", true),
    ("/settings/devices", true),
    ("/settings/polled", true),
    ("/settings/polled/remove", true),
    ("/settings/home-assistant", true),
    ("/settings/home-assistant/house", true),
    ("/settings/home-assistant/sensors", true),
    ("/settings/home-assistant/remove", true),
    ("/settings/home-assistant/prices", true),
    ("/settings/home-assistant/send", true),
    ("/settings/price-sources", true),
    ("/settings/price-sources/remove", true),
    ("/settings/backups", true),
    ("/settings/store/check", true),
    ("/settings/store/confirm", true),
    ("/settings/store/close", true),
    ("/settings/store/remove", true),
    ("/settings/messages", true),
    ("/settings/messages/test", true),
    ("/settings/people/unlink", true),
    ("/settings/person", true),
    ("/settings/person/new", true),
    ("/settings/person/password", true),
    ("/settings/person/remove", true),
    ("/settings/walls", true),
    ("/settings/wall/revoke", true),
];

#[test]
fn the_list_of_forms_is_complete() {
    let routes = include_str!("../../../src/http/pages/mod.rs");
    let table = routes.lines().map(str::trim);
    let table = table.filter(|line| line.starts_with("(\"/"));
    let taken = [" post(", "[post(", " form(", "[form("];
    let forms = table.flat_map(|line| taken.map(|it| line.matches(it).count()));
    assert_eq!(forms.sum::<usize>(), FORMS.len());
}

fn fields(csrf: Option<&str>) -> Vec<(String, String)> {
    let mut fields = vec![
        ("password".to_owned(), PASSWORD.to_owned()),
        ("again".to_owned(), PASSWORD.to_owned()),
    ];
    fields.extend(csrf.map(|csrf| ("csrf".to_owned(), csrf.to_owned())));
    fields
}

#[test]
fn a_form_without_its_token_is_refused() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let stranger = Browser::new(&service);
    let page = stranger.page("/sign-in");
    let of_stranger = crate::pages::browser::hidden_fields(&page, "/sign-in");
    let of_stranger = &of_stranger
        .iter()
        .find(|(name, _)| name == "csrf")
        .unwrap()
        .1;
    for (address, for_administrator) in FORMS {
        for csrf in [None, Some(""), Some("x"), Some(of_stranger.as_str())] {
            let answer = browser.post(address, &fields(csrf));
            assert_eq!(answer.status(), 403, "{address} {csrf:?}");
            assert!(answer.text().contains("has expired"), "{}", answer.text());
            if !for_administrator && csrf != Some(of_stranger) {
                assert_eq!(stranger.post(address, &fields(csrf)).status(), 403);
            }
        }
        // A browser without a cookie has no valid token.
        let answer = Browser::new(&service).post(address, &fields(Some(of_stranger)));
        let expected = if *for_administrator { 303 } else { 403 };
        assert_eq!(answer.status(), expected, "{address}");
    }
    assert!(browser.is_signed_in());
}

#[test]
fn tokens_of_other_sessions_are_refused() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let other = Browser::signed_in(&service);
    let form = crate::pages::browser::hidden_fields(&other.page("/"), "/sign-out");
    assert_eq!(browser.post("/sign-out", &form).status(), 403);
    assert!(browser.is_signed_in() && other.is_signed_in());
}

#[test]
fn a_form_without_a_session_leads_to_sign_in() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    for (address, for_administrator) in FORMS {
        if *for_administrator {
            let answer = Browser::new(&service).post(address, &fields(None));
            assert_eq!(crate::pages::browser::location(&answer), "/sign-in");
        }
    }
}

#[test]
fn malformed_forms_are_refused() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    for body in [&b"\xff\xfe"[..], b"csrf=%zz", b"csrf=a&csrf=b", b"{}"] {
        let answer = browser.send("POST", "/sign-out", &[], body);
        assert!((400..404).contains(&answer.status()), "{}", answer.status());
        assert!(answer.text().contains("<h1>"), "{}", answer.text());
    }
    let huge = vec![b'x'; 4 * 1024 * 1024];
    assert_eq!(browser.send("POST", "/sign-out", &[], &huge).status(), 413);
    assert!(browser.is_signed_in());
}

/// The token in the forms of this browser.
fn token(browser: &Browser<'_>) -> String {
    let fields = hidden_fields(&browser.page("/"), "/sign-out");
    let csrf = fields.into_iter().find(|(name, _)| name == "csrf");
    csrf.unwrap().1
}

/// Few bytes of a stranger must not become much work.
#[test]
fn a_form_has_as_many_bytes_as_its_page_needs_and_4096_fields() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let stranger = Browser::new(&service);
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all("a&".repeat(512 * 1024).as_bytes()).unwrap();
    let bomb = gzip.finish().unwrap();
    assert!(bomb.len() < 2_048);
    let answer = stranger.send("POST", "/language", &[("Content-Encoding", "gzip")], &bomb);
    assert_eq!(answer.status(), 413);
    assert!(answer.text().contains("at most 16384 bytes"));

    let csrf = token(&browser);
    let form = |fields: usize| format!("csrf={csrf}{}", "&a=".repeat(fields - 1));
    for address in [
        "/settings/account/new",
        "/bills",
        "/costs/prices",
        "/settings/sensor/import",
    ] {
        let answer = browser.send("POST", address, &[], form(4_097).as_bytes());
        assert_eq!(answer.status(), 400, "{address}");
        let text = answer.text();
        assert!(text.contains("at most 4096 fields; got 4097"), "{text}");
        let answer = browser.send("POST", address, &[], form(4_096).as_bytes());
        assert_ne!(answer.status(), 400, "{address}");
        let long = format!("csrf={csrf}&account=home&note={}", "x".repeat(70_000));
        let answer = browser.send("POST", address, &[], long.as_bytes());
        let is_large = ["/costs/prices", "/settings/sensor/import"].contains(&address);
        let expected = if is_large { 400 } else { 413 };
        assert_eq!(answer.status(), expected, "{address}");
        let is_short = address == "/settings/account/new";
        let most = if is_short { 16_384 } else { 65_536 };
        let expected = format!("at most {most} bytes");
        assert!(answer.text().contains(&expected), "{address}");
    }
    // However large a body the settings allow, and no larger than they do.
    let service = Service::start_with(|config| config.http.max_body = 2_048);
    let browser = Browser::set_up(&service);
    let long = "x".repeat(4_096);
    let answer = browser.send("POST", "/sign-out", &[], long.as_bytes());
    assert_eq!(answer.status(), 413);
    assert!(answer.text().contains("at most 2048 bytes"));
}
