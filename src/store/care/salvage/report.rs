//! What a salvage found, and what it could not read.

use crate::domain::{SensorId, TimeRange};
use crate::store::care::counts::StoreCounts;

/// The result of a salvage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Salvaged {
    /// What the new store holds.
    pub counts: StoreCounts,
    /// What of the damaged store it does not hold.
    pub lost: Vec<Lost>,
    /// What was recreated with default values.
    pub mended: Vec<String>,
}

/// Something that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// What, and why, in a few words.
    pub what: String,
    /// The sensor concerned; `None` may mean the whole store.
    pub sensor: Option<SensorId>,
    /// The range in which readings may be missing. The ends of [`TimeRange::ALL`] stand for unknown ends.
    pub range: Option<TimeRange>,
    /// How many readings are lost, if known.
    pub readings: Option<u64>,
}

/// Collects what is lost and what is recreated.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) lost: Vec<Lost>,
    pub(crate) mended: Vec<String>,
}

impl Report {
    pub(crate) fn add(&mut self, lost: Lost) {
        self.lost.push(lost);
    }

    /// Reports a loss that concerns the whole store.
    pub(crate) fn lose(&mut self, what: String) {
        self.add(Lost {
            what,
            sensor: None,
            range: None,
            readings: None,
        });
    }

    /// Reports a loss of something of a sensor other than readings.
    pub(crate) fn lose_of(&mut self, sensor: &SensorId, what: String) {
        self.add(Lost {
            what,
            sensor: Some(sensor.clone()),
            range: None,
            readings: None,
        });
    }
}
