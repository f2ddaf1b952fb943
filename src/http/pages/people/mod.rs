//! The people who may see something, and the tablets that show it on a wall. What each may do is in `frame/access.rs`.
//!
//! - `me`: what a person changes themselves
//! - `person`: the administrator's pages about people
//! - `walls`: the administrator's page about wall tablets

pub(crate) mod me;
pub(crate) mod person;
pub(crate) mod walls;
