//! A house without its panels, without its battery, or without both.

use super::Scenario;
use crate::ledger::scenario::HouseQuarter;

/// The parts that a house would not have had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::house) struct Removed {
    pub(in crate::house) panels: bool,
    pub(in crate::house) battery: bool,
}

impl Scenario for Removed {
    fn change(&mut self, quarter: HouseQuarter) -> HouseQuarter {
        // The battery first: without panels, what it took from them would count as fed in.
        let quarter = if self.battery {
            quarter.without_battery()
        } else {
            quarter
        };
        if self.panels {
            quarter.without_panels()
        } else {
            quarter
        }
    }
}
