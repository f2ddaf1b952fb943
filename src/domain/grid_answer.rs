//! The kind of a further sensor at the grid, beside those that the house has.

use serde::{Deserialize, Serialize};

use super::role::Role;
use super::words::words;

/// What a sensor at the grid measures that is not the first one there. Nobody but a person knows:
/// energy that is counted twice makes all sums of the house wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GridAnswer {
    /// A phase of the same meter.
    Phase,
    /// A part of what the other one measures.
    SubMeter,
    /// Another connection, or another register of the same meter.
    Connection,
}

words! {
    GridAnswer: Phase "phase", SubMeter "sub-meter", Connection "connection";
    "phase, sub-meter or connection"
}

impl Role {
    /// Whether sensors of both roles count the same energy at the grid, in some direction.
    #[must_use]
    pub fn shares_grid_with(self, other: Self) -> bool {
        let is_pair = |one, another| {
            matches!(
                (one, another),
                (Role::GridImport, Role::GridExport) | (Role::GridExport, Role::GridImport)
            )
        };
        self.is_at_grid() && other.is_at_grid() && !is_pair(self, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_of_one_meter_are_no_two_meters() {
        for (one, other, expected) in [
            (Role::Grid, Role::Grid, true),
            (Role::Grid, Role::GridExport, true),
            (Role::GridImport, Role::GridImport, true),
            (Role::GridImport, Role::GridExport, false),
            (Role::Grid, Role::Solar, false),
            (Role::SubMeter, Role::SubMeter, false),
        ] {
            assert_eq!(one.shares_grid_with(other), expected, "{one:?} {other:?}");
            assert_eq!(other.shares_grid_with(one), expected, "{one:?} {other:?}");
        }
    }
}
