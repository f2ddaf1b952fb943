//! What runs the service: health, metrics, the description of the API, the commands.

pub(crate) mod admin;
pub(crate) mod health;
pub(crate) mod metrics;
pub(crate) mod openapi;
