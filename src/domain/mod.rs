//! The terms of the field as values that cannot be wrong. Nothing here does I/O, reads a clock, or knows the store or the web.
//!
//! - `account`: accounts, their credentials and scopes
//! - `password`, `session`: the administrator's password, and sessions of browsers
//! - `sensor`, `role`: sensors, what they measure, and when one is active
//! - `reading`, `summary`: readings, and summaries of runs of them
//! - `time`: points in time and ranges; `clock`: a clock that was wrong for a while
//! - `calendar`: time zones; `interval`: buckets of hours, days, months
//! - `unit`, `price`: units of power and energy; the price of energy
//! - `name`, `words`, `number`: names, enums of words, and arithmetic that these share

pub mod account;
pub mod calendar;
pub mod clock;
pub mod interval;
pub mod name;
pub(crate) mod number;
pub mod password;
pub mod price;
pub mod reading;
pub mod role;
pub mod sensor;
pub mod session;
pub mod summary;
pub mod time;
pub mod unit;
pub mod words;
