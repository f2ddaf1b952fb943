//! Compares an answer with the stored prices of an account, and stores the missing ones. Stored
//! prices stay.

use std::collections::BTreeMap;

use super::answer::SourceAnswer;
use super::error::SourceError;
use super::settings::PriceSourceSettings;
use crate::domain::{AccountName, Currency, LocalDate, TimeRange, Timestamp};
use crate::ledger::contract::{DayList, Label, PriceSeries, SeriesPrice};
use crate::store::{Registry, Store, StoreError};

/// An answer beside the stored prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The number of prices or days in the answer.
    pub count: usize,
    /// The prices that are not stored yet.
    pub prices: Vec<SeriesPrice>,
    /// Their currency, if it is known.
    pub currency: Option<Currency>,
    /// The types of days that are not stored yet.
    pub days: BTreeMap<LocalDate, Label>,
    /// The number of prices or days that differ from stored ones, and the time of the first.
    pub conflicts: Option<(usize, Timestamp)>,
    /// The rates of the answer that were not taken.
    pub others: Vec<String>,
}

/// The account that a source is for.
pub(super) fn account(
    registry: &Registry,
    settings: &PriceSourceSettings,
) -> Result<AccountName, SourceError> {
    let mut all = registry.accounts().map(|account| &account.name);
    if let Some(name) = &settings.account {
        let found = all.find(|known| *known == name).cloned();
        return found.ok_or_else(|| SourceError::NoAccount(name.to_string()));
    }
    match (all.next(), all.next()) {
        (Some(only), None) => Ok(only.clone()),
        _ => Err(SourceError::WhichAccount),
    }
}

/// The first moment of a range without a price, or of a day without a type. May block on disk reads.
pub(super) fn first_missing(
    store: &Store,
    account: &AccountName,
    settings: &PriceSourceSettings,
    range: TimeRange,
) -> Result<Option<Timestamp>, StoreError> {
    if settings.has_days() {
        return Ok(first_day_missing(store, account, settings, range));
    }
    let mut time = range.start();
    let mut next = Some(range.start());
    while let Some(from) = next {
        let page = store.price_page(account, &settings.series, (from, range.end()))?;
        for price in page.prices {
            if time < price.from {
                return Ok(Some(time));
            }
            time = time.max(price.to);
        }
        next = page.next;
    }
    Ok((time < range.end()).then_some(time))
}

/// The price that is stored for a time, or the type of its day, as text. May block on disk reads.
pub(super) fn stored_value(
    store: &Store,
    account: &AccountName,
    settings: &PriceSourceSettings,
    time: Timestamp,
) -> Result<Option<String>, StoreError> {
    if settings.has_days() {
        let list = store.registry().day_list(account, &settings.series);
        let day = LocalDate::at(time, &settings.form.clock);
        let label = list.and_then(|list| list.days().get(&day).map(ToString::to_string));
        return Ok(label);
    }
    let moment = TimeRange::new(time, time.saturating_add_millis(1));
    let moment = moment.unwrap_or(TimeRange::at(time));
    let series = store.prices(account, &settings.series, moment)?;
    Ok(series.at(time).map(|stored| stored.price.to_string()))
}

fn first_day_missing(
    store: &Store,
    account: &AccountName,
    settings: &PriceSourceSettings,
    range: TimeRange,
) -> Option<Timestamp> {
    let form = &settings.form;
    let list = store.registry().day_list(account, &settings.series);
    let mut day = LocalDate::at(range.start(), &form.clock);
    while form.start_of(day) < range.end() {
        let is_there = list
            .as_ref()
            .is_some_and(|list| list.days().contains_key(&day));
        if !is_there {
            return Some(form.start_of(day));
        }
        day = day.plus_days(1)?;
    }
    None
}

/// Compares an answer with the stored prices or days. May block on disk reads.
pub(super) fn compare(
    store: &Store,
    account: &AccountName,
    settings: &PriceSourceSettings,
    answer: SourceAnswer,
) -> Result<Compared, SourceError> {
    match answer {
        SourceAnswer::Prices(prices, terms) => {
            let stored = stored_prices(store, account, settings, &prices);
            let stored = stored.map_err(|error| stored_error(&error))?;
            let compared = compare_prices(prices, &stored)?;
            Ok(Compared {
                currency: terms.currency,
                others: terms.others.told(),
                ..compared
            })
        }
        SourceAnswer::Days(days) => {
            let list = store.registry().day_list(account, &settings.series);
            let stored = list.map(|list| list.days().clone()).unwrap_or_default();
            Ok(compare_days(settings, days, &stored))
        }
    }
}

fn stored_prices(
    store: &Store,
    account: &AccountName,
    settings: &PriceSourceSettings,
    prices: &[SeriesPrice],
) -> Result<PriceSeries, StoreError> {
    let range = prices.first().zip(prices.last());
    let range = range.and_then(|(first, last)| TimeRange::new(first.from, last.to));
    let range = range.unwrap_or(TimeRange::at(Timestamp::MIN));
    store.prices(account, &settings.series, range)
}

