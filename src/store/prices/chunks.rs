//! The chunks of a price series: the records of [`RecordKind::Prices`].
//!
//! | key | value |
//! | --- | --- |
//! | account, 0x00, slot of the series as 2 hexadecimal digits, time of its first price as in `records/keys.rs` | a chunk |
//!
//! A slot instead of the name: names are long, and there are many chunks.

use std::ops::Bound;

use super::chunk;
use crate::domain::{AccountName, Timestamp};
use crate::ledger::contract::SeriesPrice;
use crate::store::error::StoreError;
use crate::store::records::{Order, RecordChanges, RecordKind, RecordsView, keys};

/// A series of an account, as keys name it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SeriesSlot {
    pub(crate) account: AccountName,
    pub(crate) slot: u8,
}

/// A chunk as it is stored.
pub(crate) struct PriceChunk {
    pub(crate) key: Vec<u8>,
    pub(crate) prices: Vec<SeriesPrice>,
}

impl SeriesSlot {
    /// The key of its record, which is also the start of the keys of its chunks.
    pub(crate) fn key(&self) -> String {
        format!("{}\0{:02x}", self.account, self.slot)
    }

    /// The key of its chunk that begins at `time`.
    pub(crate) fn chunk_key(&self, time: Timestamp) -> Vec<u8> {
        let mut key = self.key().into_bytes();
        keys::push_time(&mut key, time);
        key
    }

    /// The series of a record's key.
    pub(crate) fn of_key(key: &[u8]) -> Option<Self> {
        let (account, digits) = std::str::from_utf8(key).ok()?.split_once('\0')?;
        let series = Self {
            account: AccountName::new(account).ok()?,
            slot: u8::from_str_radix(digits, 16).ok()?,
        };
        // Only one way to write each key is valid: no capital digits, no sign.
        (series.key().as_bytes() == key).then_some(series)
    }

    /// The series of a chunk's key, and the time at its end.
    pub(crate) fn of_chunk_key(key: &[u8]) -> Option<(Self, Timestamp)> {
        let time = keys::time_of(key).ok()?;
        let series = key.len().checked_sub(keys::TIME_BYTES)?;
        Some((Self::of_key(key.get(..series)?)?, time))
    }
}

impl PriceChunk {
    /// Reads the chunk of a record; `None` if it is damaged.
    pub(crate) fn of(key: Vec<u8>, value: &[u8]) -> Option<Self> {
        let prices = chunk::decode(value)?;
        let (_, time) = SeriesSlot::of_chunk_key(&key)?;
        (prices.first()?.from == time).then_some(Self { key, prices })
    }
}

/// Returns up to `most` chunks that may contain prices from `from` until before `end`, or could
/// take them: the one at or before `from` or else the one after it, and those that begin before
/// `end`.
pub(crate) fn chunks_of(
    view: &dyn RecordsView,
    series: &SeriesSlot,
    (from, end): (Timestamp, Timestamp),
    most: usize,
) -> Result<Vec<PriceChunk>, StoreError> {
    use Bound::{Excluded, Included};
    let [least, from, end, greatest] =
        [Timestamp::MIN, from, end, Timestamp::MAX].map(|time| series.chunk_key(time));
    let some = |range, order, most| view.range(RecordKind::Prices, range, order, most);
    let mut chunks = some((Included(&*least), Included(&*from)), Order::Descending, 1)?;
    if chunks.is_empty() {
        let after = (Included(&*from), Included(&*greatest));
        chunks = some(after, Order::Ascending, 1)?;
    }
    if most > 1
        && let Some((first, _)) = chunks.first()
    {
        let next = (Excluded(&**first), Excluded(&*end));
        let next = some(next, Order::Ascending, most - 1)?;
        chunks.extend(next);
    }
    let decoded = chunks.into_iter().map(|(key, value)| {
        let shown = key.escape_ascii().to_string();
        let damaged = || StoreError::Damaged(format!("the prices {shown} are damaged"));
        PriceChunk::of(key, &value).ok_or_else(damaged)
    });
    decoded.collect()
}

/// Replaces chunks by `prices`.
pub(crate) fn rewrite(
    changes: &mut RecordChanges,
    series: &SeriesSlot,
    old: &[PriceChunk],
    prices: &[SeriesPrice],
) {
    let changes = changes.of(RecordKind::Prices);
    for chunk in old {
        changes.remove(chunk.key.clone());
    }
    let mut chunks = Vec::new();
    chunk::encode_all(prices, &mut chunks);
    for (prices, bytes) in chunks {
        if let Some(first) = prices.first() {
            changes.insert(series.chunk_key(first.from), bytes);
        }
    }
}
