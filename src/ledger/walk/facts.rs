//! What people know about a sensor's readings.

use std::collections::BTreeMap;
use std::ops::{Bound, Range};

use crate::domain::{MicroWh, Timestamp};
use crate::ledger::calibration::Calibrations;
use crate::ledger::known_energy::KnownEnergy;

/// Another meter was put in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterChange {
    /// What the old one showed in the end.
    pub old_end: MicroWh,
    /// What the new one showed in the beginning.
    pub new_start: MicroWh,
}

/// What people know about a sensor's readings, as far as it is in effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Other meters, each with the time from which it counts.
    pub changes: BTreeMap<Timestamp, MeterChange>,
    /// Whether the energy of an event counts, by the time of the event.
    pub decisions: BTreeMap<Timestamp, bool>,
    /// Readings from the start of a range until before its end are wrong.
    pub wrong: Vec<Range<Timestamp>>,
    /// The energy of ranges, in the place of what a walk says of them. Where two overlap, the later one in the list holds.
    pub energies: Vec<KnownEnergy>,
    /// What a walk says is multiplied by these factors, before energies take its place.
    pub calibrations: Calibrations,
}

impl Facts {
    /// Whether a reading at `time` is known to be wrong.
    #[must_use]
    pub fn is_wrong(&self, time: Timestamp) -> bool {
        self.wrong.iter().any(|range| range.contains(&time))
    }

    /// Whether any fact can matter to readings in a range of times.
    pub(super) fn concern(&self, from: Bound<Timestamp>, last: Timestamp) -> bool {
        let range = (from, Bound::Included(last));
        let (Bound::Included(first) | Bound::Excluded(first)) = from else {
            return true;
        };
        self.changes.range(range).next().is_some()
            || self.decisions.range(range).next().is_some()
            || self
                .wrong
                .iter()
                .any(|wrong| wrong.start <= last && wrong.end > first)
    }
}
