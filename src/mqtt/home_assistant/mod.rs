//! Makes Home Assistant show every sensor without configuration: announcements of its power, its
//! energy and its problems (MQTT discovery), and the newest values. Nothing here talks to the
//! broker, or reads messages of devices.
//!
//! Retained messages outlive this service, so it subscribes to its own announcements and removes
//! those of sensors that no longer exist.
//!
//! - `topics`: the topics of both sides, and incoming messages
//! - `message`: the messages of discovery
//! - `problems`: sensors, houses and services with problems
//! - `resets`: the times when registers restarted
//! - `houses`: the sums of each house today; `prices`: its price now, and when it is cheapest;
//!   `forecasts`: its month to come; `peaks`: its power where a contract prices the demand;
//!   `objects`: the publications of these three
//! - `announcer`: finds the next publications, from the store

mod announcer;
mod forecasts;
mod houses;
mod message;
mod objects;
mod peaks;
mod prices;
mod problems;
mod resets;
mod topics;

pub use self::announcer::Announcer;
pub use self::topics::{DiscoverySettings, Incoming, Publication};

#[cfg(test)]
mod tests;
