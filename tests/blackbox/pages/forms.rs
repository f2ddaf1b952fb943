//! Forged forms are refused, at every address that takes a form.

use crate::pages::browser::{Browser, PASSWORD};
use crate::support::Service;

/// Every page that takes a POST, and whether it is for the administrator only.
const FORMS: &[(&str, bool)] = &[
    ("/sign-in", false),
    ("/setup", false),
    ("/sign-out", true),
    ("/settings/password", true),
    ("/settings/account", true),
    ("/settings/account/new", true),
    ("/settings/account/remove", true),
    ("/settings/key/new", true),
    ("/settings/key/rotate", true),
    ("/settings/key/revoke", true),
    ("/settings/sensor/new", true),
    ("/settings/sensor/change", true),
    ("/settings/sensor/authorize", true),
    ("/settings/sensor/remove", true),
];

#[test]
fn the_list_of_forms_is_complete() {
    let routes = include_str!("../../../src/http/pages/mod.rs");
    let posts = routes.matches(" post(").count() + routes.matches("[post(").count();
    assert_eq!(posts, FORMS.len());
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
