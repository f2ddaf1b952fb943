//! What came in by each protocol, counted since the start.

use std::sync::atomic::{AtomicU64, Ordering};

/// How readings reach the service.
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
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Elec, Self::Mqtt, Self::Influx, Self::Emoncms];

    /// What it is called where it is told apart from the others.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Elec => "elec",
            Self::Mqtt => "mqtt",
            Self::Influx => "influx",
            Self::Emoncms => "emoncms",
        }
    }
}

/// The message that brought an upload.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    /// How it came.
    pub protocol: Protocol,
    /// Its length once it is unpacked. Where it holds uploads of several sensors, one of them has it, the others 0.
    pub bytes: usize,
}

/// What was stored, by protocol. Imports are not among it.
#[derive(Debug, Default)]
pub(super) struct Received([Counts; Protocol::ALL.len()]);

#[derive(Debug, Default)]
struct Counts {
    readings: AtomicU64,
    bytes: AtomicU64,
    unused: AtomicU64,
}

impl Received {
    /// Counts an upload of so many readings.
    pub(super) fn count(&self, message: Message, readings: usize) {
        let counts = self.of(message.protocol);
        let add = |to: &AtomicU64, more: usize| {
            to.fetch_add(u64::try_from(more).unwrap_or(u64::MAX), Ordering::Relaxed);
        };
        add(&counts.readings, readings);
        add(&counts.bytes, message.bytes);
    }

    /// Counts a message, or a part of it, that can't be used.
    pub(super) fn count_unused(&self, protocol: Protocol) {
        self.of(protocol).unused.fetch_add(1, Ordering::Relaxed);
    }

    /// How many messages, or parts of them, can't be used.
    pub(super) fn unused(&self, protocol: Protocol) -> u64 {
        self.of(protocol).unused.load(Ordering::Relaxed)
    }

    /// How many readings, and how many bytes.
    pub(super) fn so_far(&self, protocol: Protocol) -> (u64, u64) {
        let counts = self.of(protocol);
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (load(&counts.readings), load(&counts.bytes))
    }

    fn of(&self, protocol: Protocol) -> &Counts {
        let Self([elec, mqtt, influx, emoncms]) = self;
        match protocol {
            Protocol::Elec => elec,
            Protocol::Mqtt => mqtt,
            Protocol::Influx => influx,
            Protocol::Emoncms => emoncms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readings_and_bytes_add_up() {
        let received = Received::default();
        for (bytes, readings) in [(100, 1), (0, 2)] {
            let message = Message {
                protocol: Protocol::Elec,
                bytes,
            };
            received.count(message, readings);
        }
        received.count_unused(Protocol::Mqtt);
        assert_eq!(received.so_far(Protocol::Elec), (3, 100));
        assert_eq!(received.so_far(Protocol::Mqtt), (0, 0));
        assert_eq!(
            (
                received.unused(Protocol::Elec),
                received.unused(Protocol::Mqtt)
            ),
            (0, 1)
        );
    }
}
