//! Settings of the service itself, for the administrator: the MQTT broker, backups, messages about
//! notices. A page shows settings from the file, the environment or a flag, and does not change
//! those. Secrets are never sent back.
//!
//! - `fields`: parts shared by these pages
//! - `broker`: the broker, and a test of the connection; `connection`: the state of the connection;
//!   `subscriptions`: the subscriptions in force
//! - `devices`: the devices heard there; `add_device`: the form that adds one
//! - `polled`: the devices that are polled; `poll_problem`: why a poll failed
//! - `price_sources`: the price sources; `source_form`: the form that adds one; `source_problem`: why
//!   one has no prices
//! - `home_assistant`: the Home Assistants that are read; `home_problem`: why one is not; `house`: the
//!   sensors that one proposes; `counted`: what one counted, beside the ledger
//! - `history`: the history that Home Assistant gets
//! - `backups`: the folder and the schedule
//! - `messages`: the webhook, and a test message
//! - `store`: checks the store, and closes it for a repair
//! - `trials`: tests of settings, one at a time

pub(crate) mod add_device;
pub(crate) mod backups;
pub(crate) mod broker;
mod connection;
pub(crate) mod counted;
pub(crate) mod devices;
mod fields;
pub(crate) mod history;
pub(crate) mod home_assistant;
mod home_problem;
pub(crate) mod house;
pub(crate) mod messages;
mod poll_problem;
pub(crate) mod polled;
pub(crate) mod price_sources;
mod source_form;
mod source_problem;
pub(crate) mod store;
pub(crate) mod subscriptions;
mod trials;

pub(in crate::http::pages) use self::connection::ServiceClock;
pub(in crate::http::pages) use self::source_form::{SourceFields, wrong as wrong_source};
pub(in crate::http::pages) use self::source_problem::source_problem_text;
pub(crate) use self::trials::Trials;
