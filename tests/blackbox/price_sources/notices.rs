//! Notices about price sources, at times set by the test.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::market::{asked, hours, url};
use crate::pages::browser::{Browser, plain};
use crate::poll::device::{Device, ok, status};
use crate::support::{HOUR, MINUTE, Service, house_basic, request};

const PAGE: &str = "/settings/price-sources";
const LATE: &str = "price-source-late:spot";
const CONFLICT: &str = "price-conflict:spot";

/// Adds a source of Austria, whose prices are published at 14:00, with the account `home`.
fn add(browser: &Browser<'_>, source: &Device) {
    let mapping = format!(
        "url = \"{}/v1/marketdata?start={{from}}&end={{to}}\"\r\nallow_private = true",
        url(source)
    );
    let fields = [
        ("source", "awattar-at"),
        ("account", "home"),
        ("series", "spot"),
        ("mapping", &*mapping),
        ("anyway", "yes"),
    ];
    let answer = browser.submit_own(PAGE, &fields);
    assert_eq!(answer.status(), 303, "{}", answer.text());
}

fn prices(service: &Service, method: &str, query: &str, body: &str) -> Value {
    let who = house_basic();
    let path = format!("/api/v0.2/prices{query}");
    let answer = service.send(&request(
        method,
        &path,
        &[("Authorization", &who)],
        body.as_bytes(),
    ));
    assert_eq!(answer.status(), 200, "{}", answer.text());
    answer.json()
}

/// The number of prices that are stored.
fn count(service: &Service) -> u64 {
    let list = prices(service, "GET", "", "");
    let row = &list["series"][0]["prices"];
    row.as_u64().unwrap_or(0)
}

/// Lets minutes pass until the ids of the notices are as expected.
#[track_caller]
fn pass_until(service: &Service, expected: &[&str]) -> Value {
    let begun = Instant::now();
    loop {
        service.clock.advance(MINUTE);
        thread::sleep(Duration::from_millis(1_100));
        let notices = service.notices();
        let rows = notices.as_array().unwrap();
        let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
        if ids == expected {
            return notices;
        }
        assert!(begun.elapsed() < Duration::from_mins(2), "{notices}");
    }
}

#[track_caller]
fn await_count(service: &Service, expected: u64) {
    let begun = Instant::now();
    while count(service) != expected {
        assert!(begun.elapsed() < Duration::from_mins(1), "no prices");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn prices_that_should_have_been_published_long_ago_are_told_until_they_are_there() {
    let answers = Arc::new(AtomicBool::new(true));
    let is_there = Arc::clone(&answers);
    let source = Device::start(move |head| {
        if is_there.load(Ordering::SeqCst) {
            ok(&hours(asked(head), |_| true))
        } else {
            status("503 Service Unavailable", "", "")
        }
    });
    // 11:30 in Vienna.
    let mut service = Service::start();
    add(&Browser::set_up(&service), &source);
    await_count(&service, 24);
    answers.store(false, Ordering::SeqCst);
    // 20:56 there: seven hours after the publication are not over.
    service.clock.advance(9 * HOUR + 26 * MINUTE);
    pass_until(&service, &[]);
    service.clock.advance(5 * MINUTE);
    let found = pass_until(&service, &[LATE]);
    assert_eq!(found[0]["subject"], json!({"series": "spot"}));
    assert_eq!(found[0]["since"], "2026-01-05T23:00:00.000Z");
    assert_eq!(
        found[0]["happened"],
        "The source of spot is late: values that should be there by now are missing."
    );
    // A restart changes nothing, although the source was asked for a moment only.
    service.restart();
    assert_eq!(pass_until(&service, &[LATE]), found);
    answers.store(true, Ordering::SeqCst);
    service.clock.advance(HOUR);
    pass_until(&service, &[]);
    assert_eq!(count(&service), 48);
}

#[test]
fn a_source_that_differs_from_stored_prices_is_told_until_they_are_removed() {
    let source = Device::start(|head| ok(&hours(asked(head), |_| true)));
    let mut service = Service::start();
    let browser = Browser::set_up(&service);
    let wrong = r#"[{"time":"2026-01-05T08:00:00Z","price":9}]"#;
    prices(&service, "PUT", "?series=spot", wrong);
    add(&browser, &source);
    await_count(&service, 24);
    let found = pass_until(&service, &[CONFLICT]);
    assert_eq!(found[0]["since"], "2026-01-05T08:00:00.000Z");
    let page = plain(&browser.page("/status"));
    assert!(
        page.contains("The source of spot differs from the stored values."),
        "{page}"
    );
    // A restart forgets the answer, but not the notice.
    service.restart();
    service.clock.advance(HOUR);
    assert_eq!(pass_until(&service, &[CONFLICT]), found);
    let browser = Browser::signed_in(&service);
    let series = "/costs/series?account=home&name=spot";
    let day = [("from", "2026-01-05"), ("to", "2026-01-05")];
    let removed = browser.submit(series, "/costs/series/remove", &day);
    assert_eq!(removed.status(), 303, "{}", removed.text());
    service.clock.advance(30 * MINUTE);
    pass_until(&service, &[]);
    await_count(&service, 24);
    pass_until(&service, &[]);
}

#[test]
fn a_stored_price_that_is_changed_ends_the_difference() {
    let source = Device::start(|head| ok(&hours(asked(head), |_| true)));
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let put = |price: &str| {
        let body = format!("[{{\"time\":\"2026-01-05T08:00:00Z\",\"price\":{price}}}]");
        prices(&service, "PUT", "?series=spot", &body);
    };
    put("9");
    add(&browser, &source);
    pass_until(&service, &[CONFLICT]);
    put("0.1");
    pass_until(&service, &[]);
}
