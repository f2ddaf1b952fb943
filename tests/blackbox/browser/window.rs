//! A browser as a person uses it: open a page, click, type, read, wait for something to appear.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::browser::webdriver::{Chromedriver, Element, Session};

/// Long enough for anything to appear on the slowest machine.
const PATIENCE: Duration = Duration::from_mins(5);
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The window size of a phone, in pixels.
pub(crate) const PHONE: (u32, u32) = (390, 844);
/// The window size of a desktop, in pixels.
pub(crate) const DESK: (u32, u32) = (1_280, 900);

/// Whether pages may run scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scripts {
    On,
    Off,
}

/// The preferred colour scheme.
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

/// Keys without a character of their own, as `WebDriver` encodes them.
pub(crate) mod key {
    pub(crate) const PAGE_UP: &str = "\u{E00E}";
    pub(crate) const PAGE_DOWN: &str = "\u{E00F}";
    pub(crate) const END: &str = "\u{E010}";
    pub(crate) const ENTER: &str = "\u{E007}";
    pub(crate) const LEFT: &str = "\u{E012}";
}

/// How long a page or a script may take, less than an answer of chromedriver: the dearest one takes half a
/// minute of a debug build beside other tests.
const WITHIN_MS: u64 = 200_000;

/// A browser with an empty profile.
pub(crate) struct Browser {
    session: Session,
    /// The service's URL, without a slash at its end.
    service: String,
    // Dropped after the session, in this order.
    _chromedriver: Chromedriver,
    _profile: TempDir,
}

impl Browser {
    /// Runs `visit` in a new browser; then asserts that no script complained and no page made a request to another host.
    pub(crate) fn visit(service: &str, scripts: Scripts, visit: impl FnOnce(&Self)) {
        let browser = Self::start(service, scripts);
        visit(&browser);
        assert_eq!(browser.complaints(), [""; 0]);
        browser.assert_at_home();
    }

