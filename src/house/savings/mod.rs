//! The savings by the panels and the battery of a house: its costs as it was, and without them
//! (docs/DECIDE.md).
//!
//! - `payback`: how far purchases have paid for themselves; `paybacks`: those of an account;
//!   `purchase_group`: purchases that the same savings pay for; `amounts`: parts of amounts
//! - `answer`, `payback_answer`: both for the API and the commands

mod amounts;
mod answer;
mod payback;
mod payback_answer;
mod paybacks;
mod purchase_group;

use std::ops::Range;

use thiserror::Error;

pub use self::answer::{SavedRow, SavingsAnswer};
pub use self::payback::Payback;
pub use self::payback_answer::{PaybackAnswer, PaybackRow};
pub use self::paybacks::paybacks;
use crate::domain::{Account, Decimal, LocalDate, Role, TimeRange, Timestamp};
use crate::house::comparison::in_force;
use crate::house::priced_side::{PricedSide, PricedSides, priced_sides};
use crate::house::prices::HousePrices;
use crate::house::scenario::{HouseWithout, Scenario, is_needed};
use crate::house::sensors::HouseSensors;
use crate::house::side_by_side::{AskedSide, SeriesWindow};
use crate::house::statement::{no_contract, so_far, touching};
use crate::ledger::CostStatement;
use crate::store::{Store, StoreError};

/// The most slots of prices in an answer: four houses, and ten years of quarters of an hour, more
/// than twice. It takes some seconds.
const MOST_SLOTS: usize = 4_000_000;

/// The costs of a house as it was, and without its parts.
pub struct HouseSavings {
    /// The house as it was, and behind it without each of its parts.
    pub priced: PricedSides<Option<HouseWithout>>,
    /// Whether a sensor measures the energy that is fed in.
    pub measures_export: bool,
}

impl HouseSavings {
    /// The house as it was.
    #[must_use]
    pub fn was(&self) -> Option<&PricedSide> {
        self.priced.sides.first().map(|(_, was)| was)
    }

    /// What the parts saved that a side is without: its total less that of the house as it was.
    /// `None` if either is, or if nothing is measured.
    #[must_use]
    pub fn saved(&self, side: &PricedSide) -> Option<Decimal> {
        side.more_than(self.was()?)
    }
}

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
    let sides = priced(store, account, (&house, &without), &range)?;
    let whole = TimeRange::new(range.start, range.end);
    Ok(HouseSavings {
        priced: PricedSides {
            range: whole.unwrap_or(TimeRange::at(range.start)),
            currency,
            sides: without.into_iter().zip(sides).collect(),
        },
        measures_export: measures_export(&house),
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
    let sides = priced(store, account, (&house, &[Some(without)]), &range)?;
    let side = sides.into_iter().next().ok_or_else(not_there)?;
    let mut statement = side.statement;
    let measured = house.only(is_needed);
    statement.touched.corrections = touching(store, account, (&measured, &range));
    Ok(statement)
}

/// The costs of a house without each of these parts.
fn priced(
    store: &Store,
    account: &Account,
    (house, without): (&HouseSensors, &[Option<HouseWithout>]),
    range: &Range<Timestamp>,
) -> Result<Vec<PricedSide>, SavingsError> {
    let prices = HousePrices::of(store, account, range.clone());
    let asked = asked_sides(&prices, without);
    let found = priced_sides(store, account, (house, range), asked, MOST_SLOTS)?;
    found.ok_or(SavingsError::TooMany)
}

/// A house without each of these parts, by the same prices.
fn asked_sides<'a>(
    prices: &'a HousePrices,
    without: &[Option<HouseWithout>],
) -> (Vec<AskedSide<'a>>, Vec<SeriesWindow>) {
    let side = |without: &Option<HouseWithout>| AskedSide {
        prices,
        window: 0,
        scenario: without.map(|it| -> Box<dyn Scenario> { Box::new(it) }),
    };
    let windows = vec![SeriesWindow::new(prices.window.clone())];
    (without.iter().map(side).collect(), windows)
}

fn measures_export(house: &HouseSensors) -> bool {
    let mut sensors = house.sensors.iter().filter(|it| it.has_data());
    sensors.any(|it| matches!(it.sensor.role, Role::Grid | Role::GridExport))
}

#[cfg(test)]
mod tests;
