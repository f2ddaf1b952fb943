//! Prices in the currency of the contracts.

use crate::domain::{AccountName, Currency, TimeRange};
use crate::ledger::contract::{ExchangePath, Label, PriceSeries, SeriesError};
use crate::store::{Store, StoreError};

/// The currency of a price series and the exchange rates that lead from it to that of the contracts.
pub(super) enum SeriesCurrency {
    /// It may be that of the contracts.
    Same,
    /// It is converted.
    Converted(Currency, ExchangePath),
    /// There are no rates: its prices price nothing.
    Other(Currency),
}

impl SeriesCurrency {
    /// That of a series, beside contracts in `currency`.
    pub(super) fn of(
        store: &Store,
        account: &AccountName,
        (name, currency): (&Label, Option<&Currency>),
    ) -> Self {
        let found = store.series_currency(account, name);
        let Some((found, expected)) = found.zip(currency) else {
            return Self::Same;
        };
        if found.may_be(expected) {
            return Self::Same;
        }
        match store.registry().exchange(account, &found, expected) {
            Some(path) => Self::Converted(found, path),
            None => Self::Other(found),
        }
    }
}

/// Prices of a series in the currency of the contracts. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the rates could not be read.
pub(super) fn converted(
    store: &Store,
    account: &AccountName,
    (series, currency): (PriceSeries, Option<&Currency>),
) -> Result<PriceSeries, StoreError> {
    let of = SeriesCurrency::of(store, account, (series.name(), currency));
    let SeriesCurrency::Converted(_, path) = of else {
        return Ok(series);
    };
    let ends = series.prices().first().zip(series.prices().last());
    let range = ends
        .and_then(|(first, last)| TimeRange::new(ExchangePath::first_needed(first.from), last.to));
    let Some(range) = range else {
        return Ok(series);
    };
    let rates = path.rates(|name| store.prices(account, name, range))?;
    let prices = rates.convert(series.prices());
    let damaged = |error: SeriesError| StoreError::Damaged(format!("prices: {error}"));
    PriceSeries::new(series.name().clone(), prices).map_err(damaged)
}
