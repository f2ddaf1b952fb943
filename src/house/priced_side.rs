//! The results of pricings side by side: the costs of a house, and where it is priced as it was.

use std::ops::Add;

use super::prices::HousePrices;
use super::scenario::Scenario;
use crate::domain::TimeRange;
use crate::ledger::contract::SlotCost;
use crate::ledger::house::MeasuredSlot;
use crate::ledger::scenario::HouseQuarter;
use crate::ledger::{CostStatement, Flow};

/// The quarters of an hour in which nobody knows how a house would have differed: it is priced as it
/// was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// How long they are, in milliseconds.
    pub(super) ms: i64,
    /// The energy at the grid in those of any of the houses side by side, as far as it is known.
    pub(super) flow: Flow,
}

impl LeftOut {
    /// Whether nothing else is left of a range.
    pub(super) const fn is_all_of(&self, range: TimeRange) -> bool {
        self.ms >= range.length_ms()
    }
}

/// The cost and the energy of a part of the range.
#[derive(Clone, Copy, Default)]
pub(super) struct PricedPart {
    pub(super) cost: SlotCost,
    /// The energy at the grid.
    pub(super) known: MeasuredSlot,
    /// For how long the house is priced as it was, in milliseconds.
    pub(super) left_out_ms: i64,
}

/// The sum of consecutive parts.
impl Add for PricedPart {
    type Output = Self;

    fn add(self, later: Self) -> Self {
        Self {
            cost: self.cost + later.cost,
            known: self.known + later.known,
            left_out_ms: self.left_out_ms.saturating_add(later.left_out_ms),
        }
    }
}

/// The result for some contracts.
pub(super) struct PricedSide {
    /// The statement of the range.
    pub(super) statement: CostStatement,
    /// The parts of the range.
    pub(super) parts: Vec<PricedPart>,
    /// The energy of the house in the range; `None` for an empty one. Without a scenario, that of
    /// the sensors at the grid alone.
    pub(super) sums: Option<HouseQuarter>,
    /// Where it is priced as it was.
    pub(super) left_out: LeftOut,
}

/// A house and its prices.
pub(super) struct AskedSide<'a> {
    pub(super) prices: &'a HousePrices,
    /// The place of its price series.
    pub(super) window: usize,
    /// `None` for the house as it was.
    pub(super) scenario: Option<Box<dyn Scenario>>,
}
