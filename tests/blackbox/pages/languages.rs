//! The languages of pages.

use std::collections::BTreeMap;

use wattkeeper::ContractChange;
use wattkeeper::{AccountName, Membership};

use crate::pages::browser::{Browser, location, plain};
use crate::pages::events::with_events;
use crate::pages::people::{add_person, browser_of};
use crate::pages::wall::link;
use crate::support::{ACCOUNT, API_ID, Response, SENSOR, Service};

/// The texts of a file with one line and without values, by name.
fn texts(file: &str) -> BTreeMap<&str, &str> {
    let lines = file.lines().filter(|line| !line.contains('{'));
    lines.filter_map(|line| line.split_once(" = ")).collect()
}

/// Asserts that an answer is a German page without a text of the English ones.
#[track_caller]
fn assert_german(address: &str, answer: &Response) {
    let mut english = texts(include_str!("../../../web/texts/en.ftl"));
    // Short ones are parts of German words, or the same in both.
    let german = texts(include_str!("../../../web/texts/de.ftl"));
    english.retain(|name, text| text.len() > 12 && german.get(name) != Some(text));
    assert!(english.len() > 100);
    assert_eq!(language(answer), "de", "{address}");
    let page = plain(answer.text());
    for (name, text) in &english {
        assert!(!page.contains(text), "{address} has {name}: {text}");
    }
    // The API is described in English alone, and so are its refusals.
    if address == "/openapi" || answer.status() == 400 {
        return;
    }
    // English texts in the source, not in a file of texts.
    let prose = prose(&page);
    for word in [
        "and", "with", "from", "not", "of", "is", "expected", "wrong",
    ] {
        assert!(!prose.contains(&word), "{address} has {word}: {prose:?}");
    }
}

/// Asserts the same of a page that is there, perhaps with a mistake in its form.
#[track_caller]
fn assert_shown(browser: &Browser<'_>, address: &str) {
    let answer = browser.get(address);
    assert!([200, 422].contains(&answer.status()), "{address}");
    assert_german(address, &answer);
}

/// The words of a page, without lines to copy.
fn prose(page: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut is_code = false;
    for part in page.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        let name = tag.split_whitespace().next().unwrap_or("");
        match name.trim_start_matches('/') {
            "pre" | "code" | "script" | "textarea" | "title" => is_code = !name.starts_with('/'),
            _ => {}
        }
        // Names of sensors and time zones.
        let is_option = name == "option";
        if !is_code && !is_option {
            let all = text.split(|c: char| !c.is_alphabetic());
            words.extend(all.filter(|word| !word.is_empty()));
        }
    }
    words
}

/// The tag of the language of a page, which its headers say, too.
#[track_caller]
fn language(answer: &Response) -> &str {
    let (_, rest) = answer.text().split_once("<html lang=\"").unwrap();
    let (tag, _) = rest.split_once('"').unwrap();
    assert_eq!(answer.head.header("content-language"), Some(tag));
    assert_eq!(
        answer.head.header("vary"),
        Some("Accept-Language, Cookie"),
        "caches must know"
    );
    tag
}

#[test]
fn pages_are_in_the_language_that_the_browser_asks_for() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    let mut stranger = Browser::new(&service);
    let unknown = "/settings/key?id=unknown";
    for (header, tag) in [
        ("de-AT, en;q=0.5", "de"),
        ("sv, en;q=0.5, de;q=0.4", "en"),
        ("fr-CH, de;q=0.4", "fr"),
        ("nl", "nl"),
    ] {
        for visitor in [&mut browser, &mut stranger] {
            visitor.headers = vec![("Accept-Language", header.to_owned())];
        }
        for address in ["/", "/chart", "/settings", "/status", "/openapi", unknown] {
            assert_eq!(language(&browser.get(address)), tag, "{address}");
        }
        // The second one is an error.
        for address in ["/sign-in", "/setup"] {
            assert_eq!(language(&stranger.get(address)), tag, "{address}");
        }
    }
    // Answers other than pages have no language.
    let state = browser.get(&format!("/settings/sensor/state?id={SENSOR}"));
    assert_eq!(state.head.header("content-language"), None);
}

#[test]
fn the_chosen_language_is_before_that_of_the_browser() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    browser.headers = vec![("Accept-Language", "en".to_owned())];
    browser.set_cookie("wattkeeper_language", "de");
    assert!(browser.page("/chart").contains("Letzte 24 Stunden"));
    browser.set_cookie("wattkeeper_language", "tlh");
    assert!(browser.page("/chart").contains("Last 24 hours"));
}

