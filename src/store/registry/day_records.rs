//! The records of day lists: one for each year of a list.
//!
//! | key | record |
//! | --- | --- |
//! | account, 0x00, list, 0x00, year as 4 digits | the types; for each day, ascending, its number in the year from 1 and the number of its type from 0 |

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::domain::{AccountName, LocalDate};
use crate::ledger::contract::{DayList, Label};
use crate::store::error::StoreError;
use crate::store::records::{RecordKind, RecordsView, record};
use crate::store::registry::shared_map::SharedMap;

const VERSION: u8 = 1;
/// The maximum number of types in a year of a list: with their names, a record has some 2 KB.
const MOST_TYPES: usize = 16;

/// The days of a list in a year, by far shorter than dates with the names of their types: each
/// house of a large store may have some years.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct YearDays {
    types: Vec<Label>,
    /// The number of the day in the year, and that of its type.
    days: Vec<(u16, u8)>,
}

/// The years of the day lists of an account, by list and year. None of them is empty.
pub(crate) type ListYears = BTreeMap<(Label, i32), YearDays>;
/// The day lists of each account.
pub(crate) type AllDays = SharedMap<AccountName, Arc<ListYears>>;

#[derive(Serialize, Deserialize)]
struct YearRecord {
    types: Vec<String>,
    days: Vec<(u16, u8)>,
}

impl YearDays {
    /// Adds a day, later than the others; returns whether there was space for its type.
    pub(crate) fn push(&mut self, date: LocalDate, kind: &Label) -> bool {
        let known = self.types.iter().position(|it| it == kind);
        let number = known.unwrap_or(self.types.len());
        if number >= MOST_TYPES {
            return false;
        }
        if known.is_none() {
            self.types.push(kind.clone());
        }
        let number = u8::try_from(number).unwrap_or(u8::MAX);
        self.days.push((date.day_of_year(), number));
        true
    }

    /// The number of days.
    pub(crate) const fn count(&self) -> usize {
        self.days.len()
    }

    /// The days, in this year.
    pub(crate) fn of(&self, year: i32) -> impl Iterator<Item = (LocalDate, Label)> {
        self.days.iter().filter_map(move |(day, kind)| {
            let kind = self.types.get(usize::from(*kind))?;
            Some((LocalDate::of_day_of_year(year, *day)?, kind.clone()))
        })
    }

    /// The record of these days.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, StoreError> {
        let types = self.types.iter().map(Label::to_string).collect();
        let days = self.days.clone();
        record::encode(VERSION, &YearRecord { types, days })
    }
}

/// The key of a year of a list.
pub(crate) fn year_key(account: &AccountName, name: &Label, year: i32) -> String {
    format!("{account}\0{name}\0{year:04}")
}

/// The account, the list and the year of a key; `None` if it is damaged.
pub(crate) fn year_of_key(key: &[u8]) -> Option<(AccountName, Label, i32)> {
    let (account, rest) = std::str::from_utf8(key).ok()?.split_once('\0')?;
    let (name, year) = rest.split_once('\0')?;
    let (account, name) = (AccountName::new(account).ok()?, Label::new(name).ok()?);
    let year: i32 = year.parse().ok()?;
    // Only one way to write each key is valid.
    (year_key(&account, &name, year).as_bytes() == key).then_some((account, name, year))
}

/// The days in the record of a year; `None` if it is damaged.
pub(crate) fn days_of(year: i32, value: &[u8]) -> Option<YearDays> {
    let record: YearRecord = record::decode(VERSION, value)?;
    let types = record.types.iter().map(|kind| Label::new(kind).ok());
    let types = types.collect::<Option<Vec<_>>>()?;
    let days = record.days;
    let found = YearDays { types, days };
    // As it is written: this refuses days that do not exist, or are out of order.
    let mut again = YearDays::default();
    let is_its = found.of(year).all(|(date, kind)| again.push(date, &kind));
    let is_ascending = found.days.is_sorted_by(|(one, _), (other, _)| one < other);
    (is_its && is_ascending && found == again && found.count() > 0).then_some(found)
}

/// All lists.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllDays, StoreError> {
    let mut all = BTreeMap::<AccountName, ListYears>::new();
    for (key, value) in view.all(RecordKind::Days)? {
        let (account, name, year) = year_of_key(&key).ok_or_else(|| damaged(&key))?;
        let days = days_of(year, &value).ok_or_else(|| damaged(&key))?;
        all.entry(account).or_default().insert((name, year), days);
    }
    let all = all.into_iter();
    Ok(all
        .map(|(account, days)| (account, Arc::new(days)))
        .collect())
}

/// Applies the record of one year; without a value, it was removed.
pub(crate) fn apply(
    all: &mut AllDays,
    (key, value): (&[u8], Option<&[u8]>),
) -> Result<(), StoreError> {
    let (account, name, year) = year_of_key(key).ok_or_else(|| damaged(key))?;
    let days = value.map(|value| days_of(year, value).ok_or_else(|| damaged(key)));
    let mut known = all.get(&account).cloned().unwrap_or_default();
    let years = Arc::make_mut(&mut known);
    match days.transpose()? {
        Some(days) => drop(years.insert((name, year), days)),
        None => drop(years.remove(&(name, year))),
    }
    put_account(all, account, known);
    Ok(())
}

/// Replaces all lists of an account.
pub(crate) fn put_account(all: &mut AllDays, account: AccountName, days: Arc<ListYears>) {
    if days.is_empty() {
        all.remove(&account);
    } else {
        all.insert(account, days);
    }
}

/// The list of this name; `None` if there is none.
pub(crate) fn list_of(days: &ListYears, name: &Label) -> Option<DayList> {
    let years = days.range((name.clone(), i32::MIN)..=(name.clone(), i32::MAX));
    let all: BTreeMap<_, _> = years.flat_map(|((_, year), days)| days.of(*year)).collect();
    (!all.is_empty()).then(|| DayList::new(name.clone(), all))
}

fn damaged(key: &[u8]) -> StoreError {
    let shown = key.escape_ascii();
    StoreError::Damaged(format!("the record of the day list {shown} is damaged"))
}
