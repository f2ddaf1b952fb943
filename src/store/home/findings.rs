//! What a check found.

use crate::domain::{SensorId, TimeRange};

/// The most problems to list. A store with more is beyond listing.
const MOST_LISTED: usize = 1_000;

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Readings that could be read.
    pub readings: u64,
    /// Valid blocks.
    pub blocks: u64,
    /// The first thousand problems.
    pub problems: Vec<StoreProblem>,
    /// How many more problems there are.
    pub not_listed: u64,
}

/// Something that is wrong in a store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreProblem {
    /// What is wrong, in a sentence.
    pub what: String,
    /// The sensor concerned.
    pub sensor: Option<SensorId>,
    /// The range of time concerned, if known.
    pub range: Option<TimeRange>,
}

impl Findings {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Adds a problem that concerns no particular sensor.
    pub(crate) fn add(&mut self, what: String) {
        self.list(StoreProblem {
            what,
            sensor: None,
            range: None,
        });
    }

    /// Adds a problem of a sensor.
    pub(crate) fn add_of(
        &mut self,
        sensor: &SensorId,
        range: Option<TimeRange>,
        what: impl Into<String>,
    ) {
        self.list(StoreProblem {
            what: what.into(),
            sensor: Some(sensor.clone()),
            range,
        });
    }

    /// Adds a problem, or counts it.
    pub(crate) fn list(&mut self, problem: StoreProblem) {
        if self.problems.len() < MOST_LISTED {
            self.problems.push(problem);
        } else {
            self.not_listed += 1;
        }
    }
}
