//! Counts and the last outcome since the start, for the metrics and the pages.

use super::error::HomeAssistantError;
use super::settings::HistorySettings;
use crate::domain::Timestamp;
use crate::tally::{Tallies, Tally};

/// The history that is sent, with its counts: one, or none if it is off.
pub type SentHistory = Tallies<HistorySettings, LastPasses>;

/// Counts and the last outcomes since the start.
pub type HistoryTally = Tally<HistorySettings, LastPasses>;

/// The last outcomes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastPasses {
    /// Hours of statistics that Home Assistant accepted since the start.
    pub hours: u64,
    /// Whether a pass is under way.
    pub is_under_way: bool,
    /// When Home Assistant last had all of the history.
    pub complete: Option<Timestamp>,
    /// Why the last pass failed; `None` if it did not.
    pub failed: Option<(Timestamp, HomeAssistantError)>,
}

impl HistoryTally {
    /// The last outcomes.
    #[must_use]
    pub fn last(&self) -> LastPasses {
        self.with_last(|last| last.clone())
    }

    pub(super) fn count_hours(&self, hours: usize) {
        self.with_last(|last| last.hours = last.hours.saturating_add(hours as u64));
    }

    pub(super) fn begin_pass(&self) {
        self.with_last(|last| last.is_under_way = true);
    }

    pub(super) fn count_pass(&self, time: Timestamp, outcome: Result<(), HomeAssistantError>) {
        self.count(outcome.is_ok());
        self.with_last(|last| {
            last.is_under_way = false;
            match outcome {
                Ok(()) => {
                    last.complete = Some(time);
                    last.failed = None;
                }
                Err(error) => last.failed = Some((time, error)),
            }
        });
    }
}
