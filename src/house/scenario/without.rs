//! A house without its panels, without its battery, or without both.

use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::domain::Role;
use crate::domain::words::words;
use crate::house::sensors::{HouseSensor, HouseSensors};
use crate::ledger::scenario::HouseQuarter;

/// The parts that a house would not have had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HouseWithout {
    /// Its panels.
    Panels,
    /// Its battery.
    Battery,
    /// Both.
    Both,
}

words! {
    HouseWithout: Panels "panels", Battery "battery", Both "both";
    "panels, battery or both"
}

impl HouseWithout {
    /// Those that make a difference for a house: of one with panels alone, only these.
    pub(in crate::house) fn of(house: &HouseSensors) -> Vec<Self> {
        let has = |it: Self| house.sensors.iter().any(|sensor| it.is_measured_by(sensor));
        let mut found = Self::ALL.to_vec();
        found.retain(|it| match it {
            Self::Both => has(Self::Panels) && has(Self::Battery),
            one => has(*one),
        });
        found
    }

    /// Whether a sensor with readings measures it.
    pub(in crate::house) fn is_measured_by(self, it: &HouseSensor) -> bool {
        let role = it.sensor.role;
        let is_panel = role == Role::Solar;
        let is_battery = role.is_battery();
        it.has_data()
            && match self {
                Self::Panels => is_panel,
                Self::Battery => is_battery,
                Self::Both => is_panel || is_battery,
            }
    }
}

impl Scenario for HouseWithout {
    fn change(&mut self, quarter: HouseQuarter) -> HouseQuarter {
        // The battery first: without panels, what it took from them would count as fed in.
        let quarter = match self {
            Self::Panels => quarter,
            Self::Battery | Self::Both => quarter.without_battery(),
        };
        match self {
            Self::Panels | Self::Both => quarter.without_panels(),
            Self::Battery => quarter,
        }
    }
}
