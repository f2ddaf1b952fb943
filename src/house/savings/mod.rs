//! The savings by the panels and the battery of a house: its costs as it was, and without them
//! (docs/DECIDE.md).
//!
//! - `without`: the parts that a house would not have had
//! - `payback`: how far purchases have paid for themselves; `paybacks`: those of an account;
//!   `purchase_group`: purchases that the same savings pay for; `amounts`: parts of amounts
//! - `answer`, `payback_answer`: both for the API and the commands

mod amounts;
mod answer;
mod payback;
mod payback_answer;
mod paybacks;
mod purchase_group;
mod without;

use std::ops::Range;

use thiserror::Error;

use self::amounts::negative;
pub use self::answer::{SavedRow, SavingsAnswer};
pub use self::payback::{Payback, PaybackReason};
pub use self::payback_answer::{PaybackAnswer, PaybackRow};
pub use self::paybacks::paybacks;
pub use self::without::HouseWithout;
use crate::domain::{Account, Currency, Decimal, LocalDate, Role, TimeRange, Timestamp};
use crate::house::comparison::{in_force, months, total_of};
use crate::house::prices::HousePrices;
use crate::house::scenario::is_needed;
use crate::house::sensors::HouseSensors;
use crate::house::side_by_side::{AskedSide, PricedPart, PricedSide, SeriesWindow, SideBySide};
use crate::house::statement::{no_contract, so_far, touching};
use crate::ledger::scenario::HouseQuarter;
use crate::ledger::{CostStatement, Flow};
use crate::store::{Store, StoreError};

/// The most slots of prices in an answer: four houses, and ten years of quarters of an hour, more
/// than twice. It takes some seconds.
const MOST_SLOTS: usize = 4_000_000;

/// The costs of a house as it was, and as it would have been.
pub struct HouseSavings {
    /// The range until now, without its end.
    pub range: TimeRange,
    /// The currency of all amounts.
    pub currency: Currency,
    /// The energy of the house as it was; `None` in an empty range.
    pub energy: Option<HouseQuarter>,
    /// Whether a sensor measures the energy that is fed in.
    pub measures_export: bool,
    /// The house as it was, and behind it without each of its parts.
    pub sides: Vec<SavedSide>,
}

/// A house as it was, or as it would have been.
pub struct SavedSide {
    /// The parts that it would not have had; `None` for the house as it was.
    pub without: Option<HouseWithout>,
    /// The statement of the range.
    pub statement: CostStatement,
    /// Its total less that of the house as it was; `None` if either is, or if nothing is measured.
    pub saved: Option<Decimal>,
    /// The energy at the grid in quarters of an hour that are not measured: it counts as it was.
    pub left_out: Flow,
    /// The months of the range.
    pub months: Vec<SavedMonth>,
}

impl SavedSide {
    /// The energy at the grid, without that of quarters of an hour that are not measured.
    #[must_use]
    pub fn energy(&self) -> Option<Flow> {
        self.statement.energy.map(|flow| flow - self.left_out)
    }
}

/// A month of a house, each amount rounded by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SavedMonth {
    /// Its first day, or that of the range in it.
    pub first: LocalDate,
    /// Its total; `None` if its energy is unknown or unpriced.
    pub total: Option<Decimal>,
    /// The total less that of the house as it was.
    pub saved: Option<Decimal>,
}

