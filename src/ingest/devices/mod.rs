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

pub mod channel;
mod direction;
pub mod mapping;
pub mod number;
pub(crate) mod number_unit;
pub mod parts;
pub mod payload;
pub(crate) mod readings;
pub mod sum;
pub mod template;
pub mod text_number;
pub mod topic;

pub use self::mapping::TopicMapping;
pub use self::number::MappedNumber;
pub use self::payload::TimeForm;
pub use self::sum::Sum;
pub use self::template::SensorTemplate;
pub use self::topic::TopicFilter;
