//! Where the energy that a house used came from.
//!
//! A battery charges from the surplus of the panels, and only then from the grid; export comes from
//! the panels, and only then from the battery. Nobody measures which kilowatt-hour went where.

use super::sums::{HouseSum, HouseSums};
use crate::domain::MicroWh;

/// The known energies of a house in a stretch of time. A source without a meter adds nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HouseBalance {
    /// Used by the house.
    pub used: MicroWh,
    /// Drawn from the grid.
    pub imported: MicroWh,
    /// Fed into the grid.
    pub exported: MicroWh,
    /// Produced by the panels.
    pub produced: MicroWh,
    /// Taken by batteries.
    pub charged: MicroWh,
    /// Given by batteries; `None` if no meter says so.
    pub discharged: Option<MicroWh>,
}

/// The sources of the used energy: the first three add up to it, exactly. A part is negative where
/// meters contradict each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HouseSources {
    /// Produced, and neither fed into the grid nor charged.
    pub solar: MicroWh,
    /// Given by batteries, and not fed into the grid.
    pub battery: MicroWh,
    /// Drawn from the grid, and not charged.
    pub grid: MicroWh,
    /// Charged from the panels.
    pub charged_by_solar: MicroWh,
    /// Charged from the grid.
    pub charged_by_grid: MicroWh,
    /// Fed into the grid by batteries.
    pub exported_by_battery: MicroWh,
}

impl HouseBalance {
    /// The sources, by the rules of docs/HOUSE.md.
    #[must_use]
    pub fn sources(&self) -> HouseSources {
        let Self {
            used,
            imported,
            exported,
            produced,
            charged,
            discharged,
        } = *self;
        let left = (produced - exported).max(MicroWh::ZERO);
        let charged_by_solar = charged.min(left);
        let charged_by_grid = charged - charged_by_solar;
        let grid = imported - charged_by_grid;
        let fed = (exported - produced.max(MicroWh::ZERO)).max(MicroWh::ZERO);
        let battery = discharged.map_or(MicroWh::ZERO, |discharged| discharged - fed);
        HouseSources {
            solar: used - battery - grid,
            battery,
            grid,
            charged_by_solar,
            charged_by_grid,
            exported_by_battery: fed,
        }
    }
}

impl HouseSums {
    /// The energies, if all that determines the consumption is measured; otherwise `None`.
    #[must_use]
    pub fn balance(&self) -> Option<HouseBalance> {
        let used = self.used.energy().filter(|_| self.used.is_measured())?;
        let known = |sum: HouseSum| sum.energy().unwrap_or_default();
        Some(HouseBalance {
            used,
            imported: known(self.imported),
            exported: known(self.exported),
            produced: known(self.produced),
            charged: known(self.charged),
            discharged: self.discharged.energy(),
        })
    }
}
