//! Pages compared with last year or with the time before, and the switch between.

use serde_json::json;
use wattkeeper::Reading;

use crate::pages::browser::Browser;
use crate::pages::dashboard::{kilowatthours, live_in};
use crate::support::{HOUR, Service, at, register};

/// Wednesday, 8 April 2026, noon in Berlin. From 1 April 2025 on the house draws 100 W, and from
/// 2026 on 200 W.
fn house() -> Service {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.5"));
    let (start, new_year) = (at("2025-03-31T22:00:00"), at("2026-01-01T00:00:00"));
    let now = at("2026-04-08T10:00:00");
    service.clock.set(now);
    let mut shown = 0.0;
    let mut time = start;
    let mut readings: Vec<Reading> = Vec::new();
    while time <= now {
        readings.push(register(time, shown));
        shown += if time < new_year { 100.0 } else { 200.0 };
        time = time.saturating_add_millis(HOUR);
    }
    service.import(&readings);
    service
}

/// A page with plain spaces and ampersands.
fn page(browser: &Browser<'_>, target: &str) -> String {
    let page = browser.page(target);
    page.replace("&#38;", "&").replace("&amp;", "&")
}

fn tile<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, tile) = page.split_once(&format!("<h3>{name}</h3>")).unwrap();
    tile.split("</li>").next().unwrap()
}

#[test]
fn the_dashboard_compares_with_last_year_if_it_can() {
    let service = house();
    let browser = Browser::set_up(&service);
    let shown = page(&browser, "/");
    for (name, against, watthours) in [
        ("Today", "a year ago by this time", 1_200.0),
        ("Yesterday", "a year ago", 2_400.0),
        ("This week", "a year ago by this time", 6_000.0),
        ("This month", "last year by this time", 18_000.0),
    ] {
        let tile = tile(&shown, name);
        let words = format!("{against} {}", kilowatthours(watthours));
        assert!(tile.contains(&words), "{words} in {tile}");
        assert!(tile.contains("100\u{202F}%"), "{tile}");
    }
    let other = "<a href=\"/?against=before\">Compare with the time before</a>";
    assert!(shown.contains(other), "{shown}");
    assert!(shown.contains("the same weekday a year ago"), "{shown}");
    // The address keeps the choice.
    let shown = page(&browser, "/?account=home&range=week&against=before");
    let today = format!("yesterday by this time {}", kilowatthours(2_400.0));
    assert!(tile(&shown, "Today").contains(&today), "{shown}");
    let other = "<a href=\"/?account=home&range=week&against=year\">Compare with last year</a>";
    assert!(shown.contains(other), "{shown}");
    assert!(
        shown.contains("?account=home&range=month&against=before"),
        "{shown}"
    );
    let wrong = browser.send("GET", "/?against=last", &[], b"");
    assert_eq!(wrong.status(), 400, "{}", wrong.text());
}

#[test]
fn a_young_house_is_compared_with_the_time_before() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", Some("0.5"));
    service.clock.set(at("2026-04-08T10:00:00"));
    // A day less than the month of last year needs.
    let times = [
        "2025-04-02T00:00:00",
        "2026-04-06T22:00:00",
        "2026-04-08T10:00:00",
    ];
    let registers = (0..)
        .zip(times)
        .map(|(nth, time)| register(at(time), f64::from(nth) * 3_600.0));
    service.import(&registers.collect::<Vec<_>>());
    let browser = Browser::set_up(&service);
    let shown = page(&browser, "/");
    assert!(
        shown.contains("<a href=\"/?against=year\">Compare with last year</a>"),
        "{shown}"
    );
    assert!(
        tile(&shown, "Today").contains("yesterday by this time"),
        "{shown}"
    );
    let german = [("Accept-Language", "de")];
    let german = browser.send("GET", "/", &german, b"");
    assert!(german.text().contains("Mit dem Vorjahr vergleichen"));
}

