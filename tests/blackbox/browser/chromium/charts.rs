//! Reading and zooming charts by mouse and keyboard.

use serde_json::json;

use crate::browser::house::House;
use crate::browser::pages::Demo;
use crate::browser::window::{Browser, DESK, PHONE, Scripts, Theme, key};

const MINUTE_MS: i64 = 60_000;
/// A past day with steadily rising power.
const DAY: &str = "/chart?range=day&at=2026-03-10";
/// Its start in Berlin.
const BEGIN_MS: i64 = 1_773_097_200_000;
const END_MS: i64 = BEGIN_MS + 24 * 60 * MINUTE_MS;
const PLOT: &str = ".chart-card .plot-wide";

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
        browser.keys(".chart-card .plot-wide:focus", "-");
        let wider = wait_for_another(browser, part);
        assert_eq!(wider.1 - wider.0, END_MS - BEGIN_MS);
        browser.open(DAY);
        browser.keys(PLOT, key::PAGE_UP);
        let yesterday = wait_for_another(browser, day);
        assert_eq!(yesterday.1, BEGIN_MS);
        browser.keys(".chart-card .plot-wide:focus", key::PAGE_DOWN);
        assert_eq!(wait_for_another(browser, yesterday), day);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_finger_moves_the_chart_and_two_fingers_stretch_it() {
    let house = house_with_a_day();
    house.visit(Scripts::On, |browser| {
        browser.look(PHONE, Theme::Light);
        browser.open(DAY);
        let (day, span) = ((BEGIN_MS, END_MS), END_MS - BEGIN_MS);
        browser.swipe(".plot-narrow", &[(0.4, 0.8)]);
        let earlier = wait_for_another(browser, day);
        let moved = BEGIN_MS - earlier.0;
        assert!(span / 3 < moved && moved < span * 2 / 3, "{earlier:?}");
        assert!((earlier.1 - earlier.0 - span).abs() < 1_000, "{earlier:?}");
        browser.swipe(".plot-narrow", &[(0.5, 0.3), (0.6, 0.8)]);
        let part = wait_for_another(browser, earlier);
        let length = part.1 - part.0;
        assert!(span / 8 < length && length < span / 3, "{part:?}");
        // One finger scrolls the page up and down.
        let action = "return getComputedStyle(document.querySelector('.plot-narrow')).touchAction";
        assert_eq!(browser.run(action, &[]), json!("pan-y"));
    });
}