    fn start(service: &str, scripts: Scripts) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let chromedriver = Chromedriver::start();
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
        ], "prefs": {"intl.accept_languages": "en-GB,en"}});
        if scripts == Scripts::Off {
            options["prefs"]["profile.managed_default_content_settings.javascript"] = json!(2);
        }
        let capabilities = json!({
            "browserName": "chrome",
            "timeouts": {"pageLoad": WITHIN_MS, "script": WITHIN_MS},
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        });
        Self {
            session: Session::start(&chromedriver, &capabilities),
            service: service.to_owned(),
            _chromedriver: chromedriver,
            _profile: profile,
        }
    }

    // ---- navigation ----

    /// Opens a page of the service, or an address of it.
    pub(crate) fn open(&self, page: &str) {
        let address = match page.strip_prefix('/') {
            Some(_) => format!("{}{page}", self.service),
            None => page.to_owned(),
        };
        self.navigate("/url", &json!({"url": address}));
    }

    /// chromium now and then never ends a navigation: the next one does.
    #[track_caller]
    fn navigate(&self, path: &str, parameters: &Value) {
        match self.session.post(path, parameters) {
            Err(error) if error.contains("timeout") => self.post(path, parameters),
            gone => gone.unwrap_or_else(|error| panic!("{path}: {error}")),
        };
    }

    /// The path and query of the current page.
    pub(crate) fn page(&self) -> String {
        let address = self.get("/url");
        let page = address.strip_prefix(&self.service);
        page.unwrap_or_else(|| panic!("at {address}, not at {}", self.service))
            .to_owned()
    }

    /// Goes into the first frame of the page.
    pub(crate) fn enter_frame(&self) {
        self.post("/frame", &json!({"id": 0}));
    }

    pub(crate) fn back(&self) {
        self.post("/back", &json!({}));
    }

    pub(crate) fn reload(&self) {
        self.navigate("/refresh", &json!({}));
    }

    #[track_caller]
    pub(crate) fn sign_in(&self, password: &str) {
        self.open("/sign-in");
        self.fill("#password", password);
        self.click("main button");
        self.wait_for_page("/");
    }

    // ---- reading ----

    #[track_caller]
    fn get(&self, path: &str) -> String {
        let value = self.session.get(path).unwrap();
        value.as_str().unwrap().to_owned()
    }

    fn find(&self, css: &str) -> Option<Element<'_>> {
        self.session.find(css).ok()
    }

    #[track_caller]
    fn element(&self, css: &str) -> Element<'_> {
        let found = self.find(css);
        found.unwrap_or_else(|| panic!("no {css} at {}: {}", self.page(), self.source()))
    }

    pub(crate) fn has(&self, css: &str) -> bool {
        self.find(css).is_some()
    }

    /// The visible text of an element; empty if there is no such element.
    pub(crate) fn text(&self, css: &str) -> String {
        let element = self.find(css);
        let text = element.and_then(|it| it.get("text").ok());
        let text = text.as_ref().and_then(Value::as_str).unwrap_or_default();
        text.replace('\u{202F}', " ")
    }

    #[track_caller]
    pub(crate) fn attribute(&self, css: &str, name: &str) -> String {
        let attribute = format!("attribute/{name}");
        let found = match self.element(css).get(&attribute) {
            // The page was replaced meanwhile: the next one has such an element, too.
            Err(error) if error.contains("stale element") => self.element(css).get(&attribute),
            found => found,
        };
        found.unwrap().as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn source(&self) -> String {
        self.get("/source")
    }

    // ---- doing ----

    #[track_caller]
    fn post(&self, path: &str, parameters: &Value) -> Value {
        let done = self.session.post(path, parameters);
        done.unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    #[track_caller]
    pub(crate) fn click(&self, css: &str) {
        let clicked = self.element(css).post("click", &json!({}));
        clicked.unwrap_or_else(|error| panic!("{css} at {}: {error}", self.page()));
    }

    /// Replaces the text of a field.
    #[track_caller]
    pub(crate) fn fill(&self, css: &str, text: &str) {
        let field = self.element(css);
        field.post("clear", &json!({})).unwrap();
        field.post("value", &json!({"text": text})).unwrap();
    }

    /// Chooses an option of a list.
    #[track_caller]
    pub(crate) fn choose(&self, css: &str, text: &str) {
        let list = self.element(css);
        let option = list.find(&format!(".//option[normalize-space()='{text}']"));
        option.unwrap().post("click", &json!({})).unwrap();
    }

    /// Sends keys to an element.
    #[track_caller]
    pub(crate) fn keys(&self, css: &str, keys: &str) {
        let typed = self.element(css).post("value", &json!({"text": keys}));
        typed.unwrap();
    }

    /// Drags the mouse over an element, from one fraction of its width to another.
    #[track_caller]
    pub(crate) fn drag(&self, css: &str, from: f64, to: f64) {
        let element = self.element(css);
        let origin = &element.reference;
        self.run(
            "arguments[0].scrollIntoView()",
            std::slice::from_ref(origin),
        );
        let width = element.get("rect").unwrap()["width"].as_f64().unwrap();
        // Offsets count from the middle of the element.
        #[expect(clippy::cast_possible_truncation, reason = "pixels of a window")]
        let [from, middle, to] =
            [from, from.midpoint(to), to].map(|share| ((share - 0.5) * width) as i64);
        let move_to = |x: i64| json!({"type": "pointerMove", "duration": 250, "origin": origin, "x": x, "y": 0});
        let button = |what: &str| json!({"type": what, "button": 0});
        let moves = [
            move_to(from),
            button("pointerDown"),
            move_to(middle),
            move_to(to),
            button("pointerUp"),
        ];
        let mouse = json!({"type": "pointer", "id": "mouse", "actions": moves});
        self.post("/actions", &json!({"actions": [mouse]}));
    }

    /// Taps an element with a finger, at a fraction of its width.
    #[track_caller]
    pub(crate) fn tap(&self, css: &str, at: f64) {
        let element = self.element(css);
        let origin = &element.reference;
        self.run(
            "arguments[0].scrollIntoView({block: 'center'})",
            std::slice::from_ref(origin),
        );
        let width = element.get("rect").unwrap()["width"].as_f64().unwrap();
        #[expect(clippy::cast_possible_truncation, reason = "pixels of a window")]
        let x = ((at - 0.5) * width) as i64;
        let taps = [
            json!({"type": "pointerMove", "origin": origin, "x": x, "y": 0}),
            json!({"type": "pointerDown", "button": 0}),
            json!({"type": "pause", "duration": 50}),
            json!({"type": "pointerUp", "button": 0}),
        ];
        let finger = json!({
            "type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": taps,
        });
        self.post("/actions", &json!({"actions": [finger]}));
    }

    /// Moves fingers over an element, each from one fraction of its width to another.
    #[track_caller]
    pub(crate) fn swipe(&self, css: &str, fingers: &[(f64, f64)]) {
        let element = self.element(css);
        let origin = &element.reference;
        self.run(
            "arguments[0].scrollIntoView({block: 'center'})",
            std::slice::from_ref(origin),
        );
        let width = element.get("rect").unwrap()["width"].as_f64().unwrap();
        #[expect(clippy::cast_possible_truncation, reason = "pixels of a window")]
        let at = |share: f64| ((share - 0.5) * width) as i64;
        let finger = |(nth, (from, to)): (usize, &(f64, f64))| {
            let move_to = |share: f64, ms: i64| json!({"type": "pointerMove", "duration": ms, "origin": origin, "x": at(share), "y": 0});
            let moves = [
                move_to(*from, 0),
                json!({"type": "pointerDown", "button": 0}),
                move_to(from.midpoint(*to), 100),
                move_to(*to, 100),
                json!({"type": "pointerUp", "button": 0}),
            ];
            let id = format!("finger {nth}");
            json!({"type": "pointer", "id": id, "parameters": {"pointerType": "touch"}, "actions": moves})
        };
        let fingers: Vec<Value> = fingers.iter().enumerate().map(finger).collect();
        self.post("/actions", &json!({"actions": fingers}));
    }

    /// Runs a script and returns its result.
    #[track_caller]
    pub(crate) fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.post(
            "/execute/sync",
            &json!({"script": script, "args": arguments}),
        )
    }

    /// Runs a script that passes its result to its last argument.
    #[track_caller]
    pub(crate) fn run_to_the_end(&self, script: &str, arguments: &[Value]) -> Value {
        self.post(
            "/execute/async",
            &json!({"script": script, "args": arguments}),
        )
    }

    /// Runs a command of the Chrome `DevTools` Protocol.
    pub(crate) fn command(&self, name: &str, parameters: &Value) -> Value {
        self.post(
            "/goog/cdp/execute",
            &json!({"cmd": name, "params": parameters}),
        )
    }

    /// Sets the window size and the colour scheme, without transitions.
    #[track_caller]
    pub(crate) fn look(&self, (width, height): (u32, u32), theme: Theme) {
        let is_mobile = width < 600;
        self.command(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_mobile}),
        );
        let feature = |name: &str, value: &str| json!({"name": name, "value": value});
        let features = [
            feature("prefers-color-scheme", theme.word()),
            feature("prefers-reduced-motion", "reduce"),
        ];
        self.command("Emulation.setEmulatedMedia", &json!({"features": features}));
        let seen = self.run(
            "return [innerWidth, matchMedia(`(prefers-color-scheme: ${arguments[0]})`).matches]",
            &[json!(theme.word())],
        );
        assert_eq!(seen, json!([width, true]));
    }

    // ---- waiting ----

    /// Waits until `look` returns something.
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

    // ---- console and network ----

    /// The warnings and errors in the console since the last call.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let is_bad = |entry: &Value| {
            ["WARNING", "SEVERE"]
                .iter()
                .any(|bad| entry["level"] == *bad)
        };
        let bad = self.log("browser").into_iter().filter(is_bad);
        bad.map(|entry| entry["message"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The entries of one of the browser's logs since it was read last.
    fn log(&self, kind: &str) -> Vec<Value> {
        let log = self.post("/se/log", &json!({"type": kind}));
        log.as_array().unwrap().clone()
    }

    /// Checks that all requests went to the service.
    fn assert_at_home(&self) {
        let events = self.log("performance").into_iter().map(|entry| {
            let event: Value = serde_json::from_str(entry["message"].as_str().unwrap()).unwrap();
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
        // The start page of the browser makes no network requests.
        let own_schemes = ["data:", "about:", "chrome:"];
        let is_foreign = |url: &&String| !own_schemes.iter().any(|own| url.starts_with(own));
        let foreign: Vec<&String> = other.iter().filter(is_foreign).collect();
        assert!(foreign.is_empty(), "{foreign:?}");
    }
}
