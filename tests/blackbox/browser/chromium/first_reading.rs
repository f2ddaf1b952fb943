//! From an empty folder to the first reading.

use crate::browser::house::{FirstRun, post};
use crate::browser::window::{Browser, Scripts};

/// Runs the request of a curl line; returns the status.
fn run_curl_line(line: &str) -> u16 {
    let (url, body) = line
        .strip_prefix("curl ")
        .and_then(|rest| rest.strip_suffix('\''))
        .and_then(|rest| rest.split_once(" -d '"))
        .unwrap_or_else(|| panic!("another line: {line}"));
    post(url, body)
}

fn from_nothing_to_a_reading(scripts: Scripts) {
    let run = FirstRun::start();
    Browser::visit(&run.url, scripts, |browser| {
        browser.open(&run.setup);
        browser.fill("#password", "correct horse");
        browser.fill("#again", "correct horse");
        browser.click("main button");
        browser.wait_for_page("/settings/sensor/new");
        browser.choose("#tz", "Europe/Berlin");
        browser.fill("#name", "Kitchen");
        browser.fill("#id", "kitchen");
        browser.click("main form button");
        browser.wait_for_text("h1", "Three steps to the first reading of Kitchen");

        let line = browser.text("pre[data-copy='the curl line']");
        if scripts == Scripts::On {
            browser.wait_for_text("[data-state]", "Waiting for the first reading");
            assert!(browser.has("button.copy"));
        }
        assert_eq!(run_curl_line(&line), 200, "{line}");
        match scripts {
            Scripts::On => browser.wait_for_text("[data-state]", "stored"),
            Scripts::Off => assert!(browser.text("[data-state]").contains("another window")),
        }
        browser.click(".actions a.button");
        browser.wait_for_page("/");
        browser.wait_for_text(".sensor .power", "234 W");
        assert!(browser.text(".sensor h3").contains("Kitchen"));
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
