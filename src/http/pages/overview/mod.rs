//! Pages that only show something: the house, the service, the API. Changing anything belongs in `settings`, but notices are dismissed where they stand.
//!
//! - `api_reference`: `/openapi`, the API reference
//! - `dashboard`: `/`, power now, energy, where it goes; `periods`, `meters`: its tiles and its meters
//! - `day_prices`: what a kilowatt-hour costs today and tomorrow
//! - `live`: `/live`, the stream that keeps the power on the dashboard current
//! - `notices`: what people should know, and dismissing it
//! - `offline`: `/offline`, what a browser shows while the server can't be reached
//! - `power_text`: power as both of them word it
//! - `status`: `/status`, warnings and figures of the service
//! - `wall`: `/wall`, a dashboard for a tablet on a wall

pub(crate) mod api_reference;
pub(crate) mod dashboard;
mod day_prices;
pub(crate) mod live;
mod meters;
pub(crate) mod notices;
pub(crate) mod offline;
mod periods;
mod power_text;
pub(crate) mod status;
pub(crate) mod wall;
