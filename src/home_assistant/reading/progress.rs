//! The progress of readers, for pages and commands.

use serde::{Deserialize, Serialize};

use crate::domain::words::words;
use crate::domain::{AccountName, EntityId, FedSensor, Timestamp};
use crate::home_assistant::error::HomeAssistantError;
use crate::home_assistant::settings::LinkSettings;
use crate::tally::{Tallies, Tally};

/// The Home Assistants that are read, with their progress.
pub type ReadHomes = Tallies<ReaderSettings, HomeProgress>;

/// One of them.
pub(super) type ReadHome = Tally<ReaderSettings, HomeProgress>;

/// The settings of a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderSettings {
    /// The account of its sensors.
    pub account: AccountName,
    /// Where.
    pub link: LinkSettings,
    /// The sensors that it feeds.
    pub sensors: Vec<FedSensor>,
    /// The entities that feed price series.
    pub prices: Vec<EntityId>,
}

/// The work of a reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReadStage {
    /// It connects.
    #[default]
    Connecting,
    /// It reads history.
    History,
    /// It stores new states as they come.
    Live,
    /// It waits after a failure.
    Waiting,
}

words! {
    ReadStage: Connecting "connecting", History "history", Live "live", Waiting "waiting";
    "connecting, history, live or waiting"
}

/// How far one was read, since the start of the service; its errors are values here, and texts in
/// answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HomeProgress<E = HomeAssistantError> {
    /// Its present work.
    pub stage: ReadStage,
    /// The months of sensors that were read, and those that there are.
    pub months: (u64, u64),
    /// The readings stored.
    pub readings: u64,
    /// When the newest state came.
    pub newest: Option<Timestamp>,
    /// Why the last attempt failed; `None` since it works.
    pub failed: Option<(Timestamp, E)>,
    /// Sensors and entities that are not read, each with the reason.
    pub problems: Vec<String>,
}

impl<E> Default for HomeProgress<E> {
    fn default() -> Self {
        Self {
            stage: ReadStage::default(),
            months: (0, 0),
            readings: 0,
            newest: None,
            failed: None,
            problems: Vec::new(),
        }
    }
}

impl HomeProgress {
    /// The same with its error as text.
    #[must_use]
    pub fn told(self) -> HomeProgress<String> {
        HomeProgress {
            stage: self.stage,
            months: self.months,
            readings: self.readings,
            newest: self.newest,
            failed: self.failed.map(|(time, error)| (time, error.to_string())),
            problems: self.problems,
        }
    }
}

impl ReadHome {
    /// How far it was read.
    #[must_use]
    pub fn progress(&self) -> HomeProgress {
        self.with_last(|last| last.clone())
    }

    pub(super) fn begin(&self, stage: ReadStage) {
        self.with_last(|last| last.stage = stage);
    }

    pub(super) fn count_readings(&self, count: usize) {
        self.with_last(|last| last.readings = last.readings.saturating_add(count as u64));
    }

    /// Notes a problem, once. Returns whether it is new.
    pub(super) fn note(&self, problem: String) -> bool {
        self.with_last(|last| {
            let is_new = !last.problems.contains(&problem) && last.problems.len() < MOST_PROBLEMS;
            if is_new {
                last.problems.push(problem);
            }
            is_new
        })
    }
}

/// The most problems that are kept.
const MOST_PROBLEMS: usize = 20;
