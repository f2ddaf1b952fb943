//! The records of price series. Their prices are elsewhere (`prices/chunks.rs`).
//!
//! | key | record |
//! | --- | --- |
//! | account, 0x00, slot as 2 hexadecimal digits | name, number of prices |

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::AccountName;
use crate::ledger::contract::Label;
use crate::store::error::StoreError;
use crate::store::prices::SeriesSlot;
use crate::store::records::{RecordKind, RecordsView, record};

const VERSION: u8 = 1;

/// A price series of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KnownSeries {
    pub(crate) slot: u8,
    /// The number of its prices.
    pub(crate) count: u64,
}

/// The price series of each account, by name.
pub(crate) type AllSeries = BTreeMap<AccountName, BTreeMap<Label, KnownSeries>>;

#[derive(Serialize, Deserialize)]
struct SeriesRecord {
    name: String,
    count: u64,
}

pub(crate) fn encode_series(name: &Label, count: u64) -> Result<Vec<u8>, StoreError> {
    let name = name.to_string();
    record::encode(VERSION, &SeriesRecord { name, count })
}

/// The slot, the name and the number of prices in a record; `None` if it is damaged.
pub(crate) fn series_of(key: &[u8], value: &[u8]) -> Option<(SeriesSlot, Label, u64)> {
    let record: SeriesRecord = record::decode(VERSION, value)?;
    let name = Label::new(&record.name).ok()?;
    Some((SeriesSlot::of_key(key)?, name, record.count))
}

/// All series.
pub(crate) fn load(view: &dyn RecordsView) -> Result<AllSeries, StoreError> {
    let mut all = AllSeries::new();
    for (key, value) in view.all(RecordKind::Series)? {
        let (series, name, count) = series_of(&key, &value).ok_or_else(|| {
            StoreError::Damaged(format!(
                "the record of price series {} is damaged",
                key.escape_ascii()
            ))
        })?;
        let known = KnownSeries {
            slot: series.slot,
            count,
        };
        all.entry(series.account).or_default().insert(name, known);
    }
    Ok(all)
}
