//! The parts that a house would not have had.

use crate::domain::Role;
use crate::domain::words::words;
use crate::house::scenario::{Removed, Scenario};
use crate::house::sensors::{HouseSensor, HouseSensors};

/// The parts that a house would not have had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub(super) fn of(house: &HouseSensors) -> Vec<Self> {
        let has = |it: Self| house.sensors.iter().any(|sensor| it.is_measured_by(sensor));
        let mut found = Self::ALL.to_vec();
        found.retain(|it| match it {
            Self::Both => has(Self::Panels) && has(Self::Battery),
            one => has(*one),
        });
        found
    }

    /// Whether a sensor with readings measures it.
    pub(super) fn is_measured_by(self, it: &HouseSensor) -> bool {
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

    pub(super) fn scenario(self) -> Box<dyn Scenario> {
        Box::new(Removed {
            panels: self != Self::Battery,
            battery: self != Self::Panels,
        })
    }
}
