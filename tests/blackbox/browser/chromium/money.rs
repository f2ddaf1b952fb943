//! Contracts, prices and statements in the browser.

use std::fs;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use wattkeeper::system_clock;

use crate::browser::house::{House, pay_by_the_hour};
use crate::browser::window::{Browser, DESK, PHONE, Scripts, Theme, key};

const NEW: &str = "/costs/contract?account=home";
const SAVED: &str = "/costs/contracts?account=home&done=saved";
const HOUR_MS: i64 = 3_600_000;

/// How many hours of the week are painted.
fn painted(browser: &Browser) -> i64 {
    let count = "return document.querySelectorAll('#hours-1 [data-week] input:checked').length";
    browser.run(count, &[]).as_i64().unwrap()
}

/// Fills in day and night, a charge, feed-in and a tax.
fn fill(browser: &Browser) {
    browser.open(NEW);
    browser.run("document.querySelector('#from').value = '2020-01-01'", &[]);
    browser.click("[name=rate][value=hours]");
    for (field, text) in [
        ("#usual-price", "0.35"),
        ("#hours-1-price", "0.24"),
        ("#fixed-name-1", "standing charge"),
        ("#fixed-price-1", "12.50"),
        ("#feed_in", "0.08"),
        ("#tax-percent", "19"),
    ] {
        browser.fill(field, text);
    }
}

