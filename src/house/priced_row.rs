//! Priced sides as the API and the commands answer them.

use serde::{Deserialize, Serialize};

use super::priced_side::{PricedMonth, PricedSide};
use crate::domain::{Decimal, LocalDate};
use crate::ledger::contract::LineKind;

/// The amounts of a side, and what they lack. Amounts are in the currency, energies in watt-hours,
/// shares from 0 to 1. Unknown values are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SideAmounts {
    /// The sum of all lines.
    pub total: Option<Decimal>,
    /// The lines of energy.
    pub energy: Option<Decimal>,
    /// The lines of demand.
    pub demand: Option<Decimal>,
    /// The fixed, minimum and maximum charges, and the discounts.
    pub standing: Option<Decimal>,
    /// The credits for export; positive where export was paid.
    pub credits: Option<Decimal>,
    /// The lines of taxes.
    pub taxes: Option<Decimal>,
    /// Drawn without a price.
    pub unpriced_import: f64,
    /// Fed in without a price.
    pub unpriced_export: f64,
    /// The share of the time that is measured.
    pub measured: f64,
    /// The estimated share of the time, with a measured sum only.
    pub estimated: f64,
    /// The unknown share of the time. Of a house as it would have been, it counts as it was.
    pub missing: f64,
}

impl SideAmounts {
    pub(super) fn new(side: &PricedSide) -> Self {
        let statement = &side.statement;
        let bill = &statement.bill;
        let coverage = statement.coverage();
        let total = statement.total();
        Self {
            total,
            energy: statement.sum(&[LineKind::Energy]),
            demand: statement.sum(&[LineKind::Demand]),
            standing: statement.sum(&LineKind::STANDING),
            credits: total.map(|_| bill.credits),
            taxes: statement.sum(&[LineKind::Tax]),
            unpriced_import: bill.unpriced.imported.watthours(),
            unpriced_export: bill.unpriced.exported.watthours(),
            measured: coverage.measured,
            estimated: coverage.estimated,
            missing: coverage.missing,
        }
    }
}

/// The name of a month in answers, such as `2026-01`.
pub(super) fn month_name(first: LocalDate) -> String {
    format!("{:04}-{:02}", first.year(), first.month())
}

impl PricedMonth {
    /// Its name in answers, such as `2026-01`.
    pub(super) fn name(&self) -> String {
        month_name(self.first)
    }
}
