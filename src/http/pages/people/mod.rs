//! People with access, and tablets on a wall. Access rights are in `frame/access.rs`.
//!
//! - `me`: the person's own settings
//! - `person`: the administrator's pages about people
//! - `walls`: the administrator's page about wall tablets

pub(crate) mod me;
pub(crate) mod person;
pub(crate) mod walls;
