//! One request to a source, to test its settings before they are kept. It stores nothing.

use std::time::Duration;

use super::answer::read;
use super::asking::ask_published;
use super::error::SourceError;
use super::form::SourceContent;
use super::get::get;
use super::keep::{Compared, account, compare};
use super::plan::{Known, days_from};
use super::settings::PriceSourceSettings;
use crate::domain::{AccountName, Currency, TimeRange, Timestamp};
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
        // Some answers name the currency themselves.
        SourceContent::Prices(unit) if !settings.form.names_currency() => unit
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
    match expected.filter(|expected| !found.may_be(expected)) {
        Some(expected) => Err(SourceError::Currency {
            found: found.as_str().to_owned(),
            expected: expected.as_str().to_owned(),
        }),
        None => Ok(()),
    }
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
    let range = days_from(&settings.form, range.start(), range.end());
    let form = settings.answered_form();
    let ask = |range| Some(get(settings, range).and_then(|body| read(&form, &body, range)));
    let asked = ask_published(&settings.form, (range, known.tomorrow), ask);
    let answer = asked.unwrap_or(Err(SourceError::Panic))?;
    let compared = compare(store, &account, settings, answer)?;
    if let Some(found) = &compared.currency {
        check_currency(store, &account, found)?;
    }
    Ok(SourceTrial { range, compared })
}
