//! Requests about price sources, and their rows. They are part of the settings of the service,
//! which is asked for them: see `http/operate/price_sources.rs`.

use serde::{Deserialize, Serialize};

use super::error::AdminError;

/// A request about price sources.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PriceSourceRequest {
    /// All of them. Answer: [`super::Response::PriceSources`].
    List,
    /// Asks a source once, and stores nothing. Answer: [`super::Response::SourceTrial`].
    Try {
        /// Its section, as in the configuration file, without the header line.
        section: String,
    },
    /// Adds a source, or replaces the one that fills the same series. Answer:
    /// [`super::Response::PriceSources`], with this one alone.
    Add {
        /// Its section, as in the configuration file, without the header line.
        section: String,
        /// Whether it is added without asking it first.
        unasked: bool,
    },
    /// Removes a source that was not set in the configuration file. Answer:
    /// [`super::Response::Done`].
    Remove {
        /// The account in its section; `None` if one source alone fills the series.
        account: Option<String>,
        /// The series or the day list that it fills.
        series: String,
    },
}

/// A price source. Times are in the API's form; outcomes are those since the start of the service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceSourceRow {
    /// The account in its section; `None` for the only one.
    pub account: Option<String>,
    /// The series or the day list that it fills.
    pub series: String,
    /// Its name.
    pub source: String,
    /// Scheme and server of its address.
    pub server: String,
    /// Its zone; `None` if it has none.
    pub zone: Option<String>,
    /// The first day to fetch; `None` for today.
    pub since: Option<String>,
    /// Whether the configuration file has it.
    pub in_file: bool,
    /// The time of the last request.
    pub asked: Option<String>,
    /// The time of the last usable answer.
    pub answered: Option<String>,
    /// Why the last request brought nothing.
    pub error: Option<String>,
    /// How many prices of its last answer with differences differ from stored ones.
    pub conflicts: Option<u64>,
    /// The time of the first of these.
    pub conflicts_from: Option<String>,
    /// The rates of its last answer that were not taken.
    pub others: Vec<String>,
}

/// The prices that a source would store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTrialRow {
    /// The start of the days that it was asked for.
    pub from: String,
    /// Their end.
    pub to: String,
    /// The number of prices or days in its answer.
    pub count: u64,
    /// The number of those that are not stored yet.
    pub new: u64,
    /// The rates of the answer that were not taken.
    pub others: Vec<String>,
    /// The number of those that differ from stored ones.
    pub conflicts: u64,
    /// The time of the first of these.
    pub conflicts_from: Option<String>,
    /// The first new ones: the time, and the price of a kilowatt-hour; or the date, and the type.
    pub first: Vec<(String, String)>,
}

/// The error of a request that came to a store alone, without the settings of its service.
pub(super) fn not_here() -> AdminError {
    AdminError::Refused("price sources are settings of the service, not of its store".to_owned())
}
