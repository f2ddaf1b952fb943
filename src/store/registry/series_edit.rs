//! Changes of price series, and the exchange rates among them.

use super::edit::RegistryEdit;
use super::registered::Registry;
use super::series_records::{KnownSeries, encode_series};
use crate::domain::{AccountName, Currency, Timestamp};
use crate::ledger::contract::{ExchangePath, Label, PriceSeries, SeriesPrice};
use crate::store::error::StoreError;
use crate::store::prices::{PriceChunk, SeriesSlot, chunks_of, rewrite};
use crate::store::records::RecordKind;

/// The maximum number of series of an account.
const MOST_SERIES: u8 = 16;
/// The maximum number of prices of an account, in all its series: five times ten years of
/// quarter-hours. Each is a step of a statement.
const MOST_PRICES: u64 = 2_000_000;
/// The maximum number of chunks that one change replaces: uploads wait for these some 10 ms.
const CHUNKS_AT_ONCE: usize = 256;

impl Registry {
    /// The series of exchange rates of an account that lead from one currency to another.
    #[must_use]
    pub fn exchange(
        &self,
        account: &AccountName,
        from: &Currency,
        to: &Currency,
    ) -> Option<ExchangePath> {
        let all = self.series.get(account)?.iter();
        let known = all.filter_map(|(name, known)| Some((name, known.currency.as_ref()?)));
        ExchangePath::find(known, from, to)
    }
}

