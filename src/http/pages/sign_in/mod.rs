//! The first password, signing in and out.

pub(crate) mod form;
pub(crate) mod hashing;
pub(crate) mod setup;
