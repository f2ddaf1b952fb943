//! A battery that a house does not have: its energy as it would have been.

use thiserror::Error;

use crate::domain::time::MS_PER_HOUR;
use crate::domain::{Decimal, MicroWh};
use crate::ledger::stretch::Flow;

/// The share of the energy taken that a battery gives back: whole millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Efficiency(i64);

/// The size and the limits of a battery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatteryTerms {
    /// The energy between full and the reserve, which it can give without being charged again.
    pub usable: MicroWh,
    /// The most that it takes in an hour.
    pub charge: MicroWh,
    /// The most that it gives in an hour.
    pub discharge: MicroWh,
    /// The share of the energy taken that it gives back.
    pub efficiency: Efficiency,
}

/// A battery at a time, and its charged and discharged energy so far.
#[derive(Clone, Debug)]
pub struct SimulatedBattery {
    terms: BatteryTerms,
    /// What it holds above its reserve, as the energy that it can give: of its own house, and bought
    /// to be kept for dear quarters of an hour.
    own: MicroWh,
    bought: MicroWh,
    /// All that it took, and all that it gave.
    charged: MicroWh,
    discharged: MicroWh,
}

/// The use that a battery makes of bought energy in a quarter of an hour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BatteryTrade {
    /// So much more it would like to hold for later.
    pub(super) wanted: MicroWh,
    /// So much of the bought energy it may give now.
    pub(super) released: MicroWh,
    /// So much of its own energy, and of the bought one, it may feed into the grid.
    pub(super) sold: (MicroWh, MicroWh),
    /// What it buys or keeps must not make the house draw more than this; `None` if it may.
    pub(super) most_drawn: Option<MicroWh>,
}

/// Why a number is not an efficiency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("expected 1 to 100 percent with up to four decimals, such as 90")]
pub struct NotEfficiency;

/// One, in millionths.
const WHOLE: i64 = 1_000_000;

impl Efficiency {
    /// That of usual home batteries with their inverters: 90 %.
    pub const USUAL: Self = Self(900_000);

    /// An efficiency in percent, of taking and giving together.
    ///
    /// # Errors
    /// [`NotEfficiency`] for less than 1 % or more than 100 %, and for more than four decimals.
    pub fn from_percent(percent: Decimal) -> Result<Self, NotEfficiency> {
        let percent = percent.millionths();
        let is_known = (WHOLE..=100 * WHOLE).contains(&percent) && percent % 100 == 0;
        is_known.then_some(Self(percent / 100)).ok_or(NotEfficiency)
    }

    /// The rest of charged energy after its losses; rounded down, to a millionth of a watt-hour.
    #[must_use]
    pub fn stored(self, taken: MicroWh) -> MicroWh {
        let product = i128::from(taken.millionths()) * i128::from(self.0);
        energy(product.div_euclid(i128::from(WHOLE)))
    }

    /// The least energy to take for so much that is left. [`Self::stored`] of it is `left` exactly,
    /// because no more than all of it is left.
    #[must_use]
    pub fn taken(self, left: MicroWh) -> MicroWh {
        let product = i128::from(left.millionths()) * i128::from(WHOLE);
        let least = (product + i128::from(self.0) - 1).div_euclid(i128::from(self.0));
        energy(least)
    }

    /// The least price at which it pays to give what was taken at another price.
    #[must_use]
    pub fn pays_from(self, taken_at: Decimal) -> Decimal {
        let cost = i128::from(taken_at.millionths()) * i128::from(WHOLE);
        let price = cost.div_euclid(i128::from(self.0)) + 1;
        Decimal::from_millionths(i64::try_from(price).unwrap_or(i64::MAX))
    }

    /// Whether a kilowatt-hour taken at one price pays when it is given at another.
    #[must_use]
    pub fn pays(self, taken_at: Decimal, given_at: Decimal) -> bool {
        given_at >= self.pays_from(taken_at)
    }
}

fn energy(millionths: i128) -> MicroWh {
    MicroWh::new(i64::try_from(millionths).unwrap_or(i64::MAX))
}

