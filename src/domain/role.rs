//! Which part of a house a sensor measures.

use serde::{Deserialize, Serialize};

use super::words::words;

/// Which part of a house a sensor measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// What the house takes from the grid, less what it feeds back.
    Grid,
    /// What the house takes from the grid.
    GridImport,
    /// What the house feeds into the grid.
    GridExport,
    /// What the house's own panels produce.
    Solar,
    /// What a battery takes, less what it gives.
    Battery,
    /// What a battery takes.
    BatteryCharge,
    /// What a battery gives.
    BatteryDischarge,
    /// A part of what another sensor measures too, such as a heat pump behind the house's meter.
    // The default: a sensor that counts for the house by mistake makes its sums wrong.
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

    /// Whether the house does not use what it measures: what is fed in or stored is taken off.
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
