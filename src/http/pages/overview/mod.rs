//! Pages that only show something: the house, the service, the API. Changing anything belongs in `settings`.
//!
//! - `api_reference`: `/openapi`, the API reference
//! - `dashboard`: `/`, power now and energy of each period
//! - `live`: `/live`, the stream that keeps the power on the dashboard current
//! - `power_text`: power as both of them word it
//! - `status`: `/status`, warnings and figures of the service

pub(crate) mod api_reference;
pub(crate) mod dashboard;
pub(crate) mod live;
mod power_text;
pub(crate) mod status;
