//! The dashboard, live values, and the status.

pub(crate) mod dashboard;
pub(crate) mod live;
pub(crate) mod now;
pub(crate) mod status;
