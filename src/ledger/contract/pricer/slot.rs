//! Slots of priced energy, and their amounts.

use std::ops::{Add, Sub};

use crate::domain::{Decimal, MicroWh, Timestamp};
use crate::ledger::contract::Amount;
use crate::ledger::stretch::Flow;

/// A stretch of time with constant prices and periods. Tiers can change in it, by energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceSlot {
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
    pub(super) is_billed: bool,
}

/// The known energy of a slot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeteredEnergy {
    /// Of the house; `None` if unknown.
    pub flow: Option<Flow>,
    /// Whether all of the house's energy is known: otherwise no peak is measured.
    pub is_whole: bool,
    /// The known energy that each of [`super::Pricer::sensors`] drew.
    pub named: Vec<MicroWh>,
    /// Whether all energy of these sensors is known.
    pub are_named_whole: bool,
}

/// The exact amounts of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotCost {
    /// Its energy, its share of fixed charges, the demand in the slot that completes a new peak of
    /// the month, and the taxes on all that less those on the credit.
    pub cost: Amount,
    /// The credits for export, before taxes.
    pub credit: Amount,
    /// Energy that has no price.
    pub unpriced: Flow,
}

/// The price of one more kilowatt-hour with the taxes on it, rounded to a millionth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarginalPrice {
    /// Drawn; `None` where it has no price.
    pub import: Option<Decimal>,
    /// The credit for export; `None` where it is unpriced.
    pub export: Option<Decimal>,
}

impl PriceSlot {
    /// Its beginning.
    #[must_use]
    pub const fn from(&self) -> Timestamp {
        self.from
    }

    /// Its end, where the next one begins.
    #[must_use]
    pub const fn to(&self) -> Timestamp {
        self.to
    }

    /// Its parts between each two neighbours of these ascending times, which lie in it.
    #[must_use]
    pub fn parts(self, times: &[Timestamp]) -> Vec<Self> {
        let part = |pair: &[Timestamp]| {
            let &[from, to] = pair else { return None };
            Some(Self { from, to, ..self })
        };
        times.windows(2).filter_map(part).collect()
    }

    /// Its part until `end`, if that lies in it: the rest is a slot of its own then.
    #[must_use]
    pub fn until(self, end: Timestamp) -> Self {
        let is_within = self.from < end && end < self.to;
        let to = if is_within { end } else { self.to };
        Self { to, ..self }
    }

    /// Whether it lies in the range; before that its energy counts for periods and peaks alone.
    #[must_use]
    pub const fn is_billed(&self) -> bool {
        self.is_billed
    }
}

impl MeteredEnergy {
    /// The energy of a house, where no contract names a sensor.
    #[must_use]
    pub const fn of_house(flow: Option<Flow>) -> Self {
        Self {
            flow,
            is_whole: true,
            named: Vec::new(),
            are_named_whole: true,
        }
    }
}

/// The amounts of consecutive slots.
impl Add for SlotCost {
    type Output = Self;

    fn add(self, later: Self) -> Self {
        Self {
            cost: self.cost + later.cost,
            credit: self.credit + later.credit,
            unpriced: self.unpriced + later.unpriced,
        }
    }
}

/// The amounts of a stretch without those of its first part.
impl Sub for SlotCost {
    type Output = Self;

    fn sub(self, first: Self) -> Self {
        Self {
            cost: self.cost - first.cost,
            credit: self.credit - first.credit,
            unpriced: self.unpriced - first.unpriced,
        }
    }
}