/// The length of a month, its first day, and what it cost with and without some parts.
type SavedIn<'a> = (&'a i64, (&'a LocalDate, (&'a PricedPart, &'a PricedPart)));

/// Why it is not known what a house would have paid.
#[derive(Debug, Error)]
pub enum SavingsError {
    /// No contract is in force in the range.
    #[error("{}", no_contract(.0.as_ref(), NO_CONTRACT))]
    NoContract(Option<LocalDate>),
    /// The house does not have this.
    #[error("{}", no_part(.0.as_ref()))]
    NoPart(Option<HouseWithout>),
    /// The range has too many prices.
    #[error("this takes more than {} million prices: choose a shorter range", MOST_SLOTS / 1_000_000)]
    TooMany,
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

const NO_CONTRACT: &str = "there is no contract to price the energy by: add yours first";

fn no_part(without: Option<&HouseWithout>) -> String {
    let (has, expected) = match without {
        None | Some(HouseWithout::Both) => (
            "neither panels nor a battery",
            "with the role solar or battery",
        ),
        Some(HouseWithout::Panels) => ("no panels", "with the role solar"),
        Some(HouseWithout::Battery) => ("no battery", "with the role battery"),
    };
    format!("this house has {has} that is measured: expected a sensor {expected}, with readings")
}

/// The costs of a house from the start of `range` until before its end, or until `now` if that is
/// sooner: as it was, and without its panels, its battery, and both. Blocks on the disk.
///
/// # Errors
/// [`SavingsError`].
pub fn savings(
    store: &Store,
    account: &Account,
    range: Range<Timestamp>,
    now: Timestamp,
) -> Result<HouseSavings, SavingsError> {
    let (_, currency) = in_force(store, account, &range).map_err(SavingsError::NoContract)?;
    let range = so_far(&range, now);
    let house = HouseSensors::of(store, &account.name, now)?;
    let parts = HouseWithout::of(&house);
    if parts.is_empty() {
        return Err(SavingsError::NoPart(None));
    }
    let without = [None].into_iter().chain(parts.into_iter().map(Some));
    let without: Vec<Option<HouseWithout>> = without.collect();
    let months = months(&range, account);
    let ends = months.iter().map(|month| month.end).collect();
    let sides = priced(store, account, (&house, &without), (&range, ends))?;
    let firsts = months
        .iter()
        .map(|month| LocalDate::at(month.start, &account.zone));
    let firsts: Vec<LocalDate> = firsts.collect();
    let lengths = months.iter().map(|it| it.end.millis() - it.start.millis());
    let lengths: Vec<i64> = lengths.collect();
    let was = sides.first();
    let side = |(&without, side): (&Option<HouseWithout>, &PricedSide)| {
        let was = was.unwrap_or(side);
        let months = firsts.iter().zip(side.parts.iter().zip(&was.parts));
        let lengths = lengths.iter();
        let month = |(&length_ms, (&first, (part, was))): SavedIn<'_>| SavedMonth {
            first,
            total: total_of(part),
            saved: saved_in(part, was).filter(|_| part.left_out_ms < length_ms),
        };
        let totals = side.statement.total().zip(was.statement.total());
        let saved = totals.map(|(total, was)| total.saturating_add(negative(was)));
        SavedSide {
            without,
            statement: side.statement.clone(),
            saved: saved.filter(|_| !side.left_out.is_all_of(side.statement.range)),
            left_out: side.left_out.flow,
            months: lengths.zip(months).map(month).collect(),
        }
    };
    let whole = TimeRange::new(range.start, range.end);
    Ok(HouseSavings {
        range: whole.unwrap_or(TimeRange::at(range.start)),
        currency,
        energy: was.and_then(|was| was.sums),
        measures_export: measures_export(&house),
        sides: without.iter().zip(&sides).map(side).collect(),
    })
}

/// The statement of a range as [`savings`] has it, for the house without some part.
///
/// # Errors
/// [`SavingsError`].
pub fn statement_without(
    store: &Store,
    account: &Account,
    (without, range): (HouseWithout, Range<Timestamp>),
    now: Timestamp,
) -> Result<CostStatement, SavingsError> {
    let range = so_far(&range, now);
    let house = HouseSensors::of(store, &account.name, now)?;
    let not_there = || SavingsError::NoPart(Some(without));
    if !HouseWithout::of(&house).contains(&without) {
        return Err(not_there());
    }
    let asked = (&range, vec![range.end]);
    let sides = priced(store, account, (&house, &[Some(without)]), asked)?;
    let side = sides.into_iter().next().ok_or_else(not_there)?;
    let mut statement = side.statement;
    let measured = house.only(is_needed);
    statement.touched.corrections = touching(store, account, (&measured, &range));
    Ok(statement)
}

/// The costs of a house without each of these parts, between these ends of a range.
fn priced(
    store: &Store,
    account: &Account,
    (house, without): (&HouseSensors, &[Option<HouseWithout>]),
    (range, ends): (&Range<Timestamp>, Vec<Timestamp>),
) -> Result<Vec<PricedSide>, SavingsError> {
    let prices = HousePrices::of(store, account, range.clone());
    let windows = vec![SeriesWindow::new(prices.window.clone())];
    let side = |without: &Option<HouseWithout>| AskedSide {
        prices: &prices,
        window: 0,
        scenario: without.map(HouseWithout::scenario),
    };
    let sides = without.iter().map(side).collect();
    let walk = SideBySide::new(house, range.clone(), ends, (sides, windows));
    walk.all(store, MOST_SLOTS)?.ok_or(SavingsError::TooMany)
}

/// The savings in a part of the range; `None` if its energy is unknown, or none has a price.
fn saved_in(part: &PricedPart, was: &PricedPart) -> Option<Decimal> {
    total_of(part).and(total_of(was))?;
    let amount = |part: &PricedPart| part.cost.cost - part.cost.credit;
    Some((amount(part) - amount(was)).rounded())
}

fn measures_export(house: &HouseSensors) -> bool {
    let mut sensors = house.sensors.iter().filter(|it| it.has_data());
    sensors.any(|it| matches!(it.sensor.role, Role::Grid | Role::GridExport))
}

#[cfg(test)]
mod tests;