fn compare_prices(prices: Vec<SeriesPrice>, stored: &PriceSeries) -> Result<Compared, SourceError> {
    // Since when: a shorter stored price may begin within.
    let differs = |new: &SeriesPrice| {
        let stored = stored.prices();
        let first = stored.partition_point(|old| old.to <= new.from);
        let overlapping = stored.get(first..).unwrap_or_default().iter();
        let mut overlapping = overlapping.take_while(|old| old.from < new.to);
        let other = overlapping.find(|old| old.price != new.price);
        other.map(|old| old.from.max(new.from))
    };
    let mut conflicts = prices.iter().filter_map(differs);
    let conflicts = conflicts.next().map(|first| (1 + conflicts.count(), first));
    let count = prices.len();
    let new = PriceSeries::new(stored.name().clone(), prices);
    let new = new.map_err(|error| SourceError::Store(error.to_string()))?;
    // Stored prices win at their times.
    let all = new.merged(stored);
    let missing = all.prices().iter();
    let missing = missing.filter(|price| stored.at(price.from).is_none());
    Ok(Compared {
        count,
        prices: missing.copied().collect(),
        currency: None,
        days: BTreeMap::new(),
        conflicts,
        others: Vec::new(),
    })
}

fn compare_days(
    settings: &PriceSourceSettings,
    mut days: BTreeMap<LocalDate, Label>,
    stored: &BTreeMap<LocalDate, Label>,
) -> Compared {
    let count = days.len();
    let mut conflicts = days
        .iter()
        .filter(|(day, label)| stored.get(*day).is_some_and(|stored| stored != *label));
    let conflicts = conflicts.next().map(|(first, _)| {
        let first = settings.form.start_of(*first);
        (1 + conflicts.count(), first)
    });
    days.retain(|day, _| !stored.contains_key(day));
    Compared {
        count,
        prices: Vec::new(),
        currency: None,
        days,
        conflicts,
        others: Vec::new(),
    }
}

/// Stores the prices or days that are missing. Blocks.
pub(super) fn store_missing(
    store: &Store,
    account: &AccountName,
    settings: &PriceSourceSettings,
    compared: &Compared,
) -> Result<(), SourceError> {
    let registry = store.registry();
    let named = &settings.series;
    let known = if compared.days.is_empty() {
        registry.series_name(account, named)
    } else {
        registry.day_list_name(account, named)
    };
    let series = known.unwrap_or(named).clone();
    let stored = if compared.days.is_empty() {
        let prices = PriceSeries::new(series, compared.prices.clone());
        let prices = prices.map_err(|error| SourceError::Store(error.to_string()))?;
        let prices = prices.in_currency(compared.currency.clone());
        store.put_prices_durably(account, &prices)
    } else {
        let list = DayList::new(series, compared.days.clone());
        let account = account.clone();
        store.edit(move |edit| edit.put_days(&account, &list))
    };
    stored.map_err(|error| stored_error(&error))
}

pub(super) fn stored_error(error: &StoreError) -> SourceError {
    SourceError::Store(error.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::Decimal;
    use crate::domain::time::at;

    fn price(from: i64, to: i64, price: i64) -> SeriesPrice {
        SeriesPrice {
            from: at(from),
            to: at(to),
            price: Decimal::from_millionths(price),
        }
    }

    fn series(prices: Vec<SeriesPrice>) -> PriceSeries {
        PriceSeries::new(Label::new("day-ahead").unwrap(), prices).unwrap()
    }

    #[test]
    fn stored_prices_stay_and_differences_are_counted() {
        let stored = series(vec![price(10, 20, 1), price(30, 40, 2)]);
        let new = vec![price(0, 10, 7), price(10, 20, 1), price(20, 50, 3)];
        let compared = compare_prices(new, &stored).unwrap();
        assert_eq!(
            compared.prices,
            [price(0, 10, 7), price(20, 30, 3), price(40, 50, 3)]
        );
        assert_eq!((compared.count, compared.conflicts), (3, Some((1, at(30)))));
        let all = series(compared.prices).merged(&stored);
        let again = compare_prices(vec![price(0, 10, 7), price(10, 20, 1)], &all).unwrap();
        assert_eq!((again.prices, again.conflicts), (vec![], None));
    }

    fn any_series() -> impl Strategy<Value = Vec<SeriesPrice>> {
        proptest::collection::vec((0..4_i64, 1..4_i64, 0..3_i64), 0..12).prop_map(|steps| {
            let mut time = 0;
            let prices = steps.into_iter().map(|(gap, length, value)| {
                let from = time + gap;
                time = from + length;
                price(from, time, value)
            });
            prices.collect()
        })
    }

    proptest! {
        #[test]
        fn what_is_stored_never_changes(old in any_series(), new in any_series()) {
            let stored = series(old);
            let answer = series(new.clone());
            let compared = compare_prices(new, &stored).unwrap();
            let after = stored.clone().merged(&series(compared.prices));
            for ms in 0..100 {
                let price = |of: &PriceSeries| of.at(at(ms)).map(|one| one.price);
                prop_assert_eq!(price(&after), price(&stored).or(price(&answer)));
            }
            let differs = |new: &SeriesPrice| (new.from.millis()..new.to.millis()).find(|ms| {
                stored.at(at(*ms)).is_some_and(|old| old.price != new.price)
            });
            let differing: Vec<i64> = answer.prices().iter().filter_map(differs).collect();
            let expected = differing.first().map(|first| (differing.len(), at(*first)));
            prop_assert_eq!(compared.conflicts, expected);
        }
    }
}
