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

/// The energy in a house's batteries: charged since the beginning of the week before, and not yet
/// given.
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

    /// The sources of the house in the next slot. First the battery takes the charged energy, then
    /// it gives. Energy beyond its stock is own energy: the grid did not give it in this time.
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
        // Where meters contradict each other, a battery may charge more than there is.
        let by_grid = sources.charged_by_grid.min(balance.imported).max(nothing);
        let by_own = (balance.charged - by_grid).max(nothing);
        let charged = ((worth.own)(by_own), (worth.drawn)(by_grid));
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::Decimal;
    use crate::ledger::contract::Amount;
    use crate::ledger::house::UsedSources;

    const WH: i64 = 1_000_000;

    fn wh(watthours: i64) -> MicroWh {
        MicroWh::new(watthours * WH)
    }

    /// Own energy is worth 0.08, drawn energy this much.
    fn mix(stocks: &mut BatteryStocks, balance: HouseBalance, price: &str) -> SourceMix {
        let price = Decimal::parse(price).unwrap();
        let credit = Decimal::parse("0.08").unwrap();
        let worth = SlotWorth {
            own: &|energy| ValuedEnergy::at(Some(credit), energy),
            drawn: &|energy| ValuedEnergy::at(Some(price), energy),
        };
        stocks.mix(&balance, MicroWh::ZERO, &worth)
    }

    /// A house that uses what is drawn, produced and given, less what is fed in and charged.
    fn balance([imported, exported, produced, charged, discharged]: [i64; 5]) -> HouseBalance {
        HouseBalance {
            used: wh(imported - exported + produced + discharged - charged),
            imported: wh(imported),
            exported: wh(exported),
            produced: wh(produced),
            charged: wh(charged),
            discharged: Some(wh(discharged)),
        }
    }

    fn energies(it: &UsedSources) -> [i64; 4] {
        let parts = [it.solar, it.battery, it.stored, it.grid];
        parts.map(|part| part.energy.millionths() / WH)
    }

    fn cost(used: &UsedSources) -> String {
        used.real_cost().unwrap().rounded().to_string()
    }

    #[test]
    fn a_battery_gives_the_mix_of_what_it_took() {
        let mut stocks = BatteryStocks::default();
        // 2 kWh of the grid at night, and 6 of the sun.
        mix(&mut stocks, balance([3_000, 0, 0, 2_000, 0]), "0.2");
        let noon = mix(&mut stocks, balance([0, 1_000, 9_000, 6_000, 0]), "0.3");
        assert_eq!(energies(&noon.split(wh(500))), [500, 0, 0, 0]);
        // Of 4 kWh from the battery, 1 is of the grid at night; of 8 used, half are of the battery.
        let evening = mix(&mut stocks, balance([4_000, 0, 0, 0, 4_000]), "0.3");
        let used = evening.split(wh(1_600));
        assert_eq!(energies(&used), [0, 600, 200, 800]);
        // 0.6 * 0.08 + 0.2 * 0.2 + 0.8 * 0.3
        assert_eq!(cost(&used), "0.328");
        assert_eq!(used.own_share(), Some(0.375));
        // It gives more than it took, to the house and to the grid: that is own energy.
        let rest = mix(&mut stocks, balance([0, 6_000, 0, 0, 8_000]), "0.3");
        // Of 8 kWh, 3 + 4 are own; the house has a quarter of them.
        assert_eq!(energies(&rest.split(wh(2_000))), [0, 1_750, 250, 0]);
    }

    #[test]
    fn what_was_lost_in_a_battery_is_forgotten() {
        let mut stocks = BatteryStocks::default();
        mix(&mut stocks, balance([1_000, 0, 0, 1_000, 0]), "0.3");
        let sunny = balance([0, 0, 1_000, 1_000, 0]);
        let gives = balance([0, 0, 0, 0, 500]);
        stocks.begin_week();
        mix(&mut stocks, sunny, "0.3");
        // The grid's kilowatt-hour is of the week before.
        let found = mix(&mut stocks, gives, "0.3").split(wh(500));
        assert_eq!(energies(&found), [0, 250, 250, 0]);
        stocks.begin_week();
        let found = mix(&mut stocks, gives, "0.3").split(wh(500));
        assert_eq!(energies(&found), [0, 500, 0, 0]);
    }

    #[test]
    fn nobody_knows_the_sources_of_energy_that_the_house_did_not_use() {
        let mut stocks = BatteryStocks::default();
        let idle = mix(&mut stocks, balance([0; 5]), "0.3");
        let found = idle.split(wh(7));
        assert_eq!(found, UsedSources::of_unknown(wh(7)));
        assert_eq!((found.real_cost(), found.own_share()), (None, None));
        assert_eq!(idle.split(MicroWh::ZERO).real_cost(), Some(Amount::ZERO));
        // At night the inverter draws from the grid.
        let night = mix(&mut stocks, balance([9, 0, -1, 0, 0]), "0.3");
        assert_eq!(energies(&night.split(wh(4))), [0, 0, 0, 4]);
        // Energy fed back through a sub-meter.
        assert_eq!(energies(&night.split(wh(-4))), [0, 0, 0, -4]);
    }

    #[test]
    fn unpriced_energy_has_no_worth() {
        let mut stocks = BatteryStocks::default();
        let worth = SlotWorth {
            own: &|energy| ValuedEnergy::at(Some(Decimal::ZERO), energy),
            drawn: &|energy| ValuedEnergy::at(None, energy),
        };
        let house = balance([1_000, 0, 1_000, 0, 0]);
        let used = stocks.mix(&house, MicroWh::ZERO, &worth).split(wh(1_000));
        assert_eq!(
            (used.left_out(), used.real_cost()),
            (wh(500), Some(Amount::ZERO))
        );
        let house = balance([1_000, 0, 0, 0, 0]);
        let used = stocks.mix(&house, MicroWh::ZERO, &worth).split(wh(1_000));
        assert_eq!((used.left_out(), used.real_cost()), (wh(1_000), None));
        // A contract prices 400 Wh by themselves: the others have 600 of the grid.
        let house = balance([1_000, 0, 600, 0, 0]);
        let mix = stocks.mix(&house, wh(400), &worth);
        assert_eq!((mix.grid.energy, mix.solar.energy), (wh(600), wh(600)));
    }

    proptest! {
        #[test]
        fn parts_are_those_of_the_house(
            slots in proptest::collection::vec((prop::array::uniform5(0..1_000_000_i64), prop::array::uniform3(0..1_000_i64)), 1..60),
            weeks in proptest::collection::vec(0..60_usize, 0..3),
        ) {
            let mut stocks = BatteryStocks::default();
            let (mut drawn, mut from_grid) = (0, 0);
            for (nth, (flows, weights)) in slots.iter().enumerate() {
                if weeks.contains(&nth) {
                    stocks.begin_week();
                }
                let [imported, exported, produced, charged, discharged] = flows.map(MicroWh::new);
                let house = HouseBalance {
                    used: imported - exported + produced + discharged - charged,
                    imported, exported, produced, charged,
                    discharged: Some(discharged),
                };
                let sources = house.sources();
                let sum = sources.solar + sources.battery + sources.grid;
                prop_assert_eq!(sum, house.used);
                let price = Decimal::parse("0.3").unwrap();
                let worth = SlotWorth {
                    own: &|energy| ValuedEnergy::at(Some(Decimal::ZERO), energy),
                    drawn: &|energy| ValuedEnergy::at(Some(price), energy),
                };
                let mix = stocks.mix(&house, MicroWh::ZERO, &worth);
                drawn += imported.millionths();
                let whole = weights.iter().sum::<i64>() + 1;
                for weight in weights {
                    let energy = house.used.part(*weight, whole);
                    let used = mix.split(energy);
                    prop_assert_eq!(used.known().energy + used.unknown, energy);
                    prop_assert!(used.known().unpriced == MicroWh::ZERO);
                    from_grid += used.grid_energy().millionths().max(0);
                    if produced <= MicroWh::ZERO && discharged == MicroWh::ZERO {
                        prop_assert_eq!(used.own(), MicroWh::ZERO);
                    }
                }
                // Where meters contradict each other, the house uses less than its sources give.
                if sources.solar >= MicroWh::ZERO && sources.battery >= MicroWh::ZERO && sources.grid >= MicroWh::ZERO {
                    let all = mix.split(house.used);
                    prop_assert_eq!(all.solar.energy, sources.solar);
                    prop_assert_eq!(all.battery.energy + all.stored.energy, sources.battery);
                    prop_assert_eq!(all.grid.energy, sources.grid);
                }
                prop_assert!(from_grid <= drawn, "{} {}", from_grid, drawn);
            }
        }
    }
}
