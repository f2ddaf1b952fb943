//! Protocols, and counts of uploads by each since the start.

use std::sync::atomic::{AtomicU64, AtomicUsize};

/// The way in which readings reach the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The "elec" API, over HTTP.
    Elec,
    /// Messages of an MQTT broker.
    Mqtt,
    /// InfluxDB's line protocol, over HTTP.
    Influx,
    /// Emoncms' inputs, over HTTP.
    Emoncms,
    /// Answers of devices that are polled.
    Poll,
    /// States of Home Assistant.
    HomeAssistant,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Self; 6] = [
        Self::Elec,
        Self::Mqtt,
        Self::Influx,
        Self::Emoncms,
        Self::Poll,
        Self::HomeAssistant,
    ];

    /// Its name, used for instance in metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Elec => "elec",
            Self::Mqtt => "mqtt",
            Self::Influx => "influx",
            Self::Emoncms => "emoncms",
            Self::Poll => "poll",
            Self::HomeAssistant => "home_assistant",
        }
    }
}

/// The message that contained one or more uploads.
#[derive(Debug)]
pub struct IncomingMessage {
    pub(super) protocol: Protocol,
    /// Its decompressed length; 0 once it is counted, with the first of its stored uploads.
    pub(super) bytes: AtomicUsize,
}

impl IncomingMessage {
    /// A message of this decompressed length.
    #[must_use]
    pub const fn new(protocol: Protocol, bytes: usize) -> Self {
        Self {
            protocol,
            bytes: AtomicUsize::new(bytes),
        }
    }
}

/// The counts of one protocol since the start, without imports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Received {
    /// Uploads stored, each of one sensor.
    pub uploads: u64,
    /// The readings in them.
    pub readings: u64,
    /// The bytes of their messages.
    pub bytes: u64,
    /// Messages, or parts of them, that were refused or could not be used.
    pub unused: u64,
}

/// Counts by protocol, without imports.
#[derive(Debug, Default)]
pub(super) struct ReceivedCounts([ProtocolCounts; Protocol::ALL.len()]);

/// Counts of one protocol.
#[derive(Debug, Default)]
pub(super) struct ProtocolCounts {
    /// The uploads stored.
    pub(super) uploads: AtomicU64,
    /// The readings stored.
    pub(super) readings: AtomicU64,
    /// The bytes of their messages.
    pub(super) bytes: AtomicU64,
    /// The messages, or parts of them, that could not be used.
    pub(super) unused: AtomicU64,
}

impl ReceivedCounts {
    /// The counts of `protocol`.
    pub(super) fn of(&self, protocol: Protocol) -> &ProtocolCounts {
        let Self([elec, mqtt, influx, emoncms, poll, home_assistant]) = self;
        match protocol {
            Protocol::Elec => elec,
            Protocol::Mqtt => mqtt,
            Protocol::Influx => influx,
            Protocol::Emoncms => emoncms,
            Protocol::Poll => poll,
            Protocol::HomeAssistant => home_assistant,
        }
    }
}
