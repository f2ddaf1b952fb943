//! The cost and the energy of parts of a range, and where a house is priced as it was.

use std::ops::Add;

use crate::domain::{Decimal, MicroWh, TimeRange};
use crate::ledger::Flow;
use crate::ledger::contract::{Amount, SlotCost};
use crate::ledger::house::MeasuredSlot;

/// The quarters of an hour in which nobody knows how a house would have differed: it is priced as it
/// was there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// How long they are, in milliseconds.
    pub(super) ms: i64,
    /// The energy at the grid in those of any of the houses side by side, as far as it is known.
    pub(super) flow: Flow,
    /// The energy of panels and batteries in them, likewise.
    pub(super) own: MicroWh,
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

impl PricedPart {
    /// The costs less the credits, by the rules of [`crate::ledger::CostStatement::total`].
    pub(super) fn total(&self) -> Option<Decimal> {
        self.amount().map(Amount::rounded)
    }

    /// The total less that of the same part of another house; `None` if the energy of either is
    /// unknown, or none of it has a price.
    pub(super) fn more_than(&self, other: &Self) -> Option<Decimal> {
        Some((self.amount()? - other.amount()?).rounded())
    }

    fn amount(&self) -> Option<Amount> {
        let (cost, energy) = (self.cost, self.known.flow?);
        let is_priced = energy == Flow::default() || cost.unpriced != energy;
        is_priced.then(|| cost.cost - cost.credit)
    }
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
