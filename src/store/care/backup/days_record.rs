//! The JSON records of days of a list, and of a format of files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{AccountName, LocalDate};
use crate::ledger::contract::{DayList, Label};
use crate::store::care::backup::record::parse;
use crate::store::registry::LONGEST_FORMAT;

/// The days of a list in a year, ascending, each with its date and its type.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupDays {
    account: String,
    list: String,
    days: Vec<(String, String)>,
}

impl BackupDays {
    pub(crate) fn new(account: &AccountName, list: &DayList) -> Self {
        let day = |(date, kind): (&LocalDate, &Label)| (date.to_string(), kind.to_string());
        Self {
            account: account.to_string(),
            list: list.name().to_string(),
            days: list.days().iter().map(day).collect(),
        }
    }
}

/// A described format of files: its name, and its text in TOML.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupFormat {
    account: String,
    name: String,
    text: String,
}

impl BackupFormat {
    pub(crate) fn new(account: &AccountName, name: &Label, text: &str) -> Self {
        Self {
            account: account.to_string(),
            name: name.to_string(),
            text: text.to_owned(),
        }
    }
}

/// Reads a format of files: its account, its name and its text.
pub(crate) fn format(content: &[u8]) -> Option<(AccountName, Label, String)> {
    let BackupFormat {
        account,
        name,
        text,
    } = parse(content)?;
    let (account, name) = (AccountName::new(&account).ok()?, Label::new(&name).ok()?);
    (text.len() <= LONGEST_FORMAT).then_some((account, name, text))
}

/// Reads days of a list, and its account.
pub(crate) fn days(content: &[u8]) -> Option<(AccountName, DayList)> {
    let record: BackupDays = parse(content)?;
    let mut days = BTreeMap::new();
    for (date, kind) in &record.days {
        let date = LocalDate::parse(date).ok()?;
        days.insert(date, Label::new(kind).ok()?);
    }
    let name = DayList::parse_name(&record.list).ok()?;
    let is_each_once = days.len() == record.days.len();
    let account = AccountName::new(&record.account).ok()?;
    is_each_once.then(|| (account, DayList::new(name, days)))
}
