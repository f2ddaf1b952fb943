//! The dashboard while readings arrive.

use serde_json::json;

use crate::browser::house::House;
use crate::browser::window::Scripts;

#[test]
#[ignore = "needs chromium"]
fn a_new_reading_is_shown_without_a_reload() {
    let house = House::start();
    house.visit(Scripts::On, |browser| {
        // The house's own number, and that of its sensor.
        let (all, sensor) = (
            ".now-narrow [data-now=grid] .power",
            "[data-now='sensor:house'] .power",
        );
        browser.wait_for_text(".live-state", "live");
        assert!(browser.text(sensor).contains('–'));
        browser.run("window.isTheSame = true", &[]);
        for (watts, text) in [(1_234.0, "1.23 kW"), (-512.0, "512 W")] {
            house.upload(watts);
            browser.wait_for_text(all, text);
            browser.wait_for_text(sensor, text);
        }
        browser.wait_for_text(".now-narrow [data-now=grid] .way", "fed into the grid");
        browser.wait_for_text("[data-now='sensor:house'] [data-part=state]", "uploading");
        assert_eq!(browser.run("return window.isTheSame", &[]), json!(true));
    });
}

#[test]
#[ignore = "needs chromium"]
fn it_continues_after_going_back() {
    let house = House::start();
    house.visit(Scripts::On, |browser| {
        browser.wait_for_text(".live-state", "live");
        browser.click("a[href='status']");
        browser.wait_for_page("/status");
        browser.back();
        house.upload(321.0);
        browser.wait_for_text(".now-narrow [data-now=grid] .power", "321 W");
    });
}
