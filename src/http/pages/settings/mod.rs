//! The settings: sensors, API keys, accounts, and the password. Every change goes through the same
//! functions as the commands.
//!
//! - `parts`: parts shared by several of these pages
//! - `overview`: `/settings`, with all of it and the form for the password
//! - `account`, `key`, `sensor`: the pages to add, change, and remove one of each. Sensors are
//!   added by the wizard
//! - `export`: everything as an archive
//! - `history`: imports a sensor's readings from a table; `history_page`, `history_words`: its
//!   contents; `history_check`: reads files

pub(crate) mod account;
pub(crate) mod export;
pub(crate) mod history;
mod history_check;
mod history_page;
mod history_words;
pub(crate) mod key;
pub(crate) mod overview;
pub(super) mod parts;
pub(crate) mod sensor;
