//! The comparison of a Home Assistant with the ledger, as commands, pages and the API have it. Energies
//! are in watt-hours.

use serde::{Deserialize, Serialize};

use super::reason::CountReason;
use crate::domain::{AccountName, EntityId, SensorId, Timestamp};
use crate::home_assistant::identity::HomeAssistantIdentity;
use crate::ledger::EventKind;

/// The energy that a Home Assistant counted, beside that of the ledger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HomeComparison {
    /// The account.
    pub account: AccountName,
    /// Who answered.
    pub identity: HomeAssistantIdentity,
    /// The months of each sensor, one sensor after the other.
    pub months: Vec<CountedMonth>,
}

/// A month of a sensor, by the clock of its account; of the newest one, the hours so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountedMonth {
    /// The sensor.
    pub sensor_id: SensorId,
    /// The entity whose statistic is compared.
    pub entity: EntityId,
    /// Its first day.
    pub month: String,
    /// When it begins.
    pub from: Timestamp,
    /// When it ends, or its known part.
    pub to: Timestamp,
    /// The energy that Home Assistant counted; `None` if it has no statistic until its end.
    pub counted: Option<f64>,
    /// The energy by the ledger.
    pub measured: Option<f64>,
    /// By how much more was counted than measured.
    pub difference: Option<f64>,
    /// Where that comes from, the largest part first.
    pub reasons: Vec<CountedDifference>,
}

/// A part of a difference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountedDifference {
    /// The reason.
    pub reason: CountReason,
    /// When it begins.
    pub from: Timestamp,
    /// When it ends.
    pub to: Timestamp,
    /// By how much more was counted than measured.
    pub energy: f64,
    /// The event of the ledger at that time.
    pub event: Option<CountEvent>,
}

/// An event of the ledger that explains a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountEvent {
    /// Its kind.
    pub kind: EventKind,
    /// Its time, which distinguishes it among those of its sensor.
    pub time: Timestamp,
}

impl CountedDifference {
    /// The range of the events that explain it.
    #[must_use]
    pub fn shown_range(&self) -> (Timestamp, Timestamp) {
        let event = self.event.as_ref().map(|it| it.time);
        let from = event.map_or(self.from, |time| time.min(self.from));
        let to = event.map_or(self.to, |time| time.max(self.to));
        (from, to.saturating_add_millis(1))
    }
}