#[test]
fn pages_in_german_have_no_english_texts() {
    let service = Service::start();
    let browser = Browser::new(&service);
    browser.set_cookie("wattkeeper_language", "de");
    let setup = service.setup_address().unwrap();
    for address in ["/sign-in", setup, "/setup", "/openapi"] {
        assert_german(address, &browser.get(address));
    }
    let password = [("password", "correct horse"), ("again", "correct horse")];
    let too_short = browser.submit(setup, "/setup", &[("password", "x"), ("again", "x")]);
    assert_german(setup, &too_short);
    assert_eq!(browser.submit(setup, "/setup", &password).status(), 303);
    for address in [
        "/",
        "/chart",
        "/chart?show=energy&range=week",
        "/chart?range=nonsense",
        "/settings?done=saved",
        "/settings/account/new",
        &format!("/settings/account?name={ACCOUNT}"),
        "/settings/key/new",
        &format!("/settings/key?id={API_ID}"),
        "/settings/sensor/new",
        &format!("/settings/sensor?id={SENSOR}"),
        "/settings/sensor?id=unknown",
        "/status",
    ] {
        assert_german(address, &browser.get(address));
    }
    let key = [("account", ACCOUNT), ("scope", "full")];
    let shown = browser.submit_own("/settings/key/new", &key);
    assert_german("/settings/key/new", &shown);
}

/// A house with something on each page, and a German administrator.
fn lived_in(service: &Service) -> Browser<'_> {
    let home = AccountName::new(ACCOUNT).unwrap();
    let contract = r#"{"from":"2026-01-02","name":"Strom","currency":"EUR","components":[{"energy":{"zones":[{"name":"Tag","price":0.35},{"name":"Nacht","price":0.24,"hours":"22:00-06:00"}]}},{"fixed":{"name":"Grundpreis","price":0.42,"per":"day"}},{"export":{"price":0.08}},{"tax":{"name":"USt","percent":19}}]}"#;
    let contract = ContractChange::parse(contract).unwrap();
    let store = service.store();
    store
        .edit(move |edit| edit.change_contracts(&home, contract))
        .unwrap();
    add_person(service, "Ada", &[(ACCOUNT, Membership::Viewer)]);
    let browser = Browser::set_up(service);
    browser.set_cookie("wattkeeper_language", "de");
    for (address, action, fields) in [
        (
            "/costs/prices",
            "/costs/prices",
            &[
                ("series", "Börse"),
                ("length", "hour"),
                (
                    "table",
                    "time,price\n2026-01-05T10:00:00Z,0.1\n2026-01-05T12:00:00Z,0.2\n",
                ),
            ][..],
        ),
        (
            "/costs/days",
            "/costs/days",
            &[
                ("list", "Tempo"),
                ("table", "2026-01-05,rot\n2026-01-06,weiß\n"),
            ],
        ),
        (
            "/bills",
            "/bills",
            &[
                ("first", "2026-01-03"),
                ("last", "2026-01-04"),
                ("total", "12,50"),
                ("name-1", "Grundpreis"),
                ("amount-1", "0,84"),
            ],
        ),
        (
            "/meter?sensor=house",
            "/meter",
            &[("at", "2026-01-05T10:00"), ("shown", "5,0")],
        ),
        (
            "/meter?sensor=house",
            "/meter",
            &[("at", "2026-01-05T10:05"), ("shown", "5,1")],
        ),
    ] {
        let done = browser.submit(address, action, fields);
        assert_eq!(done.status(), 303, "{action}: {}", done.text());
        let address = location(&done);
        assert_german(address, &browser.get(address));
    }
    browser
}

#[test]
fn questions_in_german_have_no_english_texts() {
    let service = with_events();
    let browser = lived_in(&service);
    for question in [
        "home=no",
        "what=grid",
        "what=grid&way=mqtt",
        "what=grid&way=address",
    ] {
        assert_shown(&browser, &format!("/settings/sensor/new?{question}"));
    }
}

