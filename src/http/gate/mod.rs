//! Who may come in, and how often: credentials, limits, slow clients, TLS, the access log.

pub(crate) mod access;
pub(crate) mod auth;
pub(crate) mod connections;
pub(crate) mod failed;
pub(crate) mod limits;
pub(crate) mod log_once;
pub(crate) mod peer;
pub(crate) mod resource;
pub(crate) mod state;
pub(crate) mod tls;
pub(crate) mod token;
