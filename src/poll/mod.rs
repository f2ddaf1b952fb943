//! Readings of devices that only answer when they are asked (docs/POLLING.md). Off until a section `[[poll]]` names one.
//!
//! Requests go to the addresses in the settings and nowhere else. Readings go through [`crate::ingest`], as those of any other
//! protocol.
//!
//! - `preset`: the devices that are known, and how to ask them
//! - `settings`: a device of the house
//! - `error`: why a poll failed
//! - `channel`: what one channel of a device shows, and the readings of it
//! - `answer`: JSON of devices -> channels
//! - `digest`: the login of Shellys
//! - `get`: requests over HTTP
//! - `modbus`: registers by Modbus TCP
//! - `sunspec`: what they mean in inverters and meters of many makers
//! - `outage`: when a device that fails is asked again, and what the log says
//! - `tally`: counts for the metrics
//! - `host`: the devices at one address, one request at a time
//! - `poller`: the thread of all of them

mod answer;
mod channel;
mod digest;
mod error;
mod get;
mod host;
mod modbus;
mod outage;
mod poller;
mod preset;
mod settings;
mod sunspec;
mod tally;

pub use self::poller::Poller;
pub use self::preset::PollPreset;
pub use self::settings::{DeviceAddress, PasswordPlace, PollLogin, PollSettings};
pub use self::tally::DeviceTally;

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::fuzz_answer as poll_answer;
}

/// No answer of a device panics, over HTTP or by Modbus, and what is read of it is finite.
///
/// # Panics
/// Where it is not.
#[cfg(any(test, fuzzing))]
pub fn fuzz_answer(bytes: &[u8]) {
    answer::fuzz(bytes);
    modbus::fuzz_answer(bytes);
    sunspec::fuzz_registers(bytes);
}
