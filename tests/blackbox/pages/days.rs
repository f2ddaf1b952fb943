//! Day lists by form.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::pages::browser::{Browser, location};
use crate::support::{Response, Service, house_basic, request};

const DAYS: &str = "/costs/days";

fn add(browser: &Browser<'_>, list: &str, table: &str) -> Response {
    browser.submit_own(DAYS, &[("list", list), ("table", table)])
}

fn listed(service: &Service) -> Value {
    let headers = [("Authorization", &*house_basic())];
    let answer = service.send(&request("GET", "/api/v0.2/days", &headers, b""));
    answer.json()["lists"].clone()
}

#[test]
fn days_are_added_shown_and_removed() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    assert!(browser.page(DAYS).contains("There are no day lists yet."));
    // The clock of the tests stands at 5 January 2026.
    let table = "date,type\r\n2026-01-04,blue\r\n2026-01-05,white\r\n2026-01-06,red\r\n";
    let answer = add(&browser, "tempo", table);
    assert_eq!(answer.status(), 303, "{}", answer.text());
    let page = browser.page(location(&answer));
    assert!(page.contains("Days added."), "{page}");
    for shown in [
        "<dt>5 Jan 2026</dt><dd><bdi>white</bdi></dd>",
        "<dt>6 Jan 2026</dt><dd><bdi>red</bdi></dd>",
        "3 days known, from 4 Jan 2026 to 6 Jan 2026.",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    assert!(!page.contains("<bdi>blue</bdi>"), "{page}");
    // Corrected, and another list without a day to come.
    assert_eq!(add(&browser, " tempo ", "2026-01-06,white").status(), 303);
    assert_eq!(add(&browser, "peak & more", "2025-07-01,yes").status(), 303);
    let page = browser.page(DAYS);
    assert!(
        page.contains("<dt>6 Jan 2026</dt><dd><bdi>white</bdi></dd>"),
        "{page}"
    );
    assert!(page.contains("<bdi>peak &#38; more</bdi>"), "{page}");
    assert!(page.contains("No day from today on is known."), "{page}");

    let remove = |fields: &[(&str, &str)]| browser.submit(DAYS, "/costs/days/remove", fields);
    let answer = remove(&[
        ("of", "tempo"),
        ("from", "2026-01-04"),
        ("to", "2026-01-05"),
    ]);
    assert!(browser.page(location(&answer)).contains("Days removed."));
    assert_eq!(listed(&service)[1]["days"], json!(1));
    for (from, to, field) in [
        ("", "2026-01-06", "from"),
        ("2026-01-06", "2026-01-05", "to"),
    ] {
        let answer = remove(&[("of", "tempo"), ("from", from), ("to", to)]);
        assert_eq!(answer.status(), 422);
        let page = answer.text();
        assert!(page.contains(&format!("id=\"{field}-error\"")), "{page}");
        assert!(page.contains(&format!("value=\"{to}\"")), "{page}");
        assert!(page.contains("<option selected>tempo</option>"), "{page}");
    }
    assert_eq!(remove(&[("of", "none"), ("all", "yes")]).status(), 404);
    for list in ["tempo", "peak & more"] {
        assert_eq!(remove(&[("of", list), ("all", "yes")]).status(), 303);
    }
    assert_eq!(listed(&service), json!([]));
}

#[test]
fn mistakes_are_shown_at_their_field() {
    let service = Service::start();
    let browser = Browser::set_up(&service);
    let right = "2026-01-05,red\n";
    let types = (1..18).fold(String::new(), |mut all, day| {
        writeln!(all, "2026-01-{day:02},type {day}").unwrap();
        all
    });
    for (list, table, field, text) in [
        ("", right, "list", "Enter a name"),
        ("tempo:red", right, "list", "Enter a name"),
        ("a", "", "table", "Enter at least one date"),
        (
            "a",
            "2026-01-05,red\n2026-02-30,red",
            "table",
            "Line 2: enter a date that exists",
        ),
        (
            "a",
            "2026-01-05,",
            "table",
            "Line 1: enter a date that exists",
        ),
        (
            "a",
            "2026-01-05,red\n2026-01-05,blue",
            "table",
            "two types for 5 Jan 2026",
        ),
        ("a", "[{}]", "table", "These are not days"),
        ("a", &types, "table", "more than 16 types"),
    ] {
        let answer = add(&browser, list, table);
        assert_eq!(answer.status(), 422, "{table}");
        let page = answer.text();
        assert!(page.contains(text), "{text}: {page}");
        assert!(page.contains(&format!("id=\"{field}-error\"")), "{page}");
        // The form keeps what was typed.
        assert!(page.contains(&format!("value=\"{list}\"")), "{page}");
        let first = table.lines().next().unwrap_or_default();
        assert!(page.contains(first), "{page}");
    }
    for number in 0..16 {
        assert_eq!(
            add(&browser, &format!("list {number}"), right).status(),
            303
        );
    }
    let more = add(&browser, "one more", right);
    assert_eq!(more.status(), 422);
    assert!(
        more.text().contains("as many day lists as it can have"),
        "{}",
        more.text()
    );
    assert_eq!(listed(&service).as_array().unwrap().len(), 16);
}
