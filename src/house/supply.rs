//! The sources of a house's consumption.

use super::row::{EnergyColumn, EnergyRow};
use crate::domain::MicroWh;
use crate::ledger::house::HouseBalance;

/// The sources of the consumption, in watt-hours. The sum of the first three is the consumption,
/// within the precision of a `f64`. A part is negative where meters contradict each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Supply {
    /// Produced, and neither fed into the grid nor charged. Less than 0 if panels without a meter
    /// fed back.
    pub solar: f64,
    /// Given by batteries, and not fed into the grid.
    pub battery: f64,
    /// Drawn from the grid, and not charged.
    pub grid: f64,
    /// Charged from the grid.
    pub charged_by_grid: f64,
    /// Exported by batteries.
    pub exported_by_battery: f64,
}

impl EnergyRow {
    /// The sources of the consumption in this time; `None` if the consumption is unknown.
    #[must_use]
    pub fn supply(&self) -> Option<Supply> {
        let sum = |column| self.value(column).map(MicroWh::from_watthours);
        // A source without a meter adds nothing to the consumption.
        let known = |column| sum(column).unwrap_or_default();
        let balance = HouseBalance {
            used: sum(EnergyColumn::Used)?,
            imported: known(EnergyColumn::Imported),
            exported: known(EnergyColumn::Exported),
            produced: known(EnergyColumn::Produced),
            charged: known(EnergyColumn::Charged),
            discharged: sum(EnergyColumn::Discharged),
        };
        let sources = balance.sources();
        Some(Supply {
            solar: sources.solar.watthours(),
            battery: sources.battery.watthours(),
            grid: sources.grid.watthours(),
            charged_by_grid: sources.charged_by_grid.watthours(),
            exported_by_battery: sources.exported_by_battery.watthours(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::Timestamp;

    /// A row of imported, exported, produced, charged and discharged.
    fn row([imported, exported, produced, charged, discharged]: [i32; 5]) -> EnergyRow {
        let used = imported - exported + produced + discharged - charged;
        let values = [
            (EnergyColumn::Imported, imported),
            (EnergyColumn::Exported, exported),
            (EnergyColumn::Produced, produced),
            (EnergyColumn::Charged, charged),
            (EnergyColumn::Discharged, discharged),
            (EnergyColumn::Used, used),
        ];
        EnergyRow {
            start: Timestamp::MIN,
            values: values
                .map(|(column, value)| (column, f64::from(value)))
                .into(),
            parts: Vec::new(),
        }
    }

    #[test]
    fn what_is_used_comes_from_somewhere() {
        for (sums, [solar, battery, grid]) in [
            // The grid alone.
            ([20, 0, 0, 0, 0], [0.0, 0.0, 20.0]),
            // Panels at noon: 15 produced, 6 fed back, 5 charged.
            ([4, 6, 15, 5, 3], [4.0, 3.0, 4.0]),
            // At night the battery charges from the grid.
            ([7, 0, 0, 5, 0], [0.0, 0.0, 2.0]),
            // Both: 3 of 5 charged come from the panels.
            ([4, 0, 3, 5, 0], [0.0, 0.0, 2.0]),
            // The battery feeds the grid.
            ([0, 4, 1, 0, 5], [0.0, 2.0, 0.0]),
            // At night the inverter draws from the grid.
            ([9, 0, -1, 0, 0], [-1.0, 0.0, 9.0]),
        ] {
            let supply = row(sums).supply().unwrap();
            let parts = [supply.solar, supply.battery, supply.grid];
            assert_eq!(
                parts.map(|part| part + 0.0),
                [solar, battery, grid],
                "{sums:?}"
            );
        }
        let unknown = EnergyRow {
            values: vec![(EnergyColumn::Produced, 5.0)],
            ..row([0; 5])
        };
        assert_eq!(unknown.supply(), None);
    }

    proptest! {
        #[test]
        fn the_parts_add_up_to_what_is_used(sums in prop::array::uniform5(-50_i32..1_000)) {
            let row = row(sums);
            let Supply { solar, battery, grid, .. } = row.supply().unwrap();
            prop_assert_eq!(Some(solar + battery + grid), row.value(EnergyColumn::Used));
        }
    }
}
