//! Generates the pictures in `docs/screenshots`; see `scripts/screenshots`.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

use crate::browser::house::FirstRun;
use crate::browser::pages::{Demo, PAGES, found, open_link, person, steps, wall_link};
use crate::browser::window::{Browser, DESK, PHONE, Scripts, Theme};
use crate::mqtt::played::PlayedBroker;

/// The names of [`PAGES`] to take screenshots of.
const SHOWN: [&str; 13] = [
    "dashboard",
    "chart",
    "chart-energy",
    "energy",
    "statement",
    "contracts",
    "new-contract",
    "settings",
    "account",
    "key",
    "sensor",
    "walls",
    "status",
];

/// Takes screenshots of the whole open page, in each window size and theme.
fn shoot(browser: &Browser, name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/screenshots");
    fs::create_dir_all(&folder).unwrap();
    for (window, on) in [(PHONE, "phone"), (DESK, "desktop")] {
        for theme in Theme::BOTH {
            browser.look(window, theme);
            let height = browser.run("return document.documentElement.scrollHeight", &[]);
            let picture = browser.command(
                "Page.captureScreenshot",
                &json!({
                    "format": "webp",
                    "quality": 75,
                    "captureBeyondViewport": true,
                    "clip": {"x": 0, "y": 0, "width": window.0, "height": height, "scale": 1},
                }),
            );
            let picture = BASE64_STANDARD.decode(picture["data"].as_str().unwrap());
            let file = folder.join(format!("{name}-{on}-{}.webp", theme.word()));
            fs::write(file, picture.unwrap()).unwrap();
        }
    }
}

#[test]
#[ignore = "needs chromium and overwrites the screenshots"]
fn screenshots_of_the_demo() {
    let demo = Demo::start();
    Browser::visit(&demo.service.url, Scripts::On, |browser| {
        browser.open("/sign-in");
        shoot(browser, "sign-in");
        demo.sign_in(browser);
        for (name, page) in PAGES {
            if SHOWN.contains(&name) {
                browser.open(&demo.address(page));
                if browser.has(".live-state") {
                    browser.wait_for_text(".live-state", "live");
                }
                shoot(browser, name);
            }
        }
        steps(browser);
        shoot(browser, "steps");
        let broker = PlayedBroker::start();
        found(browser, &broker);
        shoot(browser, "devices");
        browser.open("/settings/broker");
        shoot(browser, "broker");
        person(browser);
        shoot(browser, "person");
        let link = wall_link(browser);
        open_link(browser, &link);
        shoot(browser, "wall");
    });
}

#[test]
#[ignore = "needs chromium and overwrites the screenshots"]
fn screenshots_of_the_first_run() {
    let run = FirstRun::start();
    Browser::visit(&run.url, Scripts::On, |browser| {
        browser.open(&run.setup);
        shoot(browser, "setup");
    });
}
