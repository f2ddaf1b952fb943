//! From an empty folder to the first reading.

use crate::browser::house::{FirstRun, run_curl_line};
use crate::browser::window::{Browser, Scripts};

fn from_nothing_to_a_reading(scripts: Scripts) {
    let run = FirstRun::start();
    Browser::visit(&run.url, scripts, |browser| {
        browser.open(&run.setup);
        browser.fill("#password", "correct horse");
        browser.fill("#again", "correct horse");
        browser.click("main button");
        browser.wait_for_page("/settings/sensor/new");
        browser.click("a[href$='home=no']");
        browser.wait_for_page("/settings/sensor/new?home=no");
        browser.click("a[href$='what=other']");
        browser.wait_for_page("/settings/sensor/new?what=other");
        browser.click("a[href$='device=script']");
        browser.wait_for_page("/settings/sensor/new?what=other&device=script");
        browser.choose("#tz", "Europe/Berlin");
        browser.fill("#name", "Kitchen");
        browser.click("input[value=sub-meter]");
        browser.click("main form button");
        browser.wait_for_text("h1", "Connect Kitchen");

        let line = browser.text(".code pre");
        if scripts == Scripts::On {
            browser.wait_for_text("[data-state]", "Waiting for the first reading");
            assert!(browser.has("button.copy"));
        }
        assert_eq!(run_curl_line(&line), 200, "{line}");
        if scripts == Scripts::On {
            browser.wait_for_text("[data-state]", "stored");
        }
        browser.click(".actions a.button");
        browser.wait_for_text("h1", "First readings of Kitchen");
        browser.wait_for_text("main", "234 W");
        browser.click(".actions a.button");
        browser.wait_for_page("/");
        browser.wait_for_text("[data-now^='sensor:'] [data-part=power]", "234 W");
        assert!(browser.text("[data-now^='sensor:']").contains("Kitchen"));
    });
}

#[test]
#[ignore = "needs chromium"]
fn first_run_to_first_reading() {
    from_nothing_to_a_reading(Scripts::On);
}

#[test]
#[ignore = "needs chromium"]
fn first_run_to_first_reading_without_scripts() {
    from_nothing_to_a_reading(Scripts::Off);
}

#[test]
#[ignore = "needs chromium"]
fn the_setup_address_works_once() {
    let run = FirstRun::start();
    Browser::visit(&run.url, Scripts::On, |browser| {
        browser.open("/");
        browser.wait_for_text("main", "No administrator password is set yet");
        browser.open(&run.setup);
        browser.fill("#password", "correct horse");
        browser.fill("#again", "wrong horse");
        browser.click("main button");
        browser.wait("an error", || browser.has("[role=alert]").then_some(()));
        assert!(browser.page().starts_with("/setup"), "{}", browser.page());
        // The console notes the status 422.
        assert_eq!(browser.complaints().len(), 1);
        browser.fill("#password", "correct horse");
        browser.fill("#again", "correct horse");
        browser.click("main button");
        browser.wait_for_page("/settings/sensor/new");
        browser.open(&run.setup);
        assert!(!browser.has("#again"), "{}", browser.text("main"));
        browser.complaints();
    });
}
