//! The content of a correction.

use std::ops::Range;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::domain::words::words;
use crate::domain::{MicroWh, Timestamp};
use crate::ledger::calibration::CalibrationFactor;
use crate::ledger::known_energy::Spread;
use crate::ledger::walk::MeterChange;

/// Facts about times this much after the clock are refused.
const AHEAD: Duration = Duration::from_hours(24);

/// The kind of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactKind {
    /// See [`Fact::MeterChanged`].
    MeterChanged,
    /// See [`Fact::Event`].
    Event,
    /// See [`Fact::Energy`].
    Energy,
    /// See [`Fact::Wrong`].
    Wrong,
    /// See [`Fact::Utility`].
    Utility,
    /// See [`Fact::Calibrate`].
    Calibrate,
}

words! {
    FactKind: MeterChanged "meter-changed", Event "event", Energy "energy", Wrong "wrong", Utility "utility", Calibrate "calibrate";
    "meter-changed, event, energy, wrong, utility or calibrate"
}

/// A person's knowledge about a sensor. Ranges exclude their end, and are not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// Another meter was put in place at this time.
    MeterChanged(Timestamp, MeterChange),
    /// Whether the energy of the event at this time counts.
    Event(Timestamp, bool),
    /// The range had this energy.
    Energy(FactRange, MicroWh, Spread),
    /// Readings in the range are wrong.
    Wrong(FactRange),
    /// The utility's meter showed this at that time. It changes no energy.
    Utility(Timestamp, MicroWh),
    /// The energy of readings is multiplied by this factor.
    Calibrate(CalibratedRange, CalibrationFactor),
}

/// From a time on, perhaps until before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CalibratedRange {
    from: Timestamp,
    to: Option<Timestamp>,
}

/// A range of times without its end; not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactRange {
    from: Timestamp,
    to: Timestamp,
}

/// Why something is not a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FactError {
    /// The range is empty or reversed.
    #[error(
        "expected a time after {0}, the start; got {1}; such as from 2026-01-05T10:00:00 to 2026-01-05T11:00:00"
    )]
    EmptyRange(Timestamp, Timestamp),
    /// It is about a time that has not come.
    #[error(
        "expected a time at most 24 hours ahead of the clock, {2}, such as a reading's; got {1}"
    )]
    Future(&'static str, Timestamp, Timestamp),
    /// Energy that is no finite number.
    #[error("expected a finite number of watt-hours, such as 12345.6")]
    NotFinite(&'static str),
}

impl FactError {
    /// The field at fault, by its name in the API.
    pub(crate) const fn field(self) -> &'static str {
        match self {
            Self::EmptyRange(..) => "to",
            Self::Future(field, ..) | Self::NotFinite(field) => field,
        }
    }
}

impl FactRange {
    /// From a time until before another.
    ///
    /// # Errors
    /// [`FactError::EmptyRange`].
    pub fn new(from: Timestamp, to: Timestamp) -> Result<Self, FactError> {
        if from < to {
            return Ok(Self { from, to });
        }
        Err(FactError::EmptyRange(from, to))
    }

    /// Its first time.
    #[must_use]
    pub const fn from(self) -> Timestamp {
        self.from
    }

    /// Its end, which does not belong to it.
    #[must_use]
    pub const fn to(self) -> Timestamp {
        self.to
    }

    /// The same as a plain range.
    #[must_use]
    pub const fn times(self) -> Range<Timestamp> {
        self.from..self.to
    }
}

impl CalibratedRange {
    /// From a time on; until before `to` if there is one.
    ///
    /// # Errors
    /// [`FactError::EmptyRange`].
    pub fn new(from: Timestamp, to: Option<Timestamp>) -> Result<Self, FactError> {
        match to {
            Some(to) if to <= from => Err(FactError::EmptyRange(from, to)),
            _ => Ok(Self { from, to }),
        }
    }

    /// Its first time.
    #[must_use]
    pub const fn from(self) -> Timestamp {
        self.from
    }

    /// Its end, which does not belong to it; `None` if it has none.
    #[must_use]
    pub const fn to(self) -> Option<Timestamp> {
        self.to
    }

    /// The same as a plain range.
    #[must_use]
    pub fn times(self) -> Range<Timestamp> {
        self.from..self.to.unwrap_or(Timestamp::MAX)
    }
}

impl Fact {
    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> FactKind {
        match self {
            Self::MeterChanged(..) => FactKind::MeterChanged,
            Self::Event(..) => FactKind::Event,
            Self::Energy(..) => FactKind::Energy,
            Self::Wrong(_) => FactKind::Wrong,
            Self::Utility(..) => FactKind::Utility,
            Self::Calibrate(..) => FactKind::Calibrate,
        }
    }

    /// The energy in the field `name`, in watt-hours.
    ///
    /// # Errors
    /// [`FactError::NotFinite`].
    pub fn watthours(name: &'static str, watthours: f64) -> Result<MicroWh, FactError> {
        if watthours.is_finite() {
            return Ok(MicroWh::from_watthours(watthours));
        }
        Err(FactError::NotFinite(name))
    }

    /// Whether it is about a time in `range`.
    #[must_use]
    pub fn touches(&self, range: &Range<Timestamp>) -> bool {
        match self {
            Self::MeterChanged(at, _) | Self::Event(at, _) | Self::Utility(at, _) => {
                range.contains(at)
            }
            Self::Energy(of, ..) | Self::Wrong(of) => of.from < range.end && range.start < of.to,
            Self::Calibrate(of, _) => of.from < range.end && range.start < of.times().end,
        }
    }

    /// Refuses a fact about a time that lies more than a day after `now`.
    pub(super) fn check_time(&self, now: Timestamp) -> Result<(), FactError> {
        let (field, last) = match self {
            Self::MeterChanged(at, _) | Self::Event(at, _) | Self::Utility(at, _) => ("at", *at),
            Self::Energy(range, ..) | Self::Wrong(range) => ("to", range.to),
            Self::Calibrate(range, _) => match range.to {
                Some(to) => ("to", to),
                None => ("from", range.from),
            },
        };
        if last <= now.saturating_add(AHEAD) {
            return Ok(());
        }
        Err(FactError::Future(field, last, now))
    }
}
