//! Fills a new store, with any backend, from a backup or from a damaged store.

use std::fmt::Display;

use crate::domain::{AccountName, Currency, Reading, SensorId};
use crate::ledger::contract::{Label, PriceSeries, SeriesPrice};
use crate::store::error::StoreError;
use crate::store::handle::store::Store;

/// Fills `store`, which is new and located in `place`, with the imports of `fill`, and checks it by
/// reading everything back. Returns the result of `fill` and the number of readings found. `is_all`
/// decides whether the store is complete.
pub(crate) fn filled<T, E: From<StoreError>>(
    store: &Store,
    place: &dyn Display,
    fill: impl FnOnce(&mut StoreImport<'_>) -> Result<T, E>,
    is_all: impl FnOnce(&T, &Store, u64) -> bool,
) -> Result<(T, u64), E> {
    let mut import = StoreImport {
        store,
        gathered: None,
        gathered_prices: None,
    };
    let filled = fill(&mut import)?;
    import.flush()?;
    let findings = store.check();
    let cause = match findings.problems.first() {
        Some(problem) => Some(format!("it is damaged: {}", problem.what)),
        None => (!is_all(&filled, store, findings.readings)).then(|| "it is incomplete".to_owned()),
    };
    if let Some(cause) = cause {
        let what = format!("checking the new store in {place}");
        return Err(StoreError::Io { what, cause }.into());
    }
    Ok((filled, findings.readings))
}

/// A price series by its name, and its currency where it is known.
type NamedSeries = (Label, Option<Currency>);

/// Readings on their way into a new store.
pub(crate) struct StoreImport<'a> {
    /// The store, open.
    pub(crate) store: &'a Store,
    /// Readings of one sensor, stored many at a time.
    gathered: Option<(SensorId, Vec<Reading>)>,
    /// Prices of one series, stored like the readings.
    gathered_prices: Option<(AccountName, NamedSeries, Vec<SeriesPrice>)>,
}

impl StoreImport<'_> {
    /// Imports readings of a registered sensor. Later ones replace earlier ones at the same time.
    pub(crate) fn readings(
        &mut self,
        sensor: &SensorId,
        readings: Vec<Reading>,
    ) -> Result<(), StoreError> {
        if let Some((of, gathered)) = &mut self.gathered
            && of == sensor
            && gathered.len() + readings.len() <= Store::IMPORT_CHUNK
        {
            gathered.extend(readings);
            return Ok(());
        }
        self.flush()?;
        self.gathered = Some((sensor.clone(), readings));
        Ok(())
    }

    /// Imports prices of a registered account, which follow the earlier ones in time.
    pub(crate) fn prices(
        &mut self,
        account: &AccountName,
        series: &PriceSeries,
    ) -> Result<(), StoreError> {
        if let Some((of, (name, currency), gathered)) = &mut self.gathered_prices
            && of == account
            && name == series.name()
            && currency.as_ref() == series.currency()
            && gathered.len() + series.prices().len() <= Store::IMPORT_CHUNK
        {
            gathered.extend(series.prices());
            return Ok(());
        }
        self.flush_prices()?;
        let prices = series.prices().to_vec();
        let name = (series.name().clone(), series.currency().cloned());
        self.gathered_prices = Some((account.clone(), name, prices));
        Ok(())
    }

    fn flush_prices(&mut self) -> Result<(), StoreError> {
        if let Some((account, (name, currency), prices)) = self.gathered_prices.take() {
            let series = PriceSeries::new(name, prices);
            let series = series.map_err(|error| StoreError::Damaged(error.to_string()))?;
            let series = series.in_currency(currency);
            self.store.put_prices_durably(&account, &series)?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StoreError> {
        self.flush_prices()?;
        if let Some((sensor, readings)) = self.gathered.take() {
            self.store.import_durably(&sensor, readings)?;
        }
        Ok(())
    }
}
