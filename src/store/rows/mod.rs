//! The newest readings, one row each, and what is known of each sensor's uploads.

pub(crate) mod activity;
pub(crate) mod hot;
