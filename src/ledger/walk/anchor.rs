//! The last good register, which the next one is compared with.

use super::spacing::Spacings;
use crate::domain::{MicroWh, PowerLimit, Timestamp};
use crate::ledger::stretch::{Flow, Stretch};

/// A register at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) time: Timestamp,
    pub(super) value: MicroWh,
}

/// The last good register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) shown: Shown,
    /// Since when the register has shown this. A coarse one stands still for an hour and then rises
    /// by an hour's energy at once.
    pub(super) unchanged_since: Timestamp,
    pub(super) spacings: Spacings,
}

impl Anchor {
    pub(super) fn at(shown: Shown) -> Self {
        Self {
            shown,
            unchanged_since: shown.time,
            spacings: Spacings::default(),
        }
    }

    /// The anchor after `next`, which is good.
    pub(super) fn then(self, next: Shown) -> Self {
        let is_unchanged = next.value == self.shown.value;
        Self {
            shown: next,
            unchanged_since: if is_unchanged {
                self.unchanged_since
            } else {
                next.time
            },
            spacings: self.spacings.then(self.spacing_to(next.time)),
        }
    }

    pub(super) fn spacing_to(&self, time: Timestamp) -> i64 {
        time.millis() - self.shown.time.millis()
    }

    /// Whether so much energy can have flowed until `time`.
    pub(super) fn allows(&self, limit: PowerLimit, energy: MicroWh, time: Timestamp) -> bool {
        limit.allows(energy, time.millis() - self.unchanged_since.millis())
    }

    pub(super) fn is_gap(&self, time: Timestamp) -> bool {
        self.spacings.is_gap(self.spacing_to(time))
    }

    /// `energy` from here until `time`; estimated after a gap.
    pub(super) fn stretch_to(&self, time: Timestamp, energy: MicroWh) -> Stretch {
        Stretch {
            from: self.shown.time,
            to: time,
            flow: flow(energy),
            is_estimated: self.is_gap(time),
        }
    }
}

/// Energy that flowed in one direction: fed back if it is negative.
pub(super) fn flow(energy: MicroWh) -> Flow {
    Flow {
        imported: energy.max(MicroWh::ZERO),
        exported: (-energy).max(MicroWh::ZERO),
    }
}
