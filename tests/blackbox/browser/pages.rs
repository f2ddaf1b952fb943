//! All pages, with the data of the demo.

use std::process::Command;

use crate::browser::window::Browser;
use crate::place::{Place, Serving};

/// All pages with an address, by name. `KEY` stands for the api_id of the demo.
pub(crate) const PAGES: [(&str, &str); 14] = [
    ("dashboard", "/"),
    ("dashboard-energy", "/?show=energy&range=week"),
    ("chart", "/chart?sensor=solar&range=day"),
    ("chart-energy", "/chart?show=energy&range=month"),
    ("chart-all", "/chart?sensor=heat-pump&range=all"),
    ("chart-empty", "/chart?range=day&at=2001-01-01"),
    ("settings", "/settings"),
    ("account", "/settings/account?name=demo"),
    ("new-account", "/settings/account/new"),
    ("key", "/settings/key?id=KEY"),
    ("new-key", "/settings/key/new"),
    ("sensor", "/settings/sensor?id=heat-pump"),
    ("new-sensor", "/settings/sensor/new"),
    ("status", "/status"),
];

/// The demo, on an early afternoon in spring.
pub(crate) struct Demo {
    pub(crate) service: Serving,
    _place: Place,
}

impl Demo {
    pub(crate) fn start() -> Self {
        let place = Place::new();
        let arguments = ["--json", "demo", "--listen", "127.0.0.1:0"];
        let at = ["--at", "2026-03-18T14:30:00"];
        let mut command: Command = place.command(&[&arguments[..], &at].concat());
        command.env("TMPDIR", place.dir.path());
        Self {
            service: Serving::start(command),
            _place: place,
        }
    }

    pub(crate) fn sign_in(&self, browser: &Browser) {
        browser.sign_in(self.text("password"));
    }

    /// The address of one of [`PAGES`].
    pub(crate) fn address(&self, page: &str) -> String {
        page.replace("KEY", self.text("api_id"))
    }

    fn text(&self, name: &str) -> &str {
        self.service.ready[name].as_str().unwrap()
    }
}

/// Opens the page that shows a new API key.
pub(crate) fn new_key(browser: &Browser) {
    browser.open("/settings/key/new");
    browser.fill("#label", "Home automation");
    browser.click("main form button");
    browser.wait_for_text("h1", "New API key");
}

/// Opens the steps to the first reading of a new sensor.
pub(crate) fn steps(browser: &Browser) {
    browser.open("/settings/sensor/new");
    browser.fill("#name", "Workshop");
    browser.fill("#id", "workshop");
    browser.click("main form button");
    browser.wait_for_text("[data-state]", "Waiting");
}
