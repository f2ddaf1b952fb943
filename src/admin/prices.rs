//! Price series.

use serde::{Deserialize, Serialize};

use super::error::{AdminError, wrong};
use super::money_rows::{PricePageRow, PriceRow, SeriesRow};
use super::names::owner;
use super::response::Response;
use crate::domain::{AccountName, Currency, TimeRange, Timestamp};
use crate::ledger::contract::{Label, PriceSeries, per_megawatt_hour};
use crate::store::Store;

/// A request about price series. The account is `None` if there is only one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PriceRequest {
    /// The series of an account. Answer: the series.
    List {
        /// The account.
        account: Option<String>,
    },
    /// Merges prices into a series, replacing those at the same times. Answer: none.
    Put {
        /// The account.
        account: Option<String>,
        /// The name of the series.
        series: String,
        /// The currency of the prices; empty if it is not known.
        currency: String,
        /// Whether the unit of the prices was named, so that any size is right.
        has_unit: bool,
        /// At most [`Store::IMPORT_CHUNK`] of them.
        prices: Vec<PriceRow>,
    },
    /// The first prices of a series in a range, whose end is exclusive. Answer: a page of prices.
    Page {
        /// The account.
        account: Option<String>,
        /// The name of the series.
        series: String,
        /// Milliseconds since 1970.
        from_ms: i64,
        /// Milliseconds since 1970.
        end_ms: i64,
    },
    /// Removes the prices of a series in a range, whose end is exclusive. Answer: none.
    Remove {
        /// The account.
        account: Option<String>,
        /// The name of the series.
        series: String,
        /// Milliseconds since 1970.
        from_ms: i64,
        /// Milliseconds since 1970.
        end_ms: i64,
    },
}

pub(super) fn run(store: &Store, request: PriceRequest) -> Result<Response, AdminError> {
    let registry = store.registry();
    let owner = |account: Option<String>| owner(&registry, account.as_deref());
    match request {
        PriceRequest::List { account } => {
            let account = owner(account)?;
            let all = store.series(&account)?;
            let rows = all.iter().map(|one| SeriesRow::new(&account, one));
            Ok(Response::Series(rows.collect()))
        }
        PriceRequest::Put {
            account,
            series,
            currency,
            has_unit,
            prices,
        } => {
            let prices = prices.into_iter().map(PriceRow::price);
            let prices = prices.collect::<Option<Vec<_>>>();
            let prices =
                prices.ok_or_else(|| AdminError::Refused("a price is out of range".into()))?;
            let series = PriceSeries::new(label(&series)?, prices);
            let series = series.map_err(|error| AdminError::Refused(error.to_string()))?;
            let series = series.in_currency(typed_currency(&currency)?);
            put_prices(store, &owner(account)?, series, has_unit)?;
            Ok(Response::Done)
        }
        PriceRequest::Page {
            account,
            series,
            from_ms,
            end_ms,
        } => {
            let range = range(from_ms, end_ms)?;
            let range = (range.start(), range.end());
            let page = store.price_page(&owner(account)?, &label(&series)?, range)?;
            let next_ms = page.next.map(Timestamp::millis);
            let rows = page.prices.into_iter().map(PriceRow::from).collect();
            Ok(Response::Prices(PricePageRow {
                prices: rows,
                next_ms,
            }))
        }
        PriceRequest::Remove {
            account,
            series,
            from_ms,
            end_ms,
        } => {
            let range = range(from_ms, end_ms)?;
            let (account, name) = (owner(account)?, label(&series)?);
            let known = registry.series_name(&account, &name).unwrap_or(&name);
            store.remove_prices_durably(&account, known, range)?;
            Ok(Response::Done)
        }
    }
}

/// Merges prices into a series, replacing those at the same times. Blocks.
///
/// # Errors
/// [`AdminError::Field`] if their currency is another one than that of the contracts or of the
/// series, or if they look like prices of a megawatt-hour and nobody named their unit;
/// [`AdminError::Unfit`] if there would be too many, [`AdminError::Store`]. Some of the prices may
/// already be stored then.
pub fn put_prices(
    store: &Store,
    account: &AccountName,
    mut series: PriceSeries,
    has_unit: bool,
) -> Result<(), AdminError> {
    let registry = store.registry();
    let contracts = registry.contracts(account);
    let expected = contracts.and_then(|contracts| contracts.currency());
    let found = series.currency();
    let is_other = |(found, expected): &(&Currency, &Currency)| {
        let is_usable = found.is_rate() || found.may_be(expected);
        !is_usable && registry.exchange(account, found, expected).is_none()
    };
    if let Some((found, expected)) = found.zip(expected).filter(is_other) {
        let (found, expected) = (found.as_str(), expected.as_str());
        let problem = format!(
            "the prices are in {found}, and the contracts in {expected}; expected prices in {expected}, or exchange rates from {found} first, such as those of the source ecb"
        );
        return Err(wrong("currency", problem, None));
    }
    let currency = found.or(expected);
    let is_rate = currency.is_some_and(Currency::is_rate);
    let doubtful = per_megawatt_hour(series.prices(), currency);
    let doubtful = doubtful.filter(|_| !has_unit && !is_rate);
    if let Some(middle) = doubtful {
        let currency = currency.map_or("EUR", Currency::as_str);
        let problem = format!(
            "half of the prices are {middle} or more per kWh; name their unit: {currency}/MWh, or {currency}/kWh if they are right"
        );
        return Err(wrong("unit", problem, None));
    }
    if let Some(known) = registry.series_name(account, series.name()) {
        series = series.named(known.clone());
    }
    Ok(store.put_prices_durably(account, &series)?)
}

/// The currency that somebody names for prices; `None` if the text is empty.
///
/// # Errors
/// [`AdminError::Field`] if it is no currency.
pub fn typed_currency(text: &str) -> Result<Option<Currency>, AdminError> {
    if text.is_empty() {
        return Ok(None);
    }
    let currency = Currency::new(text).map_err(|error| wrong("currency", error, None));
    currency.map(Some)
}

fn label(text: &str) -> Result<Label, AdminError> {
    Label::new(text).map_err(|error| wrong("series", error, "day-ahead"))
}

fn range(from_ms: i64, end_ms: i64) -> Result<TimeRange, AdminError> {
    let [from, end] = [from_ms, end_ms].map(Timestamp::from_millis);
    let range = from
        .zip(end)
        .and_then(|(from, end)| TimeRange::new(from, end));
    range.ok_or_else(|| AdminError::Refused("the range ends before it begins".into()))
}
