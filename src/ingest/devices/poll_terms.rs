//! How a known device is polled, and how its answers are read.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::mapping::TopicMapping;
use super::message_form::MessageForm;
use super::number_unit::PresetUnits;
use super::parts::PartMemory;
use super::payload::ArrivedMessage;
use crate::domain::SensorId;
use crate::ingest::DeviceReading;
use crate::ingest::wanted::WantedPlaces;

/// The port of HTTP.
const HTTP: u16 = 80;
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// The topic of answers, and the id of the sensor below it.
const ANSWER: (&str, &str) = ("answer/#", "{1}");

/// How a known device is polled, and how its answers are read.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PollTerms {
    /// The path and query over HTTP, with `{unit}`; empty for Modbus.
    #[serde(default)]
    request: String,
    port: Option<u16>,
    every_seconds: u32,
    least_seconds: u32,
    pause_seconds: Option<u32>,
    /// The scheme for passwords; `None` if these devices have no passwords.
    pub login: Option<LoginKind>,
    /// The usual number of the device behind its address; `None` if there is only one.
    pub unit: Option<u8>,
    /// Whether the device may be off for hours every day.
    #[serde(default)]
    pub sleeps: bool,
    /// The remedies of failures, by the status of the answer.
    #[serde(default)]
    advice: BTreeMap<String, String>,
    /// The reader of its answers; `None` if the file describes them.
    pub reader: Option<AnswerReader>,
    #[serde(default)]
    messages: Vec<MessageForm>,
    #[serde(skip)]
    ready: OnceLock<AnswerMappings>,
}

/// The scheme of a device's password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoginKind {
    /// HTTP Basic, RFC 7617.
    Basic,
    /// HTTP Digest with SHA-256, RFC 7616.
    Digest,
}

/// Readers of answers that no file can describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerReader {
    /// The meters at an inverter of Fronius.
    FroniusMeters,
    /// An inverter of Fronius.
    FroniusInverter,
    /// An inverter with SunSpec.
    SunspecInverter,
    /// The meters of a device with SunSpec.
    SunspecMeters,
}

/// The mappings of a device's answers, and the places that they read.
#[derive(Debug, Default)]
struct AnswerMappings {
    mappings: Vec<TopicMapping>,
    wanted: WantedPlaces,
}

impl PollTerms {
    /// The path and query of the request to the device with this unit.
    #[must_use]
    pub fn request(&self, unit: u8) -> String {
        self.request.replace("{unit}", &unit.to_string())
    }

    /// The usual port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port.unwrap_or(HTTP)
    }

    /// The usual time between two polls.
    #[must_use]
    pub fn every(&self) -> Duration {
        Duration::from_secs(self.every_seconds.into())
    }

    /// The shortest time between two polls that these devices tolerate.
    #[must_use]
    pub fn least(&self) -> Duration {
        Duration::from_secs(self.least_seconds.into())
    }

    /// The time between the end of a request and the next one to the same address, for any purpose.
    #[must_use]
    pub fn pause(&self) -> Duration {
        let seconds = self.pause_seconds.map(u64::from);
        seconds.map_or(SHORTEST_PAUSE, Duration::from_secs)
    }

    /// Advice on an answer with this status.
    #[must_use]
    pub fn advice(&self, status: u16) -> &str {
        let own = self.advice.get(&status.to_string());
        own.map_or_else(
            || match status {
                300..=399 => "it redirects elsewhere, which is not followed; check the address",
                429 => "it is polled too often; set a longer interval",
                404 => "it is another device; check preset and address",
                _ => "check preset and address",
            },
            String::as_str,
        )
    }

    /// The places of an answer that the file describes.
    pub(crate) fn wanted(&self) -> &WantedPlaces {
        &self.ready().wanted
    }

    /// The readings in an answer of the device whose first sensor is this one, and the number of
    /// values that cannot be read. Of several descriptions of a sensor, the first one counts.
    pub(crate) fn read(&self, first: &SensorId, answer: &Value) -> (Vec<DeviceReading>, usize) {
        let (mut readings, mut unreadable) = (Vec::<DeviceReading>::new(), 0);
        let topic = ANSWER.0.replace('#', first.as_str());
        let arrival = ArrivedMessage {
            topic: &topic,
            message: answer,
            is_new: true,
            elapsed: Duration::ZERO,
            unit: None,
        };
        for mapping in &self.ready().mappings {
            let mut found = mapping.read(&arrival, &mut PartMemory::default());
            // A value may be a part of several numbers.
            found.problems.dedup();
            unreadable += found.problems.len();
            let is_new = |one: &DeviceReading| !readings.iter().any(|it| it.sensor == one.sensor);
            found.readings.retain(is_new);
            readings.append(&mut found.readings);
        }
        (readings, unreadable)
    }

    fn ready(&self) -> &AnswerMappings {
        self.ready.get_or_init(|| {
            let (Ok(topic), Ok(sensor)) = (ANSWER.0.parse(), ANSWER.1.parse()) else {
                return AnswerMappings::default();
            };
            let mut ready = AnswerMappings::default();
            for message in &self.messages {
                // Answers have no topics, which could be wrong.
                let mapping = message.on(&topic, &sensor, PresetUnits::default());
                ready.mappings.extend(mapping);
            }
            for mapping in &ready.mappings {
                ready.wanted.add_all(&mapping.places());
            }
            ready
        })
    }
}
