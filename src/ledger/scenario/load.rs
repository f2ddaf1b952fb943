//! A load at the cheapest time.

use std::cmp::Reverse;

use crate::domain::{Decimal, MicroWh};

/// The energy of consecutive quarters of an hour if the load ran in the cheapest ones: the quarter
/// with the most energy gets the lowest price, and so on. So its power stays as it is, and so does
/// its energy, exactly.
///
/// Each quarter has its energy and its price. Quarters without a known energy or without a price keep
/// what they have. Of equal prices none is better: if all are equal, nothing moves.
#[must_use]
pub fn in_cheapest(quarters: &[(Option<MicroWh>, Option<Decimal>)]) -> Vec<Option<MicroWh>> {
    let known = quarters.iter().enumerate();
    let known = known.filter_map(|(place, (energy, price))| Some(((*price)?, (*energy)?, place)));
    let mut by_price: Vec<(Decimal, MicroWh, usize)> = known.collect();
    by_price.sort_by_key(|(price, energy, place)| (*price, Reverse(*energy), *place));
    let mut by_energy: Vec<MicroWh> = by_price.iter().map(|(_, energy, _)| *energy).collect();
    by_energy.sort_by_key(|energy| Reverse(*energy));
    let mut moved: Vec<Option<MicroWh>> = quarters.iter().map(|(energy, _)| *energy).collect();
    for ((_, _, place), energy) in by_price.iter().zip(by_energy) {
        if let Some(moved) = moved.get_mut(*place) {
            *moved = Some(energy);
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quarters(all: &[(i64, i64)]) -> Vec<(Option<MicroWh>, Option<Decimal>)> {
        let quarter = |(energy, price): &(i64, i64)| {
            let price = Decimal::from_millionths(*price);
            (Some(MicroWh::new(*energy)), Some(price))
        };
        all.iter().map(quarter).collect()
    }

    fn cost(quarters: &[(Option<MicroWh>, Option<Decimal>)]) -> i64 {
        let each = quarters.iter();
        each.map(|(energy, price)| energy.unwrap().millionths() * price.unwrap().millionths())
            .sum()
    }

    #[test]
    fn the_most_energy_gets_the_lowest_price() {
        let found = in_cheapest(&quarters(&[(5, 30), (0, 10), (7, 20), (0, 20)]));
        let expected = [0, 7, 5, 0].map(|energy| Some(MicroWh::new(energy)));
        assert_eq!(found, expected);
        let mut gaps = quarters(&[(5, 30), (0, 10), (7, 20), (0, 20)]);
        gaps[1].1 = None;
        gaps[2].0 = None;
        let found = in_cheapest(&gaps);
        let expected = [Some(0), Some(0), None, Some(5)];
        assert_eq!(found, expected.map(|energy| energy.map(MicroWh::new)));
    }

    proptest! {
        #[test]
        fn energy_and_power_stay_and_nothing_costs_more(
            all in proptest::collection::vec((-5..50_i64, -5..9_i64), 0..100),
        ) {
            let quarters = quarters(&all);
            let found = in_cheapest(&quarters);
            let sorted = |energies: Vec<Option<MicroWh>>| {
                let mut energies = energies;
                energies.sort_unstable();
                energies
            };
            let before = quarters.iter().map(|(energy, _)| *energy).collect();
            prop_assert_eq!(sorted(found.clone()), sorted(before));
            let moved: Vec<_> = found.into_iter().zip(quarters.iter().map(|it| it.1)).collect();
            prop_assert!(cost(&moved) <= cost(&quarters));
            // No exchange of two quarters makes it cheaper.
            for one in &moved {
                for other in &moved {
                    prop_assert!(one.1 >= other.1 || one.0 >= other.0);
                }
            }
        }

        #[test]
        fn at_one_price_nothing_moves(energies in proptest::collection::vec(0..50_i64, 0..100)) {
            let all: Vec<_> = energies.into_iter().map(|energy| (energy, 7)).collect();
            let quarters = quarters(&all);
            let before: Vec<_> = quarters.iter().map(|(energy, _)| *energy).collect();
            prop_assert_eq!(in_cheapest(&quarters), before);
        }
    }
}
