//! The administrator password: setting it for the first time, signing in and out. The settings of
//! signed-in visitors are in `settings`.
//!
//! - `password`: hashing, checking, and choosing passwords
//! - `setup`: the page at the setup address
//! - `form`: the page to sign in
//! - `link`: the box there that links a user of Home Assistant

pub(crate) mod form;
mod link;
pub(crate) mod password;
pub(crate) mod setup;

pub(crate) use self::password::Hashing;
