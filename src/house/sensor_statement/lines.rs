//! The lines of a sub-meter's statement: its energy by contract, source and price.

use std::collections::BTreeMap;

use crate::domain::words::words;
use crate::domain::{Decimal, LocalDate, MicroWh};
use crate::ledger::contract::{Contract, Label};
use crate::ledger::house::{UsedSources, ValuedEnergy};

/// The most prices of a source with a line each.
const MOST_PRICES: usize = 12;

/// A source of energy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EnergySource {
    /// Own panels, at once.
    Solar,
    /// Own panels, by way of a battery.
    Battery,
    /// The grid, by way of a battery.
    StoredGrid,
    /// The grid, at once.
    Grid,
    /// Nobody knows.
    Unknown,
}

words! {
    EnergySource: Solar "solar", Battery "battery", StoredGrid "stored-grid", Grid "grid", Unknown "unknown";
    "solar, battery, stored-grid, grid or unknown"
}

/// A line of such a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The contract, by name and first day; `None` where none applied.
    pub contract: Option<(Label, LocalDate)>,
    /// Where the energy came from.
    pub source: EnergySource,
    /// How much.
    pub energy: MicroWh,
    /// For a kilowatt-hour; where it varied, the mean. `None` without a price.
    pub price: Option<Decimal>,
    /// The price of the energy; of own energy, the credit that it would have earned. `None` without
    /// a price.
    pub amount: Option<Decimal>,
}

/// The energy of a source so far.
#[derive(Default)]
struct PriceSums {
    /// By its price; that without one price at `None`.
    sums: BTreeMap<Option<Decimal>, ValuedEnergy>,
    /// Whether it had too many prices, so that all of it is one sum.
    is_one: bool,
}

/// The lines so far: by the place of the contract, and the source.
#[derive(Default)]
pub(super) struct SourceLines(BTreeMap<(Option<usize>, EnergySource), PriceSums>);

impl SourceLines {
    /// Adds the sources of a slot, in the time of the contract at this place, with the prices of own
    /// and of drawn energy.
    pub(super) fn add(
        &mut self,
        contract: Option<usize>,
        sources: &UsedSources,
        [own, drawn]: [Option<Decimal>; 2],
    ) {
        let unknown = ValuedEnergy::at(None, sources.unknown);
        for (source, energy, price) in [
            (EnergySource::Solar, sources.solar, own),
            (EnergySource::Battery, sources.battery, None),
            (EnergySource::StoredGrid, sources.stored, None),
            (EnergySource::Grid, sources.grid, drawn),
            (EnergySource::Unknown, unknown, None),
        ] {
            if energy == ValuedEnergy::default() {
                continue;
            }
            // A sensor with a contract's price of its own does not pay the house's.
            let is_at = |price: &Decimal| ValuedEnergy::at(Some(*price), energy.energy) == energy;
            let prices = self.0.entry((contract, source)).or_default();
            prices.add(price.filter(is_at), energy);
        }
    }

    /// The lines, in the order of the contracts.
    pub(super) fn finish(self, contracts: &[Contract]) -> Vec<SourceLine> {
        let lines = self.0.into_iter().flat_map(|((place, source), prices)| {
            let contract = place.and_then(|place| contracts.get(place));
            let contract = contract.map(|it| (it.name().clone(), it.from()));
            let lines = prices
                .sums
                .into_iter()
                .flat_map(move |(price, sum)| lines_of((contract.clone(), source), price, sum));
            lines.collect::<Vec<_>>()
        });
        lines.collect()
    }
}

impl PriceSums {
    fn add(&mut self, price: Option<Decimal>, energy: ValuedEnergy) {
        let sum = self.sums.entry(price.filter(|_| !self.is_one));
        let sum = sum.or_default();
        *sum = *sum + energy;
        if self.sums.keys().flatten().count() > MOST_PRICES {
            let all = std::mem::take(&mut self.sums).into_values();
            let all = all.fold(ValuedEnergy::default(), |sum, one| sum + one);
            self.sums.insert(None, all);
            self.is_one = true;
        }
    }
}

/// The line of energy with a price, and the one of energy without.
fn lines_of(
    (contract, source): (Option<(Label, LocalDate)>, EnergySource),
    price: Option<Decimal>,
    sum: ValuedEnergy,
) -> impl Iterator<Item = SourceLine> {
    let priced = sum.energy - sum.unpriced;
    let amount = sum.value.rounded();
    let is_priced = priced != MicroWh::ZERO || amount != Decimal::ZERO;
    let line = move |energy: MicroWh, price: Option<Decimal>, amount: Option<Decimal>| SourceLine {
        contract: contract.clone(),
        source,
        energy,
        price,
        amount,
    };
    let with = is_priced.then(|| {
        let price = price.or_else(|| sum.value.per_kilowatthour(priced));
        line(priced, price, Some(amount))
    });
    let without = (sum.unpriced != MicroWh::ZERO).then(|| line(sum.unpriced, None, None));
    with.into_iter().chain(without)
}
