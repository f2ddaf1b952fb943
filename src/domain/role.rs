//! The part of a house that a sensor measures.

use serde::{Deserialize, Serialize};

use super::words::words;

/// The part of a house that a sensor measures.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The exchange with the grid: imports minus exports.
    Grid,
    /// Imports from the grid.
    GridImport,
    /// Exports to the grid.
    GridExport,
    /// The production of the house's own panels.
    Solar,
    /// A battery: charge minus discharge.
    Battery,
    /// The charge of a battery.
    BatteryCharge,
    /// The discharge of a battery.
    BatteryDischarge,
    /// A part of another sensor's measurement, such as a heat pump behind the house's meter.
    // The default, because a sensor that is counted for the house by mistake makes its sums wrong.
    #[default]
    SubMeter,
}

words! {
    Role: Grid "grid", GridImport "grid-import", GridExport "grid-export", Solar "solar", Battery "battery",
        BatteryCharge "battery-charge", BatteryDischarge "battery-discharge", SubMeter "sub-meter";
    "grid, grid-import, grid-export, solar, battery, battery-charge, battery-discharge or sub-meter"
}

impl Role {
    /// Whether it measures at the connection to the grid.
    #[must_use]
    pub const fn is_at_grid(self) -> bool {
        matches!(self, Self::Grid | Self::GridImport | Self::GridExport)
    }

    /// Whether it measures what a battery takes or gives.
    #[must_use]
    pub const fn is_battery(self) -> bool {
        matches!(
            self,
            Self::Battery | Self::BatteryCharge | Self::BatteryDischarge
        )
    }

    /// Whether the measured energy is not used by the house: exported and stored energy is
    /// subtracted.
    #[must_use]
    pub const fn is_taken_off(self) -> bool {
        matches!(self, Self::GridExport | Self::Battery | Self::BatteryCharge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for role in Role::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
            let json = serde_json::to_string(&role).unwrap();
            assert_eq!(json, format!("\"{}\"", role.as_str()));
        }
        assert_eq!(
            "roof".parse::<Role>().unwrap_err().to_string(),
            "expected grid, grid-import, grid-export, solar, battery, battery-charge, battery-discharge or sub-meter"
        );
    }
}
