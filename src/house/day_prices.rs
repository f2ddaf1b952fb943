//! The prices of a kilowatt-hour today and tomorrow, if they change with the hour.

use std::collections::BTreeSet;

use super::nights::AccountDays;
use crate::domain::{Account, Currency, Decimal, TimeRange, Timestamp};
use crate::ledger::contract::{Announced, Contract, Label, PriceSeries, Pricer};
use crate::store::{Store, StoreError};

/// The prices of today and, as far as they are known, of tomorrow.
#[derive(Clone, Debug, PartialEq)]
pub struct DayPrices {
    /// From the first midnight to the last one.
    pub range: TimeRange,
    /// Their currency.
    pub currency: Currency,
    /// In time order; at least one.
    pub prices: Vec<PriceStep>,
}

/// The price of one more kilowatt-hour for a while, with its taxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceStep {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end, which does not belong to it.
    pub to: Timestamp,
    /// In the currency, for a kilowatt-hour.
    pub price: Decimal,
}

impl DayPrices {
    /// Of an account whose contract at `now` has a price series or announced days; `None` of others, and without any
    /// price of these days. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of(
        store: &Store,
        account: &Account,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let registry = store.registry();
        let Some(contracts) = registry.contracts(&account.name) else {
            return Ok(None);
        };
        let days = AccountDays::new(account.zone.clone(), now);
        let midnights = (days.start(0), days.start(-1), days.start(-2));
        let (Some(today), Some(tomorrow), Some(end)) = midnights else {
            return Ok(None);
        };
        let begun = |contract: &&Contract, by| contract.from().start(&account.zone) <= by;
        let holds_now = contracts.all().iter().rfind(|it| begun(it, now));
        let needs_more =
            |it: &Contract| it.series().next().is_some() || it.day_lists().next().is_some();
        let changes_daily = holds_now.is_some_and(needs_more);
        let (Some(currency), Some(both)) = (contracts.currency(), TimeRange::new(today, end))
        else {
            return Ok(None);
        };
        if !changes_daily {
            return Ok(None);
        }
        // All that may hold in these days: few have more than one series.
        let holding = contracts.all().iter().filter(|it| begun(it, end));
        let names: BTreeSet<&Label> = holding.clone().flat_map(Contract::series).collect();
        let lists: BTreeSet<&Label> = holding.flat_map(Contract::day_lists).collect();
        let series = names
            .into_iter()
            .map(|name| store.prices(&account.name, name, both));
        let series: Vec<PriceSeries> = series.collect::<Result<_, StoreError>>()?;
        let announced = Announced {
            series,
            days: registry.named_day_lists(&account.name, lists),
            ..Announced::default()
        };
        let prices = steps(Pricer::new(contracts, &account.zone, &announced, both));
        let is_tomorrow = prices.last().is_some_and(|it| it.to > tomorrow);
        let range = TimeRange::new(today, if is_tomorrow { end } else { tomorrow });
        let known = range.filter(|_| !prices.is_empty());
        Ok(known.map(|range| Self {
            range,
            currency: currency.clone(),
            prices,
        }))
    }

    /// The price at a time; `None` where there is none.
    #[must_use]
    pub fn at(&self, time: Timestamp) -> Option<&PriceStep> {
        self.prices
            .iter()
            .find(|it| it.from <= time && time < it.to)
    }
}

/// The prices of a range without any energy yet.
fn steps(mut pricer: Pricer) -> Vec<PriceStep> {
    let mut steps = Vec::new();
    while let Some(slot) = pricer.next_slot() {
        let price = pricer.marginal_price().import;
        if let Some(price) = price.filter(|_| slot.is_billed()) {
            let (from, to) = (slot.from(), slot.to());
            steps.push(PriceStep { from, to, price });
        }
        pricer.add(slot, None);
    }
    steps
}
