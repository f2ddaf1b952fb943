//! From a device to its first reading: its kind, its role, the lines to copy, and a check of its
//! first readings. The whole state of a page is in its address or in the store, so each can be
//! reloaded, and opened again for any sensor.
//!
//! - `device`, `recipe`: the devices, and the steps to set up each
//! - `questions`: what is in the home, and how it sends
//! - `devices`: the choice of the device; `form`: the form that adds its sensor
//! - `on_broker`: whether it was heard on the broker
//! - `connect`: the lines to copy, with a fresh key
//! - `check`: the first readings, and the settings that they suggest

pub(crate) mod check;
pub(crate) mod connect;
mod device;
mod devices;
pub(crate) mod form;
mod on_broker;
mod questions;
mod recipe;
