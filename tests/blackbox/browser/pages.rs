//! All pages, with the data of the demo.

use std::process::Command;

use crate::browser::window::Browser;
use crate::mqtt::house::eventually;
use crate::mqtt::played::{METER, METER_REGISTERS, PLUG, PlayedBroker, UNUSABLE};
use crate::place::{Place, Serving};

/// All pages with an address, by name. `KEY` is replaced by the api_id of the demo.
pub(crate) const PAGES: [(&str, &str); 64] = [
    ("dashboard", "/"),
    ("dashboard-energy", "/?show=energy&range=week"),
    ("chart", "/chart?sensor=solar&range=day"),
    ("chart-energy", "/chart?of=house&show=energy&range=month"),
    ("chart-all", "/chart?sensor=heat-pump&range=all"),
    ("chart-empty", "/chart?range=day&at=2001-01-01"),
    ("energy", "/energy"),
    ("energy-day", "/energy?range=day&at=2026-03-17"),
    ("hours", "/energy/hours?range=month&show=cost"),
    (
        "chart-together",
        "/chart?sensor=solar&with=car&with=heat-pump&range=day",
    ),
    ("energy-nothing", "/energy?from=2001-01-01&to=2001-01-02"),
    ("settings", "/settings"),
    ("account", "/settings/account?name=demo"),
    ("new-account", "/settings/account/new"),
    ("key", "/settings/key?id=KEY"),
    ("new-key", "/settings/key/new"),
    ("sensor", "/settings/sensor?id=heat-pump"),
    ("import", "/settings/sensor/import?id=heat-pump"),
    ("statement", "/costs?range=year"),
    ("device-costs", "/costs/sensor?sensor=heat-pump&range=year"),
    ("forecast", "/costs/forecast"),
    ("contracts", "/costs/contracts"),
    ("templates", "/costs/templates"),
    ("contract", "/costs/contract?account=demo&from=1970-01-01"),
    (
        "contract-text",
        "/costs/contract?account=demo&from=1970-01-01&as=json",
    ),
    ("tariff", "/costs/tariff?account=demo&template=de-dynamic"),
    ("new-contract", "/costs/contract?account=demo"),
    ("compare", "/costs/compare?range=year"),
    (
        "what-if",
        "/costs/what-if?battery=5&price_per_kwh=500&dispatch=prices",
    ),
    ("offers", "/costs/offers"),
    ("new-offer", "/costs/offer?account=demo"),
    ("savings", "/costs/savings?range=year"),
    ("purchases", "/costs/purchases"),
    ("tenancies", "/costs/tenancies?range=year"),
    (
        "tenancy-statements",
        "/costs/tenancies/statements?range=year",
    ),
    ("tenancy", "/tenancy?range=year"),
    ("prices", "/costs/prices"),
    ("cheapest", "/costs/cheapest"),
    ("days", "/costs/days"),
    ("broker", "/settings/broker"),
    ("found", "/settings/devices"),
    ("polled", "/settings/polled"),
    ("home-assistant", "/settings/home-assistant"),
    ("backups", "/settings/backups"),
    ("messages", "/settings/messages"),
    ("people", "/settings/people"),
    ("new-person", "/settings/person/new"),
    ("walls", "/settings/walls"),
    ("question", "/settings/sensor/new"),
    ("things", "/settings/sensor/new?home=no"),
    ("ways", "/settings/sensor/new?what=heat-pump"),
    ("devices", "/settings/sensor/new?what=heat-pump&way=name"),
    ("new-sensor", "/settings/sensor/new?device=shelly"),
    (
        "connect",
        "/settings/sensor/connect?id=heat-pump&device=esphome",
    ),
    (
        "two-ways",
        "/settings/sensor/connect?id=heat-pump&device=shelly",
    ),
    ("evcc", "/settings/devices?of=evcc"),
    ("check", "/settings/sensor/check?id=heat-pump"),
    ("status", "/status"),
    ("events", "/events?account=demo"),
    ("events-of-sensor", "/events?sensor=heat-pump"),
    ("meter", "/meter?sensor=heat-pump"),
    ("meter-change", "/meter/change?sensor=heat-pump"),
    ("bills", "/bills"),
    ("offline", "/offline"),
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

/// Chooses the language of all pages, on the page that is open.
pub(crate) fn in_language(browser: &Browser, tag: &str) {
    browser.click(&format!(".languages button[value={tag}]"));
    browser.wait("the language", || {
        // Not `attribute`: for a moment there may be no page.
        browser.has(&format!("html[lang={tag}]")).then_some(())
    });
}

/// Opens the page that shows a new API key.
pub(crate) fn new_key(browser: &Browser) {
    browser.open("/settings/key/new");
    browser.fill("#label", "Home automation");
    browser.click("main form button");
    browser.wait_for_text("h1", "New API key");
}

/// Opens the lines to copy for a new sensor.
pub(crate) fn steps(browser: &Browser) {
    browser.open("/settings/sensor/new?device=tasmota");
    browser.fill("#name", "Workshop");
    browser.click("input[value=sub-meter]");
    browser.click("main form button");
    browser.wait_for_text("[data-state]", "Waiting");
}

/// Adds a person, and opens their page.
pub(crate) fn person(browser: &Browser) {
    browser.open("/settings/person/new");
    browser.fill("#name", "Anna");
    for field in ["#password", "#again"] {
        browser.fill(field, "battery staple");
    }
    browser.click("main form button");
    browser.wait_for_page("/settings/people?done=added");
    browser.click("a.row");
    browser.wait_for_text("h1", "Anna");
}

/// Makes a link for a wall tablet; returns it.
pub(crate) fn wall_link(browser: &Browser) -> String {
    browser.open("/settings/walls");
    browser.fill("#name", "Hall");
    browser.click("main form.slim button");
    browser.wait_for_text("h1", "New link");
    browser.text("code[data-copy]")
}

/// Opens the link of a wall tablet.
pub(crate) fn open_link(browser: &Browser, link: &str) {
    browser.open(link);
    browser.wait_for_page("/wall");
}

/// Sets a broker, adds one of its devices, and opens the page with the others.
pub(crate) fn found(browser: &Browser, broker: &PlayedBroker) {
    browser.open("/settings/broker");
    browser.fill("#address", &broker.address);
    browser.click("form[action='settings/broker'] button");
    browser.wait_for_page("/settings/broker?done=saved");
    let open = |device: &str| {
        let found = format!("input[name=device][value='{device}']");
        eventually(device, || {
            for message in [PLUG, METER, METER_REGISTERS, UNUSABLE] {
                broker.pass(message);
            }
            browser.open("/settings/devices");
            browser.has(&found).then_some(())
        });
    };
    open("plug");
    browser.click("form:has(input[name=device][value=plug]) button");
    browser.wait_for_page("/settings/devices?done=device-added");
    open("shellypro3em-a0");
}
