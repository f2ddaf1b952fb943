//! The terms of the field as values that cannot be wrong: pure, without I/O, clock, store or web.

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
