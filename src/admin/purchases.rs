//! The form of a purchase.

use serde::{Deserialize, Serialize};

use super::error::{AdminError, wrong};
use crate::domain::{Decimal, LocalDate};
use crate::ledger::contract::Label;
use crate::ledger::{Purchase, PurchaseError, PurchaseKind, PurchaseTerms};

/// A purchase as typed. Numbers are text, so that no digit is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurchaseForm {
    /// Its name.
    pub name: String,
    /// Its kind: `panels`, `battery` or `other`.
    pub kind: String,
    /// Its first day in use.
    pub date: String,
    /// The amount paid.
    pub amount: String,
    /// The part of it that somebody else gave; empty for none.
    pub subsidy: String,
    /// Its costs in each year; empty for none.
    pub costs_per_year: String,
}

impl PurchaseForm {
    /// Parses the form, for an account where it is this day. A purchase may be made a year ahead.
    ///
    /// # Errors
    /// [`AdminError::Field`].
    pub fn purchase(&self, today: LocalDate) -> Result<Purchase, AdminError> {
        let date = LocalDate::parse(&self.date).map_err(|error| wrong("date", error, None))?;
        if today
            .plus_days(MOST_DAYS_AHEAD)
            .is_some_and(|last| last < date)
        {
            let problem = format!("{date} is more than a year ahead; expected a date until then");
            return Err(wrong("date", problem, "2022-05-01"));
        }
        let or_zero = |text: &str| match text {
            "" => "0".to_owned(),
            typed => typed.to_owned(),
        };
        let terms = PurchaseTerms {
            name: label(&self.name)?,
            kind: self
                .kind
                .parse::<PurchaseKind>()
                .map_err(|error| wrong("kind", error, None))?,
            date,
            amount: decimal("amount", &self.amount)?,
            subsidy: decimal("subsidy", &or_zero(&self.subsidy))?,
            costs_per_year: decimal("costs_per_year", &or_zero(&self.costs_per_year))?,
        };
        Ok(Purchase::new(terms)?)
    }
}

const MOST_DAYS_AHEAD: i32 = 366;

impl From<PurchaseError> for AdminError {
    fn from(error: PurchaseError) -> Self {
        wrong(error.field(), error, None)
    }
}

fn decimal(field: &'static str, text: &str) -> Result<Decimal, AdminError> {
    Decimal::parse(text).map_err(|error| wrong(field, error, None))
}

fn label(text: &str) -> Result<Label, AdminError> {
    Label::new(text).map_err(|error| wrong("name", error, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form() -> PurchaseForm {
        PurchaseForm {
            name: "Roof".into(),
            kind: "panels".into(),
            date: "2022-05-01".into(),
            amount: "14500.5".into(),
            subsidy: String::new(),
            costs_per_year: "120".into(),
        }
    }

    #[test]
    fn a_wrong_field_is_named_with_the_expected_form() {
        let today = LocalDate::parse("2026-01-05").unwrap();
        assert!(form().purchase(today).is_ok());
        for (field, value, expected) in [
            ("name", "", "1 to 64"),
            ("kind", "solar", "panels, battery or other"),
            ("date", "2022-02-30", "date"),
            ("date", "1960-01-01", "from 1970-01-01 on"),
            ("date", "2027-01-07", "more than a year ahead"),
            ("amount", "", "such as"),
            ("amount", "-1", "from 0"),
            ("amount", "1.0000001", "six after the point"),
            ("amount", "1e3", "such as 0.3215"),
            ("amount", "1234567890", "nine digits"),
            ("subsidy", "14500.500001", "to the amount"),
            ("subsidy", "-0.1", "from 0"),
            ("costs_per_year", "-1", "from 0"),
        ] {
            let mut form = form();
            let place = match field {
                "name" => &mut form.name,
                "kind" => &mut form.kind,
                "date" => &mut form.date,
                "amount" => &mut form.amount,
                "subsidy" => &mut form.subsidy,
                _ => &mut form.costs_per_year,
            };
            value.clone_into(place);
            let error = form.purchase(today).unwrap_err();
            assert_eq!(error.at(), field, "{error}");
            assert!(error.to_string().contains(expected), "{value}: {error}");
        }
        let ahead = PurchaseForm {
            date: "2027-01-06".into(),
            ..form()
        };
        assert!(ahead.purchase(today).is_ok());
    }
}