#[test]
#[ignore = "needs chromium"]
fn hours_are_painted_by_dragging_and_by_headings() {
    House::start().visit(Scripts::On, |browser| {
        browser.look(DESK, Theme::Light);
        fill(browser);
        // Nights are painted already.
        assert_eq!(painted(browser), 56);
        // Two in the afternoon, on all days.
        browser.drag("#hours-1 [data-week] tbody tr:nth-child(15)", 0.12, 0.95);
        browser.wait("seven more", || (painted(browser) == 63).then_some(()));
        // A single box, there and back.
        for expected in [62, 63] {
            browser.click("#hours-1 [value='0-14']");
            assert_eq!(painted(browser), expected);
        }
        for expected in [63 + 15, 63 - 9] {
            browser.click("#hours-1 [data-week] thead th:nth-child(4) button");
            assert_eq!(painted(browser), expected);
        }
        browser.click("form.contract p button");
        browser.wait_for_page(SAVED);
        assert!(browser.text("main").contains("54 hours a week"));
        assert_eq!(browser.complaints(), [""; 0]);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_statement_is_printed_on_one_page() {
    let house = House::start();
    let now = system_clock()().time.millis();
    let begin = now - now % HOUR_MS;
    // By turns it draws and feeds in.
    let reading = |hour: i64| (begin + hour * HOUR_MS, 500, 1_000 * (hour % 3) + 100 * hour);
    house.upload_readings((-72..=0).map(reading));
    house.visit(Scripts::Off, |browser| {
        fill(browser);
        browser.click("form.contract p button");
        browser.wait_for_page(SAVED);
        for range in ["month", "year"] {
            browser.open(&format!("/costs?account=home&range={range}"));
            let bill = browser.text(".bill");
            for line in ["day", "night", "standing charge", "Feed-in", "VAT", "Total"] {
                assert!(bill.contains(line), "{line}: {bill}");
            }
            let print = json!({"preferCSSPageSize": true, "printBackground": true});
            let printed = browser.command("Page.printToPDF", &print);
            let printed = BASE64_STANDARD
                .decode(printed["data"].as_str().unwrap())
                .unwrap();
            let printed = String::from_utf8_lossy(&printed);
            let pages = printed
                .split("/Type /Page")
                .skip(1)
                .filter(|rest| !rest.starts_with('s'));
            assert_eq!(pages.count(), 1, "{range}");
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_tap_reads_a_price_of_the_day() {
    let house = House::start_with(pay_by_the_hour);
    house.upload(1_234.0);
    house.visit(Scripts::On, |browser| {
        let read_out = || browser.text(".day-prices [data-read-out]");
        assert!(browser.has(".day-prices .chart-price-now"));
        browser.look(PHONE, Theme::Light);
        browser.tap(".day-prices .plot-narrow", 0.4);
        let first = browser.wait("a price", || {
            Some(read_out()).filter(|it| it.contains("ct"))
        });
        browser.tap(".day-prices .plot-narrow", 0.8);
        let second = browser.wait("another hour", || {
            Some(read_out()).filter(|it| *it != first)
        });
        browser.look(DESK, Theme::Light);
        browser.keys(".day-prices .plot-wide", key::END);
        browser.wait("the last hour", || (read_out() != second).then_some(()));
        assert_eq!(browser.complaints(), [""; 0]);
    });
}

#[test]
#[ignore = "needs chromium"]
fn prices_come_from_a_file_or_as_text() {
    let house = House::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("prices.csv");
    // Separators of form fields must not split a table.
    fs::write(
        &file,
        "2026-01-05T10:00:00+01:00,0.1\r\n2026-01-05T11:00:00%,0.2&a=b\r\n",
    )
    .unwrap();
    house.visit(Scripts::On, |browser| {
        browser.open("/costs/prices");
        browser.fill("#series", "a & b+c");
        browser.keys("#file", file.to_str().unwrap());
        browser.click("[data-prices] button");
        browser.wait_for_text("[data-prices] [role=status]", "line 2");
        // The console notes the status 422.
        assert_eq!(browser.complaints().len(), 1);
        fs::write(
            &file,
            "2026-01-05T10:00:00+01:00,0.1\r\n2026-01-05T11:00:00+01:00,0.2\r\n",
        )
        .unwrap();
        browser.open("/costs/prices");
        browser.fill("#series", "a & b+c");
        browser.keys("#file", file.to_str().unwrap());
        browser.click("[data-prices] button");
        browser.wait_for_page("/costs/prices?account=home&done=prices");
        assert!(browser.text(".rows").contains("a & b+c"));
        assert!(browser.text(".rows").contains("2 prices"));
    });
    house.visit(Scripts::Off, |browser| {
        browser.open("/costs/prices");
        assert!(!browser.has("[data-file]:not([hidden])"));
        browser.fill("#series", "text");
        browser.fill("#table", "2026-01-05T10:00:00Z,0.1");
        browser.click("[data-prices] button");
        browser.wait_for_page("/costs/prices?account=home&done=prices");
    });
}

#[test]
#[ignore = "needs chromium"]
fn nothing_scrolls_sideways_on_a_phone() {
    House::start().visit(Scripts::On, |browser| {
        fill(browser);
        browser.click("form.contract p button");
        browser.wait_for_page(SAVED);
        browser.look(PHONE, Theme::Light);
        for page in [
            "/costs",
            "/costs/contracts",
            "/costs/prices",
            "/costs/days",
            "/costs/contract?account=home&from=2020-01-01",
        ] {
            browser.open(page);
            for size in ["100%", "200%"] {
                let widths = browser.run(
                    "document.documentElement.style.fontSize = arguments[0];
                     return [document.documentElement.scrollWidth, innerWidth]",
                    &[json!(size)],
                );
                assert_eq!(widths[0], widths[1], "{page} {size}");
            }
        }
    });
}

/// A tariff of a country, by its own form.
const TARIFF: &str = "/costs/tariff?account=home&template=de-flat-feed-in";

#[test]
#[ignore = "needs chromium"]
fn a_tariff_becomes_a_contract_on_a_phone_without_scripts() {
    House::start().visit(Scripts::Off, |browser| {
        browser.look(PHONE, Theme::Light);
        browser.open(TARIFF);
        browser.fill("#base-fee", "12.90");
        browser.fill("#price", "32.9");
        browser.click("form[action$='costs/tariff'] p button");
        browser.wait_for_text("main", "on average");
        if browser.has("#sure") {
            browser.click("#sure");
        }
        browser.click("button[value=save]");
        browser.wait_for_page(SAVED);
        browser.wait_for_text("main", "Flat with feed-in");
    });
}

#[test]
#[ignore = "needs chromium"]
fn no_tariff_scrolls_sideways_on_a_phone() {
    House::start().visit(Scripts::On, |browser| {
        browser.look(PHONE, Theme::Light);
        for page in [
            "/costs/templates?account=home&country=all",
            TARIFF,
            "/costs/tariff?account=home&template=de-dynamic",
            "/costs/tariff?account=home&template=fr-tempo",
            "/costs/tariff?account=home&template=no-steps-day-night",
        ] {
            browser.open(page);
            let over = "document.querySelectorAll('details').forEach((it) => { it.open = true });
                const root = document.documentElement;
                return root.scrollWidth - root.clientWidth;";
            assert_eq!(browser.run(over, &[]), 0, "{page}");
        }
    });
}
