//! Contracts, price series and day lists, in the form of answers and of commands' JSON.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::domain::{AccountName, Decimal, LocalDate, Timestamp};
use crate::ledger::contract::{Contract, DateSpan, DayList, Label, SeriesPrice};
use crate::store::SeriesSummary;

/// A contract of an account.
#[derive(Serialize)]
struct ContractRow<'a> {
    account: &'a AccountName,
    from: LocalDate,
    name: &'a Label,
    currency: &'a str,
    contract: &'a RawValue,
}

/// A contract as JSON, with its account.
pub(super) fn contract_row(account: &AccountName, contract: &Contract) -> String {
    let text = contract.to_string();
    let row = serde_json::from_str(&text).and_then(|whole| {
        serde_json::to_string(&ContractRow {
            account,
            from: contract.from(),
            name: contract.name(),
            currency: contract.currency().as_str(),
            contract: whole,
        })
    });
    // A contract prints as JSON, and writing to memory does not fail.
    row.unwrap_or_default()
}

/// A price series of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesRow {
    /// Its account.
    pub account: String,
    /// Its name.
    pub series: String,
    /// The currency of its prices; null if it is not known, and taken for that of the contracts.
    pub currency: Option<String>,
    /// The number of its prices.
    pub prices: u64,
    /// The start of its first price, in the API's form.
    pub first: String,
    /// The end of its last price.
    pub end: String,
}

impl SeriesRow {
    /// The row of an account's series.
    #[must_use]
    pub fn new(account: &AccountName, series: &SeriesSummary) -> Self {
        Self {
            account: account.to_string(),
            series: series.name.to_string(),
            currency: series.currency.as_ref().map(|it| it.as_str().to_owned()),
            prices: series.count,
            first: series.first.to_string(),
            end: series.end.to_string(),
        }
    }
}

/// A price as plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriceRow {
    /// Its beginning, in milliseconds since 1970.
    pub from_ms: i64,
    /// Its end, exclusive.
    pub to_ms: i64,
    /// Millionths of the currency per kilowatt-hour.
    pub millionths: i64,
}

/// Some prices of a series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PricePageRow {
    /// The prices, in order of time.
    pub prices: Vec<PriceRow>,
    /// Where the next page starts; `None` at the end.
    pub next_ms: Option<i64>,
}

impl From<SeriesPrice> for PriceRow {
    fn from(price: SeriesPrice) -> Self {
        Self {
            from_ms: price.from.millis(),
            to_ms: price.to.millis(),
            millionths: price.price.millionths(),
        }
    }
}

impl PriceRow {
    /// The price; `None` if a number is out of range.
    #[must_use]
    pub fn price(self) -> Option<SeriesPrice> {
        let price = Decimal::from_millionths(self.millionths);
        Some(SeriesPrice {
            from: Timestamp::from_millis(self.from_ms)?,
            to: Timestamp::from_millis(self.to_ms)?,
            price: Some(price).filter(|price| price.is_price())?,
        })
    }
}

/// A day list of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayListRow {
    /// Its account.
    pub account: String,
    /// Its name.
    pub list: String,
    /// The number of its days.
    pub days: u64,
    /// Its first date.
    pub first: String,
    /// Its last date.
    pub last: String,
    /// The types of its days, each once.
    pub types: Vec<String>,
}

/// A day of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayRow {
    /// Its date.
    pub date: String,
    /// Its type.
    #[serde(rename = "type")]
    pub day_type: String,
}

impl DayListRow {
    /// The row of an account's list, which must have a day.
    #[must_use]
    pub fn new(account: &AccountName, list: &DayList) -> Self {
        let types: BTreeSet<_> = list.days().values().collect();
        let date = |day: Option<(&LocalDate, _)>| day.map(|day| day.0.to_string());
        Self {
            account: account.to_string(),
            list: list.name().to_string(),
            days: list.days().len() as u64,
            first: date(list.days().first_key_value()).unwrap_or_default(),
            last: date(list.days().last_key_value()).unwrap_or_default(),
            types: types.into_iter().map(ToString::to_string).collect(),
        }
    }
}

impl DayRow {
    /// The days of a list in a range.
    #[must_use]
    pub fn all(list: &DayList, dates: DateSpan) -> Vec<Self> {
        let row = |(date, kind): (LocalDate, &Label)| Self {
            date: date.to_string(),
            day_type: kind.to_string(),
        };
        list.within(dates).map(row).collect()
    }

    /// Formats days as a table that [`DayList::parse`] reads.
    #[must_use]
    pub fn table(days: &[Self]) -> String {
        let mut table = "date,type\n".to_owned();
        for Self { date, day_type } in days {
            table.extend([date, ",", day_type, "\n"]);
        }
        table
    }
}
