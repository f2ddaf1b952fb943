//! What is set about a sensor's meter, and what people know about it.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::ops::{Bound, Range};

use crate::domain::words::words;
use crate::domain::{MicroWh, RegisterKind, Timestamp};

/// What a sensor's register says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeterKind {
    /// It runs backwards when energy is fed back.
    #[default]
    Net,
    /// It only counts up; a fall is a fault or a new beginning.
    Counter,
    /// Each value is the energy since the value before it.
    Interval,
}

words! { MeterKind: Net "net", Counter "counter", Interval "interval"; "net, counter or interval" }

impl From<RegisterKind> for MeterKind {
    fn from(kind: RegisterKind) -> Self {
        match kind {
            RegisterKind::Net => Self::Net,
            RegisterKind::Counter => Self::Counter,
        }
    }
}

/// The most power that is plausible, in whole watts; what is above it is no energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PowerLimit(NonZeroU32);

/// Energy is never spread over less than this: two uploads may arrive back to back.
const SHORTEST_MS: i64 = 10_000;

impl PowerLimit {
    /// So many watts; `None` for zero.
    #[must_use]
    pub fn new(watts: u32) -> Option<Self> {
        NonZeroU32::new(watts).map(Self)
    }

    /// In watts.
    #[must_use]
    pub const fn watts(self) -> u32 {
        self.0.get()
    }

    /// Whether `energy`, in either direction, can flow within `ms` milliseconds.
    pub(super) fn allows(self, energy: MicroWh, ms: i64) -> bool {
        implied_watts(energy, ms) <= u64::from(self.watts())
    }
}

/// 100 kW: more than three phases of 125 A carry.
impl Default for PowerLimit {
    fn default() -> Self {
        Self(NonZeroU32::MIN.saturating_add(99_999))
    }
}

/// The mean power in watts, rounded up, if `energy` flows in either direction within `ms` milliseconds, or 10 s if that is longer.
pub(super) fn implied_watts(energy: MicroWh, ms: i64) -> u64 {
    // One watt is 10^6 µWh per 3.6 * 10^6 ms.
    let micro_watt_ms = u128::from(energy.millionths().unsigned_abs()) * 18;
    let watts = micro_watt_ms.div_ceil(5 * u128::from(ms.max(SHORTEST_MS).unsigned_abs()));
    u64::try_from(watts).unwrap_or(u64::MAX)
}

/// What is set about a sensor's meter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// What its register says.
    pub kind: MeterKind,
    /// More than this is not believed.
    pub limit: PowerLimit,
    /// Whether it counts the other way round: each register and each power is negated before all else.
    pub is_inverted: bool,
    /// Where its register starts again from 0.
    pub rollover: Option<Rollover>,
}

/// Where a register starts again from 0; positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rollover(MicroWh);

impl Rollover {
    /// At this register; `None` if it is not positive.
    #[must_use]
    pub fn at(register: MicroWh) -> Option<Self> {
        (register > MicroWh::ZERO).then_some(Self(register))
    }

    /// The register at which it starts again.
    #[must_use]
    pub const fn register(self) -> MicroWh {
        self.0
    }
}

impl Meter {
    /// A meter of this kind, with the default limit.
    #[must_use]
    pub fn new(kind: MeterKind) -> Self {
        Self {
            kind,
            ..Self::default()
        }
    }

    /// What its register shows, with the sign of what it measures.
    pub(super) fn signed(&self, energy: MicroWh) -> MicroWh {
        if self.is_inverted { -energy } else { energy }
    }
}

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
}

impl Facts {
    /// Whether a reading at `time` is known to be wrong.
    pub(super) fn is_wrong(&self, time: Timestamp) -> bool {
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
