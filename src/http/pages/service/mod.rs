//! Settings of the service itself, for the administrator: the MQTT broker, backups, messages about notices. A page shows what the file, the
//! environment or a flag holds, and does not change that. Secrets are never sent back.
//!
//! - `fields`: what these pages share
//! - `broker`: the broker, and the test of the connection; `connection`: whether there is one; `subscriptions`: what it is for
//! - `devices`: the devices that were heard there; `add_device`: the form that adds one
//! - `backups`: the folder and the schedule
//! - `messages`: the webhook, and a message to test it
//! - `trials`: tests of settings, one at a time

pub(crate) mod add_device;
pub(crate) mod backups;
pub(crate) mod broker;
mod connection;
pub(crate) mod devices;
mod fields;
pub(crate) mod messages;
pub(crate) mod subscriptions;
mod trials;

pub(crate) use self::trials::Trials;
