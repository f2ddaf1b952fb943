//! Savings as the API and the commands answer them.

use serde::{Deserialize, Serialize};

use super::{HouseSavings, HouseWithout, SavedMonth, SavedSide};
use crate::domain::{Account, Decimal, MicroWh};
use crate::ledger::contract::LineKind;
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
    pub without: Option<String>,
    /// The sum of all lines.
    pub total: Option<String>,
    /// The savings: the total less that of the house as it was. Null if either is.
    pub saved: Option<String>,
    /// The lines of energy.
    pub energy: Option<String>,
    /// The lines of demand.
    pub demand: Option<String>,
    /// The fixed, minimum and maximum charges, and the discounts.
    pub standing: Option<String>,
    /// The credits for export; positive where export was paid.
    pub credits: Option<String>,
    /// The lines of taxes.
    pub taxes: Option<String>,
    /// Drawn from the grid, in quarters of an hour that are measured: the same ones in all rows.
    pub imported: Option<f64>,
    /// Fed into the grid in them.
    pub exported: Option<f64>,
    /// Drawn in the others: each house counts as it was there, and saves nothing.
    pub left_out_import: f64,
    /// Fed in in the others.
    pub left_out_export: f64,
    /// Whether all of its energy is known and has a price. If not, the total is that of the rest.
    pub complete: bool,
    /// Drawn without a price.
    pub unpriced_import: f64,
    /// Fed in without a price.
    pub unpriced_export: f64,
    /// The share of the time that is measured.
    pub measured: f64,
    /// The estimated share of the time, with a measured sum only.
    pub estimated: f64,
    /// The unknown share of the time. Of a house without some part, it counts as it was.
    pub missing: f64,
    /// The total of each month, rounded by itself.
    pub months: Vec<SavedMonthRow>,
}

/// A month of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedMonthRow {
    /// The month, such as `2026-01`.
    pub month: String,
    /// The total of the part of the range in it.
    pub total: Option<String>,
    /// The savings in it.
    pub saved: Option<String>,
}

impl SavingsAnswer {
    /// The savings of an account.
    #[must_use]
    pub fn new(account: &Account, found: &HouseSavings) -> Self {
        let energy = |of: fn(&HouseQuarter) -> Option<MicroWh>| {
            let energy = found.energy.as_ref().and_then(of);
            energy.map(MicroWh::watthours)
        };
        Self {
            account: account.name.to_string(),
            from: found.range.start().to_string(),
            to: found.range.end().to_string(),
            currency: found.currency.as_str().to_owned(),
            assumes: ASSUMES.to_owned(),
            used: energy(HouseQuarter::used),
            produced: energy(|sums| sums.produced),
            charged: energy(|sums| sums.charged),
            discharged: energy(|sums| sums.discharged),
            export_measured: found.measures_export,
            rows: found.sides.iter().map(SavedRow::new).collect(),
        }
    }
}

impl SavedRow {
    fn new(side: &SavedSide) -> Self {
        let statement = &side.statement;
        let bill = &statement.bill;
        let (energy, left_out) = (side.energy(), side.left_out);
        let coverage = statement.coverage();
        let text = |amount: Option<Decimal>| amount.map(|amount| amount.to_string());
        let sum = |kinds: &[LineKind]| text(statement.sum(kinds));
        Self {
            without: side
                .without
                .map(HouseWithout::as_str)
                .map(ToOwned::to_owned),
            total: text(statement.total()),
            saved: text(side.saved),
            energy: sum(&[LineKind::Energy]),
            demand: sum(&[LineKind::Demand]),
            standing: sum(&LineKind::STANDING),
            credits: text(statement.total().map(|_| bill.credits)),
            taxes: sum(&[LineKind::Tax]),
            imported: energy.map(|flow| flow.imported.watthours()),
            exported: energy.map(|flow| flow.exported.watthours()),
            left_out_import: left_out.imported.watthours(),
            left_out_export: left_out.exported.watthours(),
            complete: statement.is_complete(),
            unpriced_import: bill.unpriced.imported.watthours(),
            unpriced_export: bill.unpriced.exported.watthours(),
            measured: coverage.measured,
            estimated: coverage.estimated,
            missing: coverage.missing,
            months: side.months.iter().map(SavedMonthRow::new).collect(),
        }
    }
}

impl SavedMonthRow {
    fn new(month: &SavedMonth) -> Self {
        let text = |amount: Option<Decimal>| amount.map(|amount| amount.to_string());
        Self {
            month: format!("{:04}-{:02}", month.first.year(), month.first.month()),
            total: text(month.total),
            saved: text(month.saved),
        }
    }
}
