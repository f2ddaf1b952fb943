//! The prices of a kilowatt-hour today and tomorrow, if they change with the hour.

use std::collections::BTreeSet;

use super::exchange::{SeriesCurrency, converted};
use super::nights::AccountDays;
use crate::domain::{Account, Currency, Decimal, TimeRange, Timestamp};
use crate::ledger::contract::{Announced, Contract, Label, MeanPeriods, PriceSeries, Pricer};
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
    /// The credits for a kilowatt-hour that is fed in, with the taxes on them; in time order.
    pub credits: Vec<PriceStep>,
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
    /// Whether the contract of an account at `now` has a price series or announced days, so that prices
    /// are worth a look each day.
    #[must_use]
    pub fn are_announced(store: &Store, account: &Account, now: Timestamp) -> bool {
        let registry = store.registry();
        let contracts = registry.contracts(&account.name);
        let begun = |contract: &&Contract| contract.from().start(&account.zone) <= now;
        let holds_now = contracts.and_then(|all| all.all().iter().rfind(begun));
        let needs_more =
            |it: &Contract| it.series().next().is_some() || it.day_lists().next().is_some();
        holds_now.is_some_and(needs_more)
    }

    /// Of an account with any contract; `None` without one, and without any price of these days.
    /// Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of_two_days(
        store: &Store,
        account: &Account,
        now: Timestamp,
    ) -> Result<Option<Self>, StoreError> {
        let days = AccountDays::new(account.zone.clone(), now);
        let midnights = (days.start(0), days.start(-1), days.start(-2));
        let (Some(today), Some(tomorrow), Some(end)) = midnights else {
            return Ok(None);
        };
        let Some(both) = TimeRange::new(today, end) else {
            return Ok(None);
        };
        let known = Self::within(store, account, both)?;
        Ok(known.map(|known| {
            let is_tomorrow = known.prices.last().is_some_and(|it| it.to > tomorrow);
            let one = TimeRange::new(today, tomorrow).filter(|_| !is_tomorrow);
            Self {
                range: one.unwrap_or(both),
                ..known
            }
        }))
    }

    /// The prices of a range, which are in memory together: of some weeks at the most. `None`
    /// without a contract, and without any price. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn within(
        store: &Store,
        account: &Account,
        range: TimeRange,
    ) -> Result<Option<Self>, StoreError> {
        let registry = store.registry();
        let Some(contracts) = registry.contracts(&account.name) else {
            return Ok(None);
        };
        let Some(currency) = contracts.currency() else {
            return Ok(None);
        };
        let begun = |contract: &&Contract| contract.from().start(&account.zone) <= range.end();
        // All that may hold then: few have more than one series.
        let holding = contracts.all().iter().filter(begun);
        let names: BTreeSet<&Label> = holding.clone().flat_map(Contract::series).collect();
        let mean = holding.clone().filter_map(Contract::longest_mean).max();
        let known = mean.map(|mean| MeanPeriods::new(mean, &account.zone).around(range));
        let known = known.unwrap_or(range);
        let lists: BTreeSet<&Label> = holding.flat_map(Contract::day_lists).collect();
        let fits = |name: &&Label| {
            let of = SeriesCurrency::of(store, &account.name, (name, Some(currency)));
            !matches!(of, SeriesCurrency::Other(_))
        };
        let names = names.into_iter().filter(fits);
        let series = names.map(|name| {
            let prices = store.prices(&account.name, name, known)?;
            converted(store, &account.name, (prices, Some(currency)))
        });
        let series: Vec<PriceSeries> = series.collect::<Result<_, StoreError>>()?;
        let announced = Announced {
            series,
            days: registry.named_day_lists(&account.name, lists),
            ..Announced::default()
        };
        let (prices, credits) = steps(Pricer::new(contracts, &account.zone, &announced, range));
        Ok((!prices.is_empty()).then(|| Self {
            range,
            currency: currency.clone(),
            prices,
            credits,
        }))
    }

    /// The mean price of a stretch; `None` if there is none for a part of it.
    #[must_use]
    pub fn mean(&self, from: Timestamp, length_ms: i64) -> Option<f64> {
        let end = from.saturating_add_millis(length_ms);
        let (mut at, mut sum) = (from, 0.0);
        let first = self.prices.partition_point(|it| it.to <= from);
        let steps = self.prices.iter().skip(first);
        for step in steps.take_while(|it| it.from < end) {
            if step.from > at {
                return None;
            }
            let until = step.to.min(end);
            #[expect(clippy::cast_precision_loss, reason = "some hours at the most")]
            let [part, whole] = [until.millis() - at.millis(), length_ms].map(|ms| ms as f64);
            sum += step.price.to_f64() * part / whole;
            at = until;
        }
        (at == end).then_some(sum)
    }

    /// The price at a time; `None` where there is none.
    #[must_use]
    pub fn at(&self, time: Timestamp) -> Option<&PriceStep> {
        self.prices
            .iter()
            .find(|it| it.from <= time && time < it.to)
    }
}

/// The prices and the credits of a range without any energy yet.
fn steps(mut pricer: Pricer) -> (Vec<PriceStep>, Vec<PriceStep>) {
    let (mut imports, mut credits) = (Vec::new(), Vec::new());
    while let Some(slot) = pricer.next_slot() {
        if slot.is_billed() {
            let step = |price| PriceStep {
                from: slot.from(),
                to: slot.to(),
                price,
            };
            let found = pricer.marginal_price();
            imports.extend(found.import.map(step));
            credits.extend(found.export.map(step));
        }
        pricer.add(slot, None);
    }
    (imports, credits)
}
