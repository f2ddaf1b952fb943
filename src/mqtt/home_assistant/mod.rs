//! What Home Assistant needs to show every sensor without being configured: a description of its power, its energy and its problems
//! (MQTT discovery), and their newest values. Nothing here talks to the broker, or reads messages of devices.
//!
//! Retained messages outlive this service, so it subscribes to its own announcements and removes those of sensors that no
//! longer exist.
//!
//! - `topics`: the topics of both sides, and what arrives on them
//! - `message`: the messages of discovery
//! - `problems`: who has a problem
//! - `resets`: when a register began anew
//! - `houses`: what each house did today
//! - `announcer`: what to publish, from the store

mod announcer;
mod houses;
mod message;
mod problems;
mod resets;
mod topics;

pub use self::announcer::Announcer;
pub use self::topics::{DiscoverySettings, Incoming, Publication};

#[cfg(test)]
mod tests;