#[test]
fn pages_about_a_house_in_german_have_no_english_texts() {
    let service = with_events();
    let browser = lived_in(&service);
    let devices = browser.page("/settings/sensor/new?what=other&way=name");
    let devices = devices.split("device=").skip(1);
    let devices: Vec<&str> = devices.map(|it| it.split('"').next().unwrap()).collect();
    assert!(devices.len() > 10, "{devices:?}");
    for device in devices {
        for address in [
            format!("/settings/sensor/new?device={device}"),
            format!("/settings/sensor/connect?id=house&device={device}"),
        ] {
            assert_shown(&browser, &address);
        }
    }
    for address in [
        "/energy",
        "/?against=year",
        "/energy?range=contract",
        "/energy?range=month&against=year",
        "/energy?from=2025-01-05&to=2026-01-05",
        "/energy?from=2026-01-05&to=2026-01-01",
        "/costs",
        "/costs?range=contract",
        "/costs?from=2025-01-01&to=2025-02-01",
        "/costs?from=2026-01-05&to=2026-01-01",
        "/costs/contracts",
        "/costs/contract?account=home",
        "/costs/contract?account=home&from=2026-01-02",
        "/costs/contract?account=home&from=2026-01-02&as=json",
        "/costs/compare",
        "/costs/compare?from=2025-01-01&to=2025-02-01",
        "/costs/what-if?battery=5&price_per_kwh=500",
        "/costs/offers",
        "/costs/offer?account=home",
        "/costs/prices",
        "/costs/cheapest",
        "/costs/cheapest?hours=30",
        "/costs/days",
        "/costs/series?account=home&name=B%C3%B6rse",
        "/bills",
        "/meter",
        "/meter?sensor=house",
        "/meter/change?sensor=house",
        "/events",
        "/events?sensor=house",
        "/chart?sensor=house&range=day",
        "/settings/people",
        "/settings/person/new",
        "/settings/person?name=Ada",
        "/settings/walls",
        "/settings/broker",
        "/settings/devices",
        "/settings/backups",
        "/settings/messages",
        "/settings/sensor/connect?id=house",
        "/settings/sensor/import?id=house",
        "/settings/sensor/check?id=house",
    ] {
        assert_shown(&browser, address);
    }
    let ada = browser_of(&service, "Ada");
    ada.set_cookie("wattkeeper_language", "de");
    assert_shown(&ada, "/me");
    let link = link(&browser, "Flur", ACCOUNT);
    let wall = Browser::new(&service);
    wall.set_cookie("wattkeeper_language", "de");
    assert_shown(&wall, &link);
    assert_shown(&wall, "/wall");
}

#[test]
fn pages_about_savings_in_german_have_no_english_texts() {
    let service = with_events();
    let browser = lived_in(&service);
    for address in [
        "/costs/savings",
        "/costs/savings?from=2025-01-01&to=2025-02-01",
        "/costs/savings?from=2026-01-05&to=2026-01-01",
        "/costs/purchases",
        "/costs/tenancies",
        "/costs/tenancies/statements",
        "/tenancy",
    ] {
        assert_shown(&browser, address);
    }
}

#[test]
fn forms_about_a_house_are_refused_in_german() {
    let service = with_events();
    let browser = lived_in(&service);
    let wrong = [
        ("current", "x"),
        ("password", "correct horse two"),
        ("again", "correct horse two"),
    ];
    for (address, action, fields) in [
        ("/settings", "/settings/password", &wrong[..]),
        (
            "/costs/contract?account=home",
            "/costs/contract",
            &[
                ("rate", "flat"),
                ("period", "month"),
                ("tax-of", "costs"),
                ("price", "x"),
            ],
        ),
        ("/costs/prices", "/costs/prices", &[("table", "x")]),
        ("/costs/days", "/costs/days", &[("table", "x")]),
        (
            "/costs/days",
            "/costs/days/remove",
            &[("of", "Tempo"), ("from", "x")],
        ),
        ("/bills", "/bills", &[("total", "x")]),
        ("/meter?sensor=house", "/meter", &[("shown", "x")]),
        ("/meter?sensor=house", "/meter", &[("shown", "1")]),
        (
            "/meter/change?sensor=house",
            "/meter/change",
            &[("old", "x")],
        ),
        ("/events?sensor=house", "/events/decide", &[]),
        (
            "/settings/person/new",
            "/settings/person/new",
            &[("password", "x")],
        ),
        ("/settings/walls", "/settings/walls", &[("name", "")]),
        (
            "/settings/broker",
            "/settings/broker",
            &[("address", "a b")],
        ),
        (
            "/settings/backups",
            "/settings/backups",
            &[("dir", "copies"), ("every", "24h"), ("keep", "7")],
        ),
        (
            "/settings/messages",
            "/settings/messages",
            &[("webhook", "x"), ("format", "json")],
        ),
        (
            "/settings/sensor?id=house",
            "/settings/sensor/change",
            &[("rollover", "x")],
        ),
    ] {
        let refused = browser.submit(address, action, fields);
        assert_eq!(refused.status(), 422, "{action} {fields:?}");
        assert_german(action, &refused);
    }
}

