//! A browser as a person uses it: it opens pages, clicks, types and reads, and what it is told to wait for it waits for.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use thirtyfour::{By, Capabilities, WebDriver, WebElement};
use tokio::runtime::Runtime;

use crate::webdriver::{Chromedriver, Client};

/// Whatever is waited for has come by then on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// A window of a phone, in pixels.
pub(crate) const PHONE: (u32, u32) = (390, 844);
/// A window on a desk.
pub(crate) const DESK: (u32, u32) = (1_280, 900);

/// Whether pages may run scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scripts {
    On,
    Off,
}

/// The colours that a person prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Theme {
    Light,
    Dark,
}

impl Theme {
    pub(crate) const BOTH: [Self; 2] = [Self::Light, Self::Dark];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// A browser that was never anywhere.
pub(crate) struct Browser {
    driver: WebDriver,
    runtime: Runtime,
    /// Where the service is, without a slash at its end.
    service: String,
    // Dropped after the session, in this order.
    _chromedriver: Chromedriver,
    _profile: TempDir,
}

impl Browser {
    /// Has `visit` made by a new browser, and sees that no page had a script complain or asked another host for anything.
    pub(crate) fn visit(service: &str, scripts: Scripts, visit: impl FnOnce(&Self)) {
        let browser = Self::start(service, scripts);
        visit(&browser);
        assert_eq!(browser.complaints(), [""; 0]);
        browser.assert_at_home();
    }

    fn start(service: &str, scripts: Scripts) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let chromedriver = Chromedriver::start();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let profile_argument = format!("--user-data-dir={}", profile.path().display());
        let (width, height) = DESK;
        let window = format!("--window-size={width},{height}");
        let mut options = json!({"args": [
            "--headless=new",
            // For root, and for containers.
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--disable-gpu",
            "--no-first-run",
            "--hide-scrollbars",
            "--lang=en-GB",
            window,
            profile_argument,
        ]});
        if scripts == Scripts::Off {
            options["prefs"] = json!({"profile.managed_default_content_settings.javascript": 2});
        }
        let capabilities = json!({
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        });
        let Value::Object(capabilities) = capabilities else {
            panic!("no object");
        };
        let capabilities = Capabilities::from(capabilities);
        let session = WebDriver::builder(&chromedriver.url, capabilities).client(Client::new());
        let driver = runtime.block_on(session.connect());
        Self {
            driver: driver.expect("a session of chromium"),
            runtime,
            service: service.to_owned(),
            _chromedriver: chromedriver,
            _profile: profile,
        }
    }

    // ---- going somewhere ----

    /// Opens a page of the service, or an address of it.
    pub(crate) fn open(&self, page: &str) {
        let address = match page.strip_prefix('/') {
            Some(_) => format!("{}{page}", self.service),
            None => page.to_owned(),
        };
        self.runtime.block_on(self.driver.goto(address)).unwrap();
    }

    /// Where it is: path and query.
    pub(crate) fn page(&self) -> String {
        let address = self.runtime.block_on(self.driver.current_url()).unwrap();
        let address = address.to_string();
        let page = address.strip_prefix(&self.service);
        page.unwrap_or_else(|| panic!("at {address}, not at {}", self.service))
            .to_owned()
    }

    pub(crate) fn back(&self) {
        self.runtime.block_on(self.driver.back()).unwrap();
    }

    pub(crate) fn reload(&self) {
        self.runtime.block_on(self.driver.refresh()).unwrap();
    }

    #[track_caller]
    pub(crate) fn sign_in(&self, password: &str) {
        self.open("/sign-in");
        self.fill("#password", password);
        self.click("main button");
        self.wait_for_page("/");
    }

    // ---- reading ----

    fn find(&self, css: &str) -> Option<WebElement> {
        let found = self.runtime.block_on(self.driver.find(By::Css(css)));
        found.ok()
    }

    #[track_caller]
    fn element(&self, css: &str) -> WebElement {
        let found = self.find(css);
        found.unwrap_or_else(|| panic!("no {css} at {}: {}", self.page(), self.source()))
    }

    pub(crate) fn has(&self, css: &str) -> bool {
        self.find(css).is_some()
    }

    /// The text that is seen in an element; empty where there is no such element.
    pub(crate) fn text(&self, css: &str) -> String {
        let element = self.find(css);
        let text = element.and_then(|it| self.runtime.block_on(it.text()).ok());
        text.unwrap_or_default().replace('\u{202F}', " ")
    }

    #[track_caller]
    pub(crate) fn attribute(&self, css: &str, name: &str) -> String {
        let found = self.runtime.block_on(self.element(css).attr(name));
        found.unwrap().unwrap_or_default()
    }

    pub(crate) fn source(&self) -> String {
        self.runtime.block_on(self.driver.source()).unwrap()
    }

    // ---- doing ----

    #[track_caller]
    pub(crate) fn click(&self, css: &str) {
        let clicked = self.runtime.block_on(self.element(css).click());
        clicked.unwrap_or_else(|error| panic!("{css} at {}: {error}", self.page()));
    }

    /// Types a text in the place of what a field has.
    #[track_caller]
    pub(crate) fn fill(&self, css: &str, text: &str) {
        let field = self.element(css);
        self.runtime.block_on(field.clear()).unwrap();
        self.runtime.block_on(field.send_keys(text)).unwrap();
    }

