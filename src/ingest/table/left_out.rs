//! The contents of rows that are left out: energies of bad rows, and units that are no energy.

use csv::ByteRecord;

use super::header::brief;
use super::number::{Cell, NotationSeen};
use super::plan::TablePlan;
use super::row_cells::sum;
use super::unit::{ImportMeasure, SeriesUnit};
use crate::domain::number::to_millionth;

/// The maximum number of units that are named.
const UNITS: usize = 3;

/// The energy of bad rows, where it is readable.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BadEnergy {
    /// How many rows have one.
    pub(crate) rows: u64,
    pub(crate) watthours: f64,
}

/// Rows that are in units of neither power nor energy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OtherUnits {
    pub(crate) rows: u64,
    names: Vec<String>,
}

/// The contents of rows that are left out.
#[derive(Debug, Default)]
pub(crate) struct LeftOutRows {
    pub(crate) energy: BadEnergy,
    pub(crate) units: OtherUnits,
}

impl LeftOutRows {
    /// Sees a bad row.
    pub(super) fn see_bad(&mut self, record: &ByteRecord, plan: &TablePlan) {
        // Differences of registers are no energies of rows, and a key chooses rows.
        let place = plan
            .watthours
            .as_ref()
            .filter(|place| plan.has_intervals && plan.key.is_none() && place.days.is_none());
        let Some(place) = place else { return };
        let [_, of_column] = plan.units;
        let own = plan.unit.and_then(|column| record.get(column));
        let own =
            own.map(|cell| SeriesUnit::parse_any(&String::from_utf8_lossy(cell.trim_ascii())));
        let unit = own.unwrap_or(Some(of_column));
        let unit = unit.filter(|unit| unit.measure() == ImportMeasure::Register);
        let mut notation = NotationSeen::default();
        let read = unit.map(|unit| sum(&mut notation, (unit, true), place, record));
        if let Some(Ok((Cell::Value(energy), false))) = read {
            self.energy.rows += 1;
            self.energy.watthours = to_millionth(self.energy.watthours + energy);
        }
    }

    /// Sees the unit of a row, which is of neither power nor energy.
    pub(super) fn see_unit(&mut self, unit: &[u8]) {
        self.units.rows += 1;
        if self.units.names.len() < UNITS {
            let name = brief(&String::from_utf8_lossy(unit));
            if !self.units.names.contains(&name) {
                self.units.names.push(name);
            }
        }
    }
}

impl OtherUnits {
    /// The units in words.
    pub(crate) fn text(&self) -> String {
        self.names.join(" or ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_named_once() {
        let mut left = LeftOutRows::default();
        for unit in ["m3", "m3", "MJ/m3", "x", "y"] {
            left.see_unit(unit.as_bytes());
        }
        assert_eq!(
            (left.units.rows, left.units.text()),
            (5, "m3 or MJ/m3 or x".to_owned())
        );
    }
}
