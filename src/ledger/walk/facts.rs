//! People's corrections of a sensor's readings, and what is known of its place.

use std::collections::BTreeMap;
use std::ops::{Bound, Range};

use super::event::Event;
use crate::domain::time::MS_PER_HOUR;
use crate::domain::{LocalDate, Meter, MeterKind, MicroWh, Timestamp, Zone};
use crate::ledger::calibration::Calibrations;
use crate::ledger::known_energy::KnownEnergy;

/// Another meter was put in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeterChange {
    /// The last register of the old meter.
    pub old_end: MicroWh,
    /// The first register of the new meter.
    pub new_start: MicroWh,
}

/// When a counter may begin again at 0, and pass what it showed in one step: as one does that
/// restarts each day. Elsewhere such a 0 is a bad reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DailyRestart {
    /// Nothing is known of days.
    #[default]
    Never,
    /// At midnight by this clock, as it uploads before and after.
    AtMidnight(Zone),
    /// After darkness: it measures panels.
    AfterDarkness,
}

impl DailyRestart {
    /// Whether a counter may begin again between two readings, silent in between or not.
    pub(super) fn is_between(&self, (from, to): (Timestamp, Timestamp), is_silent: bool) -> bool {
        match self {
            Self::Never => false,
            Self::AtMidnight(zone) => {
                let [before, after] = [from, to].map(|time| LocalDate::at(time, zone));
                !is_silent && before < after
            }
            Self::AfterDarkness => true,
        }
    }
}

/// People's corrections of a sensor's readings that are in effect, and what is known of its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Other meters, each with its first time.
    pub changes: BTreeMap<Timestamp, MeterChange>,
    /// Whether the energy of an event counts, by the time of the event.
    pub decisions: BTreeMap<Timestamp, bool>,
    /// Readings from the start of a range until before its end are wrong.
    pub wrong: Vec<Range<Timestamp>>,
    /// Known energies of ranges, which replace those of a walk. Where two overlap, the later one in
    /// the list counts.
    pub energies: Vec<KnownEnergy>,
    /// Factors for the energy of a walk, applied before known energies replace it.
    pub calibrations: Calibrations,
    /// When its register may begin again at 0.
    pub restart: DailyRestart,
}

impl MeterChange {
    /// The least time over which the energy around a change is judged: some of it is missing, and a
    /// coarse register is unchanged for a while.
    const LEEWAY_MS: i64 = MS_PER_HOUR;

    /// Whether this change explains a restart of `meter`.
    #[must_use]
    pub fn explains(&self, meter: &Meter, event: &Event) -> bool {
        let ms = (event.time.millis() - event.since.millis()).max(Self::LEEWAY_MS);
        let fits = |energy: MicroWh| {
            let is_possible = meter.kind != MeterKind::Counter || energy >= MicroWh::ZERO;
            is_possible && meter.limit.allows(energy, ms)
        };
        let [old_end, new_start] = [self.old_end, self.new_start].map(|it| meter.signed(it));
        event.is_new_beginning()
            && event.before.is_some_and(|before| fits(old_end - before))
            && event.after.is_some_and(|after| fits(after - new_start))
    }
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
