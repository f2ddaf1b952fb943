//! A tablet on a wall.

use crate::browser::house::House;
use crate::browser::pages::{open_link, wall_link};
use crate::browser::window::{Browser, DESK, PHONE, Scripts, Theme};

/// Opens a new link of the house in a browser without anybody signed in.
fn at_the_wall(house: &House, scripts: Scripts, visit: impl FnOnce(&Browser)) {
    let mut link = String::new();
    house.visit(Scripts::On, |browser| link = wall_link(browser));
    Browser::visit(&house.service.url, scripts, |browser| {
        open_link(browser, &link);
        visit(browser);
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_tablet_follows_the_power() {
    let house = House::start();
    house.upload(1_234.0);
    at_the_wall(&house, Scripts::On, |browser| {
        assert_eq!(browser.page(), "/wall");
        browser.wait_for_text("[data-now=grid] .power", "1.23 kW");
        house.upload(456.0);
        browser.wait_for_text("[data-now=grid] .power", "456 W");
        browser.wait_for_text(".live-state", "live");
        assert!(!browser.has("a, form, button"));
        for window in [PHONE, DESK] {
            browser.look(window, Theme::Light);
            let beyond = "return document.documentElement.scrollWidth - innerWidth";
            assert_eq!(browser.run(beyond, &[]), 0, "{window:?}");
        }
    });
}

#[test]
#[ignore = "needs chromium"]
fn a_tablet_needs_no_scripts() {
    let house = House::start();
    house.upload(1_234.0);
    at_the_wall(&house, Scripts::Off, |browser| {
        // The link leads on by itself.
        browser.wait_for_text("[data-now=grid] .power", "1.23 kW");
        assert_eq!(browser.page(), "/wall");
        browser.wait_for_text(".wall-clock", "as of");
    });
}
