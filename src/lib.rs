//! wattkeeper keeps a household's energy readings: one binary, no database server.
//!
//! The modules, in reading order; each imports only from those above it (docs/ARCHITECTURE.md):
//!
//! - [`domain`]: times, readings, sensors, accounts as values that cannot be wrong
//! - [`store`]: what is on disk; the only code that knows sled
//! - [`query`]: the four kinds of result, each from a handful of keys or one pass
//! - [`ingest`]: the one door for readings, whatever protocol brought them
//! - [`config`]: the settings, from file, environment and flags

pub mod config;
pub mod domain;
pub mod ingest;
pub mod query;
pub mod store;
