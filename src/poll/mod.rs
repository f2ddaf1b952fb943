//! Readings of devices that only answer when polled (docs/POLLING.md). Off until a section
//! `[[poll]]` names one.
//!
//! The files in `devices` describe the known devices (`ingest/devices`). Requests go to the addresses in the settings and nowhere else. Readings go through
//! [`crate::ingest`], like those of any other protocol.
//!
//! - `settings`: a device of the house
//! - `error`: why a poll failed
//! - `channel`: the values of a device's channel, and its readings
//! - `answer`: JSON of devices -> readings
//! - `digest`: the login of Shellys
//! - `get`: requests over HTTP
//! - `modbus`: registers by Modbus TCP
//! - `sunspec`: their meaning in inverters and meters of many makers
//! - `outage`: retries of a failing device, and log lines about it
//! - `tally`: counts for the metrics, and the last outcome for the pages
//! - `host`: the devices at one address, one request at a time
//! - `poller`: the thread for all of them
//! - `trial`: one poll of a device, to test its settings

mod answer;
mod channel;
mod digest;
mod error;
mod get;
mod host;
mod modbus;
mod outage;
mod poller;
mod settings;
mod sunspec;
mod tally;
mod trial;

pub use self::error::PollError;
pub(crate) use self::outage::{Outage, chance};
pub use self::poller::Poller;
pub use self::settings::{DeviceAddress, PasswordPlace, PollLogin, PollSettings};
pub use self::tally::{DeviceTally, LastPoll, PolledDevices};
pub use self::trial::try_device;

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::fuzz_answer as poll_answer;
}

/// Checks that no answer of a device panics, over HTTP or by Modbus, and that the values read are
/// finite.
///
/// # Panics
/// If a value is not finite.
#[cfg(any(test, fuzzing))]
pub fn fuzz_answer(bytes: &[u8]) {
    answer::fuzz(bytes);
    modbus::fuzz_answer(bytes);
    sunspec::fuzz_registers(bytes);
}
