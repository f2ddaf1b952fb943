//! The flows of energy that are forecast.

use crate::ledger::house::{HouseSum, HouseSums};

/// A flow of energy of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HouseFlow {
    Imported,
    Exported,
    Used,
}

impl HouseFlow {
    pub(super) const ALL: [Self; 3] = [Self::Imported, Self::Exported, Self::Used];

    /// Its sum.
    pub(super) const fn of(self, sums: &HouseSums) -> HouseSum {
        match self {
            Self::Imported => sums.imported,
            Self::Exported => sums.exported,
            Self::Used => sums.used,
        }
    }
}
