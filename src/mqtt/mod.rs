//! MQTT: readings from the messages of a broker, and the sensors that Home Assistant shows. Off
//! until a broker is set.
//!
//! Readings go through [`crate::ingest`], like those of any other protocol; nothing here writes
//! them to the store itself.
//!
//! - [`intake`]: from a message to readings of sensors
//! - [`home_assistant`]: publications for Home Assistant
//! - [`devices`]: the devices heard on the broker that feed no sensor yet
//! - [`client`]: the connection to the broker

pub mod client;
pub mod devices;
pub mod home_assistant;
pub mod intake;

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::client::fuzz_packets as mqtt_packets;
    pub use super::intake::fuzz_message as mqtt_message;
}
