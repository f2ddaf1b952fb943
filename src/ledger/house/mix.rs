//! Who used the sun: the energy of a sub-meter by its sources, in proportion to those of the house
//! (docs/DECIDE.md).

use std::iter::Sum;
use std::ops::Add;

use super::valued::ValuedEnergy;
use crate::domain::MicroWh;
use crate::domain::number::to_millionth;
use crate::ledger::contract::Amount;

/// The energy that a sub-meter used, by its source. The parts add up to all of it, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsedSources {
    /// From the panels, at once.
    pub solar: ValuedEnergy,
    /// From the panels, by way of a battery.
    pub battery: ValuedEnergy,
    /// From the grid, by way of a battery.
    pub stored: ValuedEnergy,
    /// From the grid, at once.
    pub grid: ValuedEnergy,
    /// Used while nobody knows the sources of the house.
    pub unknown: MicroWh,
}

/// The sources of the energy that a house used in a slot of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceMix {
    /// From the panels, at once.
    pub solar: ValuedEnergy,
    /// From the panels, by way of a battery.
    pub battery: ValuedEnergy,
    /// From the grid, by way of a battery.
    pub stored: ValuedEnergy,
    /// From the grid, at once.
    pub grid: ValuedEnergy,
}

impl UsedSources {
    /// Energy from the grid, at once.
    #[must_use]
    pub fn of_grid(grid: ValuedEnergy) -> Self {
        Self {
            grid,
            ..Self::default()
        }
    }

    /// Energy of an unknown source.
    #[must_use]
    pub fn of_unknown(unknown: MicroWh) -> Self {
        Self {
            unknown,
            ..Self::default()
        }
    }

    /// All parts with a known source.
    #[must_use]
    pub fn known(&self) -> ValuedEnergy {
        self.solar + self.battery + self.stored + self.grid
    }

    /// The energy of the house's own panels.
    #[must_use]
    pub fn own(&self) -> MicroWh {
        self.solar.energy + self.battery.energy
    }

    /// The energy that came from the grid, at once or by way of a battery.
    #[must_use]
    pub fn grid_energy(&self) -> MicroWh {
        self.grid.energy + self.stored.energy
    }

    /// The share of own energy in that with a known source, from 0 to 1; `None` if there is no such
    /// energy.
    #[must_use]
    pub fn own_share(&self) -> Option<f64> {
        let known = self.known().energy;
        let share = || self.own().watthours() / known.watthours();
        (known > MicroWh::ZERO).then(|| to_millionth(share()).clamp(0.0, 1.0))
    }

    /// Its real cost; `None` if nothing of it has both a source and a price. No energy costs
    /// nothing.
    #[must_use]
    pub fn real_cost(&self) -> Option<Amount> {
        let known = self.known();
        let left_out = self.left_out();
        let is_priced = known.energy + self.unknown != left_out || left_out == MicroWh::ZERO;
        (is_priced || known.value != Amount::ZERO).then_some(known.value)
    }

    /// The energy that the cost leaves out: without a price, or of an unknown source.
    #[must_use]
    pub fn left_out(&self) -> MicroWh {
        self.known().unpriced + self.unknown
    }
}

impl SourceMix {
    /// The sources of a sub-meter that used so much, in proportion; of less than nothing, too.
    /// Unknown if the house used nothing.
    #[must_use]
    pub fn split(&self, energy: MicroWh) -> UsedSources {
        // The grid comes first, because parts are rounded down: so all sub-meters together never
        // have more of it than the house drew.
        let sources = [self.grid, self.stored, self.battery, self.solar];
        let whole: MicroWh = sources.iter().map(|source| source.energy).sum();
        if whole <= MicroWh::ZERO {
            return UsedSources::of_unknown(energy);
        }
        let (mut until, mut told) = (MicroWh::ZERO, MicroWh::ZERO);
        let [grid, stored, battery, solar] = sources.map(|source| {
            until = until + source.energy;
            let so_far = energy.scaled(until, whole);
            let own = so_far - told;
            told = so_far;
            source.part(own)
        });
        UsedSources {
            solar,
            battery,
            stored,
            grid,
            unknown: MicroWh::ZERO,
        }
    }
}

impl Add for UsedSources {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            solar: self.solar + other.solar,
            battery: self.battery + other.battery,
            stored: self.stored + other.stored,
            grid: self.grid + other.grid,
            unknown: self.unknown + other.unknown,
        }
    }
}

impl Sum for UsedSources {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Add::add)
    }
}
