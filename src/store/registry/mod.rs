//! Accounts, credentials, sensors, the administrator and the sessions, as records of the database and in memory.

pub(crate) mod administrator;
pub(crate) mod last_used;
pub(crate) mod registered;
