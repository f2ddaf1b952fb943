//! The JSON record of days of a list.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{AccountName, LocalDate};
use crate::ledger::contract::{DayList, Label};
use crate::store::care::backup::record::parse;

/// The days of a list in a year, ascending, each with its date and its type.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupDays {
    account: AccountName,
    list: String,
    days: Vec<(String, Label)>,
}

impl BackupDays {
    pub(crate) fn new(account: &AccountName, list: &DayList) -> Self {
        let day = |(date, kind): (&LocalDate, &Label)| (date.to_string(), kind.clone());
        Self {
            account: account.clone(),
            list: list.name().to_string(),
            days: list.days().iter().map(day).collect(),
        }
    }
}

/// Reads days of a list, and its account.
pub(crate) fn days(content: &[u8]) -> Option<(AccountName, DayList)> {
    let record: BackupDays = parse(content)?;
    let mut days = BTreeMap::new();
    let count = record.days.len();
    for (date, kind) in record.days {
        days.insert(LocalDate::parse(&date).ok()?, kind);
    }
    let name = DayList::parse_name(&record.list).ok()?;
    (days.len() == count).then(|| (record.account, DayList::new(name, days)))
}
