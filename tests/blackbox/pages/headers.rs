//! The headers of every page, and its visitors.

use crate::pages::browser::{Browser, hidden_fields, location};
use crate::pages::links::complete;
use crate::support::{Connection, Response, SENSOR, Service, request};

/// Every page, and whether it is for the administrator only.
const PAGES: &[(&str, bool)] = &[
    ("/", true),
    ("/chart", true),
    ("/costs", true),
    ("/costs/forecast", true),
    ("/costs/contracts", true),
    ("/costs/templates", true),
    ("/costs/tariff?account=home&template=de-dynamic", true),
    ("/costs/contract?account=home", true),
    ("/costs/compare", true),
    ("/costs/what-if", true),
    ("/costs/offers", true),
    ("/costs/offer?account=home", true),
    ("/costs/savings", true),
    ("/costs/purchases", true),
    ("/costs/tenancies", true),
    ("/costs/tenancies/statements", true),
    ("/tenancy", true),
    ("/costs/prices", true),
    ("/costs/days", true),
    ("/settings", true),
    ("/settings/account?name=home", true),
    ("/settings/account/new", true),
    ("/settings/key?id=house-id", true),
    ("/settings/key/new", true),
    ("/settings/sensor?id=house", true),
    ("/settings/sensor/new", true),
    ("/settings/sensor/import?id=house", true),
    ("/settings/broker", true),
    ("/settings/devices", true),
    ("/settings/backups", true),
    ("/settings/store", true),
    ("/settings/messages", true),
    ("/status", true),
    ("/offline", false),
    ("/sign-in", false),
    ("/setup", false),
];

#[track_caller]
fn assert_safe(answer: &Response) {
    let header = |name| answer.head.header(name).unwrap_or_default();
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert_eq!(header("x-frame-options"), "SAMEORIGIN");
    assert_eq!(header("referrer-policy"), "no-referrer");
    assert_eq!(
        header("content-security-policy"),
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; \
         form-action 'self'; base-uri 'self'; frame-ancestors 'self'"
    );
}

#[test]
fn every_response_has_security_headers() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let stranger = Browser::new(&service);
    for (address, _) in PAGES {
        for answer in [
            browser.get(address),
            stranger.get(address),
            browser.post(address, &[]),
            browser.send("DELETE", address, &[], b""),
            browser.send("HEAD", address, &[], b""),
        ] {
            assert_safe(&answer);
            assert_eq!(
                answer.head.header("cache-control"),
                Some("no-store"),
                "{address}"
            );
        }
    }
}

#[test]
fn without_a_session_pages_reveal_nothing() {
    let service = Service::start();
    drop(Browser::set_up(&service));
    let stranger = Browser::new(&service);
    for (address, for_administrator) in PAGES {
        let answer = stranger.get(address);
        assert!(!answer.text().contains(SENSOR), "{address}");
        if *for_administrator {
            assert!(location(&answer).starts_with("/sign-in"), "{address}");
            assert_eq!(answer.text(), "", "{address}");
        }
    }
}

#[test]
fn pages_load_nothing_inline_or_from_other_hosts() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let stranger = Browser::new(&service);
    for (address, for_administrator) in PAGES {
        let visitor = if *for_administrator {
            &browser
        } else {
            &stranger
        };
        let answer = visitor.get(address);
        let page = answer.text();
        assert!(page.starts_with("<!doctype html>"), "{address}");
        for inline in ["<style", " style=", "<script>", "onclick=", "javascript:"] {
            assert!(!page.contains(inline), "{inline} in {address}");
        }
        // The sources of tariffs: links that somebody follows load nothing.
        let page = match *address {
            "/costs/templates" => page.replace("<a href=\"https://", "<a data-to=\"https://"),
            _ => page.to_owned(),
        };
        for reference in page.split("href=\"").chain(page.split("src=\"")).skip(1) {
            let target = reference.split('"').next().unwrap();
            assert!(
                !target.contains("://") || !reference.starts_with(target),
                "{target} in {address}"
            );
        }
        assert_eq!(page.matches("<h1").count(), 1, "{address}");
        assert!(
            page.contains("<html lang=\"en\">") && page.contains("<main"),
            "{address}"
        );
    }
}

#[test]
fn pages_are_compressed_on_request() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let plain = browser.page("/settings");
    let mut answer = browser.send("GET", "/settings", &[("Accept-Encoding", "gzip")], b"");
    assert_eq!(answer.head.header("content-encoding"), Some("gzip"));
    let mut unpacked = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(answer.body.as_slice());
    std::io::Read::read_to_end(&mut decoder, &mut unpacked).unwrap();
    answer.body = unpacked;
    answer.head.set("content-encoding", "");
    complete(&mut answer, "/settings");
    // The forms of each look at a page have a token of their own.
    let [first, second] = [&plain, answer.text()].map(|page| {
        let fields = hidden_fields(page, "/sign-out");
        let (_, token) = fields.into_iter().find(|(name, _)| name == "csrf").unwrap();
        (page.replace(&token, "token"), token)
    });
    assert_ne!(first.1, second.1);
    assert_eq!(first.0, second.0);
}

#[test]
fn pages_do_not_hide_the_api() {
    for base_path in [
        "/",
        "/settings",
        "/static/x",
        "/sign-in",
        "/setup",
        "/status",
    ] {
        let service = Service::start_with(|config| config.http.base_path = base_path.to_owned());
        let base = base_path.trim_end_matches('/');
        for route in ["/elec", "/sensors"] {
            let target = format!("{base}{route}");
            let answer =
                Connection::open(service.address()).exchange(&request("GET", &target, &[], b""));
            // The error is that of the API.
            answer.assert_problem_shape(400);
        }
        assert_eq!(location(&Browser::new(&service).get("/")), "/sign-in");
    }
}
