//! Contracts, bills and price series, as answers hold them and commands print them as JSON.

use serde::{Deserialize, Serialize};

use crate::domain::{AccountName, Decimal, Timestamp};
use crate::ledger::contract::{Contract, SeriesPrice};
use crate::ledger::kilowatthours;
use crate::ledger::utility::{EnteredBill, EnteredLine};
use crate::store::SeriesSummary;

/// A contract of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContractRow {
    /// Its account.
    pub account: String,
    /// Its first day.
    pub from: String,
    /// Its name.
    pub name: String,
    /// What its prices are in.
    pub currency: String,
    /// All of it, as JSON.
    pub json: String,
}

impl ContractRow {
    /// The contract of an account.
    #[must_use]
    pub fn new(account: &AccountName, contract: &Contract) -> Self {
        Self {
            account: account.to_string(),
            from: contract.from().to_string(),
            name: contract.name().to_string(),
            currency: contract.currency().as_str().to_owned(),
            json: contract.to_string(),
        }
    }
}

/// A bill of the utility. Numbers are text, so that no digit is lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BillRow {
    /// Its account.
    pub account: String,
    /// Its number in the account.
    pub number: u32,
    /// The start of its range, in the API's form.
    pub from: String,
    /// The end of its range, which does not belong to it.
    pub to: String,
    /// What is to be paid.
    pub total: String,
    /// What was drawn, in kilowatt-hours, if it says so.
    pub kwh: Option<String>,
    /// Its lines.
    pub lines: Vec<BillLineRow>,
}

/// A line of a bill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BillLineRow {
    /// Its name.
    pub name: String,
    /// Its amount; of a credit it is negative.
    pub amount: String,
}

impl BillRow {
    /// The bill of an account.
    #[must_use]
    pub fn new(account: &AccountName, number: u32, bill: &EnteredBill) -> Self {
        let line = |line: &EnteredLine| BillLineRow {
            name: line.name.to_string(),
            amount: line.amount.to_string(),
        };
        Self {
            account: account.to_string(),
            number,
            from: bill.range.start().to_string(),
            to: bill.range.end().to_string(),
            total: bill.total.to_string(),
            kwh: bill.energy.map(kilowatthours),
            lines: bill.lines.iter().map(line).collect(),
        }
    }
}

/// A price series of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesRow {
    /// Its account.
    pub account: String,
    /// Its name.
    pub series: String,
    /// How many prices it has.
    pub prices: u64,
    /// When its first price begins, in the API's form.
    pub first: String,
    /// When its last price ends.
    pub end: String,
}

impl SeriesRow {
    /// The series of an account.
    #[must_use]
    pub fn new(account: &AccountName, series: &SeriesSummary) -> Self {
        Self {
            account: account.to_string(),
            series: series.name.to_string(),
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
    /// Its end, which does not belong to it.
    pub to_ms: i64,
    /// Millionths of the currency per kilowatt-hour.
    pub millionths: i64,
}

/// Some prices of a series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PricePageRow {
    /// The prices, in order of time.
    pub prices: Vec<PriceRow>,
    /// Where to go on; `None` at the end.
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
