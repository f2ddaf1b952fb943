//! The results and losses of a salvage.

use crate::domain::{SensorId, TimeRange};
use crate::store::handle::counts::StoreCounts;

/// The result of a salvage, collected while it runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Salvaged {
    /// The contents of the new store.
    pub counts: StoreCounts,
    /// The data of the damaged store that was lost.
    pub lost: Vec<Lost>,
    /// Records that were recreated with default values.
    pub mended: Vec<String>,
}

/// Something that could not be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lost {
    /// The data and the reason, in a few words.
    pub what: String,
    /// The affected sensor; `None` may mean the whole store.
    pub sensor: Option<SensorId>,
    /// The range in which readings may be missing. The ends of [`TimeRange::ALL`] mean unknown
    /// ends.
    pub range: Option<TimeRange>,
    /// The number of lost readings, if known.
    pub readings: Option<u64>,
}

impl Salvaged {
    /// Reports a loss that affects the whole store.
    pub(crate) fn lose(&mut self, what: String) {
        self.lost.push(Lost {
            what,
            ..Lost::default()
        });
    }

    /// Reports a loss of a sensor other than readings.
    pub(crate) fn lose_of(&mut self, sensor: &SensorId, what: String) {
        self.lost.push(Lost {
            what,
            sensor: Some(sensor.clone()),
            ..Lost::default()
        });
    }
}
