use proptest::prelude::*;

use super::*;
use crate::domain::MicroWh;
use crate::domain::time::at;
use crate::ledger::Flow;

/// A quarter with these millionths: imported, exported, produced, charged, discharged.
fn quarter([imported, exported, produced, charged, discharged]: [Option<i64>; 5]) -> HouseQuarter {
    let energy = |millionths: Option<i64>| millionths.map(MicroWh::new);
    HouseQuarter {
        start: at(0),
        end: at(HouseQuarter::LENGTH_MS),
        imported: energy(imported),
        exported: energy(exported),
        produced: energy(produced),
        charged: energy(charged),
        discharged: energy(discharged),
        is_coarse: false,
    }
}

fn grid(quarter: &HouseQuarter) -> Option<(i64, i64)> {
    let Flow { imported, exported } = quarter.at_grid()?;
    Some((imported.millionths(), exported.millionths()))
}

#[test]
fn what_panels_and_battery_gave_comes_from_the_grid() {
    // Imported, exported, produced, charged, discharged; without panels, without the battery,
    // without both.
    for (known, expected) in [
        // The grid alone.
        ([5, 0, 0, 0, 0], [(5, 0), (5, 0), (5, 0)]),
        // The sun is more than enough, and the rest is fed in.
        ([0, 6, 9, 0, 0], [(3, 0), (0, 6), (3, 0)]),
        // It fills the battery, too.
        ([0, 2, 9, 4, 0], [(7, 0), (0, 6), (3, 0)]),
        // A cloud: the house fed in and drew within the quarter.
        ([1, 2, 5, 0, 0], [(4, 0), (1, 2), (4, 0)]),
        // The battery covers the evening.
        ([1, 0, 0, 0, 4], [(1, 0), (5, 0), (5, 0)]),
        // It is filled by the grid at night.
        ([7, 0, 0, 5, 0], [(7, 0), (2, 0), (2, 0)]),
        // It feeds the grid.
        ([0, 3, 0, 0, 5], [(0, 3), (2, 0), (2, 0)]),
        // It takes and gives within the quarter, while clouds pass.
        ([0, 0, 6, 3, 2], [(6, 0), (2, 3), (5, 0)]),
        // The inverter draws at night.
        ([2, 0, -1, 0, 0], [(1, 0), (2, 0), (1, 0)]),
    ] {
        let known = quarter(known.map(Some));
        let without = [
            known.without_panels(),
            known.without_battery(),
            known.without_battery().without_panels(),
        ];
        let found = without.each_ref().map(grid);
        assert_eq!(found, expected.map(Some), "{known:?}");
        assert_eq!(without[0].produced, Some(MicroWh::ZERO));
        assert_eq!(without[0].charged, known.charged);
        assert_eq!(without[1].produced, known.produced);
        assert_eq!(without[1].discharged, Some(MicroWh::ZERO));
    }
}

#[test]
fn what_is_not_known_stays_unknown() {
    let unknown_sun = quarter([Some(1), Some(2), None, Some(3), Some(0)]);
    assert_eq!(unknown_sun.used(), None);
    assert_eq!(grid(&unknown_sun.without_panels()), None);
    assert_eq!(grid(&unknown_sun.without_battery()), Some((0, 4)));
    let unknown_battery = quarter([Some(1), Some(0), Some(2), Some(3), None]);
    assert_eq!(grid(&unknown_battery.without_battery()), None);
    assert_eq!(grid(&unknown_battery.without_panels()), Some((3, 0)));
    let no_grid = quarter([None, Some(0), Some(2), Some(3), Some(0)]);
    assert_eq!(grid(&no_grid.without_panels().without_battery()), None);
    let both = unknown_sun + no_grid;
    let expected = quarter([Some(1), Some(2), Some(2), Some(6), Some(0)]);
    assert_eq!(both, expected);
}

proptest! {
    #[test]
    fn energy_is_conserved(known in prop::array::uniform5(-50_i64..1_000)) {
        let known = quarter(known.map(Some));
        let both = known.without_battery().without_panels();
        for changed in [known.without_panels(), known.without_battery(), both] {
            prop_assert_eq!(changed.used(), known.used());
        }
        prop_assert_eq!(both.at_grid().map(Flow::net), known.used());
    }

    #[test]
    fn meters_count_up_in_a_changed_house_too(known in prop::array::uniform5(0_i64..1_000)) {
        let known = quarter(known.map(Some));
        let both = known.without_battery().without_panels();
        for changed in [known.without_panels(), known.without_battery(), both] {
            let flow = changed.at_grid().unwrap();
            prop_assert!(flow.imported >= MicroWh::ZERO && flow.exported >= MicroWh::ZERO);
        }
        // Without panels, nobody draws less; without a battery, nobody feeds in less in a quarter
        // in which it only took energy.
        prop_assert!(known.without_panels().imported >= known.imported);
        let taking = HouseQuarter { discharged: Some(MicroWh::ZERO), ..known };
        prop_assert!(taking.without_battery().exported >= taking.exported);
    }

    #[test]
    fn a_house_without_them_stays_as_it_was(imported in -50_i64..1_000, exported in -50_i64..1_000) {
        let plain = quarter([Some(imported), Some(exported), Some(0), Some(0), Some(0)]);
        prop_assert_eq!(plain.without_panels(), plain);
        prop_assert_eq!(plain.without_battery(), plain);
    }
}
