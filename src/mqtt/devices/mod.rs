//! The devices that are heard on a broker and feed no sensor yet.
//!
//! - `heard`: the devices heard recently
//! - `discovery`: from a message to a device

mod discovery;
mod heard;

pub(crate) use self::discovery::DeviceDiscovery;
pub use self::heard::{HeardDevice, HeardDevices, SubscribedAs};

#[cfg(test)]
mod tests;
