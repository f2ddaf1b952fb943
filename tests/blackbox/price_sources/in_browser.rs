//! Price sources, added in the browser.

use std::time::Duration;

use super::market::{asked, await_prices, empty, hours, list, market, section, url};
use crate::mqtt::house::eventually;
use crate::pages::browser::{Browser, hidden_fields, location, plain};
use crate::pages::service::{administered, browser_at};
use crate::place::Place;
use crate::poll::device::{Device, ok, status};
use crate::support::Response;

const PAGE: &str = "/settings/price-sources";

/// The lines that describe a source at this address.
fn lines(address: &str, more: &str) -> String {
    format!(
        "url = \"{address}/v1/marketdata?start={{from}}&end={{to}}\"\r\nallow_private = true\r\n{more}"
    )
}

fn add(browser: &Browser<'_>, mapping: &str, more: &[(&str, &str)]) -> Response {
    let fields = [
        ("source", "awattar-at"),
        ("account", "home"),
        ("series", "spot"),
        ("mapping", mapping),
    ];
    browser.submit_own(PAGE, &[&fields[..], more].concat())
}

#[test]
fn a_source_is_tested_then_added_then_removed() {
    let source = market();
    let place = empty(&[]);
    let (serving, browser) = administered(&place);
    let mapping = lines(&url(&source), "");
    // Testing it stores nothing.
    let tested = add(&browser, &mapping, &[("only", "yes")]);
    assert_eq!(tested.status(), 200, "{}", tested.text());
    let page = plain(tested.text());
    assert!(page.contains("It answers with "), "{page}");
    assert!(
        page.contains("Nothing was stored, and the source is not added yet."),
        "{page}"
    );
    assert!(page.contains(&url(&source)), "the lines come back: {page}");
    assert!(!tested.text().contains("settings/price-sources/remove"));
    assert!(list(&place).is_empty());
    let added = add(&browser, &mapping, &[]);
    assert_eq!(added.status(), 200, "{}", added.text());
    assert!(plain(added.text()).contains("wattkeeper asks it from now on."));
    await_prices(&place, "spot", |count| count >= 23);
    for address in [PAGE, "/status"] {
        let page = eventually("an answer", || {
            let page = plain(&browser.page(address));
            page.contains(" of them new").then_some(page)
        });
        assert!(page.contains("aWATTar (Austria)"), "{page}");
    }
    // The same series again replaces it.
    assert_eq!(add(&browser, &mapping, &[]).status(), 200);
    let page = browser.page(PAGE);
    assert_eq!(page.matches("price-sources/remove").count(), 1, "{page}");
    let removal = hidden_fields(&page, "/settings/price-sources/remove");
    let answer = browser.post("/settings/price-sources/remove", &removal);
    assert_eq!(
        location(&answer),
        "/settings/price-sources?done=source-removed"
    );
    let page = plain(&browser.page(location(&answer)));
    assert!(page.contains("Its prices stay"), "{page}");
    assert!(!browser.page(PAGE).contains("price-sources/remove"));
    assert_eq!(list(&place).len(), 1);
    assert!(
        serving
            .stop()
            .contains("changed in the browser: price_source")
    );
}

/// Checks that the form with this description and these fields comes back with a mistake.
#[track_caller]
fn refused(browser: &Browser<'_>, mapping: &str, more: &[(&str, &str)], expected: &str) {
    let answer = add(browser, mapping, more);
    assert_eq!(
        answer.status(),
        422,
        "{mapping} {more:?}: {}",
        answer.text()
    );
    let page = plain(answer.text());
    assert!(page.contains(expected), "{expected}: {page}");
}

