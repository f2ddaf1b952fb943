//! The devices at one address, polled one after another with one request at a time.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::{Instant, sleep_until};
use ureq::Agent;

use super::answer;
use super::error::PollError;
use super::get::get;
use super::outage::{Outage, chance};
use super::settings::PollSettings;
use super::sunspec::{SunspecPart, SunspecStation};
use super::tally::{DeviceTally, LastPoll};
use crate::domain::{Clock, Moment};
use crate::ingest::devices::AnswerReader;
use crate::ingest::{DeviceIngest, DeviceReading, IncomingMessage, Ingest, LogLimit, Protocol};
use crate::locks::lock;

/// The time between the first polls of two devices.
const SPREAD: Duration = Duration::from_millis(50);
/// The longest wait after failures, unless the device is polled less often anyway.
const LONGEST_WAIT: Duration = Duration::from_mins(5);

/// The parts shared by all hosts.
pub(super) struct PollerParts {
    pub(super) agent: Agent,
    pub(super) ingest: Ingest,
    pub(super) device_ingest: DeviceIngest,
    pub(super) clock: Clock,
    pub(super) log_limit: Mutex<LogLimit>,
}

/// The devices at one address.
pub(super) struct PolledHost {
    devices: Vec<PolledDevice>,
    /// The connection to the Modbus devices.
    station: SunspecStation,
}

/// One device.
struct PolledDevice {
    tally: Arc<DeviceTally>,
    outage: Outage,
    /// The time of its next poll.
    due: Instant,
}

/// The outcome of a poll.
pub(super) type Polled = Result<PolledAnswer, PollError>;

/// The answer of a device.
pub(super) struct PolledAnswer {
    /// The length of the answers, in bytes.
    pub(super) bytes: usize,
    /// Their readings.
    pub(super) readings: Vec<DeviceReading>,
    /// The number of their values that could not be read.
    pub(super) dropped: usize,
}

impl PollerParts {
    /// Whether to log this problem of a device: once an hour each.
    fn is_told(&self, device: &PollSettings, problem: &str, now: Moment) -> bool {
        let mut limit = lock(&self.log_limit);
        limit.allows(device.sensor.as_str(), problem, now.elapsed)
    }
}

impl PolledHost {
    /// These devices, with their places among all. The first polls of a house are spread out a
    /// little.
    pub(super) fn new(devices: Vec<(usize, Arc<DeviceTally>)>, now: Instant) -> Self {
        let devices = devices.into_iter().map(|(index, tally)| PolledDevice {
            due: now + SPREAD * u32::try_from(index).unwrap_or(0),
            tally,
            outage: Outage::default(),
        });
        Self {
            devices: devices.collect(),
            station: SunspecStation::default(),
        }
    }

    /// Polls its devices until it is dropped.
    pub(super) async fn run(mut self, shared: &PollerParts) {
        // When the pause of the host is over.
        let mut free = Instant::now();
        while let Some(device) = self.devices.iter_mut().min_by_key(|device| device.due) {
            sleep_until(device.due.max(free)).await;
            let began = Instant::now();
            // Unwind safe: a connection in use is closed, however its use ends.
            let polling =
                AssertUnwindSafe(poll(device.settings(), &shared.agent, &mut self.station));
            let polled = polling.catch_unwind().await;
            let polled = polled.unwrap_or(Err(PollError::Panic));
            let ended = Instant::now();
            free = ended + device.settings().preset.terms.pause();
            device.take(polled, shared).await;
            // Missed polls are not caught up.
            let every = device.settings().every;
            let wait = device.outage.wait(every, LONGEST_WAIT, chance());
            device.due = (began + wait).max(free);
        }
    }
}

/// Polls a device once.
pub(super) async fn poll(
    settings: &PollSettings,
    agent: &Agent,
    station: &mut SunspecStation,
) -> Polled {
    let part = match settings.preset.terms.reader {
        Some(AnswerReader::SunspecInverter) => SunspecPart::Inverter,
        Some(AnswerReader::SunspecMeters) => SunspecPart::Meters,
        Some(AnswerReader::FroniusMeters | AnswerReader::FroniusInverter) | None => {
            let (agent, settings) = (agent.clone(), settings.clone());
            let asking = tokio::task::spawn_blocking(move || {
                let path = settings.preset.terms.request(settings.unit);
                let body = get(&agent, &settings, &path)?;
                let (readings, dropped) =
                    answer::readings(&settings.preset.terms, &settings.sensor, &body)?;
                Ok(PolledAnswer {
                    bytes: body.len(),
                    readings,
                    dropped,
                })
            });
            return asking.await.unwrap_or(Err(PollError::Panic));
        }
    };
    station.poll(settings, part).await
}

impl PolledDevice {
    fn settings(&self) -> &PollSettings {
        self.tally.settings()
    }

    /// Counts and logs the outcome of a poll, and stores its readings.
    async fn take(&mut self, polled: Polled, shared: &PollerParts) {
        // After the answer, because a reading without a time gets the time of its arrival.
        let now = (shared.clock)();
        self.tally.count_poll(LastPoll {
            time: now.time,
            answer: polled
                .as_ref()
                .map(|it| it.readings.clone())
                .map_err(PollError::clone),
        });
        match polled {
            Ok(answer) => {
                if let Some(failures) = self.outage.answered() {
                    let name = self.tally.name();
                    log::info!("poll: {name:?} answers again, after {failures} failed polls");
                }
                self.store(answer, shared, now).await;
            }
            Err(error) => {
                let is_worth_it = self.outage.failed();
                self.log_failure(&error, is_worth_it, shared, now);
            }
        }
    }

    fn log_failure(&self, error: &PollError, is_worth_it: bool, shared: &PollerParts, now: Moment) {
        let settings = self.settings();
        let level = if !is_worth_it || !shared.is_told(settings, &error.to_string(), now) {
            log::Level::Debug
        } else if error.is_absence() && settings.preset.terms.sleeps {
            // At night, an inverter may well be off.
            log::Level::Info
        } else {
            log::Level::Warn
        };
        log::log!(
            level,
            "poll: no readings from {:?} ({} at {}): {error}; trying again every {} s, later less often",
            settings.sensor.as_str(),
            settings.preset.id(),
            settings.address,
            settings.every.as_secs()
        );
    }

    async fn store(&self, answer: PolledAnswer, shared: &PollerParts, now: Moment) {
        let incoming = IncomingMessage::new(Protocol::Poll, answer.bytes);
        let settings = self.settings();
        shared.ingest.count_unused(Protocol::Poll, answer.dropped);
        let stored = shared
            .device_ingest
            .store(&settings.account, answer.readings, &incoming, now);
        for problem in stored.await {
            // Always counted; only logging is limited.
            shared.ingest.count_unused(Protocol::Poll, 1);
            let problem = problem.to_string();
            if shared.is_told(settings, &problem, now) {
                log::warn!(
                    "poll: a reading of {:?} is not stored: {problem}",
                    settings.sensor.as_str()
                );
            }
        }
    }
}
