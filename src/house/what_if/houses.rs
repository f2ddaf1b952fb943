//! The houses of a question: with batteries by size and rule, and which of them are told about.

use std::sync::Arc;

use super::changed::{ChangedHouse, HouseChanges, NewBattery};
use super::question::{AskedBattery, Dispatch, WhatIfQuestion};
use crate::domain::MicroWh;
use crate::domain::words::words;
use crate::house::priced_side::PricedSide;
use crate::ledger::scenario::{BuyingBattery, SimulatedBattery};

/// How a battery works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatteryRule {
    /// It serves the house alone.
    Greedy,
    /// It also buys energy for dear quarters of an hour.
    Prices,
    /// The same, without ever raising the peak of a month.
    BelowPeaks,
    /// It also buys energy and feeds the grid. Where peaks have a price, it never raises them.
    Trading,
}

words! {
    BatteryRule: Greedy "greedy", Prices "prices", BelowPeaks "below-peaks", Trading "trading";
    "greedy, prices, below-peaks or trading"
}

/// The house with a battery of a size.
pub struct SizedHouse {
    /// The capacity; zero without a battery.
    pub size: MicroWh,
    /// The rule that cost the least of those that were asked for.
    pub rule: BatteryRule,
    /// Its costs.
    pub side: PricedSide,
}

/// A house that is asked about.
#[derive(Clone, Copy)]
struct AskedHouse {
    size: MicroWh,
    rule: BatteryRule,
    /// Whether peaks have a price.
    has_demand: bool,
    /// Whether its battery rests where nobody knows the quarter of an hour.
    rests: bool,
}

/// All houses that are asked about.
pub(super) struct AskedHouses {
    /// In the order of their sizes. Empty if the battery stays as it is.
    houses: Vec<AskedHouse>,
    /// The size that is told about; `None` if only sizes are compared.
    size: Option<MicroWh>,
}

/// The houses that an answer has.
pub(super) struct FoundHouses {
    /// `None` if only sizes of a battery are compared.
    pub(super) changed: Option<PricedSide>,
    pub(super) sizes: Vec<SizedHouse>,
    /// The house that is told about, with a resting battery.
    pub(super) resting: Option<PricedSide>,
}

impl AskedHouses {
    /// The houses of a question, with batteries of these ascending sizes; `has_demand` if peaks have
    /// a price.
    pub(super) fn of(question: &WhatIfQuestion, sizes: &[MicroWh], has_demand: bool) -> Self {
        let Some(asked) = &question.battery else {
            return Self {
                houses: Vec::new(),
                size: None,
            };
        };
        let rules: &[BatteryRule] = match asked.dispatch {
            Dispatch::Greedy => &[BatteryRule::Greedy],
            Dispatch::Prices if has_demand => &[
                BatteryRule::Prices,
                BatteryRule::BelowPeaks,
                BatteryRule::Greedy,
            ],
            Dispatch::Prices => &[BatteryRule::Prices, BatteryRule::Greedy],
            Dispatch::Trading if has_demand => &[
                BatteryRule::Trading,
                BatteryRule::Prices,
                BatteryRule::BelowPeaks,
                BatteryRule::Greedy,
            ],
            Dispatch::Trading => &[
                BatteryRule::Trading,
                BatteryRule::Prices,
                BatteryRule::Greedy,
            ],
        };
        let by_rule = |size: MicroWh, rests: bool| {
            // No battery follows no rule.
            let rules = if size == MicroWh::ZERO {
                &[BatteryRule::Greedy]
            } else {
                rules
            };
            rules.iter().map(move |rule| AskedHouse {
                size,
                rule: *rule,
                has_demand,
                rests,
            })
        };
        let told = asked.size.or(sizes.last().copied());
        let compared = sizes.iter().flat_map(|size| by_rule(*size, false));
        let resting = told.into_iter().flat_map(|size| by_rule(size, true));
        Self {
            houses: compared.chain(resting).collect(),
            size: asked.size,
        }
    }

    /// The number of houses, without those whose batteries rest.
    pub(super) fn compared(&self) -> usize {
        let compared = self.houses.iter().filter(|it| !it.rests);
        compared.count().max(1)
    }

    /// The same to be priced. Months begin with the quarters of an hour of these numbers.
    pub(super) fn scenarios(
        &self,
        question: &WhatIfQuestion,
        (changes, months): (&Arc<HouseChanges>, &Arc<[i64]>),
    ) -> Vec<ChangedHouse> {
        let Some(asked) = &question.battery else {
            return vec![ChangedHouse {
                changes: Arc::clone(changes),
                battery: NewBattery::Kept,
                standby: MicroWh::ZERO,
                rests: false,
            }];
        };
        let houses = self.houses.iter().map(|house| ChangedHouse {
            changes: Arc::clone(changes),
            battery: asked.simulated(*house, months),
            standby: if house.size == MicroWh::ZERO {
                MicroWh::ZERO
            } else {
                asked.standby
            },
            rests: house.rests,
        });
        houses.collect()
    }

    /// The answer, from the costs of all houses in their order.
    pub(super) fn found(self, priced: Vec<PricedSide>) -> FoundHouses {
        if self.houses.is_empty() {
            return FoundHouses {
                changed: priced.into_iter().next(),
                sizes: Vec::new(),
                resting: None,
            };
        }
        let (mut sizes, mut resting): (Vec<SizedHouse>, Vec<SizedHouse>) = Default::default();
        for (house, side) in self.houses.into_iter().zip(priced) {
            let AskedHouse {
                size, rule, rests, ..
            } = house;
            let found = SizedHouse { size, rule, side };
            if rests {
                resting.push(found);
                continue;
            }
            match sizes.last_mut().filter(|last| last.size == size) {
                Some(best) if found.costs_less(best) => *best = found,
                Some(_) => (),
                None => sizes.push(found),
            }
        }
        let own = sizes.iter().find(|it| Some(it.size) == self.size);
        let told = own.or(sizes.last());
        let rule = told.map(|told| told.rule);
        let mut resting = resting.into_iter();
        FoundHouses {
            changed: own.map(|own| own.side.clone()),
            resting: resting.find(|it| Some(it.rule) == rule).map(|it| it.side),
            sizes,
        }
    }
}

impl SizedHouse {
    fn costs_less(&self, other: &Self) -> bool {
        let totals = self
            .side
            .statement
            .total()
            .zip(other.side.statement.total());
        totals.is_some_and(|(own, other)| own < other)
    }
}

impl AskedBattery {
    /// An empty battery of a house.
    fn simulated(&self, house: AskedHouse, months: &Arc<[i64]>) -> NewBattery {
        let terms = self.of(house.size);
        match house.rule {
            BatteryRule::Greedy => NewBattery::Greedy(Box::new(SimulatedBattery::new(terms))),
            BatteryRule::Prices => NewBattery::Buying(Box::new(BuyingBattery::new(terms))),
            BatteryRule::BelowPeaks => {
                let battery = BuyingBattery::new(terms).below_peaks(months);
                NewBattery::Buying(Box::new(battery))
            }
            BatteryRule::Trading => {
                let battery = BuyingBattery::new(terms).selling();
                let battery = if house.has_demand {
                    battery.below_peaks(months)
                } else {
                    battery
                };
                NewBattery::Buying(Box::new(battery))
            }
        }
    }
}