#[test]
fn mistakes_in_forms_are_told_in_the_language_of_the_page() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let address = "/settings/account/new";
    let fields = [("name", ACCOUNT), ("tz", "UTC"), ("plan", "paid")];
    let refused = |browser: &Browser<'_>, fields: &[(&str, &str)]| {
        let answer = browser.submit_own(address, fields);
        assert_eq!(answer.status(), 422);
        plain(answer.text())
    };
    assert!(refused(&browser, &fields).contains("exists already"));
    browser.set_cookie("wattkeeper_language", "de");
    let page = refused(&browser, &fields);
    assert!(page.contains("Der Name wurde nicht angenommen"), "{page}");
    assert!(!page.contains("exists already"), "{page}");
    assert!(page.contains("value=\"home\""), "what was typed is kept");
    let page = refused(
        &browser,
        &[("name", "new"), ("tz", "Mars"), ("plan", "paid")],
    );
    assert!(page.contains("Diese Zeitzone gibt es nicht"), "{page}");
}

#[test]
fn a_language_is_chosen_at_the_foot_of_each_page() {
    let service = Service::start();
    let browser = Browser::new(&service);
    // Also by those who have not signed in.
    let page = "/sign-in?to=chart";
    let chosen = browser.submit(page, "/language", &[("language", "de")]);
    assert_eq!(location(&chosen), page);
    let cookie = chosen.head.header("set-cookie").unwrap();
    assert!(cookie.contains("Max-Age=31536000"), "{cookie}");
    assert!(browser.page(page).contains("<h1>Anmelden</h1>"));
    let browser = Browser::set_up(&service);
    let choose = |fields: &[(&str, &str)]| browser.submit("/status", "/language", fields);
    assert_eq!(location(&choose(&[("language", "de")])), "/status");
    assert!(browser.page("/status").contains("Sicherungen"));
    for elsewhere in ["https://elsewhere.example/", "//elsewhere.example"] {
        let chosen = choose(&[("language", "en"), ("to", elsewhere)]);
        assert_eq!(location(&chosen), "/");
    }
    assert_eq!(choose(&[("language", "tlh")]).status(), 404);
    // Not without the token of the form.
    let language = ("language".to_owned(), "de".to_owned());
    assert_eq!(browser.post("/language", &[language]).status(), 403);
    assert!(browser.page("/status").contains("Backups"));
}

#[test]
fn the_region_is_apart_from_the_language() {
    let service = Service::start();
    let mut browser = Browser::set_up(&service);
    let heading = |browser: &Browser<'_>| {
        let page = browser.page("/chart?range=week&at=2026-01-07");
        let (_, rest) = page.split_once("id=\"chart-period\">").unwrap();
        rest.split('<').next().unwrap().to_owned()
    };
    for (accepted, title) in [
        ("en", "Week of 5 Jan 2026"),
        ("en-GB", "Week of 5 Jan 2026"),
        // From Sunday, with the month first.
        ("en-US", "Week of Jan 4, 2026"),
        ("de-US", "Woche ab Jan. 4, 2026"),
        ("de-CH", "Woche ab 5. Jan. 2026"),
    ] {
        browser.headers = vec![("Accept-Language", accepted.to_owned())];
        assert_eq!(heading(&browser), title, "{accepted}");
    }
    // A chosen one is before that of the browser, and stays with another language.
    let fields = [("language", "de"), ("region", "US")];
    let chosen = browser.submit("/status", "/language", &fields);
    assert_eq!(chosen.status(), 303);
    browser.set_cookie("wattkeeper_region", "US");
    browser.set_cookie("wattkeeper_language", "en");
    assert_eq!(heading(&browser), "Week of Jan 4, 2026");
    assert!(
        browser
            .page("/status")
            .contains("<option value=\"US\" selected>")
    );
    browser.set_cookie("wattkeeper_region", "none");
    browser.headers = vec![("Accept-Language", "en-US".to_owned())];
    assert_eq!(heading(&browser), "Week of 5 Jan 2026");
}
