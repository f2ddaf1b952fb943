//! From a message to readings of sensors. The meaning of a message is determined by presets and
//! mappings (`ingest/devices`); accounts and sensors determine which of its readings are stored.
//!
//! - `announced`: units that devices announce to Home Assistant
//! - `backlog`: messages that waited at the broker
//! - `filter_index`: many filters, for one look at a topic
//! - `recognition`: finds the preset that knows the device behind a message
//! - `followed`: how subscriptions read a message, without storing it
//! - `subscription`: some topics, and the mappings of their messages
//! - `keep_alive`: requests to devices that send only on request
//! - `fuzz`: checks of any message with any preset
//! - `problem`: messages that are not used
//! - `messages`: from the broker's message to the store

mod announced;
mod backlog;
mod filter_index;
mod followed;
#[cfg(any(test, fuzzing))]
mod fuzz;
mod keep_alive;
mod messages;
mod problem;
pub mod recognition;
mod subscription;

pub use self::followed::{FollowedMessage, FollowedSubscriptions};
#[cfg(any(test, fuzzing))]
pub use self::fuzz::fuzz_message;
pub(crate) use self::keep_alive::can_ask;
pub(crate) use self::messages::{BrokerMessage, Intake};
pub use self::recognition::{PassedMessage, Recognized, Recognizer, SuggestedSensor};
pub use self::subscription::Subscription;