#[test]
fn the_energy_page_keeps_what_it_compares_with() {
    let service = house();
    let browser = Browser::set_up(&service);
    for (query, compared, before, other) in [
        (
            "range=month",
            "Compared with 1 Apr 2025 – 8 Apr 2025, 12:00.",
            Some(18_000.0),
            "/energy?range=month&against=before",
        ),
        (
            "range=month&against=before",
            "Compared with 1 Mar 2026 – 8 Mar 2026, 12:00.",
            Some(36_000.0),
            "/energy?range=month&against=year",
        ),
        (
            "from=2026-04-06&to=2026-04-07",
            "Compared with 7 Apr 2025 – 8 Apr 2025.",
            Some(4_800.0),
            "/energy?from=2026-04-06&to=2026-04-07&against=before",
        ),
        // A year before that nothing is known.
        (
            "range=day&at=2025-06-01",
            "Compared with 31 May 2025.",
            Some(2_400.0),
            "/energy?range=day&at=2025-06-01&against=year",
        ),
    ] {
        let shown = page(&browser, &format!("/energy?{query}"));
        assert!(shown.contains(compared), "{query}: {shown}");
        let used = tile(&shown, "Used");
        let before = before.map(|it| format!("before: {}", kilowatthours(it)));
        assert!(
            before.is_none_or(|it| used.contains(&it)),
            "{query}: {used}"
        );
        assert!(
            shown.contains(&format!("<a href=\"{other}\">Compare with")),
            "{query}: {shown}"
        );
    }
    let shown = page(&browser, "/energy?range=month&against=year");
    assert!(
        shown.contains("<li class=\"flow-before\">Used, Apr 2025</li>"),
        "{shown}"
    );
    for kept in [
        "energy?range=week&against=year",
        "energy?range=month&at=2026-03-01&against=year",
        "energy?range=day&at=2026-04-01&against=year",
        "name=\"against\" value=\"year\"",
    ] {
        assert!(shown.contains(kept), "{kept} in {shown}");
    }
    // The year before is last year.
    let year = page(&browser, "/energy?range=year");
    assert!(!year.contains("Compare with"), "{year}");
    let wrong = browser.send("GET", "/energy?against=week", &[], b"");
    assert_eq!(wrong.status(), 400, "{}", wrong.text());
}

#[test]
fn an_amount_says_what_it_leaves_out() {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    let (start, now) = (at("2026-03-31T22:00:00"), at("2026-04-08T10:00:00"));
    service.clock.set(now);
    let (mut time, mut shown, mut readings) = (start, 0.0, Vec::new());
    while time <= now {
        readings.push(register(time, shown));
        shown += 200.0;
        time = time.saturating_add_millis(HOUR);
    }
    service.import(&readings);
    let contract = |from: &str| {
        let flat = json!({"from": from, "name": "Flat", "currency": "EUR", "components": [{"energy": {"price": 0.5}}]});
        crate::http::house_energy::contract(&service, &flat);
    };
    // More than half of 36 kWh has no price, so the total is not set off.
    contract("2026-04-05");
    let browser = Browser::set_up(&service);
    let shown = page(&browser, "/costs?range=month");
    let plain = shown.replace('\u{202F}', " ");
    assert!(
        plain.contains("<div><dt>Total</dt><dd><data value=\"8.4\">"),
        "{plain}"
    );
    assert!(plain.contains("<small>without 19.2 kWh</small>"), "{plain}");
    let dashboard = page(&browser, "/").replace('\u{202F}', " ");
    assert!(dashboard.contains("without 19.2 kWh"), "{dashboard}");
    let energy = page(&browser, "/energy?range=month").replace('\u{202F}', " ");
    assert!(energy.contains("without 53 % of the energy"), "{energy}");
    contract("2026-04-02");
    let shown = page(&browser, "/costs?range=month").replace('\u{202F}', " ");
    assert!(
        shown.contains("<div class=\"total\"><dt>Total</dt><dd><data value=\"15.6\">"),
        "{shown}"
    );
    assert!(shown.contains("<small>without 4.8 kWh</small>"), "{shown}");
    contract("2026-04-01");
    let shown = page(&browser, "/costs?range=month");
    assert!(!shown.contains("without"), "{shown}");
}

#[test]
fn a_statement_names_the_total_of_last_year() {
    let service = house();
    let browser = Browser::set_up(&service);
    let shown = page(&browser, "/costs?range=month");
    // 180 hours, with a kilowatt-hour at 0.50.
    assert!(
        shown.contains("<div class=\"total\"><dt>Total</dt><dd><data value=\"18\">"),
        "{shown}"
    );
    assert!(
        shown.contains("Compared with 1 Apr 2025 – 8 Apr 2025, 12:00."),
        "{shown}"
    );
    assert!(
        shown.contains("<data value=\"9\">") && shown.contains("100\u{202F}%"),
        "{shown}"
    );
    let other =
        "href=\"/costs?account=home&range=month&against=before\">Compare with the time before";
    assert!(shown.contains(other), "{shown}");
    let shown = page(&browser, "/costs?range=month&against=before");
    assert!(
        shown.contains("Compared with 1 Mar 2026 – 8 Mar 2026, 12:00."),
        "{shown}"
    );
    assert!(shown.contains("no change"), "{shown}");
    assert!(
        shown.contains("costs?account=home&range=month&at=2026-03-01&against=before"),
        "{shown}"
    );
    // Of a range that is not known, nothing is said to have changed.
    let unknown = page(&browser, "/costs?range=month&at=2026-02-01&against=year");
    assert!(
        unknown.contains("Compared with 1 Feb 2025 – 28 Feb 2025."),
        "{unknown}"
    );
    assert!(unknown.contains("Its cost is not known."), "{unknown}");
    // Nor is a year compared with one if only a week of that is known.
    let year = page(&browser, "/costs?range=year");
    assert!(year.contains("Compared with 1 Jan 2025"), "{year}");
    assert!(year.contains("Its cost is not known."), "{year}");
    let long = page(&browser, "/costs?from=2024-01-01&to=2026-04-07");
    assert!(!long.contains("Compared with"), "{long}");
}
