//! The demo's live readings, sent over HTTP once a second, as a sensor does.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::cli::exchange;
use crate::cli::output::{note, print_json, print_line};
use crate::domain::time::MS_PER_DAY;
use crate::domain::{ApiId, ApiKey, Reading, Timestamp};
use crate::house::{DEMO_SENSORS, Household};
use crate::server::{Clock, ServerHandle};

const EVERY: Duration = Duration::from_secs(1);
/// A plug sends only every tenth time.
const PLUGS_EVERY: u64 = 10;
const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// Sends live readings, and announces the demo once it works.
pub(super) struct LiveSender {
    pub address: SocketAddr,
    pub base_path: String,
    /// The administrator's password.
    pub password: String,
    pub api_id: ApiId,
    pub api_key: ApiKey,
    /// Whether to announce the demo as JSON.
    pub json: bool,
    pub household: Household,
    pub clock: Clock,
    /// Set when the demo must end.
    pub interrupted: Arc<AtomicBool>,
    pub server: ServerHandle,
}

impl LiveSender {
    /// Sends readings until interrupted, and announces the demo after the first one, which proves
    /// that it works. Also stops the server.
    pub(super) fn run(mut self) -> Result<()> {
        let result = self.send_until_interrupted();
        self.server.stop();
        // Without a reader for the announcement, nobody uses the demo either.
        result
    }

    fn send_until_interrupted(&mut self) -> Result<()> {
        self.send(true).context("sending the first live readings")?;
        self.announce()?;
        let mut due = Instant::now() + EVERY;
        let mut works = true;
        let mut times = 0_u64;
        while !self.interrupted.load(Ordering::Relaxed) {
            let now = Instant::now();
            if now < due {
                // In short naps, so that Ctrl-C takes effect at once.
                thread::sleep((due - now).min(Duration::from_millis(100)));
                continue;
            }
            // From now on, not from the due time, so that missed readings are not made up for after
            // a suspend.
            due = now + EVERY;
            times += 1;
            let sent = self.send(times.is_multiple_of(PLUGS_EVERY));
            // Reported once, not every second; a server that is stopping refuses readings.
            if let Err(error) = &sent
                && works
                && !self.interrupted.load(Ordering::Relaxed)
            {
                note(&format!("live readings: {error:#}"));
            }
            works = sent.is_ok();
        }
        Ok(())
    }

    /// Sends readings, including those of the plugs if they are due.
    fn send(&mut self, is_due: bool) -> Result<()> {
        let readings = self.household.read((self.clock)().time, is_due);
        for (sensor, reading) in DEMO_SENSORS.iter().zip(readings) {
            if let Some(reading) = reading {
                self.upload(sensor.id, &reading)?;
            }
        }
        Ok(())
    }

    fn upload(&self, sensor: &str, reading: &Reading) -> Result<()> {
        let body = json!({
            "sensor_id": sensor,
            "api_id": self.api_id.as_str(),
            "api_key": self.api_key.reveal(),
            "time": reading.time.to_string(),
            "watts": reading.measures.watts(),
            "watthours": reading.measures.watthours(),
        });
        let stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(ANSWER_WITHIN))?;
        let path = format!("{}/elec", self.base_path);
        let host = self.address.to_string();
        match exchange::post(stream, &host, &path, body.to_string().as_bytes())? {
            (200, _) => Ok(()),
            (status, _) => bail!("the server answered {status}"),
        }
    }

    fn announce(&self) -> Result<()> {
        let sensors = DEMO_SENSORS.map(|sensor| sensor.id);
        if self.json {
            return print_json(&json!({
                "listening": format!("http://{}", self.address),
                "password": self.password,
                "api_id": self.api_id.as_str(),
                "api_key": self.api_key.reveal(),
                "sensors": sensors,
            }));
        }
        print_line(&self.text(&sensors, (self.clock)().time))
    }

    fn text(&self, sensors: &[&str], now: Timestamp) -> String {
        let sign_in = format!("-u {}:{}", self.api_id.as_str(), self.api_key.reveal());
        let url = format!("http://{}", self.address);
        let base = format!("{url}{}", self.base_path);
        let get = |what: &str| format!("  curl {sign_in} '{base}/elec?sensor_id={what}'\n");
        let ago = |ms: i64| {
            let time = now.saturating_add_millis(-ms).to_string();
            // Without milliseconds and Z, as a person would type it.
            time.get(..19).unwrap_or_default().to_owned()
        };
        // A day ahead, so that the queries include readings that arrive while the demo runs.
        let end = ago(-MS_PER_DAY);
        let (minutes, day, year) = (ago(600_000), ago(MS_PER_DAY), ago(365 * MS_PER_DAY));
        [
            format!("wattkeeper demo is listening on {url}\n\n"),
            format!(
                "Open {url} in a browser for the dashboard, and sign in with the password {}\n\n",
                self.password
            ),
            format!("  api_id   {}\n", self.api_id.as_str()),
            format!("  api_key  {}\n", self.api_key.reveal()),
            format!("  sensors  {}\n\n", sensors.join(", ")),
            "The power now, over the last ten minutes; the energy used since yesterday, in a year:\n"
                .to_owned(),
            get("house&type=latest_rate"),
            get(&format!(
                "house&type=rate&start_time={minutes}&end_time={end}"
            )),
            get(&format!(
                "heat-pump&type=consumption&start_time={day}&end_time={end}"
            )),
            get(&format!(
                "solar&type=net_consumption&start_time={year}&end_time={end}"
            )),
            "An upload:\n".to_owned(),
            format!(
                "  curl {sign_in} -d '{{\"sensor_id\":\"house\",\"watts\":512.5}}' '{base}/elec'\n"
            ),
            "Ctrl-C ends it.".to_owned(),
        ]
        .concat()
    }
}
