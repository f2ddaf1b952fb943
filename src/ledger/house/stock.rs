//! The energy in a house's batteries, and the sources of a house with batteries (docs/DECIDE.md).

use super::mix::SourceMix;
use super::sources::HouseBalance;
use super::valued::{SlotWorth, ValuedEnergy};
use crate::domain::MicroWh;

/// The energy in a battery that was counted so far.
#[derive(Clone, Copy, Debug, Default)]
struct BatteryStock {
    own: ValuedEnergy,
    grid: ValuedEnergy,
}

/// The energy in a house's batteries: what they took since the beginning of the week before, less
/// what they gave.
///
/// Without an end, energy lost in a battery would stay in its stock for ever, and results would
/// depend on where a walk begins. So a second stock begins with each week, and takes the place of
/// the first one a week later.
#[derive(Clone, Copy, Debug, Default)]
pub struct BatteryStocks {
    /// Begun with the week before.
    older: BatteryStock,
    /// Begun with this week.
    newer: BatteryStock,
}

impl BatteryStock {
    fn charge(&mut self, own: ValuedEnergy, grid: ValuedEnergy) {
        self.own = self.own + own;
        self.grid = self.grid + grid;
    }

    /// Takes energy out, in the proportion of the stock: own energy and energy from the grid. Less
    /// than asked for if the stock does not have it.
    fn give(&mut self, energy: MicroWh) -> [ValuedEnergy; 2] {
        let all = self.own.energy + self.grid.energy;
        let energy = energy.min(all).max(MicroWh::ZERO);
        let own = self.own.part(self.own.energy.scaled(energy, all));
        let grid = self.grid.part(energy - own.energy);
        self.own = self.own - own;
        self.grid = self.grid - grid;
        [own, grid]
    }
}

impl BatteryStocks {
    /// Begins a week.
    pub fn begin_week(&mut self) {
        self.older = std::mem::take(&mut self.newer);
    }

    /// The sources of the house in the next slot. First the battery takes what it charged, then it
    /// gives. What it gives beyond its stock is own energy: the grid did not give it in this time.
    ///
    /// `named` is the energy that contracts price by itself, so it is the grid's, and nobody else's.
    pub fn mix(
        &mut self,
        balance: &HouseBalance,
        named: MicroWh,
        worth: &SlotWorth<'_>,
    ) -> SourceMix {
        let nothing = MicroWh::ZERO;
        let sources = balance.sources();
        let charged = (
            (worth.own)(sources.charged_by_solar.max(nothing)),
            (worth.drawn)(sources.charged_by_grid.max(nothing)),
        );
        let given = balance.discharged.unwrap_or_default().max(nothing);
        self.newer.charge(charged.0, charged.1);
        self.newer.give(given);
        self.older.charge(charged.0, charged.1);
        let [own, grid] = self.older.give(given);
        let beyond = given - own.energy - grid.energy;
        let own = own + (worth.own)(beyond);
        // A part of it was fed in, in the same proportion.
        let used = sources.battery.max(nothing).min(given);
        let battery = own.part(own.energy.scaled(used, given));
        SourceMix {
            solar: (worth.own)(sources.solar.max(nothing)),
            battery,
            stored: grid.part(used - battery.energy),
            grid: (worth.drawn)((sources.grid - named).max(nothing)),
        }
    }
}
