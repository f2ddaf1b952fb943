//! Services to test: one with an account, a sensor, and a key, and one before the first setup.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use serde_json::{Value, json};
use wattkeeper::Timestamp;
use wattkeeper::system_clock;

use crate::browser::window::{Browser, Scripts};
use crate::place::{Place, Serving};

/// The administrator password.
pub(crate) const PASSWORD: &str = "correct horse";
pub(crate) const SENSOR: &str = "house";

/// A running service with the account `home` and its sensor `house`.
pub(crate) struct House {
    pub(crate) service: Serving,
    pub(crate) api_id: String,
    pub(crate) api_key: String,
    // Dropped last: the folder outlives the service.
    _place: Place,
}

impl House {
    pub(crate) fn start() -> Self {
        Self::start_with(|_| ())
    }

    /// After `more` was done by commands.
    pub(crate) fn start_with(more: impl FnOnce(&Place)) -> Self {
        let place = Place::new();
        place.prepare();
        more(&place);
        let (api_id, api_key) = place.key();
        let set = place.run_on(format!("{PASSWORD}\n").as_bytes(), &["password"]);
        assert_eq!(set.status, 0, "{set:?}");
        Self {
            service: place.serve(&[]),
            api_id,
            api_key,
            _place: place,
        }
    }

    /// Runs `visit` in a browser that is signed in.
    pub(crate) fn visit(&self, scripts: Scripts, visit: impl FnOnce(&Browser)) {
        Browser::visit(&self.service.url, scripts, |browser| {
            browser.sign_in(PASSWORD);
            visit(browser);
        });
    }

    /// Uploads power with a key; returns the status.
    pub(crate) fn upload_with(&self, api_key: &str, watts: f64) -> u16 {
        let Self {
            service, api_id, ..
        } = self;
        service.upload(api_id, api_key, SENSOR, watts)
    }

    #[track_caller]
    pub(crate) fn upload(&self, watts: f64) {
        assert_eq!(self.upload_with(&self.api_key, watts), 200);
    }

    /// Uploads readings: time in milliseconds since 1970, watts, and watt-hours.
    #[track_caller]
    pub(crate) fn upload_readings(&self, readings: impl IntoIterator<Item = (i64, i64, i64)>) {
        let reading = |(ms, watts, watthours)| {
            let time = Timestamp::from_millis(ms).unwrap().to_string();
            json!({"time": time, "watts": watts, "watthours": watthours})
        };
        let readings: Vec<Value> = readings.into_iter().map(reading).collect();
        let body = json!({
            "sensor_id": SENSOR, "api_id": self.api_id, "api_key": self.api_key, "readings": readings,
        });
        assert_eq!(post(&self.service.elec(), &body.to_string()), 200);
    }
}

/// A contract by the hour, with prices of yesterday, today and tomorrow.
pub(crate) fn pay_by_the_hour(place: &Place) {
    const HOUR_MS: i64 = 3_600_000;
    let contract = json!({"from": "2026-01-01", "name": "Hourly", "currency": "EUR",
        "components": [{"energy": {"series": "spot", "surcharge": 0.2}}]});
    let set = place.run_on(contract.to_string().as_bytes(), &["contract", "set", "-"]);
    assert_eq!(set.status, 0, "{set:?}");
    let now = system_clock()().time.millis();
    let first = now - now % HOUR_MS - 30 * HOUR_MS;
    let mut table = "time,price\n".to_owned();
    for hour in 0..90 {
        let time = Timestamp::from_millis(first + hour * HOUR_MS).unwrap();
        // Some are below nothing.
        let cents = u8::try_from(hour * 7 % 24).unwrap();
        let price = f64::from(cents) / 100.0 - 0.24;
        writeln!(table, "{time},{price:.2}").unwrap();
    }
    let import = ["prices", "import", "-", "--series", "spot"];
    let imported = place.run_on(table.as_bytes(), &import);
    assert_eq!(imported.status, 0, "{imported:?}");
}

/// The service with an empty data folder, as after installation; killed when dropped.
pub(crate) struct FirstRun {
    child: Child,
    pub(crate) url: String,
    /// The setup address.
    pub(crate) setup: String,
    _place: Place,
}

impl FirstRun {
    pub(crate) fn start() -> Self {
        let place = Place::new();
        let mut command = place.command(&["serve", "--listen", "127.0.0.1:0"]);
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut last_word = || {
            let line = lines.next().unwrap().unwrap();
            line.rsplit(' ').next().unwrap().to_owned()
        };
        Self {
            url: last_word(),
            setup: last_word(),
            child,
            _place: place,
        }
    }
}

impl Drop for FirstRun {
    fn drop(&mut self) {
        // Fails if it has already exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs the request of a curl line; returns the status.
#[track_caller]
pub(crate) fn run_curl_line(line: &str) -> u16 {
    let (url, body) = line
        .strip_prefix("curl ")
        .and_then(|rest| rest.strip_suffix('\''))
        .and_then(|rest| rest.split_once(" -d '"))
        .unwrap_or_else(|| panic!("another line: {line}"));
    post(url, body)
}

/// Posts a body; returns the status.
pub(crate) fn post(url: &str, body: &str) -> u16 {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    let answer = config.build().new_agent().post(url).send(body);
    answer.unwrap().status().as_u16()
}
