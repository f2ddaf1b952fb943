//! Sends corrected history to Home Assistant: hourly sums of energy and costs by the ledger, as
//! statistics of its recorder, by its WebSocket API (docs/HOME-ASSISTANT.md). Off until a setting
//! names its address; nothing else is contacted. Tests the Home Assistants that people enter.
//!
//! Nothing of what is sent is stored: the sums that Home Assistant has are compared with the ledger, and those that
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
//! - `watch`: notices changes of the ledger; `turn`: when a pass is due; `sender`: the thread that
//!   makes them
//! - `tally`: counts for the metrics, and the last outcome for the pages

mod asking;
mod compare;
mod error;
mod hours;
mod identity;
mod link;
mod memory;
mod message;
mod month;
mod pass;
mod recorder;
mod sender;
mod settings;
mod statistic;
mod stream;
mod tally;
mod turn;
mod watch;

pub use self::error::HomeAssistantError;
pub use self::identity::{HomeAssistantIdentity, try_home_assistant};
pub use self::sender::HistorySender;
pub use self::settings::{HistorySettings, LinkSettings, LinkToken};
pub use self::tally::{LastPasses, SentHistory};

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::message::fuzz as home_assistant;
}

#[cfg(test)]
mod tests;
