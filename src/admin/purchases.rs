//! Purchases: from a form to a fact.

use serde::{Deserialize, Serialize};

use super::error::{AdminError, wrong};
use super::names::owner;
use crate::domain::{AccountName, Decimal, LocalDate, Timestamp, Zone};
use crate::ledger::contract::Label;
use crate::ledger::{Purchase, PurchaseError, PurchaseKind, PurchaseTerms};
use crate::store::{Registry, Store};

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

/// A purchase of an account, in the form of answers and of commands' JSON. Amounts are exact
/// decimals in text, in the currency of the account's contracts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurchaseRow {
    /// Its account.
    pub account: String,
    /// Its name.
    pub name: String,
    /// Its kind: `panels`, `battery` or `other`.
    pub kind: String,
    /// Its first day in use.
    pub date: String,
    /// The amount paid.
    pub amount: String,
    /// The part of it that somebody else gave.
    pub subsidy: String,
    /// Its costs in each year.
    pub costs_per_year: String,
}

/// A request about purchases. The account is `None` if there is only one. Answer: its purchases.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PurchaseRequest {
    /// The purchases of an account.
    List {
        /// The account.
        account: Option<String>,
    },
    /// Adds a purchase, replacing the one of the same name.
    Put {
        /// The account.
        account: Option<String>,
        /// The purchase.
        form: PurchaseForm,
    },
    /// Removes a purchase.
    Remove {
        /// The account.
        account: Option<String>,
        /// Its name.
        name: String,
    },
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

impl PurchaseRow {
    /// The purchases of an account, by name.
    #[must_use]
    pub fn all(registry: &Registry, account: &AccountName) -> Vec<Self> {
        let purchases = registry.purchases(account);
        purchases.map(|one| Self::new(account, one)).collect()
    }

    fn new(account: &AccountName, purchase: &Purchase) -> Self {
        let terms = purchase.terms();
        Self {
            account: account.to_string(),
            name: terms.name.to_string(),
            kind: terms.kind.as_str().to_owned(),
            date: terms.date.to_string(),
            amount: terms.amount.to_string(),
            subsidy: terms.subsidy.to_string(),
            costs_per_year: terms.costs_per_year.to_string(),
        }
    }
}

pub(super) fn run(
    store: &Store,
    request: PurchaseRequest,
    now: Timestamp,
) -> Result<Vec<PurchaseRow>, AdminError> {
    let owner = |account: Option<String>| owner(&store.registry(), account.as_deref());
    let account = match request {
        PurchaseRequest::List { account } => owner(account)?,
        PurchaseRequest::Put { account, form } => {
            let account = owner(account)?;
            put_purchase(store, &account, (&form, None), now)?;
            account
        }
        PurchaseRequest::Remove { account, name } => {
            let account = owner(account)?;
            remove_purchase(store, &account, &name)?;
            account
        }
    };
    Ok(PurchaseRow::all(&store.registry(), &account))
}

/// Adds a purchase, replacing the one of the same name, and the one with the name that follows it.
/// Blocks.
///
/// # Errors
/// [`AdminError::Field`] for a wrong value; [`AdminError::Unfit`] if there is no such other one, or
/// there would be too many; [`AdminError::Store`].
pub fn put_purchase(
    store: &Store,
    account: &AccountName,
    (form, old): (&PurchaseForm, Option<&str>),
    now: Timestamp,
) -> Result<(), AdminError> {
    let registry = store.registry();
    let zone = registry.account(account).map(|known| known.zone.clone());
    let today = LocalDate::at(now, &zone.unwrap_or(Zone::UTC));
    let purchase = form.purchase(today)?;
    let (account, old) = (account.clone(), old.map(label).transpose()?);
    Ok(store.edit(move |edit| edit.put_purchase(&account, purchase, old.as_ref()))?)
}

/// Removes a purchase. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] if there is no such purchase, [`AdminError::Store`].
pub fn remove_purchase(store: &Store, account: &AccountName, name: &str) -> Result<(), AdminError> {
    let (account, name) = (account.clone(), label(name)?);
    Ok(store.edit(move |edit| edit.remove_purchase(&account, &name))?)
}

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
