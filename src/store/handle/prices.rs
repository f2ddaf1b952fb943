//! Price series: reading, changing and removing them.

use crate::domain::{AccountName, Currency, TimeRange, Timestamp};
use crate::ledger::contract::{Label, PriceSeries, SeriesPrice};
use crate::store::error::StoreError;
use crate::store::handle::store::Store;
use crate::store::prices::{SeriesSlot, chunks_of};

/// The number of chunks that are read at once: meanwhile no price changes. A pricing holds as many
/// of each series.
const CHUNKS_A_PAGE: usize = 8;
/// The most prices of a small page.
const FEW_PRICES: usize = 256;
/// The number of prices in one change: uploads wait while the committing thread stores them.
const PRICES_AT_ONCE: usize = 32_768;

/// The name, size and range of a price series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeriesSummary {
    /// Its name.
    pub name: Label,
    /// The number of its prices.
    pub count: u64,
    /// The currency of its prices, if it is known.
    pub currency: Option<Currency>,
    /// The beginning of its first price.
    pub first: Timestamp,
    /// The end of its last price.
    pub end: Timestamp,
}

/// Some prices of a series, in order of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PricePage {
    /// The prices.
    pub prices: Vec<SeriesPrice>,
    /// The beginning of the next page; `None` at the end.
    pub next: Option<Timestamp>,
}

impl Store {
    /// Writes prices over those of the account's series of the same name: they replace the prices
    /// at their times. Works in slices, so that uploads go on meanwhile; an error may come after
    /// some of them. Repeating it changes nothing. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownAccount`], [`StoreError::TooManySeries`],
    /// [`StoreError::TooManyPrices`], [`StoreError::SeriesCurrency`]; [`StoreError::Poisoned`],
    /// [`StoreError::Closed`].
    pub fn put_prices_durably(
        &self,
        account: &AccountName,
        series: &PriceSeries,
    ) -> Result<(), StoreError> {
        for slice in series.prices().chunks(PRICES_AT_ONCE) {
            let mut rest = slice.to_vec();
            while !rest.is_empty() {
                let (account, name) = (account.clone(), series.name().clone());
                let currency = series.currency().cloned();
                rest = self.edit(move |edit| {
                    edit.put_prices(&account, (&name, currency.as_ref()), rest)
                })?;
            }
        }
        Ok(())
    }

    /// Removes the prices of a series in `range`, without its end; of the whole series with
    /// [`TimeRange::ALL`]. Works in slices, as [`Self::put_prices_durably`]. Blocks.
    ///
    /// # Errors
    /// [`StoreError::UnknownSeries`]; [`StoreError::Poisoned`], [`StoreError::Closed`].
    pub fn remove_prices_durably(
        &self,
        account: &AccountName,
        name: &Label,
        range: TimeRange,
    ) -> Result<(), StoreError> {
        let mut next = Some(range.start());
        while let Some(from) = next {
            let (account, name) = (account.clone(), name.clone());
            let range = (from, range.end());
            next = self.edit(move |edit| edit.remove_prices(&account, &name, range))?;
        }
        Ok(())
    }

    /// The prices of a series that apply in `range`, without its end; none if the series does not
    /// exist. Blocks.
    ///
    /// # Errors
    /// [`StoreError`] if something cannot be read, or is damaged.
    pub fn prices(
        &self,
        account: &AccountName,
        name: &Label,
        range: TimeRange,
    ) -> Result<PriceSeries, StoreError> {
        let mut prices: Vec<SeriesPrice> = Vec::new();
        let mut next = Some(range.start());
        while let Some(from) = next {
            let page = self.price_page(account, name, (from, range.end()))?;
            for mut price in page.prices {
                // A change between two pages may have moved the end of a price.
                let end = prices.last().map_or(price.from, |last| last.to);
                price.from = price.from.max(end);
                if price.from < price.to {
                    prices.push(price);
                }
            }
            next = page.next;
        }
        let series = PriceSeries::new(name.clone(), prices);
        series.map_err(|error| StoreError::Damaged(format!("prices of the series {name}: {error}")))
    }

