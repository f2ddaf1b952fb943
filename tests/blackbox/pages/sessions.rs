//! Sessions: how long they last and what ends them.

use crate::pages::browser::{Browser, PASSWORD, SESSION, hidden_fields, location};
use crate::pages::contracts::{filled, form_of};
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

/// A bill as typed.
const TYPED: [(&str, &str); 5] = [
    ("first", "2026-01-01"),
    ("last", "2026-01-31"),
    ("total", "12,50"),
    ("name-1", "Grundgebühr & <b>"),
    ("amount-1", "9.30"),
];

/// The fields of a form as the page has it, with these typed.
fn typed(page: &str) -> Vec<(String, String)> {
    filled(form_of(page, "/bills"), &TYPED)
}

#[test]
fn a_form_comes_back_after_a_session_ended_also_after_a_restart() {
    let mut service = Service::start();
    let (page, token) = {
        let browser = Browser::set_up(&service);
        let page = browser.page("/bills?account=home");
        (page, browser.cookie(SESSION).unwrap())
    };
    // The session ends while the form is filled in.
    service.clock.advance(31 * 24 * HOUR);
    let (sign_in, visit) = {
        let browser = Browser::new(&service);
        browser.set_cookie(SESSION, &token);
        let answer = browser.post("/bills", &typed(&page));
        assert_eq!(answer.status(), 403);
        let text = answer.text();
        assert!(
            text.contains("Your entries come back after you sign in."),
            "{text}"
        );
        (text.to_owned(), browser.cookie("wattkeeper_visit").unwrap())
    };
    // Nothing of it is in the service.
    service.restart();
    let browser = Browser::new(&service);
    browser.set_cookie("wattkeeper_visit", &visit);
    let sent = |password: &str, page: &str| {
        let mut fields = hidden_fields(page, "/sign-in");
        fields.push(("password".to_owned(), password.to_owned()));
        browser.post("/sign-in", &fields)
    };
    let wrong = sent("wrong", &sign_in);
    assert_eq!(wrong.status(), 403);
    let signed_in = sent(PASSWORD, wrong.text());
    assert_eq!(signed_in.status(), 200, "{}", signed_in.text());
    assert!(signed_in.text().contains("Back to your entries"));
    let back = hidden_fields(signed_in.text(), "/bills");
    let form = browser.post("/bills", &back);
    assert_eq!(form.status(), 422);
    let text = form.text();
    for (name, value) in [
        ("total", "12,50"),
        ("name-1", "Grundgebühr &#38; &#60;b&#62;"),
    ] {
        assert!(
            text.contains(&format!("name=\"{name}\" value=\"{value}\"")),
            "{text}"
        );
    }
    assert!(text.contains("Nothing is saved yet"), "{text}");
    let home = wattkeeper::AccountName::new("home").unwrap();
    assert_eq!(service.store().registry().bills(&home).count(), 0);
    // Now it is saved.
    assert_eq!(
        browser.post("/bills", &form_of(text, "/bills")).status(),
        303
    );
    assert_eq!(service.store().registry().bills(&home).count(), 1);
}

#[test]
fn a_form_comes_back_after_signing_in_anew_in_another_tab() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let form = typed(&browser.page("/bills?account=home"));
    browser.submit("/", "/sign-out", &[]);
    assert_eq!(browser.sign_in(PASSWORD).status(), 303);
    let answer = browser.post("/bills", &form);
    assert_eq!(answer.status(), 422);
    assert!(
        answer.text().contains("value=\"12,50\""),
        "{}",
        answer.text()
    );
    let again = form_of(answer.text(), "/bills");
    assert_eq!(browser.post("/bills", &again).status(), 303);
}

#[test]
fn what_is_kept_has_no_secret_and_saves_nothing() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let form = |page: &str| {
        let mut form = form_of(&browser.page(page), page);
        form.retain(|(name, _)| !["webhook", "token", "password"].contains(&name.as_str()));
        for name in ["webhook", "token", "password", "again", "mail.password"] {
            form.push((name.to_owned(), "S3CRET".to_owned()));
        }
        form
    };
    let (messages, broker) = (form("/settings/messages"), form("/settings/broker"));
    browser.submit("/", "/sign-out", &[]);
    browser.page("/sign-in");
    for (address, form) in [
        ("/settings/messages", messages),
        ("/settings/broker", broker),
    ] {
        let answer = browser.post(address, &form);
        assert_eq!(answer.status(), 403);
        let text = answer.text();
        assert!(
            text.contains("kept-form") && !text.contains("S3CRET"),
            "{text}"
        );
    }
    // A form that another site sends has no cookie of ours, and is not kept.
    let stranger = Browser::new(&service);
    let form = [
        ("total".to_owned(), "1".to_owned()),
        ("account".to_owned(), "home".to_owned()),
    ];
    assert_eq!(location(&stranger.post("/bills", &form)), "/sign-in");
    // An address that does not show its form again takes no kept one.
    let kept = "?name=home";
    let fields = [
        ("password", PASSWORD),
        ("kept-form", kept),
        ("kept-at", "settings/account/remove"),
    ];
    let signed_in = browser.submit_own("/sign-in", &fields);
    let back = hidden_fields(signed_in.text(), "/settings/account/remove");
    assert_eq!(
        browser.post("/settings/account/remove", &back).status(),
        403
    );
    assert_eq!(service.store().registry().accounts().count(), 1);
}

