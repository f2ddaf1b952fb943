//! On a phone: a jump is decided, and a meter typed in; with scripts and without.

use crate::browser::house::House;
use crate::browser::window::{Browser, PHONE, Scripts, Theme};

const MINUTE_MS: i64 = 60_000;
/// 10 March 2026 at noon in UTC.
const NOON_MS: i64 = 1_773_144_000_000;
const CHART: &str = "/chart?sensor=house&range=day&at=2026-03-10";

/// A kilowatt, and after two minutes a thousand kilowatt-hours at once.
fn upload_a_jump(house: &House) {
    let counted = [0, 17, 33, 1_000_050, 1_000_067];
    let readings = (0..).zip(counted);
    house.upload_readings(
        readings.map(|(minute, counted)| (NOON_MS + minute * MINUTE_MS, 1_000, counted)),
    );
}

#[track_caller]
fn nothing_scrolls_sideways(browser: &Browser) {
    let width = browser.run("return document.documentElement.scrollWidth", &[]);
    assert_eq!(width, PHONE.0, "{}", browser.page());
}

fn mend(scripts: Scripts) {
    let house = House::start();
    upload_a_jump(&house);
    house.visit(scripts, |browser| {
        browser.look(PHONE, Theme::BOTH[0]);
        browser.open(CHART);
        browser.wait_for_text("#events", "Jump");
        nothing_scrolls_sideways(browser);
        browser.click("#events summary");
        nothing_scrolls_sideways(browser);
        browser.click("#events input[value=ignore]");
        browser.fill("#note-0", "lightning");
        browser.click("form[action='events/decide'] button");
        browser.wait_for_text("#events", "lightning");
        assert!(!browser.has("#events .mark.bad"));
        browser.click("form[action='events/revoke'] button");
        browser.wait_for_text("#events .mark.bad", "open");

        browser.open("/meter");
        nothing_scrolls_sideways(browser);
        browser.fill("#shown", "100");
        browser.click("form[action='meter'] button");
        browser.wait_for_text("main", "Saved.");
        browser.fill("#shown", "99");
        browser.click("form[action='meter'] button");
        browser.wait_for_text("main", "should be at least that");
        nothing_scrolls_sideways(browser);
        // The console notes the status 422.
        assert_eq!(browser.complaints().len(), 1);
        browser.click("#sure");
        browser.click("form[action='meter'] button");
        browser.wait_for_text("main", "99.000");
        for page in [
            "/bills",
            "/events?account=home",
            "/meter/change?sensor=house",
        ] {
            browser.open(page);
            nothing_scrolls_sideways(browser);
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn readings_are_mended_with_scripts() {
    mend(Scripts::On);
}

#[test]
#[ignore = "needs chromium"]
fn readings_are_mended_without_scripts() {
    mend(Scripts::Off);
}

#[test]
#[ignore = "needs chromium"]
fn the_events_follow_the_chart() {
    let house = House::start();
    upload_a_jump(&house);
    house.visit(Scripts::On, |browser| {
        browser.open(CHART);
        browser.wait_for_text("#events", "Jump");
        browser.click("a[data-way=before]");
        browser.wait_for_text("#events", "Nothing is unusual");
    });
}