    /// The first prices of a series that apply from `from` until before `end`: some thousands.
    /// Blocks.
    ///
    /// # Errors
    /// As [`Self::prices`].
    pub fn price_page(
        &self,
        account: &AccountName,
        name: &Label,
        range: (Timestamp, Timestamp),
    ) -> Result<PricePage, StoreError> {
        self.page_of(account, name, range, CHUNKS_A_PAGE)
    }

    /// As [`Self::price_page`], of some hundreds, for a reader that keeps little in memory. Blocks.
    ///
    /// # Errors
    /// As [`Self::prices`].
    pub fn few_prices(
        &self,
        account: &AccountName,
        name: &Label,
        range: (Timestamp, Timestamp),
    ) -> Result<PricePage, StoreError> {
        // Two, because the first one may end where the range begins.
        let mut page = self.page_of(account, name, range, 2)?;
        if page.prices.len() > FEW_PRICES {
            page.prices.truncate(FEW_PRICES);
            page.next = page.prices.last().map(|last| last.to);
        }
        Ok(page)
    }

    fn page_of(
        &self,
        account: &AccountName,
        name: &Label,
        (from, end): (Timestamp, Timestamp),
        most_chunks: usize,
    ) -> Result<PricePage, StoreError> {
        let registry = self.registry();
        let known = registry.series_name(account, name);
        let all = registry.series.get(account);
        let Some(known) = all.and_then(|all| all.get(known?)) else {
            return Ok(PricePage::default());
        };
        let series = SeriesSlot {
            account: account.clone(),
            slot: known.slot,
        };
        let mut chunks = Vec::new();
        self.backend.read_records(&mut |records| {
            chunks = chunks_of(records, &series, (from, end), most_chunks)?;
            Ok(())
        })?;
        let is_full = chunks.len() >= most_chunks;
        let all = chunks.into_iter().flat_map(|chunk| chunk.prices);
        let mut last = from;
        let holds = |price: &SeriesPrice| price.from < end && from < price.to;
        let prices: Vec<SeriesPrice> = all.inspect(|price| last = price.to).filter(holds).collect();
        let next = Some(last).filter(|next| is_full && *next < end);
        Ok(PricePage { prices, next })
    }

    /// The currency of a series, if it is known.
    #[must_use]
    pub fn series_currency(&self, account: &AccountName, name: &Label) -> Option<Currency> {
        let registry = self.registry();
        let name = registry.series_name(account, name)?;
        registry.series.get(account)?.get(name)?.currency.clone()
    }

    /// The price series of an account, by name. Blocks.
    ///
    /// # Errors
    /// As [`Self::prices`].
    pub fn series(&self, account: &AccountName) -> Result<Vec<SeriesSummary>, StoreError> {
        let registry = self.registry();
        let all = registry.series.get(account).into_iter().flatten();
        let mut summaries = Vec::new();
        for (name, known) in all {
            let series = SeriesSlot {
                account: account.clone(),
                slot: known.slot,
            };
            let mut ends = [Vec::new(), Vec::new()];
            self.backend.read_records(&mut |records| {
                let at = |time| chunks_of(records, &series, (time, time), 1);
                ends = [at(Timestamp::MIN)?, at(Timestamp::MAX)?];
                Ok(())
            })?;
            let [first, last] = &ends;
            let first = first.first().and_then(|chunk| chunk.prices.first());
            let last = last.first().and_then(|chunk| chunk.prices.last());
            // The series was removed since the registry was read.
            let Some((first, last)) = first.zip(last) else {
                continue;
            };
            summaries.push(SeriesSummary {
                name: name.clone(),
                count: known.count,
                currency: known.currency.clone(),
                first: first.from,
                end: last.to,
            });
        }
        Ok(summaries)
    }
}
