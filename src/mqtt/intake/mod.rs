//! From a message to readings of sensors. What a message means is settled by presets and mappings; which of its readings are
//! stored, by the accounts and the sensors there are.
//!
//! - `topic`: topics and filters
//! - `template`: names of sensors, from the wildcards of a topic
//! - `payload`: numbers and times in JSON
//! - `mapping`: a message's readings
//! - `presets`: mappings of well-known devices
//! - `log_limit`: complaints, once an hour each
//! - `messages`: from the broker's message to the store

mod log_limit;
pub mod mapping;
mod messages;
pub mod payload;
pub mod presets;
pub mod template;
pub mod topic;

pub use self::mapping::{Channel, TopicMapping};
pub use self::messages::Subscription;
#[cfg(any(test, fuzzing))]
pub use self::messages::fuzz_message;
pub(crate) use self::messages::{BrokerMessage, Intake};
pub use self::payload::{Pointer, TimeForm};
pub use self::presets::Preset;
pub use self::template::SensorTemplate;
pub use self::topic::TopicFilter;
