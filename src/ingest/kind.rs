//! What a device measures, as far as its messages tell, and so which roles its sensors have.

use crate::domain::Role;

/// What is added to the id of a sensor, for that of what flows the other way.
pub const BACK_SUFFIX: &str = "-export";

/// Which way the energy of a number flows. What flows the other way has a sensor of its own, so that neither spoils the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Taken from the grid, used, charged; of panels, produced. The number is of the sensor itself, with its sign.
    Forth,
    /// Fed into the grid, discharged. The number is of a second sensor, whose id ends with `-export`.
    Back,
    /// Power with a sign: above 0 it flows forth, and below 0 back. Each of the two sensors gets a reading, one of them 0.
    Both,
}

/// What a device measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// Nobody knows; nor does the sensor's second one.
    Unknown,
    /// The meter of the utility, where the house is connected to the grid.
    UtilityMeter,
    /// A meter that counts both ways, probably there.
    Meter,
    /// A plug or a relay. What flows back through it comes from panels.
    Plug,
    /// The panels.
    Inverter,
    /// A battery.
    Battery,
    /// A charger of cars.
    Charger,
}

impl DeviceKind {
    /// The role that the sensor probably has. Nothing of a sensor flows both ways, so this is only for [`Way::Forth`] and
    /// [`Way::Back`]; for [`Way::Both`] it is that of the first.
    #[must_use]
    pub const fn likely_role(self, way: Way) -> Role {
        match (self, way) {
            (Self::UtilityMeter | Self::Meter, Way::Back) => Role::GridExport,
            (Self::UtilityMeter | Self::Meter, _) => Role::GridImport,
            (Self::Plug, Way::Back) | (Self::Inverter, _) => Role::Solar,
            (Self::Battery, Way::Back) => Role::BatteryDischarge,
            (Self::Battery, _) => Role::BatteryCharge,
            (Self::Unknown | Self::Plug | Self::Charger, _) => Role::SubMeter,
        }
    }

    /// The role with which a sensor may be added unseen; `None` if a person has to say what it measures. A sub-meter spoils no
    /// sum of the house, so what is not certain is one.
    #[must_use]
    pub const fn certain_role(self, way: Way) -> Option<Role> {
        match (self, way) {
            (Self::UtilityMeter | Self::Battery, _) | (Self::Inverter, Way::Forth | Way::Both) => {
                Some(self.likely_role(way))
            }
            (_, Way::Forth | Way::Both) => Some(Role::SubMeter),
            // What flows back is no use of the house.
            (_, Way::Back) => None,
        }
    }
}