#[test]
#[ignore = "needs chromium"]
fn sensors_are_found_and_shown_together() {
    let demo = Demo::start();
    Browser::visit(&demo.service.url, Scripts::On, |browser| {
        demo.sign_in(browser);
        for window in [DESK, PHONE] {
            browser.look(window, Theme::Light);
            browser.open("/chart?range=day");
            browser.click(".sources summary");
            browser.fill("[data-search]", "FRI");
            let shown = "return [...document.querySelectorAll('.sources li')]
                .filter((it) => it.offsetParent).map((it) => it.textContent)";
            assert_eq!(browser.run(shown, &[]), json!(["Fridge"]));
            browser.click(".sources input[value=fridge]");
            browser.fill("[data-search]", "car");
            browser.click(".sources input[value=car]");
            browser.click(".sources button");
            browser.wait("two lines", || {
                browser.page().contains("with=").then_some(())
            });
            assert_eq!(browser.page(), "/chart?range=day&with=car&with=fridge");
            browser.wait_for_text(".plots + .chart-links", "Fridge");
        }
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
        assert!(browser.has(".chart-card .plot-wide .chart-bar"));
        browser.click("a[data-way=before]");
        browser.wait_for_text(".chart-range", "9 Mar 2026");
        browser.back();
        browser.wait_for_text(".chart-range", "10 Mar 2026");
        browser.back();
        browser.wait_for_text("#chart-title", "Power");
        assert_eq!(browser.run("return window.isTheSame", &[]), json!(true));
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_tap_reads_and_a_second_one_opens_the_bar() {
    let house = house_with_a_day();
    house.visit(Scripts::On, |browser| {
        browser.look(PHONE, Theme::Light);
        let plot = ".plot-narrow";
        browser.open("/chart?show=energy&range=month&at=2026-03-01");
        let month = browser.page();
        // The only bar is that of the tenth, wherever a finger taps.
        browser.tap(plot, 0.4);
        browser.wait_for_text("[data-read-out]", "10 Mar 2026");
        assert_eq!(browser.page(), month);
        browser.tap(plot, 0.4);
        browser.wait_for_text(".chart-range", "10 Mar 2026");
        assert_eq!(browser.page(), "/chart?range=day&at=2026-03-10");
        // Power has nothing to open: each tap reads.
        for _ in 0..2 {
            browser.tap(plot, 0.6);
            browser.wait_for_text("[data-read-out]", " W (");
        }
        assert_eq!(browser.page(), "/chart?range=day&at=2026-03-10");
        browser.click("a[data-way=range-4]");
        browser.wait_for_text(".chart-range", "Week of 9 Mar 2026");
        browser.back();
        browser.back();
        browser.wait("the month", || {
            browser
                .has(".chart-card .plot-wide .chart-bar")
                .then_some(())
        });
        // By keys: the last bar is read, then opened.
        browser.look(DESK, Theme::Light);
        browser.keys(PLOT, key::END);
        browser.keys(PLOT, key::ENTER);
        browser.wait_for_text(".chart-range", "10 Mar 2026");
        // By a date.
        browser.run(
            "for (const it of document.querySelectorAll('#from, #to')) it.value = '2026-03-08'",
            &[],
        );
        browser.click(".other-days summary");
        browser.click(".other-days button");
        browser.wait_for_text(".chart-range", "8 Mar 2026");
        assert_eq!(browser.page(), "/chart?from=2026-03-08&to=2026-03-08");
    });
}

#[test]
#[ignore = "needs chromium"]
fn large_text_has_fewer_labels_and_stays_in_the_window() {
    let house = house_with_a_day();
    house.visit(Scripts::On, |browser| {
        browser.look(PHONE, Theme::Light);
        for page in [DAY, "/chart?show=energy&range=week&at=2026-03-10"] {
            browser.open(page);
            let labels = |of: &str| {
                let script = "const texts = [...document.querySelectorAll(`${arguments[0]} text`)];
                    const boxes = texts.map((it) => it.getBoundingClientRect()).filter((it) => it.width);
                    const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
                    return [boxes.length, boxes.filter((a, nth) => boxes.slice(nth + 1).some((b) => overlap(a, b))).length,
                      Math.max(0, ...boxes.map((it) => it.height)), document.documentElement.scrollWidth]";
                let found = browser.run(script, &[json!(of)]);
                [0, 1, 2, 3].map(|nth| found[nth].as_f64().unwrap())
            };
            let [usual, overlaps, height, _] = labels(".plot-narrow");
            assert!(usual > 6.0 && overlaps == 0.0, "{page}: {usual}, {overlaps}");
            browser.run("document.documentElement.style.fontSize = '200%'", &[]);
            assert_eq!(labels(".plot-narrow")[0], 0.0, "{page}");
            let [fewer, overlaps, larger, width] = labels(".plot-large");
            assert!(2.0 < fewer && fewer < usual, "{page}: {fewer}");
            assert_eq!((overlaps, width), (0.0, 390.0), "{page}");
            assert!(larger > 1.6 * height, "{page}: {larger}, {height}");
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn without_scripts_a_bar_is_a_link() {
    let house = house_with_a_day();
    house.visit(Scripts::Off, |browser| {
        browser.open("/chart?show=energy&range=month&at=2026-03-01");
        browser.click(".chart-card .plot-wide a rect");
        browser.wait_for_page("/chart?range=day&at=2026-03-10");
        browser.click("a[data-way=range-4]");
        browser.wait_for_page("/chart?range=week&at=2026-03-10");
        browser.click(".other-days summary");
        browser.click(".other-days button");
        browser.wait_for_page("/chart?from=2026-03-09&to=2026-03-15");
    });
}
