//! The dashboard and the Energy page on a phone, with scripts and without.

use serde_json::{Value, json};
use wattkeeper::system_clock;

use crate::browser::house::{House, post};
use crate::browser::pages::Demo;
use crate::browser::window::{Browser, DESK, PHONE, Scripts, Theme, key};
use crate::place::Place;

/// How high the open page is, in pixels; it must not be wider than its window.
#[track_caller]
fn height(browser: &Browser) -> i64 {
    let measure = "const page = document.documentElement;
        return [page.scrollHeight, page.scrollWidth - page.clientWidth]";
    let sizes = browser.run(measure, &[]);
    assert_eq!(sizes[1], 0, "{} scrolls sideways", browser.page());
    sizes[0].as_i64().unwrap()
}

/// Adds twelve sensors to that of the house.
fn add_twelve(place: &Place) {
    let add = |id: &str, more: &[&str]| {
        let first = ["sensor", "add", id, "--account", "home", "--role"];
        place.ok(&[&first[..], more].concat());
    };
    for (id, role) in [
        ("roof", "solar"),
        ("garage", "solar"),
        ("accumulator", "battery"),
    ] {
        add(id, &[role]);
    }
    add("board", &["sub-meter"]);
    for id in ["heat-pump", "car"] {
        add(id, &["sub-meter", "--part-of", "board"]);
    }
    for id in ["fridge", "washer", "dryer", "oven", "office", "television"] {
        add(id, &["sub-meter"]);
    }
}