    /// Chooses from a list.
    #[track_caller]
    pub(crate) fn choose(&self, css: &str, text: &str) {
        let option = By::XPath(format!("//option[normalize-space()='{text}']"));
        let list = self.element(css);
        let option = self.runtime.block_on(list.find(option)).unwrap();
        self.runtime.block_on(option.click()).unwrap();
    }

    /// Types into an element without touching what it has.
    #[track_caller]
    pub(crate) fn keys(&self, css: &str, keys: impl Into<thirtyfour::TypingData>) {
        let element = self.element(css);
        self.runtime.block_on(element.send_keys(keys)).unwrap();
    }

    /// Drags the mouse over an element from one share of its width to another.
    #[track_caller]
    pub(crate) fn drag(&self, css: &str, from: f64, to: f64) {
        let element = self.element(css);
        self.runtime.block_on(element.scroll_into_view()).unwrap();
        let width = self.runtime.block_on(element.rect()).unwrap().width;
        // Counted from the middle.
        #[allow(clippy::cast_possible_truncation, reason = "pixels of a window")]
        let [from, to] = [from, to].map(|share| ((share - 0.5) * width) as i64);
        let actions = self
            .driver
            .action_chain()
            .move_to_element_with_offset(&element, from, 0)
            .click_and_hold()
            .move_by_offset((to - from) / 2, 0)
            .move_to_element_with_offset(&element, to, 0)
            .release();
        self.runtime.block_on(actions.perform()).unwrap();
    }

    /// Runs a script and gives what it returns.
    #[track_caller]
    pub(crate) fn run(&self, script: &str, arguments: &[Value]) -> Value {
        let ran = self.driver.execute(script, arguments);
        self.runtime.block_on(ran).unwrap().json().clone()
    }

    /// Runs a script that calls its last argument with what it found.
    #[track_caller]
    pub(crate) fn run_to_the_end(&self, script: &str, arguments: &[Value]) -> Value {
        let ran = self.driver.execute_async(script, arguments);
        self.runtime.block_on(ran).unwrap().json().clone()
    }

    /// A command of Chrome's own protocol.
    pub(crate) fn command(&self, name: &str, parameters: Value) -> Value {
        let ran = self.driver.cdp();
        let answer = self.runtime.block_on(ran.send_raw(name, parameters));
        answer.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Has pages shown in a window of this size, in these colours, nothing on its way from one colour to another.
    #[track_caller]
    pub(crate) fn look(&self, (width, height): (u32, u32), theme: Theme) {
        let is_mobile = width < 600;
        self.command(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_mobile}),
        );
        let feature = |name: &str, value: &str| json!({"name": name, "value": value});
        let features = [
            feature("prefers-color-scheme", theme.word()),
            feature("prefers-reduced-motion", "reduce"),
        ];
        self.command("Emulation.setEmulatedMedia", json!({"features": features}));
        let seen = self.run(
            "return [innerWidth, matchMedia(`(prefers-color-scheme: ${arguments[0]})`).matches]",
            &[json!(theme.word())],
        );
        assert_eq!(seen, json!([width, true]));
    }

    // ---- waiting ----

    /// Waits until `look` finds something.
    #[track_caller]
    pub(crate) fn wait<T>(&self, what: &str, mut look: impl FnMut() -> Option<T>) -> T {
        let begun = Instant::now();
        loop {
            if let Some(found) = look() {
                return found;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "waited for {what} at {}, which shows: {}",
                self.page(),
                self.text("body")
                    .lines()
                    .take(40)
                    .collect::<Vec<_>>()
                    .join(" / ")
            );
            thread::sleep(LOOK_EVERY);
        }
    }

    #[track_caller]
    pub(crate) fn wait_for_text(&self, css: &str, text: &str) {
        let has_it = || self.text(css).contains(text).then_some(());
        self.wait(&format!("{text:?} in {css}"), has_it);
    }

    #[track_caller]
    pub(crate) fn wait_for_page(&self, page: &str) {
        let is_there = || (self.page() == page).then_some(());
        self.wait(page, is_there);
    }

    // ---- what went on behind it ----

    /// What the console has since it was looked at last, of warnings and errors.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.runtime.block_on(self.driver.browser_log()).unwrap();
        let is_bad = |level: &str| matches!(level, "WARNING" | "SEVERE");
        log.into_iter()
            .filter(|entry| is_bad(&entry.level))
            .map(|entry| entry.message)
            .collect()
    }

    /// Everything that was asked for is the service's.
    fn assert_at_home(&self) {
        let log = self.runtime.block_on(self.driver.get_log("performance"));
        let events = log.unwrap().into_iter().map(|entry| {
            let event: Value = serde_json::from_str(&entry.message).unwrap();
            event["message"].clone()
        });
        let asked: Vec<String> = events
            .filter(|event| event["method"] == "Network.requestWillBeSent")
            .map(|event| event["params"]["request"]["url"].as_str().unwrap().into())
            .collect();
        let home = format!("{}/", self.service);
        let (own, other): (Vec<String>, Vec<String>) =
            asked.into_iter().partition(|url| url.starts_with(&home));
        assert!(own.len() > 1, "{own:?}");
        // The browser's own page, on which it begins, is no request to anyone.
        let own_schemes = ["data:", "about:", "chrome:"];
        let is_foreign = |url: &&String| !own_schemes.iter().any(|own| url.starts_with(own));
        let foreign: Vec<&String> = other.iter().filter(is_foreign).collect();
        assert!(foreign.is_empty(), "{foreign:?}");
    }
}
