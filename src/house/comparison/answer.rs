//! A comparison as the API and the commands answer it.

use serde::{Deserialize, Serialize};

use super::ContractComparison;
use crate::domain::{Account, Decimal};
use crate::house::priced_row::SideAmounts;
use crate::house::priced_side::{PricedMonth, PricedSide};
use crate::ledger::contract::Label;

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
    pub offer: Option<Label>,
    /// The total less that of the contracts in force; null unless both are complete.
    pub difference: Option<Decimal>,
    /// The total without the credits, for each kilowatt-hour drawn.
    pub price_per_kwh: Option<Decimal>,
    /// Whether all known energy has a price. If not, the total is that of the rest.
    pub complete: bool,
    /// Its amounts.
    #[serde(flatten)]
    pub amounts: SideAmounts,
    /// The total of each month, rounded by itself.
    pub months: Vec<ComparedMonth>,
}

/// A month of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedMonth {
    /// The month, such as `2026-01`.
    pub month: String,
    /// The total of the part of the range in it.
    pub total: Option<Decimal>,
}

impl ComparisonAnswer {
    /// The comparison of an account.
    #[must_use]
    pub fn new(account: &Account, found: &ContractComparison) -> Self {
        Self {
            account: account.name.to_string(),
            from: found.priced.range.start().to_string(),
            to: found.priced.range.end().to_string(),
            currency: found.priced.currency.as_str().to_owned(),
            assumes: ASSUMES.to_owned(),
            imported: found.energy.map(|flow| flow.imported.watthours()),
            exported: found.energy.map(|flow| flow.exported.watthours()),
            rows: {
                let sides = found.priced.sides.iter();
                let row = |(offer, side): &(Option<Label>, PricedSide)| {
                    ComparedRow::new(found, offer.as_ref(), side)
                };
                sides.map(row).collect()
            },
            left_out: found.left_out.iter().map(Label::to_string).collect(),
        }
    }
}

impl ComparedRow {
    fn new(found: &ContractComparison, offer: Option<&Label>, side: &PricedSide) -> Self {
        let month = |month: &PricedMonth| ComparedMonth {
            month: month.name(),
            total: month.total,
        };
        Self {
            offer: offer.cloned(),
            difference: found.difference(side),
            price_per_kwh: side.statement.mean_price(),
            complete: side.is_priced(),
            amounts: SideAmounts::new(side),
            months: side.months.iter().map(month).collect(),
        }
    }
}