#[test]
#[ignore = "needs chromium"]
fn thirteen_sensors_leave_the_first_screen_of_a_phone_as_it_is() {
    let house = House::start_with(add_twelve);
    let all = [
        "house",
        "roof",
        "garage",
        "accumulator",
        "board",
        "heat-pump",
        "car",
        "fridge",
        "washer",
        "dryer",
        "oven",
        "office",
        "television",
    ];
    let now = system_clock()().time;
    for (sensor, watts) in all.iter().zip(1_i64..) {
        // A reading each ten minutes of three days.
        let reading = |nth: i64| {
            let time = now.saturating_add_millis((nth - 432) * 600_000);
            json!({"time": time.to_string(), "watts": 100 * watts, "watthours": nth * watts * 100 / 6})
        };
        let readings: Vec<Value> = (0..=432).map(reading).collect();
        let body = json!({
            "sensor_id": sensor, "api_id": house.api_id, "api_key": house.api_key, "readings": readings,
        });
        assert_eq!(
            post(&house.service.elec(), &body.to_string()),
            200,
            "{sensor}"
        );
    }
    house.visit(Scripts::On, |browser| {
        browser.look(PHONE, Theme::Light);
        browser.open("/");
        browser.wait_for_text(".live-state", "live");
        let (_, screen) = PHONE;
        // Now, today and the month are on the first screen, however many sensors there are.
        let end =
            "return Math.ceil(document.querySelector('.first').getBoundingClientRect().bottom)";
        let end = browser.run(end, &[]).as_i64().unwrap();
        assert!(end <= i64::from(screen), "{end} px");
        // The periods, the devices and the chart follow.
        let height = height(browser);
        assert!(2 * height <= 7 * i64::from(screen), "{height} px");
        // The folded part is there.
        browser.click(".folded summary");
        browser.click(".uses details:not(.folded) summary");
        assert!(
            browser
                .text("[data-now='sensor:heat-pump']")
                .contains("heat-pump")
        );
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_energy_page_is_complete_without_scripts() {
    let demo = Demo::start();
    for window in [PHONE, DESK] {
        Browser::visit(&demo.service.url, Scripts::Off, |browser| {
            demo.sign_in(browser);
            browser.look(window, Theme::Dark);
            browser.open("/energy?range=month&at=2026-02-01");
            browser.wait_for_text("#energy-range", "Feb 2026");
            assert!(browser.has(".legend .flow-solar"));
            browser.click(".numbers summary");
            browser.wait_for_text(".numbers tfoot", "Sum");
            browser.click("a[rel=next]");
            browser.wait_for_text("#energy-range", "Mar 2026");
            browser.click("a[rel=prev]");
            browser.wait_for_text("#energy-range", "Feb 2026");
            browser.click("a.to-now");
            browser.wait_for_page("/energy?range=month");
            browser.click(".use a");
            browser.wait_for_text("#chart-title", "Energy · Heat pump");
        });
    }
}

#[test]
#[ignore = "needs chromium"]
fn a_tap_reads_a_bar_of_the_energy_page_and_a_second_one_opens_it() {
    let demo = Demo::start();
    Browser::visit(&demo.service.url, Scripts::On, |browser| {
        demo.sign_in(browser);
        browser.look(PHONE, Theme::Light);
        browser.open("/energy?range=year&at=2026-01-01");
        let plot = ".plot-narrow";
        browser.tap(plot, 0.36);
        browser.wait_for_text("[data-read-out]", "Mar 2026: Used");
        assert_eq!(browser.page(), "/energy?range=year&at=2026-01-01");
        browser.tap(plot, 0.36);
        browser.wait_for_text("#energy-range", "Mar 2026");
        assert_eq!(browser.page(), "/energy?range=month&at=2026-03-01");
        // The devices are those of the month.
        browser.wait_for_text(".use-when", "1 Mar 2025");
        browser.back();
        browser.wait_for_text(".use-when", "1 Jan 2025");
        // By keys: back to the range before, to its last month, and into that.
        browser.look(DESK, Theme::Light);
        browser.keys(".chart-card .plot-wide", key::PAGE_UP);
        browser.wait_for_text("#energy-range", "2025");
        browser.keys(".chart-card .plot-wide:focus", key::END);
        browser.wait_for_text("[data-read-out]", "Dec 2025: Used");
        browser.keys(".chart-card .plot-wide:focus", key::ENTER);
        browser.wait_for_text("#energy-range", "Dec 2025");
        // Nothing zooms here: its ranges are those of the calendar.
        browser.drag(".chart-card .plot-wide", 0.3, 0.6);
        browser.keys(".chart-card .plot-wide", "+");
        assert_eq!(browser.page(), "/energy?range=month&at=2025-12-01");
        // An hour is shown by its power.
        browser.open("/energy?range=day&at=2026-03-17");
        browser.keys(".chart-card .plot-wide", key::END);
        browser.keys(".chart-card .plot-wide", key::ENTER);
        browser.wait_for_text("h1", "House");
        assert!(
            browser
                .page()
                .starts_with("/chart?of=house&range=hour&at=2026-03-17T22:00")
        );
    });
}

#[test]
#[ignore = "needs chromium"]
fn the_chart_of_energy_is_on_the_first_screen() {
    let demo = Demo::start();
    Browser::visit(&demo.service.url, Scripts::On, |browser| {
        demo.sign_in(browser);
        for window in [PHONE, (1_440, 900), DESK] {
            browser.look(window, Theme::Light);
            browser.open("/energy");
            let bottom = "const shown = [...document.querySelectorAll('.plot svg.chart')].find((it) => it.getClientRects().length);
                return shown.getBoundingClientRect().bottom <= innerHeight";
            assert_eq!(browser.run(bottom, &[]), true, "{window:?}");
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn nothing_of_the_energy_page_scrolls_sideways() {
    let demo = Demo::start();
    Browser::visit(&demo.service.url, Scripts::On, |browser| {
        demo.sign_in(browser);
        for window in [PHONE, DESK] {
            browser.look(window, Theme::Light);
            for page in [
                "/",
                "/energy",
                "/energy?range=day",
                "/energy?range=contract",
                "/energy/hours",
                "/chart",
                "/status",
            ] {
                browser.open(page);
                browser.run(
                    "document.querySelectorAll('details').forEach((it) => { it.open = true })",
                    &[],
                );
                height(browser);
                browser.run("document.documentElement.style.fontSize = '200%'", &[]);
                height(browser);
            }
        }
    });
}
