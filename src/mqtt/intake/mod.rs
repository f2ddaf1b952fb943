//! From a message to readings of sensors. What a message means is settled by presets and mappings; which of its readings are
//! stored, by the accounts and the sensors there are.
//!
//! - `topic`: topics and filters
//! - `announced`: units that devices announce to Home Assistant
//! - `backlog`: messages that waited at the broker
//! - `filter_index`: many filters, for one look at a topic
//! - `template`: names of sensors, from the wildcards of a topic and fields of the message
//! - `payload`: numbers and times in JSON
//! - `text_number`: numbers in text, perhaps with their unit
//! - `sum`: several fields or topics as one number
//! - `parts`: what the parts of such a sum said last
//! - `channel`: the channels of a device
//! - `number_unit`: what says the unit of a number
//! - `direction`: the direction of a number without a sign
//! - `readings`: what is read in a message
//! - `number`: one number of a device
//! - `mapping`: a message's readings
//! - `presets`: mappings of well-known devices
//! - `recognition`: which preset knows the device that sent a message
//! - `followed`: what subscriptions make of a message, without storing it
//! - `subscription`: some topics, and the mappings of their messages
//! - `keep_alive`: asks devices that send only then
//! - `fuzz`: any message for any preset
//! - `messages`: from the broker's message to the store

mod announced;
mod backlog;
pub mod channel;
mod direction;
mod filter_index;
mod followed;
#[cfg(any(test, fuzzing))]
mod fuzz;
mod keep_alive;
pub mod mapping;
mod messages;
pub mod number;
mod number_unit;
pub mod parts;
pub mod payload;
pub mod presets;
mod readings;
pub mod recognition;
mod subscription;
pub mod sum;
pub mod template;
pub mod text_number;
pub mod topic;

pub use self::followed::{FollowedMessage, FollowedSubscriptions};
#[cfg(any(test, fuzzing))]
pub use self::fuzz::fuzz_message;
pub(crate) use self::keep_alive::can_ask;
pub use self::mapping::TopicMapping;
pub(crate) use self::messages::{BrokerMessage, Intake};
pub use self::number::MappedNumber;
pub use self::payload::TimeForm;
pub use self::presets::{Preset, PresetUnits};
pub use self::recognition::{PassedMessage, Recognized, Recognizer, SuggestedSensor, Unusable};
pub use self::subscription::Subscription;
pub use self::sum::Sum;
pub use self::template::SensorTemplate;
pub use self::topic::TopicFilter;
