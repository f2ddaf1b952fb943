//! A comparison as the API and the commands answer it.

use serde::{Deserialize, Serialize};

use super::{ComparedSide, ContractComparison};
use crate::domain::{Account, Decimal, LocalDate};
use crate::ledger::contract::{Label, LineKind};

/// The assumption of each comparison.
const ASSUMES: &str = "The energy is the same, at the same times, at any price, and each offer is in force from the first day of the range on.";

/// A comparison. Amounts are in the currency, as exact decimals in text; energies are in
/// watt-hours, shares from 0 to 1. Unknown values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonAnswer {
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
    /// Drawn from the grid.
    pub imported: Option<f64>,
    /// Fed into the grid.
    pub exported: Option<f64>,
    /// The contracts and each offer: the cheapest first, and behind them those that are not
    /// complete.
    pub rows: Vec<ComparedRow>,
    /// The names of offers in another currency, which are not compared.
    pub left_out: Vec<String>,
}

/// A row of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedRow {
    /// The name of the offer; null for the contracts in force.
    pub offer: Option<String>,
    /// The sum of all lines.
    pub total: Option<String>,
    /// The total less that of the contracts in force; null unless both are complete.
    pub difference: Option<String>,
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
    /// The total without the credits, for each kilowatt-hour drawn.
    pub price_per_kwh: Option<String>,
    /// Whether all known energy has a price. If not, the total is that of the rest.
    pub complete: bool,
    /// Drawn without a price.
    pub unpriced_import: f64,
    /// Fed in without a price.
    pub unpriced_export: f64,
    /// The share of the time that is measured.
    pub measured: f64,
    /// The estimated share of the time, with a measured sum only.
    pub estimated: f64,
    /// The unknown share of the time.
    pub missing: f64,
    /// The total of each month, rounded by itself.
    pub months: Vec<ComparedMonth>,
}

/// A month of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedMonth {
    /// The month, such as `2026-01`.
    pub month: String,
    /// The total of the part of the range in it.
    pub total: Option<String>,
}

impl ComparisonAnswer {
    /// The comparison of an account.
    #[must_use]
    pub fn new(account: &Account, found: &ContractComparison) -> Self {
        Self {
            account: account.name.to_string(),
            from: found.range.start().to_string(),
            to: found.range.end().to_string(),
            currency: found.currency.as_str().to_owned(),
            assumes: ASSUMES.to_owned(),
            imported: found.energy.map(|flow| flow.imported.watthours()),
            exported: found.energy.map(|flow| flow.exported.watthours()),
            rows: found.sides.iter().map(ComparedRow::new).collect(),
            left_out: found.left_out.iter().map(Label::to_string).collect(),
        }
    }
}

impl ComparedRow {
    fn new(side: &ComparedSide) -> Self {
        let statement = &side.statement;
        let bill = &statement.bill;
        let coverage = statement.coverage();
        let text = |amount: Option<Decimal>| amount.map(|amount| amount.to_string());
        let sum = |kinds: &[LineKind]| text(statement.sum(kinds));
        Self {
            offer: side.offer.as_ref().map(Label::to_string),
            total: text(statement.total()),
            difference: text(side.difference),
            energy: sum(&[LineKind::Energy]),
            demand: sum(&[LineKind::Demand]),
            standing: sum(&LineKind::STANDING),
            credits: text(statement.total().map(|_| bill.credits)),
            taxes: sum(&[LineKind::Tax]),
            price_per_kwh: text(side.mean_price()),
            complete: side.is_complete(),
            unpriced_import: bill.unpriced.imported.watthours(),
            unpriced_export: bill.unpriced.exported.watthours(),
            measured: coverage.measured,
            estimated: coverage.estimated,
            missing: coverage.missing,
            months: side.months.iter().map(ComparedMonth::new).collect(),
        }
    }
}

impl ComparedMonth {
    fn new((first, total): &(LocalDate, Option<Decimal>)) -> Self {
        Self {
            month: format!("{:04}-{:02}", first.year(), first.month()),
            total: total.map(|total| total.to_string()),
        }
    }
}
