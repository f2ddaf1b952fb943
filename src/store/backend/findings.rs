//! Results of a check.

use crate::domain::{SensorId, TimeRange, Timestamp};
use crate::store::blocks::source::decode_block;
use crate::store::blocks::{Summary, block};
use crate::store::error::StoreError;

/// The maximum number of problems listed. More would help nobody.
const MOST_LISTED: usize = 1_000;

/// Results of a check.
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

/// A problem in a store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreProblem {
    /// The problem, as a sentence.
    pub what: String,
    /// The sensor concerned.
    pub sensor: Option<SensorId>,
    /// The range of time concerned, if known.
    pub range: Option<TimeRange>,
}

impl Findings {
    /// Whether the check found no problem.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Adds a problem that belongs to no sensor.
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

    /// Adds a problem to the list, or only counts it once the list is full.
    pub(crate) fn list(&mut self, problem: StoreProblem) {
        if self.problems.len() < MOST_LISTED {
            self.problems.push(problem);
        } else {
            self.not_listed += 1;
        }
    }
}

/// Checks that a block is valid, not too long, has the right summary and follows the one before.
pub(crate) fn check_block(
    sensor: &SensorId,
    first: Timestamp,
    bytes: Result<Vec<u8>, StoreError>,
    summary: Option<&Summary>,
    before: Option<&Summary>,
    findings: &mut Findings,
) {
    // A wrong summary may end before the block begins.
    let last = summary.map_or(first, |summary| summary.last.max(first));
    let range = TimeRange::new(first, last);
    let mut wrong = |what: String| findings.add_of(sensor, range, what);
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(error) => return wrong(format!("a block cannot be read: {}", error.damage())),
    };
    if bytes.len() > block::MAX_BYTES {
        wrong(format!(
            "a block has {} bytes, more than {}",
            bytes.len(),
            block::MAX_BYTES
        ));
    }
    if before.is_some_and(|before| before.last >= first) {
        wrong("a block overlaps the one before it".into());
    }
    let readings = match decode_block(sensor, first, &bytes) {
        Ok(readings) => readings,
        Err(error) => return wrong(error.damage()),
    };
    if readings.first().is_none_or(|reading| reading.time != first) {
        wrong("a block does not begin at the time in its key".into());
    }
    match summary {
        None => wrong("a block's summary is missing or invalid".into()),
        Some(summary) if !summary.is_of(&readings) => {
            wrong("a summary contradicts its block".into());
        }
        Some(_) => {}
    }
    findings.blocks += 1;
    findings.readings += readings.len() as u64;
}
