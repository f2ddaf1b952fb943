//! Savings as the API and the commands answer them.

use serde::{Deserialize, Serialize};

use super::HouseSavings;
use crate::domain::{Account, Decimal, MicroWh};
use crate::house::priced_row::SideAmounts;
use crate::house::priced_side::{PricedMonth, PricedSide};
use crate::house::scenario::HouseWithout;
use crate::ledger::scenario::HouseQuarter;

/// The assumption of each answer.
const ASSUMES: &str = "The house uses the same energy at the same times, by the same contracts, and its battery takes and gives the same without panels.";

/// The savings by panels and battery. Amounts are in the currency, as exact decimals in text;
/// energies are in watt-hours, shares from 0 to 1. Unknown values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavingsAnswer {
    /// The account.
    pub account: String,
    /// Where it begins; in the API's form.
    pub from: String,
    /// Where it ends; the end does not belong to it.
    pub to: String,
    /// The currency of all amounts.
    pub currency: String,
    /// Its assumption, in a sentence.
    pub assumes: String,
    /// Used by the house.
    pub used: Option<f64>,
    /// Produced by its panels.
    pub produced: Option<f64>,
    /// Taken by its battery.
    pub charged: Option<f64>,
    /// Given by its battery.
    pub discharged: Option<f64>,
    /// Whether a sensor measures the energy that is fed in. If not, it counts as used.
    pub export_measured: bool,
    /// The house as it was, and behind it without its panels, its battery and both, as far as it has
    /// them.
    pub rows: Vec<SavedRow>,
}

/// A house as it was, or as it would have been.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedRow {
    /// The parts that it would not have had: `panels`, `battery` or `both`; null for the house as it was.
    pub without: Option<HouseWithout>,
    /// The savings: the total less that of the house as it was. Null if either is.
    pub saved: Option<Decimal>,
    /// Its amounts.
    #[serde(flatten)]
    pub amounts: SideAmounts,
    /// Drawn from the grid, in quarters of an hour that are measured: the same ones in all rows.
    pub imported: Option<f64>,
    /// Fed into the grid in them.
    pub exported: Option<f64>,
    /// Drawn in the others: each house counts as it was there, and saves nothing.
    pub left_out_import: f64,
    /// Fed in in the others.
    pub left_out_export: f64,
    /// What panels produced, and batteries took and gave, in the others.
    pub left_out_own: f64,
    /// The measured energy drawn that was read less often than each quarter of an hour: within that
    /// time it is spread evenly.
    pub coarse_import: f64,
    /// The same fed in.
    pub coarse_export: f64,
    /// Whether all of its energy is known and has a price. If not, the total is that of the rest.
    pub complete: bool,
    /// The total of each month, rounded by itself.
    pub months: Vec<SavedMonthRow>,
}

/// A month of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedMonthRow {
    /// The month, such as `2026-01`.
    pub month: String,
    /// The total of the part of the range in it.
    pub total: Option<Decimal>,
    /// The savings in it.
    pub saved: Option<Decimal>,
}

impl SavingsAnswer {
    /// The savings of an account.
    #[must_use]
    pub fn new(account: &Account, found: &HouseSavings) -> Self {
        let energy = |of: fn(&HouseQuarter) -> Option<MicroWh>| {
            let energy = found.was().and_then(|was| was.energy.as_ref().and_then(of));
            energy.map(MicroWh::watthours)
        };
        Self {
            account: account.name.to_string(),
            from: found.priced.range.start().to_string(),
            to: found.priced.range.end().to_string(),
            currency: found.priced.currency.as_str().to_owned(),
            assumes: ASSUMES.to_owned(),
            used: energy(HouseQuarter::used),
            produced: energy(|sums| sums.produced),
            charged: energy(|sums| sums.charged),
            discharged: energy(|sums| sums.discharged),
            export_measured: found.measures_export,
            rows: {
                let sides = found.priced.sides.iter();
                let row = |(without, side): &_| SavedRow::new(found, *without, side);
                sides.map(row).collect()
            },
        }
    }
}

impl SavedRow {
    fn new(found: &HouseSavings, without: Option<HouseWithout>, side: &PricedSide) -> Self {
        let (energy, left_out) = (side.at_grid(), side.left_out());
        let month = |month: &PricedMonth| SavedMonthRow {
            month: month.name(),
            total: month.total,
            saved: month.more,
        };
        Self {
            without,
            saved: found.saved(side),
            amounts: SideAmounts::new(side),
            imported: energy.map(|flow| flow.imported.watthours()),
            exported: energy.map(|flow| flow.exported.watthours()),
            left_out_import: left_out.imported.watthours(),
            left_out_export: left_out.exported.watthours(),
            left_out_own: side.left_out_own().watthours(),
            coarse_import: side.coarse().imported.watthours(),
            coarse_export: side.coarse().exported.watthours(),
            complete: side.statement.is_complete(),
            months: side.months.iter().map(month).collect(),
        }
    }
}
