//! Day lists.

use serde::{Deserialize, Serialize};

use super::error::{AdminError, wrong};
use super::money_rows::{DayListRow, DayRow};
use super::names::owner;
use super::response::Response;
use crate::domain::{AccountName, LocalDate};
use crate::ledger::contract::{DateSpan, DayList, Label};
use crate::store::{Store, StoreError};

/// A request about day lists. The account is `None` if there is only one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum DayRequest {
    /// The lists of an account. Answer: [`Response::DayLists`].
    List {
        /// The account.
        account: Option<String>,
    },
    /// Adds days to a list, replacing those of the same dates. Answer: [`Response::Count`].
    Put {
        /// The account.
        account: Option<String>,
        /// The name of the list.
        list: String,
        /// The days as a table, or as JSON.
        text: String,
    },
    /// The days of a list in a range. Answer: [`Response::Days`].
    Days(DayRange),
    /// Removes the days of a list in a range. Answer: [`Response::Count`].
    Remove(DayRange),
}

/// A list and a range of dates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DayRange {
    /// The account; `None` if there is only one.
    pub account: Option<String>,
    /// The name of the list.
    pub list: String,
    /// The first date; `None` for no limit.
    pub start: Option<String>,
    /// The end, exclusive; `None` for no limit.
    pub end: Option<String>,
}

impl DayRange {
    fn dates(&self) -> Result<DateSpan, AdminError> {
        let date = |field: &'static str, text: &Option<String>| {
            let date = text.as_deref().map(LocalDate::parse).transpose();
            date.map_err(|_| wrong(field, "expected a date that exists", "2026-01-05"))
        };
        Ok(DateSpan {
            from: date("start", &self.start)?,
            end: date("end", &self.end)?,
        })
    }
}

pub(super) fn run(store: &Store, request: DayRequest) -> Result<Response, AdminError> {
    let registry = store.registry();
    let owner = |account: Option<&str>| owner(&registry, account);
    match request {
        DayRequest::List { account } => {
            let account = owner(account.as_deref())?;
            let lists = registry.day_lists(&account);
            let rows = lists.map(|list| DayListRow::new(&account, &list));
            Ok(Response::DayLists(rows.collect()))
        }
        DayRequest::Put {
            account,
            list,
            text,
        } => {
            let list = DayList::parse(name(&list)?, &text);
            let list = list.map_err(|error| AdminError::Refused(error.to_string()))?;
            put_days(store, &owner(account.as_deref())?, &list)?;
            Ok(Response::Count(list.days().len() as u64))
        }
        DayRequest::Days(range) => {
            let (account, name) = (owner(range.account.as_deref())?, name(&range.list)?);
            let list = registry.day_list(&account, &name);
            let list = list.ok_or_else(|| StoreError::UnknownDayList(range.list.clone()))?;
            Ok(Response::Days(DayRow::all(&list, range.dates()?)))
        }
        DayRequest::Remove(range) => {
            let account = owner(range.account.as_deref())?;
            let removed = remove_days(store, &account, &name(&range.list)?, range.dates()?);
            removed.map(Response::Count)
        }
    }
}

/// Adds days to a list, replacing those of the same dates. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] if there would be too many, [`AdminError::Store`].
pub fn put_days(store: &Store, account: &AccountName, list: &DayList) -> Result<(), AdminError> {
    let (account, mut list) = (account.clone(), list.clone());
    if let Some(known) = store.registry().day_list_name(&account, list.name()) {
        list = list.named(known.clone());
    }
    Ok(store.edit(move |edit| edit.put_days(&account, &list))?)
}

/// Removes the days of a list in a range; returns their number. Blocks.
///
/// # Errors
/// [`AdminError::Unfit`] if there is no such list, [`AdminError::Store`].
pub fn remove_days(
    store: &Store,
    account: &AccountName,
    name: &Label,
    dates: DateSpan,
) -> Result<u64, AdminError> {
    let registry = store.registry();
    let name = registry.day_list_name(account, name).unwrap_or(name);
    let (account, name) = (account.clone(), name.clone());
    Ok(store.edit(move |edit| edit.remove_days(&account, &name, dates))?)
}

fn name(text: &str) -> Result<Label, AdminError> {
    DayList::parse_name(text).map_err(|error| wrong("list", error, None))
}
