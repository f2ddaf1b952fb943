//! The settings: sensors, API keys, accounts, and the password. Every change goes through the same functions as the commands.
//!
//! - `parts`: what several of these pages show
//! - `overview`: `/settings`, with all of it and the form for the password
//! - `account`, `key`, `sensor`: the pages to add, change, and remove one of each
//! - `steps`: how to upload the first reading of a new sensor

pub(crate) mod account;
pub(crate) mod key;
pub(crate) mod overview;
mod parts;
pub(crate) mod sensor;
mod steps;