#[test]
fn mistakes_come_back_at_their_field() {
    let place = empty(&[]);
    let (serving, browser) = administered(&place);
    // Nothing listens there, and nothing is asked.
    let mapping = lines("http://127.0.0.1:9", "");
    let zone = "Enter a zone or region as the source names it";
    for (mapping, field, expected) in [
        (
            &*mapping,
            ("series", ""),
            "Enter the name of a price series",
        ),
        (&mapping, ("account", "nobody"), "There is no such account."),
        (&mapping, ("zone", "AT"), zone),
        (
            &mapping,
            ("since", "1.1.1999"),
            "Enter a date from 2000-01-01 on",
        ),
        (
            &mapping,
            ("since", "soon"),
            "Enter a date from 2000-01-01 on",
        ),
        (
            "",
            ("source", ""),
            "The line url is wrong, missing or unknown.",
        ),
        ("url = ", ("source", ""), "Enter lines such as price ="),
        ("", ("source", "energy-charts"), zone),
        ("", ("source", "x"), "Choose the source."),
    ] {
        refused(&browser, mapping, &[field], expected);
    }
    for line in [
        "key_file = \"/etc/passwd\"",
        "unit = \"EUR\"",
        "most_days = 0",
    ] {
        let (name, _) = line.split_once(' ').unwrap();
        let expected = format!("The line {name} is wrong, missing or unknown.");
        refused(&browser, line, &[], &expected);
    }
    drop(serving.stop());
}

#[test]
fn a_source_that_answers_something_else_is_added_only_if_that_is_meant() {
    let html = Device::start(|_| ok("<html>Sign in</html>"));
    let place = empty(&[]);
    let (serving, browser) = administered(&place);
    let mapping = lines(&url(&html), "");
    let expected = "The answer is something else, such as a web page.";
    refused(&browser, &mapping, &[], expected);
    // Without an account, it is the only one.
    refused(&browser, &mapping, &[("account", "")], expected);
    let private = mapping.replace("allow_private = true\r\n", "");
    refused(
        &browser,
        &private,
        &[],
        "Its address is in a private network",
    );
    let anyway = [("anyway", "yes"), ("since", "5.1.2026")];
    let answer = add(&browser, &mapping, &anyway);
    assert_eq!(location(&answer), "/settings/price-sources?done=source");
    eventually("the failure", || {
        let page = plain(&browser.page("/status"));
        page.contains(expected).then_some(())
    });
    assert!(list(&place).is_empty());
    drop(serving.stop());
}

#[test]
fn the_page_is_there_in_german_too() {
    let source = market();
    let place = empty(&[]);
    let (serving, mut browser) = administered(&place);
    browser.headers = vec![("Accept-Language", "de".to_owned())];
    let page = plain(&browser.page(PAGE));
    assert!(
        page.contains("Preisquellen") && page.contains("Eine Quelle hinzufügen"),
        "{page}"
    );
    let tested = add(&browser, &lines(&url(&source), ""), &[("only", "yes")]);
    let page = plain(tested.text());
    assert!(
        page.contains("Sie antwortet mit ") && page.contains("Es wurde nichts gespeichert"),
        "{page}"
    );
    let wrong = add(&browser, "key_file = \"x\"", &[]);
    assert!(
        plain(wrong.text()).contains("Die Zeile key_file ist falsch"),
        "{}",
        wrong.text()
    );
    drop(serving.stop());
}

/// A market that wants this key.
fn with_key(key: &'static str) -> Device {
    let expected = format!("x-api-key: {key}\r\n");
    Device::start(move |head| {
        if head.to_ascii_lowercase().contains(&expected) {
            ok(&hours(asked(head), |_| true))
        } else {
            status("403 Forbidden", "", "")
        }
    })
}

