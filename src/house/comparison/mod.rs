//! The cost of a range by the contracts, and by each offer instead of them; `answer`: the same for
//! the API and the commands.

mod answer;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

pub use self::answer::{ComparedRow, ComparisonAnswer};
use crate::domain::{
    Account, Calendar, Currency, Decimal, Interval, LocalDate, MicroWh, TimeRange, Timestamp,
};
use crate::house::price_window::PriceWindow;
use crate::house::prices::HousePrices;
use crate::house::sensors::HouseSensors;
use crate::house::side_by_side::{AskedSide, PricedPart, PricedSide, SeriesWindow, SideBySide};
use crate::house::statement::{as_if_begun, no_contract, so_far};
use crate::ledger::contract::{Contract, Contracts, Label};
use crate::ledger::house::MeasuredSlot;
use crate::ledger::{CostStatement, Flow};
use crate::store::{Store, StoreError};

/// The most slots of prices in a comparison: ten offers and ten years of quarters of an hour. It
/// takes some seconds.
const MOST_SLOTS: usize = 4_000_000;
/// The places of the price series: those of the contracts in force, those of other offers, none.
const OWN_SERIES: usize = 0;
const SHARED_SERIES: usize = 1;
const NO_SERIES: usize = 2;

/// The costs of a range by the contracts in force, and by each offer instead of them.
pub struct ContractComparison {
    /// The range until now, without its end.
    pub range: TimeRange,
    /// The currency of all amounts.
    pub currency: Currency,
    /// The energy at the grid, as far as it is known; `None` if none is.
    pub energy: Option<Flow>,
    /// The contracts in force and each offer: the cheapest first, and behind them those with energy
    /// that has no price.
    pub sides: Vec<ComparedSide>,
    /// Offers in another currency, which are not compared.
    pub left_out: Vec<Label>,
}

/// The costs by some contracts.
pub struct ComparedSide {
    /// The name of the offer; `None` for the contracts in force.
    pub offer: Option<Label>,
    /// The statement of the range.
    pub statement: CostStatement,
    /// Its total less that of the contracts in force; `None` unless all energy of both has a price.
    pub difference: Option<Decimal>,
    /// The first day of each month of the range, and the total of its part; `None` if its energy is
    /// unknown or unpriced. Each is rounded by itself.
    pub months: Vec<(LocalDate, Option<Decimal>)>,
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
    let months = months(&range, account);
    let priced = priced(
        store,
        account,
        (&contracts, &offers),
        (&range, &months),
        (now, most),
    )?;
    let names = offers.iter().map(|offer| Some(offer.name().clone()));
    let names = [None].into_iter().chain(names);
    let side = |(offer, side): (Option<Label>, PricedSide)| {
        let totals = side.parts.iter().map(total_of);
        let begins = months
            .iter()
            .map(|month| LocalDate::at(month.start, &account.zone));
        ComparedSide {
            offer,
            statement: side.statement,
            difference: None,
            months: begins.zip(totals).collect(),
        }
    };
    let present = priced.iter().take(1).flat_map(|present| &present.parts);
    let known = present.fold(MeasuredSlot::default(), |sum, part| sum + part.known);
    let mut sides: Vec<ComparedSide> = names.zip(priced).map(side).collect();
    compare_totals(&mut sides);
    let whole = TimeRange::new(range.start, range.end);
    Ok(ContractComparison {
        range: whole.unwrap_or(TimeRange::at(range.start)),
        currency,
        energy: known.flow,
        sides,
        left_out: others.iter().map(|offer| offer.name().clone()).collect(),
    })
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

/// The costs of each month: of the contracts, then of each offer.
fn priced(
    store: &Store,
    account: &Account,
    (contracts, offers): (&Arc<Contracts>, &[&Contract]),
    (range, months): (&Range<Timestamp>, &[Range<Timestamp>]),
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
    let ends = months.iter().map(|month| month.end).collect();
    let walk = SideBySide::new(&house, range.clone(), ends, (sides, windows.into()));
    walk.all(store, most)?.ok_or(CompareError::TooMany)
}

/// The parts of a range by month.
pub(super) fn months(range: &Range<Timestamp>, account: &Account) -> Vec<Range<Timestamp>> {
    let mut calendar = Calendar::new(account.zone.clone(), Interval::Month);
    let mut months = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let next = calendar.bucket(start).end().saturating_add_millis(1);
        let end = next.min(range.end);
        months.push(start..end);
        start = end;
    }
    months
}

/// The costs less the credits, by the rules of [`CostStatement::total`].
pub(super) fn total_of(part: &PricedPart) -> Option<Decimal> {
    let (cost, energy) = (part.cost, part.known.flow?);
    let is_priced = energy == Flow::default() || cost.unpriced != energy;
    is_priced.then(|| (cost.cost - cost.credit).rounded())
}

/// Fills in the differences, and sorts.
fn compare_totals(sides: &mut [ComparedSide]) {
    let present = sides.first().and_then(ComparedSide::whole_total);
    for side in sides.iter_mut() {
        let both = side.whole_total().zip(present);
        side.difference = both.map(|(total, present)| {
            let less = Decimal::from_millionths(present.millionths().saturating_neg());
            total.saturating_add(less)
        });
    }
    // The contracts in force come before offers with the same total.
    sides.sort_by_cached_key(|side| {
        let total = side.whole_total();
        (total.is_none(), total, side.offer.clone())
    });
}

impl ComparedSide {
    /// Whether all known energy has a price.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.whole_total().is_some()
    }

    /// The total, unless it leaves energy out.
    fn whole_total(&self) -> Option<Decimal> {
        self.statement.whole_total()
    }

    /// All costs with their taxes, before the credits, for each kilowatt-hour that was drawn;
    /// `None` if none was, or not all of it has a price.
    #[must_use]
    pub fn mean_price(&self) -> Option<Decimal> {
        let total = self.whole_total()?;
        let drawn = self.statement.energy?.imported;
        let costs = total.saturating_add(self.statement.bill.credits);
        per_kilowatthour(costs, drawn)
    }
}

/// The nearest price, half of a millionth away from zero.
pub(super) fn per_kilowatthour(amount: Decimal, energy: MicroWh) -> Option<Decimal> {
    const ONE: i128 = 1_000_000_000;
    let energy = i128::from(energy.millionths());
    if energy <= 0 {
        return None;
    }
    let amount = i128::from(amount.millionths()) * ONE;
    let half = if amount < 0 { -energy } else { energy } / 2;
    let price = (amount + half) / energy;
    i64::try_from(price).ok().map(Decimal::from_millionths)
}

#[cfg(test)]
pub(super) mod tests;
