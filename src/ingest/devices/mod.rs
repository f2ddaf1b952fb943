//! Messages and answers of devices -> readings: where their numbers are, and what those mean.
//!
//! - `topic`: topics and filters
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
//! - `message_form`: the messages of a device, as a file of the folder `devices` describes them
//! - `broker_terms`: how the messages of a known device are read from a broker
//! - `poll_terms`: how a known device is polled, and how its answers are read
//! - `known`: the known devices, which are the files of that folder

mod broker_terms;
pub mod channel;
mod direction;
mod known;
pub mod mapping;
mod message_form;
pub mod number;
pub(crate) mod number_unit;
pub mod parts;
pub mod payload;
mod poll_terms;
pub(crate) mod readings;
pub mod sum;
pub mod template;
pub mod text_number;
pub mod topic;

pub use self::broker_terms::Unusable;
pub use self::known::{PollPreset, Preset};
pub use self::mapping::TopicMapping;
pub use self::number::MappedNumber;
pub use self::number_unit::PresetUnits;
pub use self::payload::TimeForm;
pub use self::poll_terms::{AnswerReader, LoginKind, PollTerms};
pub use self::sum::Sum;
pub use self::template::SensorTemplate;
pub use self::topic::TopicFilter;

#[cfg(test)]
mod tests;
