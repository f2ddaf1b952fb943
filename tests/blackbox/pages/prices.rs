//! Price series by form.

use std::fmt::Write as _;

use serde_json::json;
use wattkeeper::Timestamp;

use crate::pages::browser::{Browser, encoded, hidden_fields, location};
use crate::support::{Response, Service, house_basic, request};

const PRICES: &str = "/costs/prices";
const SERIES: &str = "/costs/series?account=home&name=day-ahead";

fn add(browser: &Browser<'_>, fields: &[(&str, &str)]) -> Response {
    browser.submit_own(PRICES, fields)
}

fn listed(service: &Service) -> serde_json::Value {
    let target = "/api/v0.2/prices";
    let answer = service.send(&request(
        "GET",
        target,
        &[("Authorization", &house_basic())],
        b"",
    ));
    answer.json()["series"].clone()
}

#[test]
fn prices_are_added_and_removed() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    assert!(browser.page(PRICES).contains("There are no prices yet."));
    let table = "time,price\r\n2026-01-05T10:00:00Z,0.1\r\n2026-01-05T11:00:00Z,-0.01\r\n2026-01-05T14:00:00Z,0.2\r\n2026-01-07T00:00:00Z,0.3\r\n";
    let fields = [
        ("series", "day-ahead"),
        ("length", "hour"),
        ("table", table),
    ];
    let page = browser.page(location(&add(&browser, &fields)));
    assert!(
        page.contains("Prices added.") && page.contains("4 prices"),
        "{page}"
    );
    assert!(
        page.contains("2 gaps without a price, 35 hours in all. If each price holds until"),
        "{page}"
    );
    assert!(
        page.contains("5 Jan 2026, 10:00 – 7 Jan 2026, 01:00"),
        "{page}"
    );
    let page = browser.page(SERIES);
    assert!(page.contains("<dt>Gaps</dt><dd>2</dd>"), "{page}");
    assert!(
        page.contains("<li>5 Jan 2026, 12:00 – 5 Jan 2026, 14:00</li>"),
        "{page}"
    );
    // The first days go; then all.
    let remove = |fields: &[(&str, &str)]| browser.submit(SERIES, "/costs/series/remove", fields);
    let answer = remove(&[("from", "2026-01-01"), ("to", "2026-01-06")]);
    assert!(browser.page(location(&answer)).contains("Prices removed."));
    assert_eq!(listed(&service)[0]["prices"], json!(1));
    for (from, to, field) in [
        ("", "2026-01-06", "from"),
        ("2026-01-06", "2026-01-05", "to"),
    ] {
        let answer = remove(&[("from", from), ("to", to)]);
        assert_eq!(answer.status(), 422);
        assert!(
            answer.text().contains(&format!("id=\"{field}-error\"")),
            "{}",
            answer.text()
        );
        assert!(
            answer.text().contains(&format!("value=\"{to}\"")),
            "{}",
            answer.text()
        );
    }
    assert_eq!(remove(&[("all", "yes")]).status(), 303);
    assert_eq!(listed(&service), json!([]));
    assert_eq!(browser.get(SERIES).status(), 404);
}

#[test]
fn mistakes_are_shown_at_their_field() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let right = "2026-01-05T10:00:00Z,0.1\n";
    for (series, table, field, text) in [
        ("", right.to_owned(), "series", "Enter a name"),
        ("a", String::new(), "table", "Enter at least one time"),
        (
            "a",
            format!("{right}yesterday,1\n"),
            "table",
            "line 2: expected a time and a price",
        ),
        (
            "a",
            right.repeat(2),
            "table",
            "two prices for 5 Jan 2026, 10:00",
        ),
        ("a", "[{}]".to_owned(), "table", "These are not prices"),
    ] {
        let fields = [("series", series), ("length", "quarter"), ("table", &table)];
        let answer = add(&browser, &fields);
        assert_eq!(answer.status(), 422, "{table}");
        let page = answer.text();
        assert!(page.contains(text), "{text}: {page}");
        assert!(page.contains(&format!("id=\"{field}-error\"")), "{page}");
        // The form keeps what was typed.
        assert!(page.contains(&format!("value=\"{series}\"")), "{page}");
        assert!(page.contains("value=\"quarter\" selected"), "{page}");
        let first = table.lines().next().unwrap_or_default();
        assert!(page.contains(&first.replace('"', "&#34;")), "{page}");
    }
    let many = |name: String| add(&browser, &[("series", &name), ("table", right)]).status();
    for number in 0..16 {
        assert_eq!(many(format!("series {number}")), 303);
    }
    assert_eq!(many("one more".to_owned()), 422);
}

/// Ten years of quarters of an hour, as the script sends them: with little escaped. Without a valid token they are refused.
#[test]
fn a_large_file_is_taken_whole() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let start = Timestamp::parse("2016-01-01T00:00:00Z").unwrap();
    let mut table = String::from("time,price\n");
    for n in 0..350_400_i64 {
        let time = start.saturating_add_millis(n * 900_000);
        let price = n * 7_919 % 500_000;
        writeln!(table, "{time},0.{price:06}").unwrap();
    }
    assert!(table.len() > 11_000_000);
    let hidden = hidden_fields(&browser.page(PRICES), PRICES);
    let body = |csrf: &str| {
        format!("csrf={csrf}&account=home&series=day-ahead&length=quarter&table={table}")
    };
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let refused = browser.send("POST", PRICES, &form, body("x").as_bytes());
    assert_eq!(refused.status(), 403);
    let csrf = hidden.iter().find(|(name, _)| name == "csrf").unwrap();
    let answer = browser.send("POST", PRICES, &form, body(&encoded(&csrf.1)).as_bytes());
    assert_eq!(answer.status(), 303, "{}", answer.text());
    assert_eq!(listed(&service)[0]["prices"], json!(350_400));
    let page = browser.page(SERIES);
    assert!(page.contains("<dt>Gaps</dt><dd>0</dd>"), "{page}");
    // Other pages take no such forms, nor this page larger ones.
    let sent = browser.send(
        "POST",
        "/costs/contract",
        &form,
        body(&encoded(&csrf.1)).as_bytes(),
    );
    assert_eq!(sent.status(), 413);
    let huge = vec![b'x'; 17 * 1024 * 1024];
    assert_eq!(browser.send("POST", PRICES, &form, &huge).status(), 413);
}
