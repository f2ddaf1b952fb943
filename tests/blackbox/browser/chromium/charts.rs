//! Reading and zooming charts by mouse and keyboard.

use serde_json::json;

use crate::browser::house::House;
use crate::browser::window::{Browser, Scripts, key};

const MINUTE_MS: i64 = 60_000;
/// A past day, on which power rises steadily.
const DAY: &str = "/chart?range=day&at=2026-03-10";
/// Its start in Berlin.
const BEGIN_MS: i64 = 1_773_097_200_000;
const END_MS: i64 = BEGIN_MS + 24 * 60 * MINUTE_MS;
const PLOT: &str = ".plot-wide";

fn house_with_a_day() -> House {
    let house = House::start();
    let reading = |minute| (BEGIN_MS + minute * MINUTE_MS, minute, minute * 10);
    house.upload_readings((0..1_440).map(reading));
    house
}

/// The range of the chart, in milliseconds since 1970.
fn shown(browser: &Browser) -> (i64, i64) {
    let ends = "const {from, to} = document.querySelector('#chart').dataset; return [from, to]";
    let ends = browser.run(ends, &[]);
    let end = |nth: usize| ends[nth].as_str().unwrap().parse().unwrap();
    (end(0), end(1))
}

fn wait_for_another(browser: &Browser, before: (i64, i64)) -> (i64, i64) {
    browser.wait("another range", || {
        let here = shown(browser);
        (here != before).then_some(here)
    })
}

#[track_caller]
fn assert_near(found: (i64, i64), expected: (i64, i64)) {
    // The axis takes a part of the width.
    let most = 90 * MINUTE_MS;
    let is_near = |a: i64, b: i64| (a - b).abs() < most;
    assert!(
        is_near(found.0, expected.0) && is_near(found.1, expected.1),
        "{found:?}, not {expected:?}"
    );
}

#[test]
#[ignore = "needs chromium"]
fn dragging_zooms_and_the_back_button_undoes_it() {
    let house = house_with_a_day();
    house.visit(Scripts::On, |browser| {
        browser.open(DAY);
        let day = (BEGIN_MS, END_MS);
        assert_eq!(shown(browser), day);
        browser.run("window.isTheSame = true", &[]);
        browser.drag(PLOT, 0.25, 0.75);
        let part = wait_for_another(browser, day);
        let quarter = (END_MS - BEGIN_MS) / 4;
        assert_near(part, (BEGIN_MS + quarter, END_MS - quarter));
        assert!(
            browser.page().contains("from=2026-03-10T"),
            "{}",
            browser.page()
        );
        // The figures are those of the new range.
        browser.wait_for_text(".chart-figures", "Lowest");
        assert!(!browser.text(".chart-figures").contains("Lowest\n0 W"));
        browser.drag(PLOT, 0.4, 0.6);
        let smaller = wait_for_another(browser, part);
        assert!(part.0 < smaller.0 && smaller.1 < part.1, "{smaller:?}");
        browser.back();
        assert_eq!(wait_for_another(browser, smaller), part);
        browser.back();
        assert_eq!(wait_for_another(browser, part), day);
        assert_eq!(browser.page(), DAY);
        assert_eq!(browser.run("return window.isTheSame", &[]), json!(true));
    });
}

#[test]
#[ignore = "needs chromium"]
fn keys_read_zoom_and_move() {
    let house = house_with_a_day();
    house.visit(Scripts::On, |browser| {
        browser.open(DAY);
        let day = (BEGIN_MS, END_MS);
        browser.keys(PLOT, key::END);
        let last = browser.text("[data-read-out]");
        assert!(last.starts_with("10 Mar 2026, 23:5"), "{last}");
        browser.keys(PLOT, key::LEFT);
        let before = browser.text("[data-read-out]");
        assert!(before != last && before.contains("kW"), "{before}");
        browser.keys(PLOT, "+");
        let part = wait_for_another(browser, day);
        assert_eq!(part.1 - part.0, (END_MS - BEGIN_MS) / 2);
        // The new plot has the focus.
        browser.keys(".plot-wide:focus", "-");
        let wider = wait_for_another(browser, part);
        assert_eq!(wider.1 - wider.0, END_MS - BEGIN_MS);
        browser.open(DAY);
        browser.keys(PLOT, key::PAGE_UP);
        let yesterday = wait_for_another(browser, day);
        assert_eq!(yesterday.1, BEGIN_MS);
        browser.keys(".plot-wide:focus", key::PAGE_DOWN);
        assert_eq!(wait_for_another(browser, yesterday), day);
    });
}

#[test]
#[ignore = "needs chromium"]
fn links_change_the_chart_in_place() {
    let house = house_with_a_day();
    house.visit(Scripts::On, |browser| {
        browser.open(DAY);
        browser.run("window.isTheSame = true", &[]);
        browser.click("a[data-way=kind-2]");
        browser.wait_for_text("#chart-title", "Energy");
        assert_eq!(browser.page(), "/chart?show=energy&range=day&at=2026-03-10");
        assert!(browser.has(".plot-wide .chart-bar"));
        browser.click("a[data-way=before]");
        browser.wait_for_text(".chart-range", "9 Mar 2026");
        browser.back();
        browser.wait_for_text(".chart-range", "10 Mar 2026");
        browser.back();
        browser.wait_for_text("#chart-title", "Power");
        assert_eq!(browser.run("return window.isTheSame", &[]), json!(true));
    });
}