#[test]
fn a_key_goes_to_its_server_only_and_is_in_no_page_log_or_backup() {
    let (source, stranger) = (with_key("hunter2"), with_key("another"));
    let place = empty(&[]);
    let (serving, browser) = administered(&place);
    let header = "header = \"X-Api-Key: {key}\"";
    let mapping = lines(&url(&source), header);
    let asked_for = add(&browser, &mapping, &[]);
    assert!(
        plain(asked_for.text()).contains("It wants a key, or refuses this one."),
        "{}",
        asked_for.text()
    );
    let answer = add(&browser, &mapping, &[("key", "hunter2")]);
    assert_eq!(answer.status(), 200, "{}", answer.text());
    assert!(!answer.text().contains("hunter2"));
    await_prices(&place, "spot", |count| count >= 23);
    // An empty field keeps the stored key.
    assert_eq!(add(&browser, &mapping, &[]).status(), 200);
    assert!(!browser.page(PAGE).contains("hunter2"));
    // At another server the key has to be typed again.
    let elsewhere = lines(&url(&stranger), header);
    let anyway = [("anyway", "yes"), ("since", "2020-01-01")];
    let moved = add(&browser, &elsewhere, &anyway);
    assert_eq!(location(&moved), "/settings/price-sources?done=source");
    eventually("a failure", || {
        let page = plain(&browser.page(PAGE));
        page.contains("It wants a key, or refuses this one.")
            .then_some(())
    });
    let heads = stranger.requests();
    assert!(heads.iter().all(|(_, head)| !head.contains("hunter2")));
    // Back again: the key of a server without a source is gone.
    assert_eq!(add(&browser, &mapping, &[]).status(), 422);
    assert_eq!(add(&browser, &mapping, &[("key", "hunter2")]).status(), 200);
    let file = place.dir.path().join("copy.wkbk");
    let file = file.to_str().unwrap();
    place.ok(&["backup", file]);
    assert!(!String::from_utf8_lossy(&std::fs::read(file).unwrap()).contains("hunter2"));
    assert!(!serving.stop().contains("hunter2"));
    let other = Place::new();
    other.ok(&["restore", file]);
    let serving = other.serve(&[]);
    let browser = browser_at(&serving);
    let page = browser.page("/status");
    assert!(page.contains("Keys of price sources are missing"), "{page}");
    assert_eq!(add(&browser, &mapping, &[("key", "hunter2")]).status(), 200);
    let page = browser.page("/status");
    assert!(
        !page.contains("Keys of price sources are missing"),
        "{page}"
    );
    drop(serving.stop());
}

#[test]
fn a_series_of_the_file_is_not_filled_by_a_second_source() {
    let (first, second) = (market(), market());
    let place = empty(&[section(&url(&first), "spot", "")]);
    let (serving, browser) = administered(&place);
    let answer = add(&browser, &lines(&url(&second), ""), &[]);
    assert_eq!(answer.status(), 422);
    let page = plain(answer.text());
    assert!(
        page.contains("A source in the configuration file fills this series"),
        "{page}"
    );
    assert!(!answer.text().contains("price-sources/remove"));
    drop(serving.stop());
}

#[test]
fn a_difference_from_stored_prices_is_on_the_page() {
    let source = market();
    let place = empty(&[]);
    let (serving, browser) = administered(&place);
    let start = eventually("the day of a request", || {
        let answer = add(&browser, &lines(&url(&source), ""), &[("only", "yes")]);
        assert_eq!(answer.status(), 200, "{}", answer.text());
        source.requests().first().map(|(_, head)| asked(head).0)
    });
    let time = wattkeeper::Timestamp::from_millis(start).unwrap();
    let file = place.file("own.csv", format!("{time},9\n").as_bytes());
    place.ok(&[
        "prices", "import", &file, "--series", "spot", "--length", "hour",
    ]);
    let told = "1 differ from stored ones, the first at";
    let tested = eventually("the difference", || {
        let answer = add(&browser, &lines(&url(&source), ""), &[("only", "yes")]);
        let page = plain(answer.text());
        page.contains(told).then_some(page)
    });
    assert!(tested.contains("The stored ones stay."), "{tested}");
    assert_eq!(add(&browser, &lines(&url(&source), ""), &[]).status(), 200);
    eventually("the difference on the status", || {
        std::thread::sleep(Duration::from_millis(100));
        plain(&browser.page("/status")).contains(told).then_some(())
    });
    let text = place.ok(&["prices", "export", "spot"]);
    assert!(text.contains(",9\n"), "{text}");
    drop(serving.stop());
}
