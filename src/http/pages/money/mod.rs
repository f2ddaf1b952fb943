//! Pages about the cost of energy: statements, contracts, price series and day lists. Amounts and prices come
//! from the rooms below; nothing is computed here.
//!
//! - `statement`: the cost of a range; `bill_words`: its wording; `sheet`: the same as a file;
//!   `compared`: the range that it is compared with; `billed_days`: the days, and links to others;
//!   `sensor`: the statement of a sub-meter, on `paper`; `tenancies`: those that tenants pay;
//!   `tenancy_form`: who pays
//! - `report`: the weekly message and the monthly statement, as messages; `week_report`: the weekly one;
//!   `written`: what they share
//! - `forecast`: energy and costs until the end of the month and of the year
//! - `contracts`: the contracts of an account; `summary`: a contract in words; `templates`: tariffs
//!   to start a contract from
//! - `sides`: the page of costs side by side; `compare`: of the contracts in force and the offers; `offers`, `offer`: the offers of
//!   an account, and the page to add, change and remove one
//! - `savings`: what the panels and the battery saved; `purchases`: what the household bought, and how
//!   far it has paid for itself
//! - `what_if`: a range with another battery, other panels or another load; `what_if_view`,
//!   `what_if_wrong`: its wording
//! - `form`: a contract as typed; `meaning`: the contract it describes; `contract`: the page to
//!   add, change and remove one
//! - `tariff`: a contract from a tariff of a country, by `tariff_form`; `tariff_sources`: where its
//!   prices come from; `tariff_preview`: what it would have cost; `doubt_words`: questions about what
//!   may not be meant so
//! - `prices`: the price series of an account, and uploads; `series`: one of them
//! - `days`: the day lists of an account
//! - `cheapest`: when a kilowatt-hour is cheapest

mod bill_words;
pub(crate) mod billed_days;
pub(crate) mod cheapest;
pub(crate) mod compare;
mod compared;
pub(crate) mod contract;
pub(crate) mod contracts;
pub(crate) mod days;
mod doubt_words;
pub(crate) mod forecast;
mod form;
mod meaning;
pub(crate) mod offer;
pub(crate) mod offers;
pub(crate) mod paper;
pub(crate) mod prices;
pub(crate) mod purchases;
pub(crate) mod report;
pub(crate) mod savings;
pub(crate) mod sensor;
pub(crate) mod series;
pub(crate) mod sheet;
mod sides;
pub(crate) mod statement;
mod summary;
pub(crate) mod tariff;
mod tariff_form;
mod tariff_preview;
mod tariff_sources;
pub(crate) mod templates;
pub(crate) mod tenancies;
pub(crate) mod tenancy_form;
mod week_report;
pub(crate) mod what_if;
mod what_if_view;
mod what_if_wrong;
mod written;
