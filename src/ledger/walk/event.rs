//! Events of readings, and the output of a walk.

use serde::{Deserialize, Serialize};

use crate::domain::words::words;
use crate::domain::{MicroWh, Timestamp};
use crate::ledger::stretch::Stretch;

/// An unusual change of readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EventKind {
    /// The register fell for a while, or by a little for good.
    Dip,
    /// The register rose implausibly for a while.
    Spike,
    /// The register restarted at zero.
    Reset,
    /// The register reached its end and went on from 0.
    Rollover,
    /// The register changed implausibly, and stayed there.
    Jump,
    /// No reading came for long.
    Gap,
    /// Implausibly high power.
    ImplausiblePower,
}

words! {
    EventKind: Dip "dip", Spike "spike", Reset "reset", Rollover "rollover", Jump "jump", Gap "gap",
    ImplausiblePower "implausible-power";
    "dip, spike, reset, rollover, jump, gap or implausible-power"
}

/// Something odd. The time identifies it among the events of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its kind.
    pub kind: EventKind,
    /// The last good reading before it; the event's own time if there is none.
    pub since: Timestamp,
    /// The first reading that is off; of a gap, the reading that ends it.
    pub time: Timestamp,
    /// The reading that ends it: the one that is back, or the one at `time` if its value stays. Of
    /// implausible power, the last one that is left out.
    pub until: Timestamp,
    /// The register at `since`; none for power or an interval.
    pub before: Option<MicroWh>,
    /// The register at `time`; none for power.
    pub after: Option<MicroWh>,
    /// The energy that counts; negative if fed back.
    pub counted: MicroWh,
    /// Whether a person has to decide. Until then nothing counts.
    pub is_open: bool,
    /// Whether a person has decided.
    pub is_decided: bool,
}

impl Event {
    /// Whether the register continued from another value, as after a meter change.
    #[must_use]
    pub fn is_new_beginning(&self) -> bool {
        match self.kind {
            EventKind::Reset | EventKind::Rollover | EventKind::Jump => true,
            EventKind::Dip => self.until == self.time,
            EventKind::Spike | EventKind::Gap | EventKind::ImplausiblePower => false,
        }
    }

    /// The middle between the last reading before it and its own.
    #[must_use]
    pub fn middle(&self) -> Timestamp {
        let ms = self.time.millis() - self.since.millis();
        self.since.saturating_add_millis((ms + 1) / 2)
    }
}

/// The output of a walk: stretches in time order, and events in time order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Energy.
    Stretch(Stretch),
    /// Something odd; it follows the stretch that it concerns.
    Event(Event),
}