impl RegistryEdit<'_> {
    /// Writes `prices`, which are in order of time and do not overlap, over those of a series. A
    /// series without a known currency gets theirs. Returns the rest, for further changes, if more
    /// chunks are affected than one change replaces.
    pub(crate) fn put_prices(
        &mut self,
        account: &AccountName,
        (name, currency): (&Label, Option<&Currency>),
        mut prices: Vec<SeriesPrice>,
    ) -> Result<Vec<SeriesPrice>, StoreError> {
        self.check_account(account)?;
        let (Some(first), Some(last)) = (prices.first(), prices.last()) else {
            return Ok(prices);
        };
        let range = (first.from, last.to);
        let known = self.known_series(account, name);
        let slot = match &known {
            Some(known) => known.slot,
            None => self.free_slot(account)?,
        };
        let of_series = known.and_then(|known| known.currency);
        if let Some((found, expected)) = currency.zip(of_series.as_ref())
            && !found.may_be(expected)
        {
            return Err(StoreError::SeriesCurrency {
                series: name.to_string(),
                found: found.as_str().to_owned(),
                expected: expected.as_str().to_owned(),
            });
        }
        let currency = of_series.or_else(|| currency.cloned());
        let series = SeriesSlot {
            account: account.clone(),
            slot,
        };
        let (chunks, next) = self.some_chunks(&series, range)?;
        let rest = next.map_or_else(Vec::new, |next| split_off(&mut prices, next));
        let old = PriceSeries::new(name.clone(), all_of(&chunks)).map_err(|_| overlap(name))?;
        let new = PriceSeries::new(name.clone(), prices).map_err(|_| overlap(name))?;
        let old_count = old.prices().len();
        let merged = old.merged(&new);
        let of = (name, currency);
        self.replace(&series, of, (&chunks, old_count), merged.prices())?;
        Ok(rest)
    }

    /// Removes the prices of a series in a range, without its end. Returns where to continue, as
    /// [`Self::put_prices`].
    pub(crate) fn remove_prices(
        &mut self,
        account: &AccountName,
        name: &Label,
        (from, end): (Timestamp, Timestamp),
    ) -> Result<Option<Timestamp>, StoreError> {
        let unknown = || StoreError::UnknownSeries(name.to_string());
        let known = self.known_series(account, name).ok_or_else(unknown)?;
        let series = SeriesSlot {
            account: account.clone(),
            slot: known.slot,
        };
        let (chunks, next) = self.some_chunks(&series, (from, end))?;
        let end_now = next.map_or(end, |next| next.min(end));
        let old = all_of(&chunks);
        let mut left = Vec::with_capacity(old.len());
        for price in &old {
            let (before, after) = (price.to.min(from), price.from.max(end_now));
            if price.from < before {
                left.push(SeriesPrice {
                    to: before,
                    ..*price
                });
            }
            if after < price.to {
                left.push(SeriesPrice {
                    from: after,
                    ..*price
                });
            }
        }
        let of = (name, known.currency);
        self.replace(&series, of, (&chunks, old.len()), &left)?;
        Ok(next.filter(|next| *next < end))
    }

    /// Replaces `chunks`, which had this many prices, by `prices`, and counts them.
    fn replace(
        &mut self,
        series: &SeriesSlot,
        (name, currency): (&Label, Option<Currency>),
        (chunks, old_count): (&[PriceChunk], usize),
        prices: &[SeriesPrice],
    ) -> Result<(), StoreError> {
        let known = self.known_series(&series.account, name);
        let count_before = known.map_or(0, |known| known.count);
        let others = count_before.saturating_sub(old_count as u64);
        let count = others.saturating_add(prices.len() as u64);
        let all = self.registry.series.get(&series.account);
        let all: u64 = all.map_or(0, |all| all.values().map(|known| known.count).sum());
        let all = all.saturating_sub(count_before).saturating_add(count);
        // An account that already exceeds the limit, from an older version, can still remove some.
        if all > MOST_PRICES && count > count_before {
            return Err(StoreError::TooManyPrices(name.to_string()));
        }
        rewrite(&mut self.changes, series, chunks, prices);
        let records = self.changes.of(RecordKind::Series);
        let all = self.registry.series.entry(series.account.clone());
        let all = all.or_default();
        if count > 0 {
            records.insert(series.key(), encode_series(name, count, currency.as_ref())?);
            let known = KnownSeries {
                slot: series.slot,
                count,
                currency,
            };
            all.insert(name.clone(), known);
        } else {
            // A series without prices does not exist.
            records.remove(series.key());
            all.remove(name);
        }
        if all.is_empty() {
            self.registry.series.remove(&series.account);
        }
        Ok(())
    }

    fn known_series(&self, account: &AccountName, name: &Label) -> Option<KnownSeries> {
        self.registry.series.get(account)?.get(name).cloned()
    }

    fn free_slot(&self, account: &AccountName) -> Result<u8, StoreError> {
        let all = self.registry.series.get(account);
        let is_free = |slot: &u8| {
            let mut taken = all.into_iter().flat_map(|all| all.values());
            !taken.any(|known| known.slot == *slot)
        };
        let free = (0..MOST_SERIES).find(is_free);
        free.ok_or_else(|| StoreError::TooManySeries(account.to_string()))
    }

    /// The first chunks that a range affects, and the beginning of the next affected one.
    fn some_chunks(
        &self,
        series: &SeriesSlot,
        range: (Timestamp, Timestamp),
    ) -> Result<(Vec<PriceChunk>, Option<Timestamp>), StoreError> {
        let mut chunks = chunks_of(self.view, series, range, CHUNKS_AT_ONCE + 1)?;
        let beyond = (chunks.len() > CHUNKS_AT_ONCE).then(|| chunks.pop());
        let next = beyond.flatten().and_then(|chunk| {
            let first = chunk.prices.first()?;
            Some(first.from)
        });
        Ok((chunks, next))
    }
}

fn all_of(chunks: &[PriceChunk]) -> Vec<SeriesPrice> {
    let prices = chunks.iter().flat_map(|chunk| &chunk.prices);
    prices.copied().collect()
}

/// Takes the prices from `time` on; cuts a price that spans it.
fn split_off(prices: &mut Vec<SeriesPrice>, time: Timestamp) -> Vec<SeriesPrice> {
    let mut rest = prices.split_off(prices.partition_point(|price| price.from < time));
    if let Some(last) = prices.last_mut().filter(|last| last.to > time) {
        rest.insert(
            0,
            SeriesPrice {
                from: time,
                ..*last
            },
        );
        last.to = time;
    }
    rest
}

fn overlap(name: &Label) -> StoreError {
    StoreError::Damaged(format!("prices of the series {name} overlap"))
}
