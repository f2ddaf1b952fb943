//! Bills of the utility: from a form to a bill.

use serde::{Deserialize, Serialize};

use super::error::AdminError;
use super::money_rows::BillRow;
use super::names::owner;
use crate::domain::{AccountName, Decimal, MicroWh, TimeRange, Timestamp, Zone};
use crate::ledger::contract::Label;
use crate::ledger::utility::{EnteredBill, EnteredLine};
use crate::store::{Registry, Store, StoreError};

/// A bill as somebody fills it in. Numbers are text, so that no digit is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BillForm {
    /// The start of its range: a time, or a date for its midnight by the account's clock.
    pub from: String,
    /// The end of its range, which does not belong to it.
    pub to: String,
    /// What is to be paid.
    pub total: String,
    /// What was drawn, in kilowatt-hours, if it says so.
    pub kwh: Option<String>,
    /// Names and amounts of as many of its lines as one likes.
    pub lines: Vec<(String, String)>,
}

/// What is asked about bills. Answer: [`super::Response::Bills`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum BillRequest {
    /// All bills, or those of an account.
    List {
        /// The account.
        account: Option<String>,
    },
    /// Adds a bill; just this one is answered.
    Add {
        /// The account; `None` if there is only one.
        account: Option<String>,
        /// The bill.
        form: BillForm,
    },
    /// Removes a bill; just this one is answered.
    Remove {
        /// The account; `None` if there is only one.
        account: Option<String>,
        /// Its number.
        number: u32,
    },
}

impl BillForm {
    /// The bill, of an account in `zone`.
    ///
    /// # Errors
    /// What is wrong: the field, a colon, what was expected, and an example.
    pub fn bill(&self, zone: &Zone) -> Result<EnteredBill, String> {
        let time = |name: &str, text: &str| match Timestamp::parse_date(text) {
            Ok(midnight) => Ok(zone.start_of_day(midnight)),
            Err(_) => Timestamp::parse(text)
                .map_err(|error| format!("{name}: {error}; or a date such as 2026-01-01")),
        };
        let (from, to) = (time("from", &self.from)?, time("to", &self.to)?);
        let range = TimeRange::new(from, to).filter(|_| from < to);
        if range.is_some_and(|range| range.length_ms() > EnteredBill::LONGEST_MS) {
            return Err(
                "to: expected a time at most 800 days after from, such as 2026-02-01".into(),
            );
        }
        let decimal = |name: &str, text: &str| {
            Decimal::parse(text).map_err(|error| format!("{name}: {error}"))
        };
        if self.lines.len() > EnteredBill::MOST_LINES {
            return Err(format!(
                "lines: expected at most {}, not {}",
                EnteredBill::MOST_LINES,
                self.lines.len()
            ));
        }
        let line = |(index, (name, amount)): (usize, &(String, String))| {
            let label = Label::new(name);
            Ok(EnteredLine {
                name: label
                    .map_err(|error| format!("lines[{index}].name: {error}, such as night"))?,
                amount: decimal(&format!("lines[{index}].amount"), amount)?,
            })
        };
        let energy = self.kwh.as_deref().map(|text| {
            let kwh = decimal("kwh", text)?;
            if kwh < Decimal::ZERO {
                return Err("kwh: expected a number from 0 on, such as 250.5".to_owned());
            }
            // A millionth of a kilowatt-hour has a thousand millionths of a watt-hour.
            Ok(MicroWh::new(kwh.millionths().saturating_mul(1_000)))
        });
        Ok(EnteredBill {
            range: range.ok_or("to: expected a time after from, such as 2026-02-01")?,
            energy: energy.transpose()?,
            total: decimal("total", &self.total)?,
            lines: self
                .lines
                .iter()
                .enumerate()
                .map(line)
                .collect::<Result<_, String>>()?,
        })
    }
}

pub(super) fn run(store: &Store, request: BillRequest) -> Result<Vec<BillRow>, AdminError> {
    let registry = store.registry();
    match request {
        BillRequest::List { account } => {
            let account = account.map(|name| owner(&registry, Some(&name)));
            let account = account.transpose()?;
            let asked = registry.accounts().map(|one| &one.name);
            let asked = asked.filter(|name| account.as_ref().is_none_or(|asked| asked == *name));
            Ok(asked.flat_map(|name| rows(&registry, name)).collect())
        }
        BillRequest::Add { account, form } => {
            let account = owner(&registry, account.as_deref())?;
            let zone = registry.account(&account).map(|known| known.zone.clone());
            let bill = form.bill(&zone.unwrap_or(Zone::UTC)).map_err(AdminError)?;
            Ok(vec![add_bill(store, &account, &bill)?])
        }
        BillRequest::Remove { account, number } => {
            let account = owner(&registry, account.as_deref())?;
            remove_bill(store, &account, number)?;
            let mut removed = rows(&registry, &account);
            removed.retain(|row| row.number == number);
            Ok(removed)
        }
    }
}

/// Adds a bill under the number after the account's last one. Blocks.
///
/// # Errors
/// [`StoreError::UnknownAccount`], [`StoreError::TooManyBills`]; another [`StoreError`] if nothing can be stored.
pub fn add_bill(
    store: &Store,
    account: &AccountName,
    bill: &EnteredBill,
) -> Result<BillRow, StoreError> {
    let (of, added) = (account.clone(), bill.clone());
    let number = store.edit(move |edit| edit.add_bill(&of, added))?;
    Ok(BillRow::new(account, number, bill))
}

/// Removes a bill. Blocks.
///
/// # Errors
/// [`StoreError::UnknownBill`]; another [`StoreError`] if nothing can be stored.
pub fn remove_bill(store: &Store, account: &AccountName, number: u32) -> Result<(), StoreError> {
    let account = account.clone();
    store.edit(move |edit| edit.remove_bill(&account, number))
}

fn rows(registry: &Registry, account: &AccountName) -> Vec<BillRow> {
    let bills = registry.bills(account);
    bills
        .map(|(number, bill)| BillRow::new(account, number, bill))
        .collect()
}
