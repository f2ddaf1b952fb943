//! The devices that a broker passes messages of, and that feed no sensor yet.
//!
//! - `heard`: the devices heard of lately
//! - `ear`: from a message to a device

mod ear;
mod heard;

pub(crate) use self::ear::DeviceEar;
pub use self::heard::{HeardDevice, HeardDevices, SubscribedAs};

#[cfg(test)]
mod tests;
