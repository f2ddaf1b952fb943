//! Finds notices, keeps them in the store, and sends them to a webhook. `ledger::notice` alone
//! decides when a notice opens and ends; pages, API and MQTT display them.
//!
//! - `finder`: the conditions to examine, and their times
//! - `changes`: notices that have opened or ended since
//! - `first`: the mistakes that the first readings of a sensor show
//! - `imported`: silence of sensors with imported readings
//! - `prices`: missing prices of contracts
//! - `peaks`: new peaks ahead
//! - `sources`: price sources that are late, or differ from stored prices
//! - `spacing`: the usual interval of a sensor's readings
//! - `meters`: oddities of a sensor
//! - `mistakes`: sensors that contradict each other
//! - `sentence`: a notice as a sentence in a language
//! - `usage`: unusual energy use of a house
//! - `thread`: the thread that does this
//! - `reports`: the weekly message and the monthly statement
//! - `webhook`: messages about notices

mod changes;
mod finder;
mod first;
mod imported;
mod meters;
mod mistakes;
mod peaks;
mod prices;
mod reports;
pub(crate) mod sentence;
mod sources;
mod spacing;
mod thread;
mod usage;
mod webhook;

pub(crate) use self::first::FirstReadings;
#[cfg(test)]
pub(crate) use self::reports::ReportPeriod;
pub use self::reports::{
    AskedReport, MonthlyStatement, NotMonthlyStatement, ReportChoices, WeeklyReport, WrittenReport,
};
pub use self::thread::{NoticeSettings, NoticeThread};
pub use self::webhook::{
    NotWebhookAddress, WebhookAddress, WebhookFormat, WebhookProblem, WebhookSettings, try_webhook,
};
pub(crate) use self::webhook::{https_agent, is_mail_address};

/// The entry points of the fuzz targets.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzz {
    pub use super::webhook::fuzz_mail as mail;
}

#[cfg(test)]
mod tests;
