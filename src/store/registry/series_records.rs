//! The records of price series. Their prices are elsewhere (`prices/chunks.rs`).
//!
//! | key | record |
//! | --- | --- |
//! | account, 0x00, slot as 2 hexadecimal digits | name, number of prices, currency if it is known |

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::{AccountName, Currency};
use crate::ledger::contract::Label;
use crate::store::error::StoreError;
use crate::store::prices::SeriesSlot;
use crate::store::records::{RecordKind, RecordsView, record};

const VERSION: u8 = 2;
/// Without the currency.
const FIRST_VERSION: u8 = 1;

/// A price series of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownSeries {
    pub(crate) slot: u8,
    /// The number of its prices.
    pub(crate) count: u64,
    /// The currency of its prices, if it is known.
    pub(crate) currency: Option<Currency>,
}

/// The price series of each account, by name.
pub(crate) type AllSeries = BTreeMap<AccountName, BTreeMap<Label, KnownSeries>>;

#[derive(Serialize, Deserialize)]
struct SeriesRecord {
    name: String,
    count: u64,
    currency: Option<String>,
}

pub(crate) fn encode_series(
    name: &Label,
    count: u64,
    currency: Option<&Currency>,
) -> Result<Vec<u8>, StoreError> {
    let record = SeriesRecord {
        name: name.to_string(),
        count,
        currency: currency.map(|it| it.as_str().to_owned()),
    };
    record::encode(VERSION, &record)
}

/// The account, the name and the data of the series in a record; `None` if it is damaged.
pub(crate) fn series_of(key: &[u8], value: &[u8]) -> Option<(AccountName, Label, KnownSeries)> {
    let record: SeriesRecord = record::decode(VERSION, value).or_else(|| {
        let (name, count) = record::decode(FIRST_VERSION, value)?;
        Some(SeriesRecord {
            name,
            count,
            currency: None,
        })
    })?;
    let SeriesSlot { account, slot } = SeriesSlot::of_key(key)?;
    let currency = record.currency.map(|it| Currency::new(&it));
    let known = KnownSeries {
        slot,
        count: record.count,
        currency: currency.transpose().ok()?,
    };
    Some((account, Label::new(&record.name).ok()?, known))
}

/// All series.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllSeries, StoreError> {
    let mut all = AllSeries::new();
    for (key, value) in view.all(RecordKind::Series)? {
        let (account, name, known) = series_of(&key, &value).ok_or_else(|| {
            StoreError::Damaged(format!(
                "the record of price series {} is damaged",
                key.escape_ascii()
            ))
        })?;
        all.entry(account).or_default().insert(name, known);
    }
    Ok(all)
}
