//! Finds what people should know, keeps it in the store, and tells it to a webhook. What opens and closes a notice is decided by
//! `ledger::notice` alone; how one is shown is the business of pages, API and MQTT.
//!
//! - `finder`: what is looked at, and when
//! - `changes`: what has opened and ended since
//! - `prices`: prices that contracts need and lack
//! - `spacing`: how far the readings of a sensor usually are apart
//! - `meters`: what is odd about a sensor
//! - `usage`: what is unusual about a house
//! - `thread`: the thread that looks
//! - `webhook`: messages about notices

mod changes;
mod finder;
mod meters;
mod prices;
mod spacing;
mod thread;
mod usage;
mod webhook;

pub use self::thread::{NoticeSettings, NoticeThread};
pub(crate) use self::webhook::https_agent;
pub use self::webhook::{
    NotWebhookAddress, WebhookAddress, WebhookFormat, WebhookProblem, WebhookSettings, try_webhook,
};

#[cfg(test)]
mod tests;
