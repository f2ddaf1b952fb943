//! One request to a source, to test its settings before they are kept. It stores nothing.

use std::time::Duration;

use super::answer::{SourceAnswer, read};
use super::asking::ask_published;
use super::error::SourceError;
use super::form::SourceContent;
use super::get::get;
use super::keep::{Compared, account, compare};
use super::plan::Known;
use super::settings::PriceSourceSettings;
use crate::domain::time::MS_PER_DAY;
use crate::domain::{AccountName, Currency, TimeRange, Timestamp};
use crate::house::ExtraPrices;
use crate::ledger::contract::{DayList, PriceSeries};
use crate::store::Store;

/// The prices that a source would store now.
#[derive(Clone, Debug)]
pub struct SourceTrial {
    /// The days that it was asked for, without the end.
    pub range: TimeRange,
    /// Its answer beside the stored prices.
    pub compared: Compared,
}

/// Checks that a source has prices in the currency of its account's contracts, as far as it says
/// so without being asked.
///
/// # Errors
/// [`SourceError::Currency`], or that there is no such account.
pub fn check_source(store: &Store, settings: &PriceSourceSettings) -> Result<(), SourceError> {
    let account = account(&store.registry(), settings)?;
    match &settings.form.content {
        // Documents of ENTSO-E name the currency themselves.
        SourceContent::Prices(unit) if !settings.form.is_of_entsoe() && !unit.is_rate() => unit
            .currency()
            .map_or(Ok(()), |found| check_currency(store, &account, &found)),
        _ => Ok(()),
    }
}

fn check_currency(
    store: &Store,
    account: &AccountName,
    found: &Currency,
) -> Result<(), SourceError> {
    let registry = store.registry();
    let contracts = registry.contracts(account);
    let expected = contracts.and_then(|contracts| contracts.currency());
    // Rates have two currencies, and others are converted by them.
    let is_other = |expected: &&Currency| {
        let is_usable = found.is_rate() || found.may_be(expected);
        !is_usable && registry.exchange(account, found, expected).is_none()
    };
    match expected.filter(is_other) {
        Some(expected) => Err(SourceError::Currency {
            found: found.as_str().to_owned(),
            expected: expected.as_str().to_owned(),
        }),
        None => Ok(()),
    }
}

/// The prices or days of a past range, as far as one request to a source reaches back from its end. It
/// stores nothing. Blocks for up to a minute.
///
/// # Errors
/// The reason why it has no usable answer.
pub fn past_prices(
    settings: &PriceSourceSettings,
    range: TimeRange,
) -> Result<ExtraPrices, SourceError> {
    let most_ms = i64::from(settings.form.most_days) * MS_PER_DAY;
    let start = range
        .end()
        .saturating_add_millis(-most_ms)
        .max(range.start());
    let range = TimeRange::new(start, range.end()).unwrap_or(range);
    let answer = read(&settings.form, &get(settings, range)?, range)?;
    let name = settings.series.clone();
    Ok(match answer {
        SourceAnswer::Prices(prices, _) => ExtraPrices {
            // An answer is read in order, without an overlap.
            series: PriceSeries::new(name, prices).into_iter().collect(),
            ..ExtraPrices::default()
        },
        SourceAnswer::Days(days) => ExtraPrices {
            days: vec![DayList::new(name, days)],
            ..ExtraPrices::default()
        },
    })
}

/// Asks a source for today and, if it is published, tomorrow. Blocks for up to a minute.
///
/// # Errors
/// The reason why it has no usable answer.
pub fn try_source(
    store: &Store,
    settings: &PriceSourceSettings,
    now: Timestamp,
) -> Result<SourceTrial, SourceError> {
    let account = account(&store.registry(), settings)?;
    let known = Known::at(&settings.form, now, Duration::ZERO);
    let range = TimeRange::new(known.today, known.end).unwrap_or(TimeRange::at(now));
    let ask = |range| {
        Some(
            get(settings, range)
                .and_then(|body| read(&settings.form.of_zone(settings.asked_zone()), &body, range)),
        )
    };
    let asked = ask_published(&settings.form, (range, known.tomorrow), ask);
    let answer = asked.unwrap_or(Err(SourceError::Panic))?;
    let compared = compare(store, &account, settings, answer)?;
    if let Some(found) = &compared.currency {
        check_currency(store, &account, found)?;
    }
    Ok(SourceTrial { range, compared })
}
