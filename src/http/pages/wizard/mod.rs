//! From a device to its first reading: what it is, what it measures, the lines to copy, and what its first readings look like. All
//! that a page knows is in its address or in the store: each can be reloaded, and opened again for any sensor.
//!
//! - `device`, `recipe`: the devices, and what to set on each
//! - `devices`: the choice of the device; `form`: the form that adds its sensor
//! - `on_broker`: whether it was heard on the broker
//! - `connect`: the lines to copy, with a fresh key
//! - `check`: the first readings, and a guess of what they say

pub(crate) mod check;
pub(crate) mod connect;
mod device;
mod devices;
pub(crate) mod form;
mod on_broker;
mod recipe;
