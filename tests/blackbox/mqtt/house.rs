//! A house: a data dir with an account `home`, settings that name a broker, and the service running on them.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::place::{Place, Serving};

/// How long anything may take on the slowest machine.
const WITHIN: Duration = Duration::from_mins(2);

pub(crate) struct House {
    pub(crate) place: Place,
    api_id: String,
    api_key: String,
}

/// Waits until `look` finds something; a failure names it by `what`.
#[track_caller]
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < WITHIN, "{what} did not come");
        thread::sleep(Duration::from_millis(50));
    }
}

impl House {
    /// With sensors of these ids; the configuration has `[mqtt]` with a broker at `port`, then `settings`.
    pub(crate) fn new(port: u16, sensors: &[&str], settings: &str) -> Self {
        let place = Place::new();
        place.ok(&["account", "add", "home"]);
        for sensor in sensors {
            place.ok(&[
                "sensor",
                "add",
                sensor,
                "--account",
                "home",
                "--role",
                "sub-meter",
            ]);
        }
        let (api_id, api_key) = place.key();
        let mut text = String::new();
        writeln!(
            text,
            "[mqtt]\nbroker = \"mqtt://127.0.0.1:{port}\"\n{settings}"
        )
        .unwrap();
        place.file("config.toml", text.as_bytes());
        Self {
            place,
            api_id,
            api_key,
        }
    }

    /// Starts the service; it may not have reached the broker yet.
    pub(crate) fn serve(&self) -> Serving {
        self.place.serve(&[])
    }

    /// Starts the service and waits until it has subscribed.
    pub(crate) fn subscribed(&self, broker: &crate::mqtt::broker::Mosquitto) -> Serving {
        let before = broker.subscriptions();
        let serving = self.serve();
        eventually("the subscription", || {
            (broker.subscriptions() > before).then_some(())
        });
        serving
    }

    /// All readings of a sensor, as `export` prints them: time, watts, watt-hours.
    pub(crate) fn readings(&self, sensor: &str) -> Vec<(String, Option<f64>, Option<f64>)> {
        let text = self.place.ok(&["export", "--sensor", sensor]);
        let number = |text: &str| (!text.is_empty()).then(|| text.parse().unwrap());
        let row = |line: &str| {
            let columns: Vec<&str> = line.split(',').collect();
            (
                columns[0].to_owned(),
                number(columns[1]),
                number(columns[2]),
            )
        };
        text.lines().skip(1).map(row).collect()
    }

    /// Waits until a sensor has `count` readings; its first message may add it.
    #[track_caller]
    pub(crate) fn wait_for(
        &self,
        sensor: &str,
        count: usize,
    ) -> Vec<(String, Option<f64>, Option<f64>)> {
        eventually(&format!("{count} readings of {sensor}"), || {
            let is_there = self.sensors().iter().any(|row| row["sensor_id"] == sensor);
            let readings = is_there.then(|| self.readings(sensor))?;
            (readings.len() >= count).then_some(readings)
        })
    }

    /// Uploads over HTTP; must be accepted.
    pub(crate) fn upload(&self, serving: &Serving, sensor: &str, watts: f64) {
        let status = serving.upload(&self.api_id, &self.api_key, sensor, watts);
        assert_eq!(status, 200);
    }

    /// The same of a whole reading, without credentials.
    #[track_caller]
    pub(crate) fn post(&self, serving: &Serving, reading: &Value) {
        let mut body = reading.clone();
        body["api_id"] = self.api_id.as_str().into();
        body["api_key"] = self.api_key.as_str().into();
        let answer = ureq::post(serving.elec()).send(body.to_string());
        answer.unwrap_or_else(|error| panic!("{reading}: {error}"));
    }

    /// The answer to a download with these parameters.
    pub(crate) fn get(&self, serving: &Serving, parameters: &str) -> Value {
        let key = format!("api_id={}&api_key={}", self.api_id, self.api_key);
        let answer = ureq::get(format!("{}?{parameters}&{key}", serving.elec())).call();
        let mut answer = answer.unwrap_or_else(|error| panic!("{parameters}: {error}"));
        serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap()
    }

    /// The credential as one word, as uploaders of Emoncms have it.
    pub(crate) fn token(&self) -> String {
        format!("{}:{}", self.api_id, self.api_key)
    }

    /// The sensors of the account.
    pub(crate) fn sensors(&self) -> Vec<Value> {
        let list = self.place.json(&["sensor", "list"]);
        list.as_array().unwrap().clone()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.dir.path().join(name)
    }
}
