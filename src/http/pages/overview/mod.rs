//! Pages that only show something: the house, the service, the API. Changes belong in `settings`,
//! except that notices are dismissed where they are shown.
//!
//! - `api_reference`: `/openapi`, the API reference
//! - `dashboard`: `/`: now, today and the month, then periods, uses and meters; `today`, `month`,
//!   `periods`, `meters`: these parts
//! - `day_prices`: the price of a kilowatt-hour today and tomorrow
//! - `live`: `/live`, the stream that keeps the power on the dashboard current
//! - `notices`: the open notices, and their dismissal
//! - `now_flow`: the power now as a picture and a table
//! - `offline`: `/offline`, shown by a browser while the server can't be reached
//! - `peak_line`: the running quarter of an hour, where a contract prices the demand
//! - `power_text`: the wording of power on both
//! - `status`: `/status`, warnings and figures of the service
//! - `tenant`: `/tenancy`, the sub-meter of a tenant
//! - `wall`: `/wall`, a dashboard for a tablet on a wall

pub(crate) mod api_reference;
pub(crate) mod dashboard;
mod day_prices;
pub(crate) mod live;
mod meters;
pub(crate) mod month;
pub(crate) mod notices;
mod now_flow;
pub(crate) mod offline;
mod peak_line;
mod periods;
mod power_text;
pub(crate) mod status;
pub(crate) mod tenant;
mod today;
pub(crate) mod wall;