#[test]
fn an_older_save_from_a_second_tab_is_refused_with_both_values() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    let page = "/settings/sensor?id=house";
    let change = "/settings/sensor/change";
    let older = filled(
        form_of(&browser.page(page), change),
        &[
            ("name", "Haus"),
            ("silent_after", "15"),
            ("role", "grid-import"),
        ],
    );
    let newer = [("name", "Home"), ("silent_after", "15")];
    let newer = filled(form_of(&browser.page(page), change), &newer);
    assert_eq!(browser.post(change, &newer).status(), 303);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let refused = browser.post(change, &older);
    assert_eq!(refused.status(), 422);
    let text = refused.text();
    assert!(text.contains("Das wurde inzwischen geändert"), "{text}");
    for both in [
        "gespeichert „Home“, hier „Haus“",
        "gespeichert „Netz: Bezug minus Einspeisung“, hier „Bezug: Energie aus dem Netz“",
    ] {
        assert!(text.contains(both), "{both} in {text}");
    }
    assert_eq!(text.matches("gespeichert „").count(), 2, "{text}");
    // The typed values are still there, and are saved when they are sent again.
    assert!(
        text.contains("value=\"Haus\"") && text.contains("value=\"15\""),
        "{text}"
    );
    let again = form_of(text, change);
    assert_eq!(browser.post(change, &again).status(), 303);
    let registry = service.store().registry();
    assert_eq!(registry.sensors().next().unwrap().name, "Haus");
    // The same save twice is no conflict.
    assert_eq!(browser.post(change, &again).status(), 303);
}

#[test]
fn a_contract_and_an_account_that_were_changed_meanwhile_are_not_replaced() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let new = "/costs/contract?account=home";
    let put = |page: &str, price: &str| {
        let form = form_of(&browser.page(page), "/costs/contract");
        filled(form, &[("price", price), ("from", "2026-01-01")])
    };
    assert_eq!(
        browser.post("/costs/contract", &put(new, "0.30")).status(),
        303
    );
    let page = "/costs/contract?account=home&from=2026-01-01";
    let (older, newer) = (put(page, "0.31"), put(page, "0.32"));
    assert_eq!(browser.post("/costs/contract", &newer).status(), 303);
    let refused = browser.post("/costs/contract", &older);
    assert_eq!(refused.status(), 422);
    let text = refused.text();
    assert!(text.contains("0.32") && text.contains("0.31"), "{text}");
    let again = form_of(text, "/costs/contract");
    assert_eq!(browser.post("/costs/contract", &again).status(), 303);

    let page = "/settings/account?name=home";
    let zone = |zone: &str| {
        let mut form = hidden_fields(&browser.page(page), "/settings/account");
        form.extend(
            [("tz", zone), ("phases", "separate")].map(|(a, b)| (a.to_owned(), b.to_owned())),
        );
        form
    };
    let (older, newer) = (zone("Europe/Berlin"), zone("Europe/Paris"));
    assert_eq!(browser.post("/settings/account", &newer).status(), 303);
    let refused = browser.post("/settings/account", &older);
    let text = refused.text();
    assert!(
        text.contains("stored “Europe/Paris”, here “Europe/Berlin”"),
        "{text}"
    );
}

#[test]
fn rights_that_were_changed_meanwhile_are_not_replaced() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let person = [
        ("name", "anna"),
        ("password", "a garden of roses"),
        ("again", "a garden of roses"),
        ("may-home", "viewer"),
    ];
    let added = browser.submit_own("/settings/person/new", &person);
    assert_eq!(added.status(), 303, "{}", added.text());
    let (page, change) = ("/settings/person?name=anna", "/settings/person");
    let rights = |right: &str| filled(form_of(&browser.page(page), change), &[("may-home", right)]);
    let (older, newer) = (rights("member"), rights("none"));
    assert_eq!(browser.post(change, &newer).status(), 303);
    let refused = browser.post(change, &older);
    assert_eq!(refused.status(), 422);
    let text = refused.text();
    assert!(
        text.contains("home: stored “no account”, here “member”"),
        "{text}"
    );
    // The typed right is still chosen, and is saved when it is sent again.
    let again = form_of(text, change);
    assert!(again.contains(&("may-home".to_owned(), "member".to_owned())));
    assert_eq!(browser.post(change, &again).status(), 303);
    let registry = service.store().registry();
    let anna = registry.people().next().unwrap();
    assert_eq!(
        anna.accounts.values().next(),
        Some(&wattkeeper::Membership::Member)
    );
}

#[test]
fn service_settings_that_were_changed_meanwhile_are_not_replaced() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let page = "/settings/backups";
    let put = |keep: &str| filled(form_of(&browser.page(page), page), &[("keep", keep)]);
    let (older, newer) = (put("3"), put("9"));
    assert_eq!(browser.post(page, &newer).status(), 303);
    let refused = browser.post(page, &older);
    assert_eq!(refused.status(), 422);
    let text = refused.text();
    assert!(
        text.contains("How many are kept: stored “9”, here “3”."),
        "{text}"
    );
    assert_eq!(browser.post(page, &form_of(text, page)).status(), 303);
}
