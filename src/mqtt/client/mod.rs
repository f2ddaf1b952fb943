//! The client of the broker: it connects, subscribes, acknowledges stored messages, and publishes.
//! The meaning of messages is up to [`super::intake`], the content of publications to
//! [`super::home_assistant`].
//!
//! - `broker`: its address, TCP and TLS
//! - `link`: packets over that connection
//! - `publisher`: publications, at the pace of the broker
//! - `session`: one connection, from its first packet to its last
//! - `listener`: a second connection, which listens for devices
//! - `monitor`: the state of both, for pages
//! - `connection`: the thread that keeps a connection open
//! - `trial`: a test of the connection
//! - `settings`: the client's settings
//! - `error`: why a connection failed or ended; `problem`: the same for a person

mod broker;
mod connection;
mod error;
mod link;
mod listener;
mod monitor;
mod problem;
mod publisher;
mod session;
mod settings;
mod trial;

pub use self::broker::BrokerAddress;
pub use self::connection::Client;
#[cfg(any(test, fuzzing))]
pub use self::link::fuzz_packets;
pub use self::monitor::{BrokerMonitor, BrokerState};
pub use self::problem::BrokerProblem;
pub use self::settings::ClientSettings;
pub use self::trial::try_connection;
