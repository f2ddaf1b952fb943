//! Energy with its worth by the contracts.

use std::ops::{Add, Sub};

use crate::domain::{Decimal, MicroWh};
use crate::ledger::contract::Amount;

/// Energy, and its worth by the contracts at its time: drawn energy its price, own energy the credit
/// that it would have earned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValuedEnergy {
    /// The energy.
    pub energy: MicroWh,
    /// The worth of its priced part.
    pub value: Amount,
    /// The part of it without a price.
    pub unpriced: MicroWh,
}

/// The worth of energy in a slot.
pub struct SlotWorth<'a> {
    /// Of own energy: the credit that it would have earned.
    pub own: &'a dyn Fn(MicroWh) -> ValuedEnergy,
    /// Of drawn energy: its price.
    pub drawn: &'a dyn Fn(MicroWh) -> ValuedEnergy,
}

impl ValuedEnergy {
    /// Energy at a price per kilowatt-hour; `None` if it has none.
    #[must_use]
    pub fn at(price: Option<Decimal>, energy: MicroWh) -> Self {
        Self {
            energy,
            value: price.map_or(Amount::ZERO, |price| Amount::of(price, energy)),
            unpriced: price.map_or(energy, |_| MicroWh::ZERO),
        }
    }

    /// So much of it, with its share of the value.
    #[must_use]
    pub fn part(&self, energy: MicroWh) -> Self {
        Self {
            energy,
            value: self.value.scaled(energy, self.energy),
            unpriced: self.unpriced.scaled(energy, self.energy),
        }
    }
}

impl Add for ValuedEnergy {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            energy: self.energy + other.energy,
            value: self.value + other.value,
            unpriced: self.unpriced + other.unpriced,
        }
    }
}

impl Sub for ValuedEnergy {
    type Output = Self;

    fn sub(self, part: Self) -> Self {
        Self {
            energy: self.energy - part.energy,
            value: self.value - part.value,
            unpriced: self.unpriced - part.unpriced,
        }
    }
}
