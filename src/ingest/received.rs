//! Protocols, and counts of what arrived by each since the start.

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

    /// Its name, for instance in metrics.
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

/// The message in which an upload arrived.
#[derive(Clone, Copy, Debug)]
pub struct IncomingMessage {
    /// Its protocol.
    pub protocol: Protocol,
    /// Its length, unpacked. Of several uploads in one message, one has the length and the others 0.
    pub bytes: usize,
}

/// Counts by protocol, without imports.
#[derive(Debug, Default)]
pub(super) struct ReceivedCounts([ProtocolCounts; Protocol::ALL.len()]);

#[derive(Debug, Default)]
struct ProtocolCounts {
    readings: AtomicU64,
    bytes: AtomicU64,
    unused: AtomicU64,
}

impl ReceivedCounts {
    /// Counts an upload.
    pub(super) fn count(&self, message: IncomingMessage, readings: usize) {
        let counts = self.of(message.protocol);
        let add = |to: &AtomicU64, more: usize| {
            to.fetch_add(u64::try_from(more).unwrap_or(u64::MAX), Ordering::Relaxed);
        };
        add(&counts.readings, readings);
        add(&counts.bytes, message.bytes);
    }

    /// Counts a message, or a part of it, that cannot be used.
    pub(super) fn count_unused(&self, protocol: Protocol) {
        self.of(protocol).unused.fetch_add(1, Ordering::Relaxed);
    }

    /// The messages, or parts of them, that could not be used.
    pub(super) fn unused(&self, protocol: Protocol) -> u64 {
        self.of(protocol).unused.load(Ordering::Relaxed)
    }

    /// The readings and the bytes.
    pub(super) fn so_far(&self, protocol: Protocol) -> (u64, u64) {
        let counts = self.of(protocol);
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (load(&counts.readings), load(&counts.bytes))
    }

    fn of(&self, protocol: Protocol) -> &ProtocolCounts {
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
        let received = ReceivedCounts::default();
        for (bytes, readings) in [(100, 1), (0, 2)] {
            let message = IncomingMessage {
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
