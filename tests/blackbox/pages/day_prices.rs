//! The prices of today and tomorrow on the dashboard.

use std::fmt::Write as _;

use wattkeeper::AccountName;
use wattkeeper::Timestamp;
use wattkeeper::{ContractChange, Contracts};

use crate::pages::browser::Browser;
use crate::pages::dashboard::live_in;
use crate::support::{ACCOUNT, HOUR, Service, at};

/// By a market price and a surcharge, with tax.
const BY_SERIES: &str = r#"[{"from":"2026-01-01","name":"Hourly","currency":"EUR","components":[
    {"energy":{"series":"spot","surcharge":0.2}},{"tax":{"name":"VAT","percent":10}}]}]"#;

/// At eleven in Berlin, with this contract.
fn service_with(contract: &str) -> Service {
    let service = Service::start();
    live_in(&service, "Europe/Berlin", None);
    service.clock.set(at("2026-01-06T10:10:00"));
    let contracts = Contracts::parse(contract).unwrap();
    let put = ContractChange::Put(Box::new(contracts.all()[0].clone()));
    let account = AccountName::new(ACCOUNT).unwrap();
    let changed = service
        .store()
        .edit(move |edit| edit.change_contracts(&account, put));
    changed.unwrap();
    service
}

/// Adds prices for steps of this many milliseconds: a hundredth more each.
fn add_prices(browser: &Browser<'_>, from: &str, count: i32, step_ms: i64, length: &str) {
    let from = at(from);
    let mut table = String::new();
    for nth in 0..count {
        let time: Timestamp = from.saturating_add_millis(i64::from(nth) * step_ms);
        writeln!(table, "{time},{}", f64::from(nth) / 100.0).unwrap();
    }
    let fields = [("series", "spot"), ("length", length), ("table", &table)];
    let answer = browser.submit_own("/costs/prices", &fields);
    assert_eq!(answer.status(), 303, "{}", answer.text());
}

/// The prices on the dashboard.
fn shown(browser: &Browser<'_>) -> Option<String> {
    let page = browser.page("/").replace('\u{202F}', " ");
    let (_, section) = page.split_once("<section class=\"card day-prices\"")?;
    Some(section.split("</section>").next().unwrap().to_owned())
}

#[test]
fn prices_by_the_hour_are_drawn_and_listed() {
    let service = service_with(BY_SERIES);
    let browser = Browser::set_up(&service);
    assert!(shown(&browser).is_none(), "without prices");
    // All of today, from midnight in Berlin.
    add_prices(&browser, "2026-01-05T23:00:00", 24, HOUR, "hour");
    let page = shown(&browser).unwrap();
    // The twelfth price, 0.11, with the surcharge and the tax on both.
    let now = "<dt>Now</dt><dd>34.1 ct / kWh</dd>";
    assert!(page.contains(now), "{page}");
    let most = "<dd>47.3 ct / kWh <small>6 Jan 2026 23:00 – 00:00</small></dd>";
    assert!(page.contains(most), "{page}");
    let row =
        "<tr><th scope=\"row\">6 Jan 2026 00:00 – 01:00</th><td class=\"number\">22.0</td></tr>";
    assert!(page.contains(row), "{page}");
    assert_eq!(page.matches("<tr><th scope=\"row\"").count(), 24);
    // The highest price is red and the lowest one green.
    assert!(page.contains("fill=\"#df4438\"") && page.contains("fill=\"#178e52\""));
    // Prices rise, so the next three hours are cheaper than any later ones.
    let cheapest = "<dt>Cheapest 3 hours from now on</dt><dd>35.4 ct / kWh <small>6 Jan 2026 11:10 – 14:10</small></dd>";
    assert!(page.contains(cheapest), "{page}");
    assert_eq!(page.matches("class=\"chart-picked\"").count(), 4);
    // Values on touch and hover.
    assert!(page.contains("data-read-out") && page.matches("data-points=").count() == 4);
    // Each of four pictures; the window shows one of them.
    assert_eq!(page.matches("<rect class=\"chart-price\"").count(), 4 * 23);
    assert_eq!(
        page.matches("<rect class=\"chart-price chart-price-now\"")
            .count(),
        4
    );
    let title =
        "<title>Price in ct for a kilowatt-hour, 6 Jan 2026 00:00 to 7 Jan 2026 00:00</title>";
    assert!(page.contains(title), "{page}");
    // In the afternoon tomorrow's are known.
    add_prices(&browser, "2026-01-06T23:00:00", 24, HOUR, "hour");
    let page = shown(&browser).unwrap();
    assert!(page.contains("to 8 Jan 2026 00:00</title>"), "{page}");
    assert_eq!(page.matches("<tr><th scope=\"row\"").count(), 48);
    // The lowest from now on is that of the next midnight, not that of the last one.
    let least = "<dd>22.0 ct / kWh <small>7 Jan 2026 00:00 – 01:00</small></dd>";
    assert!(page.contains(least), "{page}");
    let german = [("Accept-Language", "de")];
    let german = browser.send("GET", "/", &german, b"");
    assert!(german.text().contains("Strompreis"));
}

#[test]
fn prices_by_the_quarter_of_an_hour_are_drawn() {
    let service = service_with(BY_SERIES);
    let browser = Browser::set_up(&service);
    add_prices(&browser, "2026-01-05T23:00:00", 192, HOUR / 4, "quarter");
    let page = shown(&browser).unwrap();
    assert_eq!(page.matches("<tr><th scope=\"row\"").count(), 192);
    assert!(page.contains("6 Jan 2026 11:00 – 11:15"), "{page}");
}

#[test]
fn other_contracts_have_no_prices_by_the_hour() {
    let flat = r#"[{"from":"2026-01-01","name":"Flat","currency":"EUR","components":[{"energy":{"price":0.3}}]}]"#;
    let service = service_with(flat);
    let browser = Browser::set_up(&service);
    add_prices(&browser, "2026-01-05T23:00:00", 24, HOUR, "hour");
    assert!(shown(&browser).is_none());
    assert!(
        browser
            .page("/")
            .replace('\u{202F}', " ")
            .contains("0.30 € / kWh")
    );
}
