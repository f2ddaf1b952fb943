//! The operators' side: health, metrics, the description of the API, and the socket for commands.
//! No readings pass through here.
//!
//! - `health`: for supervisors
//! - `metrics`: for Prometheus
//! - `openapi`: the description of the API
//! - `admin`: the requests of commands, on a Unix socket; `home_assistant`, `price_sources`: those that
//!   need the settings

pub(crate) mod admin;
pub(crate) mod health;
pub(crate) mod home_assistant;
pub(crate) mod metrics;
pub(crate) mod openapi;
pub(crate) mod price_sources;
