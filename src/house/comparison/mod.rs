//! The cost of a range by the contracts, and by each offer instead of them; `answer`: the same for
//! the API and the commands.

mod answer;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

pub use self::answer::{ComparedRow, ComparisonAnswer};
use crate::domain::{Account, Currency, Decimal, LocalDate, TimeRange, Timestamp};
use crate::house::price_window::PriceWindow;
use crate::house::priced_side::{PricedSide, PricedSides, less, priced_sides};
use crate::house::prices::HousePrices;
use crate::house::sensors::HouseSensors;
use crate::house::side_by_side::{AskedSide, SeriesWindow};
use crate::house::statement::{as_if_begun, no_contract, so_far};
use crate::ledger::Flow;
use crate::ledger::contract::{Contract, Contracts, Label};
use crate::store::{Store, StoreError};

/// The most slots of prices in a comparison: ten offers and ten years of quarters of an hour. It
/// takes some seconds.
const MOST_SLOTS: usize = 4_000_000;
/// The places of the price series: those of the contracts in force, those of other offers, none.
const OWN_SERIES: usize = 0;
const SHARED_SERIES: usize = 1;
const NO_SERIES: usize = 2;

/// The costs of a range by the contracts in force, and by each offer instead of them. The cheapest is
/// the first one; behind all of them are those with energy that has no price.
pub struct ContractComparison {
    /// The contracts in force, without a name, and each offer.
    pub priced: PricedSides<Option<Label>>,
    /// The energy at the grid, as far as it is known; `None` if none is.
    pub energy: Option<Flow>,
    /// Offers in another currency, which are not compared.
    pub left_out: Vec<Label>,
}

/// Why a range cannot be compared.
#[derive(Debug, Error)]
pub enum CompareError {
    /// No contract is in force in the range.
    #[error("{}", no_contract(.0.as_ref(), NO_CONTRACT))]
    NoContract(Option<LocalDate>),
    /// The range has too many prices for the number of offers.
    #[error("this takes more than {} million prices: choose a shorter range, or remove offers", MOST_SLOTS / 1_000_000)]
    TooMany,
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

const NO_CONTRACT: &str = "there is no contract to compare offers with: add yours first";

/// The cost from the start of `range` until before its end, or until `now` if that is sooner: by the
/// contracts of an account, and by each offer instead of them. Blocks on the disk.
///
/// # Errors
/// [`CompareError`].
pub fn compare(
    store: &Store,
    account: &Account,
    range: Range<Timestamp>,
    now: Timestamp,
) -> Result<ContractComparison, CompareError> {
    compare_within(store, account, (range, now), MOST_SLOTS)
}

fn compare_within(
    store: &Store,
    account: &Account,
    (range, now): (Range<Timestamp>, Timestamp),
    most: usize,
) -> Result<ContractComparison, CompareError> {
    let (contracts, currency) =
        in_force(store, account, &range).map_err(CompareError::NoContract)?;
    let range = so_far(&range, now);
    let registry = store.registry();
    let offers = registry.offers(&account.name);
    let (offers, others): (Vec<&Contract>, Vec<&Contract>) =
        offers.partition(|offer| *offer.currency() == currency);
    let sides = priced(store, account, (&contracts, &offers), &range, (now, most))?;
    let names = offers.iter().map(|offer| Some(offer.name().clone()));
    let names = [None].into_iter().chain(names);
    let energy = sides.first().and_then(|present| present.statement.energy);
    let mut sides: Vec<(Option<Label>, PricedSide)> = names.zip(sides).collect();
    // The contracts in force come before offers with the same total.
    sides.sort_by_cached_key(|(offer, side)| {
        let total = side.statement.whole_total();
        (total.is_none(), total, offer.clone())
    });
    let whole = TimeRange::new(range.start, range.end);
    Ok(ContractComparison {
        priced: PricedSides {
            range: whole.unwrap_or(TimeRange::at(range.start)),
            currency,
            sides,
        },
        energy,
        left_out: others.iter().map(|offer| offer.name().clone()).collect(),
    })
}

impl ContractComparison {
    /// The total of a side less that of the contracts in force; `None` unless all known energy of
    /// both has a price.
    #[must_use]
    pub fn difference(&self, side: &PricedSide) -> Option<Decimal> {
        let mut sides = self.priced.sides.iter();
        let (_, present) = sides.find(|(offer, _)| offer.is_none())?;
        let [own, present] = [side, present].map(|it| it.statement.whole_total());
        Some(less(own?, present?))
    }
}

/// The contracts of an account, and their currency; the first day of the first one if none is in
/// force in a range.
pub(super) fn in_force(
    store: &Store,
    account: &Account,
    range: &Range<Timestamp>,
) -> Result<(Arc<Contracts>, Currency), Option<LocalDate>> {
    let contracts = store.registry().contracts(&account.name).cloned();
    let contracts = contracts.unwrap_or_default();
    let first = contracts.all().first().map(Contract::from);
    let begun = first.filter(|first| first.start(&account.zone) < range.end);
    match (begun, contracts.currency().cloned()) {
        (Some(_), Some(currency)) => Ok((contracts, currency)),
        _ => Err(first),
    }
}

/// The costs by the contracts, then by each offer.
fn priced(
    store: &Store,
    account: &Account,
    (contracts, offers): (&Arc<Contracts>, &[&Contract]),
    range: &Range<Timestamp>,
    (now, most): (Timestamp, usize),
) -> Result<Vec<PricedSide>, CompareError> {
    let of = |contracts| HousePrices::by(store, account, range.clone(), contracts);
    let present = of(Arc::clone(contracts));
    let offers = offers
        .iter()
        .map(|offer| of(as_if_begun(offer, account, range.start)));
    let offers: Vec<HousePrices> = offers.collect();
    // Those of the contracts in force are read as for their statement. All offers with other series
    // share one window: prices of each alone would take a lot of memory.
    let own = present.window.clone();
    let names: BTreeSet<&Label> = offers.iter().flat_map(|it| it.window.names()).collect();
    let currency = contracts.currency();
    let window = |names, mean| PriceWindow::new(account, (names, mean, currency), range.end);
    let mean = offers.iter().filter_map(|it| it.window.mean()).max();
    let shared = window(names.into_iter().cloned().collect(), mean);
    let place = |prices: &HousePrices| match prices.window.names() {
        [] => NO_SERIES,
        names if names == own.names() && prices.window.mean() <= own.mean() => OWN_SERIES,
        _ => SHARED_SERIES,
    };
    let side = |prices| AskedSide {
        prices,
        window: place(prices),
        scenario: None,
    };
    let sides = [&present].into_iter().chain(&offers).map(side).collect();
    let windows = [own, shared, window(Vec::new(), None)].map(SeriesWindow::new);
    let house = HouseSensors::of(store, &account.name, now)?;
    let asked = (sides, windows.into());
    let found = priced_sides(store, account, (&house, range), asked, most)?;
    found.ok_or(CompareError::TooMany)
}

#[cfg(test)]
pub(super) mod tests;
