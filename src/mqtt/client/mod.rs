//! The client of the broker: it connects, subscribes, acknowledges what is stored, and publishes. What a message means is
//! for [`super::intake`]; what is published, for [`super::home_assistant`].
//!
//! - `broker`: its address, TCP and TLS
//! - `link`: packets over that connection
//! - `publisher`: publications, at the pace of the broker
//! - `session`: one connection, from its first packet to its last
//! - `connection`: the thread that keeps a connection open
//! - `error`: why there is none, or why it ended

mod broker;
mod connection;
mod error;
mod link;
mod publisher;
mod session;

pub use self::broker::{AddressError, BrokerAddress};
pub use self::connection::{Client, ClientSettings};
#[cfg(any(test, fuzzing))]
pub use self::link::fuzz_packets;
