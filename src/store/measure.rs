//! One of the two measures, where the same is asked of either.

use crate::domain::reading::Reading;
use crate::domain::summary::Summary;
use crate::domain::time::Timestamp;

/// Power or register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Watts,
    Watthours,
}

/// What a measure was at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Value {
    pub(super) time: Timestamp,
    /// Watts or watt-hours.
    pub(super) number: f64,
}

impl Measure {
    /// What `reading` says of it.
    pub(super) fn of(self, reading: &Reading) -> Option<Value> {
        let number = match self {
            Self::Watts => reading.measures.watts(),
            Self::Watthours => reading.measures.watthours(),
        };
        number.map(|number| Value {
            time: reading.time,
            number,
        })
    }

    /// What the latest of the readings that have it says.
    pub(super) fn last_of(self, summary: &Summary) -> Option<Value> {
        match self {
            Self::Watts => summary.power.map(|power| Value {
                time: power.last.0,
                number: power.last.1,
            }),
            Self::Watthours => summary.registers.map(|registers| Value {
                time: registers.last.time,
                number: registers.last.watthours,
            }),
        }
    }
}