impl SimulatedBattery {
    /// An empty battery: it holds its reserve alone.
    #[must_use]
    pub const fn new(terms: BatteryTerms) -> Self {
        Self {
            terms,
            own: MicroWh::ZERO,
            bought: MicroWh::ZERO,
            charged: MicroWh::ZERO,
            discharged: MicroWh::ZERO,
        }
    }

    /// What it holds above its reserve, as the energy that it can give.
    #[must_use]
    pub fn held(&self) -> MicroWh {
        self.own + self.bought
    }

    /// The bought part of that.
    #[must_use]
    pub(super) const fn bought(&self) -> MicroWh {
        self.bought
    }

    /// All that it took so far.
    #[must_use]
    pub const fn charged(&self) -> MicroWh {
        self.charged
    }

    /// All that it gave so far.
    #[must_use]
    pub const fn discharged(&self) -> MicroWh {
        self.discharged
    }

    /// The energy at the grid in the next slot, of at most an hour, if it serves its own house alone:
    /// first it gives, from what it held at the beginning, as far as the house drew; then it takes,
    /// as far as the house fed in.
    pub fn serve(&mut self, grid: Flow, length_ms: i64) -> Flow {
        self.trade(grid, length_ms, BatteryTrade::default())
    }

    /// The same, with energy that is bought for later and given back.
    ///
    /// Where it wants to hold more, it keeps what it would have given before it buys: so it does not
    /// give and buy at once.
    pub(super) fn trade(&mut self, grid: Flow, length_ms: i64, trade: BatteryTrade) -> Flow {
        let within = |an_hour: MicroWh| an_hour.part(length_ms, MS_PER_HOUR);
        let (can_give, can_take) = (within(self.terms.discharge), within(self.terms.charge));
        let drawn = grid.imported.max(MicroWh::ZERO);
        let offered = drawn.min(can_give).min(self.own);
        // All that it may still make the house draw.
        let mut may_draw = trade.most_drawn.map(|most| most - (drawn - offered));
        let mut within_peak = |wanted: MicroWh| {
            let Some(rest) = &mut may_draw else {
                return wanted;
            };
            let allowed = wanted.min((*rest).max(MicroWh::ZERO));
            *rest = *rest - allowed;
            allowed
        };
        let kept = within_peak(offered.min(trade.wanted));
        self.own = self.own - offered;
        self.bought = self.bought + kept;
        let released = if trade.wanted > MicroWh::ZERO {
            MicroWh::ZERO
        } else {
            let rest = (drawn - offered).min(can_give - offered);
            rest.min(trade.released).min(self.bought)
        };
        self.bought = self.bought - released;
        let given = offered - kept + released;
        let sale = self.sell(can_give - given, trade.sold);
        // The house comes first.
        let (given, sold) = (
            given + sale.min(drawn - given),
            sale - sale.min(drawn - given),
        );

        let efficiency = self.terms.efficiency;
        let fed_in = grid.exported.max(MicroWh::ZERO);
        // What it fed in and took at once, it would lose a part of.
        let can_take = if sale > MicroWh::ZERO {
            MicroWh::ZERO
        } else {
            can_take
        };
        let taken = fed_in.min(can_take).min(efficiency.taken(self.room()));
        self.own = self.own + efficiency.stored(taken);
        let wanted = (trade.wanted - kept).min(self.room());
        let purchase = within_peak((can_take - taken).min(efficiency.taken(wanted)));
        self.bought = self.bought + efficiency.stored(purchase);

        self.charged = self.charged + taken + purchase;
        self.discharged = self.discharged + given + sold;
        Flow {
            imported: grid.imported - given + purchase,
            exported: grid.exported - taken + sold,
        }
    }

    /// Gives what it may feed in, of the bought energy first; `rest` is all that it can still give.
    fn sell(&mut self, rest: MicroWh, (own, bought): (MicroWh, MicroWh)) -> MicroWh {
        let bought = bought.min(self.bought).min(rest).max(MicroWh::ZERO);
        let own = own.min(self.own).min(rest - bought).max(MicroWh::ZERO);
        (self.own, self.bought) = (self.own - own, self.bought - bought);
        own + bought
    }

    /// The part of what it holds that is its own.
    #[must_use]
    pub(super) const fn own(&self) -> MicroWh {
        self.own
    }

    /// Gives up all plans for the bought energy: it serves its own house.
    pub(super) fn forget_purchases(&mut self) {
        self.own = self.held();
        self.bought = MicroWh::ZERO;
    }

