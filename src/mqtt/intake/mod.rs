//! From a message to readings of sensors. The meaning of a message is determined by presets and
//! mappings; accounts and sensors determine which of its readings are stored.
//!
//! - `topic`: topics and filters
//! - `announced`: units that devices announce to Home Assistant
//! - `backlog`: messages that waited at the broker
//! - `filter_index`: many filters, for one look at a topic
//! - `template`: names of sensors, from the wildcards of a topic and fields of the message
//! - `payload`: numbers and times in JSON
//! - `text_number`: numbers in text, optionally with their unit
//! - `sum`: several fields or topics as one number
//! - `parts`: the last values of the parts of such sums
//! - `channel`: the channels of a device
//! - `number_unit`: the source of a number's unit
//! - `direction`: the direction of a number without a sign
//! - `readings`: the readings of a message
//! - `number`: one number of a device
//! - `mapping`: a message's readings
//! - `presets`: mappings of well-known devices
//! - `recognition`: finds the preset that knows the device behind a message
//! - `followed`: how subscriptions read a message, without storing it
//! - `subscription`: some topics, and the mappings of their messages
//! - `keep_alive`: requests to devices that send only on request
//! - `fuzz`: checks of any message with any preset
//! - `problem`: messages that are not used
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
mod problem;
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
