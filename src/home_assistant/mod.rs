//! Sends corrected history to Home Assistant: hourly sums of energy and costs by the ledger, as
//! statistics of its recorder, by its WebSocket API (docs/HOME-ASSISTANT.md). Off until a setting, or
//! a person for the Home Assistant of an account, turns it on; nothing else is contacted. Reads the Home Assistants that people enter: the house,
//! its history, and each new state.
//!
//! Sent values are not stored: the sums of Home Assistant are compared with the ledger, and those that
//! differ are sent. A corrected hour changes all sums after it, so they are sent again.
//!
//! - `settings`: where the history is sent, and whose
//! - `error`: why it was not sent, or nothing was read
//! - `statistic`: the statistics, with their ids, names and units
//! - `month`: months in UTC; `hours`: the sums of their hours, from the ledger
//! - `compare`: those beside the sums that Home Assistant has
//! - `memory`: the months that it is known to have
//! - `pass`: one pass over all months
//! - `message`: the messages of its API; `stream`: a connection with a deadline; `link`: the
//!   connection, signed in
//! - `asking`: the connection on a thread of its own; `recorder`: the recorder, over one
//! - `identity`: who answers at an address
//! - `dashboard`: the house on the Energy dashboard; `guess`: one without it; `metadata`: units of
//!   statistics; `prices`: prices on the dashboard; `proposal`: the sensors that the house could have
//! - `values`: the values of statistics; `reading`: history and new states become readings
//! - `comparison`: what was counted there, beside the ledger
//! - `followed`: threads that follow the entries of accounts
//! - `watch`: notices changes of the ledger; `turn`: when a pass is due; `sender`: the threads that
//!   make them
//! - `tally`: counts for the metrics, and the last outcome for the pages

mod asking;
mod compare;
mod comparison;
mod dashboard;
mod error;
mod followed;
mod guess;
mod hours;
mod identity;
mod link;
mod memory;
mod message;
mod metadata;
mod month;
mod pass;
mod prices;
mod proposal;
mod reading;
mod recorder;
mod sender;
mod settings;
mod statistic;
mod stream;
mod tally;
mod turn;
mod values;
mod watch;

pub use self::comparison::{
    CountQuestion, CountQuestionError, CountReason, CountedDifference, CountedMonth,
    HomeComparison, HomeComparisons,
};
pub use self::error::HomeAssistantError;
pub use self::identity::{HomeAssistantIdentity, who_answers};
pub use self::prices::{GridPrice, GridPrices};
pub use self::proposal::{
    HomeSensor, HouseProposal, KnownSensors, ProposedSensor, WhyLeftOut, propose,
};
pub use self::reading::{HomeAssistantReaders, HomeProgress, ReadHomes, ReadStage};
pub use self::sender::{HistorySenders, HistoryWishes};
pub use self::settings::{HistorySettings, LinkSettings, LinkTerms, LinkToken, OwnHome};
pub use self::tally::{HistoryTally, LastPasses, SentHistory};

/// Reads a message in each way, for a fuzzer.
///
/// # Panics
/// If something that was read is not what it may be.
#[cfg(any(test, fuzzing))]
pub fn fuzz_messages(bytes: &[u8]) {
    message::fuzz(bytes);
    reading::fuzz_states(bytes);
    let _ = dashboard::dashboard_parts(&String::from_utf8_lossy(bytes));
}

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::fuzz_messages as home_assistant;
}

#[cfg(test)]
mod tests;
