//! The pages behind a proxy that has them below a path.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::Ipv4Addr;

use serde_json::json;

use crate::pages::browser::{Browser, PASSWORD, SESSION, location};
use crate::pages::links::{actions, links};
use crate::pages::live::Stream;
use crate::pages::proxy::{BELOW, Proxy};
use crate::support::Service;

fn below(page: &str) -> String {
    format!("{BELOW}{page}")
}

fn plain_proxy(service: &Service) -> Proxy {
    Proxy::start(service.address(), Ipv4Addr::LOCALHOST, "")
}

/// The identity of a page: its path and the names of its parameters, without their values, as
/// charts lead on without end.
fn kind_of(address: &str) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let names: BTreeSet<&str> = query
        .split('&')
        .filter_map(|pair| pair.split('=').next())
        .collect();
    format!("{path} {names:?}")
}

/// Follows all links from a page on; returns the status of each, and that of each form that is sent
/// empty, whose address has `POST `.
fn crawl(browser: &Browser<'_>, first: &str) -> BTreeMap<String, u16> {
    let mut answers = BTreeMap::new();
    let mut known = BTreeSet::new();
    let mut open = VecDeque::from([first.to_owned()]);
    while let Some(address) = open.pop_front() {
        if address.contains("/live") {
            let (_, head) = browser.begin(&address);
            answers.insert(address, head.status);
            continue;
        }
        let answer = browser.get(&address);
        let is_page = answer
            .head
            .header("content-type")
            .is_some_and(|it| it.starts_with("text/html"));
        let page = if is_page { answer.text() } else { "" };
        let mut next = if is_page { links(page) } else { Vec::new() };
        next.extend(answer.head.header("location").map(str::to_owned));
        for found in next {
            let found = found.split('#').next().unwrap();
            // The sources of tariffs.
            if address.contains("/costs/templates") && found.starts_with("https://") {
                continue;
            }
            assert!(found.starts_with(&below("/")), "{found} at {address}");
            if known.insert(kind_of(found)) {
                open.push_back(found.to_owned());
            }
        }
        for form in if is_page { actions(page) } else { Vec::new() } {
            assert!(form.starts_with(&below("/")), "{form} at {address}");
            let sent = format!("POST {form}");
            let status = || browser.post(&form, &[]).status();
            answers.entry(sent).or_insert_with(status);
        }
        answers.insert(address, answer.status());
    }
    answers
}

#[test]
fn every_link_leads_to_something() {
    let service = Service::start();
    let administrator = Browser::set_up(&service);
    service.accept(&json!({"watts": 1_234, "watthours": 10_000}));
    let add = [
        ("name", "Anna"),
        ("password", "battery staple"),
        ("again", "battery staple"),
    ];
    assert_eq!(
        administrator
            .submit_own("/settings/person/new", &add)
            .status(),
        303
    );
    let proxy = plain_proxy(&service);
    let browser = Browser::at(proxy.address);
    let form = below("/sign-in");
    let answer = browser.submit_own(&form, &[("password", PASSWORD)]);
    assert_eq!(location(&answer), below("/"));
    let answers = crawl(&browser, &below("/"));
    assert_eq!(proxy.strays(), [""; 0]);
    for (address, status) in &answers {
        // Without its token a form is refused; some are for GET alone.
        let expected: &[u16] = if address.starts_with("POST ") {
            &[403, 405]
        } else {
            &[200, 303]
        };
        assert!(expected.contains(status), "{status} {address}");
    }
    for page in [
        "/",
        "/settings",
        "/settings/sensor/new",
        "/settings/person?name=Anna",
        "/costs/contracts?account=home",
        "/openapi.json",
        "/chart.csv?account=home",
        "/live?account=home",
    ] {
        let has = answers
            .keys()
            .any(|it| kind_of(it) == kind_of(&below(page)));
        assert!(has, "{page}: {answers:#?}");
    }
    let files = answers
        .keys()
        .filter(|it| it.starts_with(&below("/static/")));
    assert!(files.count() > 8);
}

#[test]
fn forms_cookies_and_redirects_work() {
    let service = Service::start();
    let proxy = plain_proxy(&service);
    let browser = Browser::at(proxy.address);
    let setup = below(service.setup_address().unwrap());
    let fields = [("password", PASSWORD), ("again", PASSWORD)];
    let answer = browser.submit(&setup, &below("/setup"), &fields);
    assert_eq!(location(&answer), below("/settings/sensor/new"));
    // It is for the whole host: a path would not keep it from others there, whose pages could load
    // this one.
    let cookie = answer.head.header("set-cookie").unwrap();
    assert!(
        cookie.contains("Path=/;") && cookie.contains(SESSION),
        "{cookie}"
    );
    service.accept(&json!({"watts": 1_234}));
    let mut stream = Stream::open(&browser, &below("/live"));
    assert_eq!(stream.data()["grid"]["power"], "1.23\u{202F}kW");
    // A page further down, with a slash at its end, without one, with a mistake, and none.
    for page in ["/settings/account/new", "/settings/account/new/"] {
        let answer = browser.submit(
            &below(page),
            &below("/settings/account/new"),
            &[("name", "a"), ("tz", "Mars"), ("plan", "paid")],
        );
        assert_eq!(answer.status(), 422);
        assert!(
            answer.text().contains(&below("/settings/account/new#tz")),
            "{}",
            answer.text()
        );
    }
    let none = browser.get(&below("/settings/nothing/at/all"));
    assert_eq!(none.status(), 404);
    assert!(
        none.text().contains(&format!("href=\"{BELOW}/\"")),
        "{}",
        none.text()
    );
    let chosen = browser.submit(
        &below("/settings/account/new"),
        &below("/language"),
        &[("language", "de")],
    );
    assert_eq!(location(&chosen), below("/settings/account/new"));
    assert_eq!(
        location(&browser.submit(&below("/"), &below("/sign-out"), &[])),
        below("/sign-in")
    );
    let asked = browser.get(&below("/settings/account?name=home"));
    let answer = browser.submit(
        location(&asked),
        &below("/sign-in"),
        &[("password", PASSWORD)],
    );
    assert_eq!(location(&answer), below("/settings/account?name=home"));
    assert_eq!(proxy.strays(), [""; 0]);
}
