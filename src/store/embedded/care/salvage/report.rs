//! What a salvage found, and what it could not read.

use crate::domain::{SensorId, TimeRange};
use crate::store::handle::counts::StoreCounts;

/// The result of a salvage, gathered while it goes on.
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
#[derive(Clone, Debug, Default, PartialEq)]
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

impl Salvaged {
    /// Reports a loss that concerns the whole store.
    pub(crate) fn lose(&mut self, what: String) {
        self.lost.push(Lost {
            what,
            ..Lost::default()
        });
    }

    /// Reports a loss of something of a sensor other than readings.
    pub(crate) fn lose_of(&mut self, sensor: &SensorId, what: String) {
        self.lost.push(Lost {
            what,
            sensor: Some(sensor.clone()),
            ..Lost::default()
        });
    }
}
