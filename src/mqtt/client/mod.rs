//! The client of the broker: it connects, subscribes, acknowledges what is stored, and publishes. What a message means is
//! for [`super::intake`]; what is published, for [`super::home_assistant`].
//!
//! - `broker`: its address, TCP and TLS
//! - `link`: packets over that connection
//! - `publisher`: publications, at the pace of the broker
//! - `session`: one connection, from its first packet to its last
//! - `listener`: a second connection, which listens for devices
//! - `board`: what pages show of both
//! - `connection`: the thread that keeps a connection open
//! - `trial`: a test of the connection
//! - `settings`: what it needs to know
//! - `error`: why there is none, or why it ended; `problem`: the same for a person

mod board;
mod broker;
mod connection;
mod error;
mod link;
mod listener;
mod problem;
mod publisher;
mod session;
mod settings;
mod trial;

pub use self::board::{BrokerBoard, BrokerState};
pub use self::broker::BrokerAddress;
pub use self::connection::Client;
#[cfg(any(test, fuzzing))]
pub use self::link::fuzz_packets;
pub use self::problem::BrokerProblem;
pub use self::settings::ClientSettings;
pub use self::trial::try_connection;
