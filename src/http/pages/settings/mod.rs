//! The settings: sensors, API keys, accounts, and the password. Every change goes through the same functions as the commands.
//!
//! - `parts`: what several of these pages show
//! - `overview`: `/settings`, with all of it and the form for the password
//! - `account`, `key`, `sensor`: the pages to add, change, and remove one of each. A sensor is added by the
//!   wizard
//! - `history`: a table becomes a sensor's readings, with `history_check`: what is in it

pub(crate) mod account;
pub(crate) mod history;
mod history_check;
pub(crate) mod key;
pub(crate) mod overview;
pub(super) mod parts;
pub(crate) mod sensor;
