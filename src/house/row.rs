//! Rows of energy: the known values of a stretch of time, column by column.

use std::collections::BTreeMap;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};

use crate::domain::words::words;
use crate::domain::{SensorId, Timestamp};

/// A column of a row. Energies are in watt-hours, amounts in the account's currency, shares from 0
/// to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EnergyColumn {
    /// Of a sensor: drawn less fed back.
    Energy,
    /// Drawn from the grid, or by a sensor that runs both ways.
    Imported,
    /// Fed into the grid, or back by a sensor that runs both ways.
    Exported,
    /// Produced by the panels.
    Produced,
    /// Taken by batteries.
    Charged,
    /// Given by batteries.
    Discharged,
    /// Used by the house.
    Used,
    /// Produced and not fed into the grid.
    SelfConsumed,
    /// Its share of the production.
    SelfConsumption,
    /// The share of the consumption that did not come from the grid.
    SelfSufficiency,
    /// Energy of no sub-meter inside.
    Other,
    /// The costs.
    Cost,
    /// The credits for export.
    Credit,
    /// The estimated share of the time, with a measured sum only.
    Estimated,
    /// The share of the time with missing readings.
    Partial,
    /// The share of the energy that has no price.
    Unpriced,
    /// Of a sub-meter: from the panels, at once.
    FromSolar,
    /// From the panels, by way of a battery.
    FromBattery,
    /// From the grid, at once or by way of a battery.
    FromGrid,
    /// From nobody knows where.
    FromUnknown,
    /// The share of own energy in that with a known source.
    OwnShare,
    /// The cost of the energy by its sources: the grid's at its price, own energy at the credit
    /// that it would have earned.
    RealCost,
    /// The share of the energy that the real cost leaves out, without a source or a price.
    RealUnpriced,
}

words! {
    EnergyColumn: Energy "energy", Imported "imported", Exported "exported", Produced "produced", Charged "charged",
    Discharged "discharged", Used "used", SelfConsumed "self_consumed", SelfConsumption "self_consumption",
    SelfSufficiency "self_sufficiency", Other "other", Cost "cost", Credit "credit", Estimated "estimated",
    Partial "partial", Unpriced "unpriced", FromSolar "from_solar", FromBattery "from_battery", FromGrid "from_grid",
    FromUnknown "from_unknown", OwnShare "own_share", RealCost "real_cost", RealUnpriced "real_unpriced";
    "a column such as imported"
}

/// The known values of a stretch of time.
#[derive(Clone, Debug, PartialEq)]
pub struct EnergyRow {
    /// When it begins; a bucket that the range clips has its own beginning.
    pub start: Timestamp,
    /// Of the house, or of the requested sensor. Unknown values are absent, and so are shares of 0.
    pub values: ColumnValues,
    /// Of the house: each sub-meter.
    pub parts: Vec<(SensorId, ColumnValues)>,
}

impl EnergyColumn {
    /// The columns of a sub-meter's sources.
    pub const OF_SOURCES: [Self; 7] = [
        Self::FromSolar,
        Self::FromBattery,
        Self::FromGrid,
        Self::FromUnknown,
        Self::OwnShare,
        Self::RealCost,
        Self::RealUnpriced,
    ];
}

impl EnergyRow {
    /// Whether so little is missing that it can be compared: at most 1 % of the time.
    #[must_use]
    pub fn is_comparable(&self) -> bool {
        let missing = self.value(EnergyColumn::Partial);
        missing.is_none_or(|share| share <= 0.01)
    }

    /// The value of a column, if known.
    #[must_use]
    pub fn value(&self, column: EnergyColumn) -> Option<f64> {
        let found = self.values.iter().find(|(of, _)| *of == column);
        found.map(|(_, value)| *value)
    }
}

/// The known values, each with its column.
pub type ColumnValues = Vec<(EnergyColumn, f64)>;

impl Serialize for EnergyRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("t", &self.start.to_string())?;
        for (column, value) in &self.values {
            map.serialize_entry(column.as_str(), &PlainNumber(*value))?;
        }
        if !self.parts.is_empty() {
            let parts = self.parts.iter();
            let parts = parts.map(|(id, values)| (id.as_str(), PartValues(values)));
            map.serialize_entry("sensors", &parts.collect::<BTreeMap<_, _>>())?;
        }
        map.end()
    }
}

/// The values of a part, as an object.
struct PartValues<'a>(&'a ColumnValues);

impl Serialize for PartValues<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let values = self.0.iter();
        serializer.collect_map(values.map(|(column, value)| (column.as_str(), PlainNumber(*value))))
    }
}

/// A number that is printed without a point if it is whole.
struct PlainNumber(f64);

impl Serialize for PlainNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        /// Beyond it, not every whole number is a `f64`.
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        let Self(number) = *self;
        if number.fract() == 0.0 && number.abs() < LARGEST {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it is whole and small enough"
            )]
            return serializer.serialize_i64(number as i64);
        }
        serializer.serialize_f64(number)
    }
}