    fn room(&self) -> MicroWh {
        (self.terms.usable - self.held()).max(MicroWh::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const QUARTER_MS: i64 = 900_000;

    fn terms(usable: i64, percent: &str) -> BatteryTerms {
        BatteryTerms {
            usable: MicroWh::new(usable),
            charge: MicroWh::new(4_000),
            discharge: MicroWh::new(3_000),
            efficiency: Efficiency::from_percent(Decimal::parse(percent).unwrap()).unwrap(),
        }
    }

    fn flow(imported: i64, exported: i64) -> Flow {
        Flow {
            imported: MicroWh::new(imported),
            exported: MicroWh::new(exported),
        }
    }

    #[test]
    fn a_battery_takes_what_is_left_over_and_gives_it_back() {
        let mut battery = SimulatedBattery::new(terms(900, "90"));
        // It takes no more than 1,000 in a quarter, and is full after that.
        assert_eq!(battery.serve(flow(0, 1_500), QUARTER_MS), flow(0, 500));
        assert_eq!(battery.held(), MicroWh::new(900));
        assert_eq!(battery.serve(flow(0, 1_500), QUARTER_MS), flow(0, 1_500));
        // It gives no more than 750 in a quarter.
        assert_eq!(battery.serve(flow(800, 0), QUARTER_MS), flow(50, 0));
        assert_eq!(battery.serve(flow(800, 0), QUARTER_MS), flow(650, 0));
        assert_eq!(battery.serve(flow(800, 0), QUARTER_MS), flow(800, 0));
        assert_eq!(battery.charged(), MicroWh::new(1_000));
        assert_eq!(battery.discharged(), MicroWh::new(900));
        // Within a quarter it gives from what it held before.
        assert_eq!(battery.serve(flow(100, 100), QUARTER_MS), flow(100, 0));
        assert_eq!(battery.serve(flow(100, 100), QUARTER_MS), flow(10, 0));
    }

    #[test]
    fn it_keeps_what_it_has_before_it_buys() {
        let mut battery = SimulatedBattery::new(terms(2_000, "50"));
        battery.serve(flow(0, 400), QUARTER_MS);
        let wanted = |millionths| BatteryTrade {
            wanted: MicroWh::new(millionths),
            ..BatteryTrade::default()
        };
        // Its 200 stay, and another 100 take 200 from the grid.
        let bought = battery.trade(flow(500, 0), QUARTER_MS, wanted(300));
        assert_eq!(bought, flow(700, 0));
        assert_eq!(battery.bought(), MicroWh::new(300));
        assert_eq!(battery.discharged(), MicroWh::ZERO);
        // It serves nobody until it is released.
        assert_eq!(battery.serve(flow(500, 0), QUARTER_MS), flow(500, 0));
        let released = BatteryTrade {
            released: MicroWh::new(250),
            ..BatteryTrade::default()
        };
        let given = battery.trade(flow(500, 0), QUARTER_MS, released);
        assert_eq!(given, flow(250, 0));
        battery.forget_purchases();
        assert_eq!(battery.serve(flow(500, 0), QUARTER_MS), flow(450, 0));
    }

    #[test]
    fn an_efficiency_is_a_share() {
        for percent in ["0", "0.9999", "100.0001", "120", "-90", "90.00001"] {
            let percent = Decimal::parse(percent).unwrap();
            assert_eq!(Efficiency::from_percent(percent), Err(NotEfficiency));
        }
        let price = |text| Decimal::parse(text).unwrap();
        let efficiency = terms(0, "80").efficiency;
        assert!(efficiency.pays(price("0.2"), price("0.250001")));
        assert!(!efficiency.pays(price("0.2"), price("0.25")));
        assert!(efficiency.pays(price("-0.1"), price("0")));
    }

    /// Quarters of an hour of a house: drawn, fed in, wanted, released.
    fn quarters() -> impl Strategy<Value = Vec<[i64; 4]>> {
        let energy = || prop_oneof![Just(0_i64), 0..2_000_i64];
        let quarter = [
            energy().boxed(),
            energy().boxed(),
            energy().boxed(),
            energy().boxed(),
        ];
        proptest::collection::vec(quarter, 1..120)
    }

    fn percent() -> impl Strategy<Value = Efficiency> {
        (10_000..=1_000_000_i64).prop_map(Efficiency)
    }

    proptest! {
        #[test]
        fn so_much_is_taken_that_it_is_full(left in 0..i64::MAX / 1_000_000, efficiency in percent()) {
            let taken = efficiency.taken(MicroWh::new(left));
            prop_assert_eq!(efficiency.stored(taken), MicroWh::new(left));
            let less = taken - MicroWh::new(1);
            prop_assert!(left == 0 || efficiency.stored(less) < MicroWh::new(left));
        }

        #[test]
        fn energy_is_conserved(quarters in quarters(), usable in 0..5_000_i64, efficiency in percent()) {
            let terms = BatteryTerms { efficiency, ..terms(usable, "90") };
            let mut battery = SimulatedBattery::new(terms);
            for [imported, exported, wanted, released] in quarters {
                // Half of them have a peak that is not to be raised.
                let most_drawn = (wanted % 2 == 0).then_some(MicroWh::new(released));
                // A third of them may feed in.
                let sold = [released / 2, released].map(|it| if wanted % 3 == 0 { it } else { 0 });
                let sold = (MicroWh::new(sold[0]), MicroWh::new(sold[1]));
                let trade = BatteryTrade {
                    wanted: MicroWh::new(wanted),
                    released: MicroWh::new(released),
                    sold,
                    most_drawn,
                };
                let before = battery.clone();
                let grid = battery.trade(flow(imported, exported), QUARTER_MS, trade);
                let taken = battery.charged() - before.charged();
                let given = battery.discharged() - before.discharged();
                if let Some(most) = most_drawn {
                    let highest = most.max(MicroWh::new(imported));
                    prop_assert!(grid.imported <= highest, "{:?} {highest:?}", grid);
                }
                // What it takes comes from the grid, and what it gives spares the grid.
                prop_assert_eq!(grid.net(), flow(imported, exported).net() + taken - given);
                prop_assert!(grid.imported >= MicroWh::ZERO && grid.exported >= MicroWh::ZERO);
                prop_assert!(grid.exported <= MicroWh::new(exported) + sold.0 + sold.1);
                prop_assert!(taken <= MicroWh::new(1_000) && given <= MicroWh::new(750));
                // It loses what the efficiency says: at most a millionth more for each of two pieces.
                let left = battery.held() - before.held() + given;
                let exact = i128::from(taken.millionths()) * i128::from(efficiency.0);
                let lost = exact - i128::from(left.millionths()) * i128::from(WHOLE);
                prop_assert!((0..2 * i128::from(WHOLE)).contains(&lost), "{lost}");
                prop_assert!(battery.held() <= terms.usable && battery.bought() >= MicroWh::ZERO);
                prop_assert!(battery.held() >= battery.bought());
            }
        }

        #[test]
        fn a_larger_battery_never_draws_more(
            quarters in quarters(),
            (small, more) in (0..5_000_i64, 0..5_000_i64),
            efficiency in percent(),
        ) {
            let battery = |usable| {
                SimulatedBattery::new(BatteryTerms { efficiency, ..terms(usable, "90") })
            };
            let (mut one, mut other) = (battery(small), battery(small + more));
            for [imported, exported, ..] in quarters {
                let grid = flow(imported, exported);
                let drawn = one.serve(grid, QUARTER_MS).imported;
                prop_assert!(other.serve(grid, QUARTER_MS).imported <= drawn);
                prop_assert!(other.held() >= one.held());
            }
        }

        #[test]
        fn without_capacity_nothing_changes(quarters in quarters(), efficiency in percent()) {
            let mut battery = SimulatedBattery::new(BatteryTerms { efficiency, ..terms(0, "90") });
            for [imported, exported, wanted, released] in quarters {
                let trade = BatteryTrade {
                    wanted: MicroWh::new(wanted),
                    released: MicroWh::new(released),
                    sold: (MicroWh::new(released), MicroWh::new(released)),
                    most_drawn: None,
                };
                let grid = flow(imported, exported);
                prop_assert_eq!(battery.trade(grid, QUARTER_MS, trade), grid);
            }
        }
    }
}
