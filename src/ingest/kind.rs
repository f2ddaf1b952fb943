//! The kind of a device, as far as its messages reveal it, and the roles of its sensors.

use serde::Deserialize;

use crate::domain::Role;

/// The suffix added to a sensor's id for the sensor of the reverse flow.
pub const BACK_SUFFIX: &str = "-export";

/// The direction of a number's energy. The reverse flow has its own sensor, so that the two are
/// never mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Imported, used, charged; for panels, produced. The number belongs to the sensor itself, with
    /// its sign.
    Forth,
    /// Exported, discharged. The number belongs to a second sensor, whose id ends with `-export`.
    Back,
    /// Power with a sign: above 0 it flows forth, and below 0 back. Each of the two sensors gets a
    /// reading, one of them 0.
    Both,
}

/// The kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// Unknown, also for the second sensor.
    Unknown,
    /// The utility's meter, where the house is connected to the grid.
    UtilityMeter,
    /// A meter that counts both ways, probably at the grid.
    Meter,
    /// A plug or a relay. Energy that flows back through it comes from panels.
    Plug,
    /// The panels.
    Inverter,
    /// A battery.
    Battery,
    /// A charger of cars.
    Charger,
}

impl DeviceKind {
    /// The probable role of the sensor. A sensor measures one direction only, so this is meant for
    /// [`Way::Forth`] and [`Way::Back`]; for [`Way::Both`] it is the role of the first sensor.
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

    /// The role with which a sensor may be added automatically; `None` if a person must choose it.
    /// In case of doubt it is a sub-meter, because a sub-meter does not falsify any sum of the
    /// house.
    #[must_use]
    pub const fn certain_role(self, way: Way) -> Option<Role> {
        match (self, way) {
            (Self::UtilityMeter | Self::Battery, _) | (Self::Inverter, Way::Forth | Way::Both) => {
                Some(self.likely_role(way))
            }
            (_, Way::Forth | Way::Both) => Some(Role::SubMeter),
            // Energy that flows back is not a use of the house.
            (_, Way::Back) => None,
        }
    }
}
