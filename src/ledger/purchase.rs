//! Purchases that are to pay for themselves: facts that people enter (docs/DECIDE.md).

use serde::Serialize;
use thiserror::Error;

use super::contract::Label;
use crate::domain::words::words;
use crate::domain::{Decimal, LocalDate};

/// Something that a household bought to produce, store or save energy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purchase(PurchaseTerms);

/// The terms of a purchase. Amounts are in the currency of the account's contracts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PurchaseTerms {
    /// Its name, each once in an account.
    pub name: Label,
    /// Its kind.
    pub kind: PurchaseKind,
    /// The first day of its savings, by the account's clock.
    pub date: LocalDate,
    /// The amount paid.
    pub amount: Decimal,
    /// The part of the amount that somebody else gave; not more than the amount.
    pub subsidy: Decimal,
    /// Its costs in each year, such as an insurance.
    pub costs_per_year: Decimal,
}

/// The kind of a purchase: it decides which savings pay for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PurchaseKind {
    /// Panels, with all that belongs to them.
    Panels,
    /// A battery.
    Battery,
    /// Anything else: it counts for all purchases together.
    Other,
}

words! {
    PurchaseKind: Panels "panels", Battery "battery", Other "other";
    "panels, battery or other"
}

/// Why terms are not those of a purchase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PurchaseError {
    /// The amount is negative.
    #[error("expected an amount from 0 to 999999999.999999, such as 14500")]
    Amount,
    /// The subsidy is negative, or more than the amount.
    #[error("expected a subsidy from 0 to the amount, such as 1500")]
    Subsidy,
    /// The costs are negative.
    #[error("expected costs per year from 0 to 999999999.999999, such as 120")]
    CostsPerYear,
    /// The date is too early.
    #[error("expected a date from 1970-01-01 on, such as 2022-05-01")]
    Date,
}

impl Purchase {
    /// A purchase with these terms.
    ///
    /// # Errors
    /// [`PurchaseError`].
    pub fn new(terms: PurchaseTerms) -> Result<Self, PurchaseError> {
        const BILLION: Decimal = Decimal::from_millionths(1_000_000_000_000_000);
        let is_amount = |amount: Decimal| Decimal::ZERO <= amount && amount < BILLION;
        if terms.date.year() < 1970 {
            return Err(PurchaseError::Date);
        }
        if !is_amount(terms.amount) {
            return Err(PurchaseError::Amount);
        }
        if terms.subsidy < Decimal::ZERO || terms.amount < terms.subsidy {
            return Err(PurchaseError::Subsidy);
        }
        if !is_amount(terms.costs_per_year) {
            return Err(PurchaseError::CostsPerYear);
        }
        Ok(Self(terms))
    }

    /// Its terms.
    #[must_use]
    pub const fn terms(&self) -> &PurchaseTerms {
        &self.0
    }

    /// The amount without the subsidy.
    #[must_use]
    pub const fn price(&self) -> Decimal {
        let subsidy = Decimal::from_millionths(-self.0.subsidy.millionths());
        self.0.amount.saturating_add(subsidy)
    }
}

impl PurchaseError {
    /// The name of the field, in the API and in forms.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::Subsidy => "subsidy",
            Self::CostsPerYear => "costs_per_year",
            Self::Date => "date",
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Panels of this name and amount, bought on a date.
    pub(crate) fn bought(kind: PurchaseKind, name: &str, date: &str, amount: i64) -> PurchaseTerms {
        PurchaseTerms {
            name: Label::new(name).unwrap(),
            kind,
            date: LocalDate::parse(date).unwrap(),
            amount: Decimal::from_millionths(amount * 1_000_000),
            subsidy: Decimal::ZERO,
            costs_per_year: Decimal::ZERO,
        }
    }

    #[test]
    fn a_purchase_costs_something_and_not_less_than_nothing() {
        let panels = bought(PurchaseKind::Panels, "roof", "2022-05-01", 14_500);
        let refused = |change: &dyn Fn(&mut PurchaseTerms)| {
            let mut terms = panels.clone();
            change(&mut terms);
            Purchase::new(terms).map(|it| it.price())
        };
        let euros = |euros: i64| Decimal::from_millionths(euros * 1_000_000);
        assert_eq!(refused(&|_| {}), Ok(euros(14_500)));
        assert_eq!(refused(&|it| it.subsidy = euros(14_500)), Ok(Decimal::ZERO));
        assert_eq!(refused(&|it| it.amount = Decimal::ZERO), Ok(Decimal::ZERO));
        let (amount, subsidy) = (PurchaseError::Amount, PurchaseError::Subsidy);
        assert_eq!(refused(&|it| it.amount = euros(-1)), Err(amount));
        assert_eq!(refused(&|it| it.amount = euros(1_000_000_000)), Err(amount));
        assert_eq!(refused(&|it| it.subsidy = euros(-1)), Err(subsidy));
        assert_eq!(refused(&|it| it.subsidy = euros(14_501)), Err(subsidy));
        let costs = PurchaseError::CostsPerYear;
        assert_eq!(refused(&|it| it.costs_per_year = euros(-1)), Err(costs));
        let early = LocalDate::parse("1969-12-31").unwrap();
        assert_eq!(refused(&|it| it.date = early), Err(PurchaseError::Date));
        assert_eq!(costs.field(), "costs_per_year");
    }
}
