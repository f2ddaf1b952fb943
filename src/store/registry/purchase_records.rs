//! The content of the record of a purchase, and the same as JSON in a backup.

use serde::{Deserialize, Serialize};

use crate::domain::{Decimal, LocalDate};
use crate::ledger::contract::Label;
use crate::ledger::{Purchase, PurchaseTerms};

/// Amounts are in millionths of the currency.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PurchaseRecord {
    kind: String,
    date: String,
    amount: i64,
    subsidy: i64,
    costs_per_year: i64,
}

impl From<&Purchase> for PurchaseRecord {
    fn from(purchase: &Purchase) -> Self {
        let terms = purchase.terms();
        Self {
            kind: terms.kind.as_str().to_owned(),
            date: terms.date.to_string(),
            amount: terms.amount.millionths(),
            subsidy: terms.subsidy.millionths(),
            costs_per_year: terms.costs_per_year.millionths(),
        }
    }
}

impl PurchaseRecord {
    /// The purchase of this name; `None` if it is invalid.
    pub(crate) fn parse(self, name: Label) -> Option<Purchase> {
        let terms = PurchaseTerms {
            name,
            kind: self.kind.parse().ok()?,
            date: LocalDate::parse(&self.date).ok()?,
            amount: Decimal::from_millionths(self.amount),
            subsidy: Decimal::from_millionths(self.subsidy),
            costs_per_year: Decimal::from_millionths(self.costs_per_year),
        };
        Purchase::new(terms).ok()
    }
}
