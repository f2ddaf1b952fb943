//! wattkeeper keeps a household's energy readings: one binary, no database server.
//!
//! The modules, in reading order; each imports only from those above it (docs/ARCHITECTURE.md):
//!
//! - [`domain`]: times, readings, sensors, accounts as values that cannot be wrong
//! - `locks`: locks, whatever happened to an earlier holder
//! - `trust`: whom connections by TLS trust
//! - [`texts`]: what pages say, by language
//! - [`ledger`]: energy from registers, and amounts from contracts
//! - [`store`]: what is on disk
//! - [`query`]: the four kinds of result, each from a handful of keys or one pass
//! - [`ingest`]: the one door for readings, whatever protocol brought them
//! - [`mqtt`]: readings from a broker's messages, and sensors for Home Assistant
//! - [`poll`]: readings of devices that only answer when they are asked
//! - [`backups`]: copies on a schedule
//! - [`last_error`]: the last error that was logged
//! - [`notices`]: what people should know, found and sent
//! - [`status`]: how the service is, and what to look after
//! - [`house`]: what the dashboard says
//! - [`chart`]: power and energy as pictures
//! - [`admin`]: what the commands ask of a store
//! - [`config`]: the settings, from file, environment and flags
//! - [`http`]: the web service
//! - [`server`]: start, run and stop of it all
//! - [`cli`]: the commands

pub mod admin;
pub mod backups;
pub mod chart;
pub mod cli;
pub mod config;
pub mod domain;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzz;
pub mod house;
pub mod http;
pub mod ingest;
pub mod last_error;
pub mod ledger;
mod locks;
pub mod mqtt;
pub mod notices;
pub mod poll;
pub mod query;
pub mod server;
pub mod status;
pub mod store;
pub mod texts;
mod trust;
