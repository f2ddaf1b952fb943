use proptest::prelude::*;

use super::plan::PlanError;
use super::*;
use crate::domain::{MicroWh, Role, Timestamp};
use crate::ledger::stretch::{Flow, Stretch};

const HOUR_MS: i64 = 3_600_000;
const KWH: i64 = 1_000_000_000;

fn sensor(role: Role, inside: Option<usize>) -> PlacedSensor {
    PlacedSensor {
        role,
        inside,
        has_uploaded: true,
    }
}

fn flow(imported: i64, exported: i64) -> Flow {
    Flow {
        imported: MicroWh::new(imported * KWH),
        exported: MicroWh::new(exported * KWH),
    }
}

fn measured(imported: i64, exported: i64) -> MeasuredSlot {
    MeasuredSlot {
        flow: Some(flow(imported, exported)),
        ..MeasuredSlot::default()
    }
}

fn kwh(sum: HouseSum) -> Option<i64> {
    sum.energy().map(|energy| energy.millionths() / KWH)
}

fn hour(sensors: &[PlacedSensor], slots: &[MeasuredSlot]) -> HouseSums {
    HousePlan::new(sensors)
        .unwrap()
        .sums(HOUR_MS, slots, MicroWh::ZERO)
}

#[test]
fn a_house_has_a_balance() {
    use Role::*;
    // The first worked example of docs/HOUSE.md.
    let sensors = [Grid, Solar, Battery, SubMeter].map(|part| sensor(part, None));
    let day = hour(
        &sensors,
        &[
            measured(4, 6),
            measured(15, 0),
            measured(5, 3),
            measured(2, 0),
        ],
    );
    let sums = [
        day.imported,
        day.exported,
        day.produced,
        day.charged,
        day.discharged,
        day.used,
    ];
    assert_eq!(sums.map(kwh), [4, 6, 15, 5, 3, 11].map(Some));
    assert_eq!(day.other.map(kwh), Some(Some(9)));
    assert_eq!(day.self_consumed(), Some(MicroWh::new(9 * KWH)));
    assert_eq!(day.self_consumption(), Some(0.6));
    assert_eq!(day.self_sufficiency(), Some(0.636_364));

    // The same house with a sensor for each direction, and an inverter that draws a little at
    // night.
    let parts = [
        GridImport,
        GridExport,
        Solar,
        BatteryCharge,
        BatteryDischarge,
    ];
    let split = hour(
        &parts.map(|part| sensor(part, None)),
        &[
            measured(4, 0),
            measured(6, 0),
            measured(16, 1),
            measured(5, 0),
            measured(3, 0),
        ],
    );
    let same = [
        split.imported,
        split.exported,
        split.produced,
        split.charged,
        split.discharged,
        split.used,
    ];
    assert_eq!(same, sums);
    assert_eq!(split.other, None);
}

#[test]
fn what_no_sensor_measures_is_absent() {
    use Role::*;
    let solar = hour(&[sensor(Solar, None)], &[measured(5, 0)]);
    assert_eq!(
        [solar.produced, solar.used, solar.exported].map(kwh),
        [Some(5), None, None]
    );
    assert_eq!(
        (solar.self_consumed(), solar.self_sufficiency()),
        (None, None)
    );
    // Feed-in is not measured.
    let import = hour(
        &[sensor(GridImport, None), sensor(Solar, None)],
        &[measured(1, 0), measured(5, 0)],
    );
    assert_eq!((kwh(import.used), import.self_consumed()), (Some(6), None));
    // It charges the battery from the grid.
    let charging = hour(
        &[sensor(Grid, None), sensor(Battery, None)],
        &[measured(10, 0), measured(8, 0)],
    );
    assert_eq!(
        (kwh(charging.used), charging.self_sufficiency()),
        (Some(2), Some(0.0))
    );
    // The battery feeds back more than the panels produce.
    let back = hour(
        &[sensor(Grid, None), sensor(Solar, None)],
        &[measured(0, 3), measured(1, 0)],
    );
    assert_eq!(
        (back.self_consumed(), back.self_consumption()),
        (Some(MicroWh::ZERO), Some(0.0))
    );
    let nothing = hour(&[sensor(Grid, None)], &[measured(0, 0)]);
    assert_eq!(
        (kwh(nothing.used), nothing.self_sufficiency()),
        (Some(0), None)
    );
    let never = PlacedSensor {
        has_uploaded: false,
        ..sensor(Solar, None)
    };
    let without = hour(&[sensor(Grid, None), never], &[measured(2, 1)]);
    assert_eq!((kwh(without.used), without.used.missing_ms), (Some(1), 0));
    assert_eq!(kwh(without.produced), None);
}

#[test]
fn sub_meters_lie_inside_of_others() {
    use Role::*;
    // The second worked example: a distribution board with a heat pump and a car; a never connected
    // one is passed over.
    let sensors = [
        sensor(GridImport, None),
        sensor(SubMeter, Some(0)),
        sensor(SubMeter, Some(1)),
        PlacedSensor {
            has_uploaded: false,
            ..sensor(SubMeter, Some(1))
        },
        sensor(SubMeter, Some(3)),
    ];
    let slots = [
        measured(20, 0),
        measured(12, 0),
        measured(7, 0),
        measured(9, 0),
        measured(3, 0),
    ];
    let day = hour(&sensors, &slots);
    assert_eq!(day.other.map(kwh), Some(Some(8)));
    assert_eq!(
        day.others
            .iter()
            .map(|other| other.map(kwh))
            .collect::<Vec<_>>(),
        [None, Some(Some(2)), None, None, None]
    );
    assert_eq!(
        day.sensors.iter().map(|&own| kwh(own)).collect::<Vec<_>>(),
        [Some(20), Some(12), Some(7), None, Some(3)]
    );
    // Strings of an inverter are no part of the consumption.
    let strings = hour(
        &[
            sensor(Grid, None),
            sensor(Solar, None),
            sensor(SubMeter, Some(1)),
        ],
        &[measured(1, 0), measured(5, 0), measured(2, 0)],
    );
    assert_eq!(
        (strings.other, strings.others[1].map(kwh)),
        (None, Some(Some(3)))
    );
}

#[test]
fn circles_are_refused() {
    let sub = |inside| sensor(Role::SubMeter, Some(inside));
    for (sensors, error) in [
        (vec![sub(0)], PlanError::Cycle { sensor: 0 }),
        (vec![sub(1), sub(2), sub(1)], PlanError::Cycle { sensor: 0 }),
        (
            vec![sub(1)],
            PlanError::NoSuchSensor {
                sensor: 0,
                inside: 1,
            },
        ),
    ] {
        assert_eq!(HousePlan::new(&sensors), Err(error));
    }
    assert!(HousePlan::new(&[sub(1), sensor(Role::Solar, Some(0))]).is_ok());
}

#[test]
fn a_missing_sensor_makes_sums_partial() {
    use Role::*;
    let sensors = [
        sensor(Grid, None),
        sensor(Solar, None),
        sensor(SubMeter, None),
    ];
    let plan = HousePlan::new(&sensors).unwrap();
    let estimated = MeasuredSlot {
        estimated_ms: HOUR_MS / 2,
        ..measured(2, 1)
    };
    let dead = plan.sums(
        HOUR_MS,
        &[estimated, MeasuredSlot::unknown(HOUR_MS), measured(1, 0)],
        MicroWh::ZERO,
    );
    assert_eq!(
        (kwh(dead.produced), kwh(dead.used), dead.used.missing_ms),
        (None, Some(1), HOUR_MS)
    );
    assert_eq!(
        (dead.imported.missing_ms, dead.imported.estimated_ms),
        (0, HOUR_MS / 2)
    );
    let later = [estimated, MeasuredSlot::unknown(HOUR_MS), measured(1, 0)];
    let both = [estimated, measured(3, 0), measured(1, 0)]
        .into_iter()
        .zip(later);
    let both: Vec<_> = both.map(|(slot, later)| slot + later).collect();
    let day = plan.sums(2 * HOUR_MS, &both, MicroWh::ZERO);
    assert_eq!(
        (kwh(day.produced), day.produced.missing_ms),
        (Some(3), HOUR_MS)
    );
    assert_eq!(
        (kwh(day.used), day.used.missing_ms, day.used.estimated_ms),
        (Some(5), HOUR_MS, HOUR_MS)
    );
    assert_eq!(
        day.other.map(|other| (kwh(other), other.missing_ms)),
        Some((Some(3), HOUR_MS))
    );
    // A missing sub-meter only affects the unmeasured rest.
    let without = plan.sums(HOUR_MS, &[measured(2, 1), measured(3, 0)], MicroWh::ZERO);
    assert_eq!(
        (
            without.used.missing_ms,
            without.other.map(|other| other.missing_ms)
        ),
        (0, Some(HOUR_MS))
    );
    // Without the grid, the consumption and the rest are unknown.
    let blind = plan.sums(
        HOUR_MS,
        &[
            MeasuredSlot::unknown(HOUR_MS),
            measured(3, 0),
            measured(1, 0),
        ],
        MicroWh::ZERO,
    );
    assert_eq!(
        (kwh(blind.used), blind.other.map(kwh), kwh(blind.produced)),
        (None, Some(None), Some(3))
    );
}

/// A random sensor: its part, its parent where possible, whether it ever uploaded, and its
/// stretches.
type Household = Vec<(PlacedSensor, Vec<Stretch>)>;

const END_MS: i64 = 1_000;

fn household() -> impl Strategy<Value = Household> {
    let stretches = proptest::collection::vec(
        (
            0_i64..50,
            1_i64..300,
            0_i64..10_000,
            0_i64..10_000,
            any::<bool>(),
        ),
        0..9,
    );
    let sensor = (
        proptest::sample::select(Role::ALL.to_vec()),
        any::<proptest::sample::Index>(),
        proptest::bool::weighted(0.9),
        stretches,
    );
    proptest::collection::vec(sensor, 1..8).prop_map(|sensors| {
        let place = |(index, (part, inside, has_uploaded, stretches)): (
            usize,
            (_, proptest::sample::Index, bool, Vec<_>),
        )| {
            // Inside of an earlier one or of the house: never in a circle.
            let inside = inside.index(index + 1).checked_sub(1);
            let mut end = 0;
            let stretch = |(silence, length, imported, exported, is_estimated)| {
                let from = end + silence;
                end = from + length;
                let [from, to] = [from, end].map(|ms| Timestamp::from_millis(ms).unwrap());
                let flow = Flow {
                    imported: MicroWh::new(imported),
                    exported: MicroWh::new(exported),
                };
                Stretch {
                    from,
                    to,
                    flow,
                    is_estimated,
                }
            };
            (
                PlacedSensor {
                    role: part,
                    inside,
                    has_uploaded,
                },
                stretches.into_iter().map(stretch).collect(),
            )
        };
        sensors.into_iter().enumerate().map(place).collect()
    })
}

/// A sensor's energy between two times.
fn slot(stretches: &[Stretch], from: i64, to: i64) -> MeasuredSlot {
    let [start, end] = [from, to].map(|ms| Timestamp::from_millis(ms).unwrap());
    let inside = |stretch: &&Stretch| stretch.from < end && start < stretch.to;
    let ms = |stretch: &Stretch| stretch.to.min(end).millis() - stretch.from.max(start).millis();
    let found: Vec<_> = stretches.iter().filter(inside).collect();
    MeasuredSlot {
        flow: (!found.is_empty()).then(|| {
            found
                .iter()
                .map(|stretch| stretch.flow_between(start, end))
                .sum()
        }),
        known_ms: found.iter().map(|stretch| ms(stretch)).sum(),
        estimated_ms: found
            .iter()
            .filter(|stretch| stretch.is_estimated)
            .map(|stretch| ms(stretch))
            .sum(),
        coarse_ms: found
            .iter()
            .filter(|stretch| !stretch.is_estimated && stretch.is_coarse())
            .map(|stretch| ms(stretch))
            .sum(),
        missing_ms: to - from - found.iter().map(|stretch| ms(stretch)).sum::<i64>(),
    }
}

fn slots_between(house: &Household, from: i64, to: i64) -> Vec<MeasuredSlot> {
    let each = house.iter();
    each.map(|(_, stretches)| slot(stretches, from, to))
        .collect()
}

fn sums_of(house: &Household, length_ms: i64, slots: &[MeasuredSlot]) -> HouseSums {
    let sensors: Vec<_> = house.iter().map(|(sensor, _)| *sensor).collect();
    HousePlan::new(&sensors)
        .unwrap()
        .sums(length_ms, slots, MicroWh::ZERO)
}

fn sums_between(house: &Household, from: i64, to: i64) -> HouseSums {
    sums_of(house, to - from, &slots_between(house, from, to))
}

proptest! {
    #[test]
    fn hours_add_up_to_days(house in household(), mut cuts in proptest::collection::btree_set(1..END_MS, 1..20)) {
        cuts.extend([0, END_MS]);
        let cuts: Vec<_> = cuts.into_iter().collect();
        let hours = cuts.windows(2).map(|pair| slots_between(&house, pair[0], pair[1]));
        let added = |day: Vec<MeasuredSlot>, hour: Vec<MeasuredSlot>| day.into_iter().zip(hour).map(|(day, hour)| day + hour).collect();
        let day = hours.reduce(added).unwrap();
        prop_assert_eq!(&day, &slots_between(&house, 0, END_MS));
    }

    #[test]
    fn the_order_of_sensors_means_nothing(house in household(), turn in 0_usize..8) {
        let count = house.len();
        let mut turned = house.clone();
        turned.rotate_left(turn % count);
        for (sensor, _) in &mut turned {
            sensor.inside = sensor.inside.map(|inside| (inside + count - turn % count) % count);
        }
        let (mut sums, turned) = (sums_between(&house, 0, END_MS), sums_between(&turned, 0, END_MS));
        sums.sensors.rotate_left(turn % count);
        sums.others.rotate_left(turn % count);
        prop_assert_eq!(sums, turned);
    }

    #[test]
    fn a_dead_sensor_takes_nothing_from_the_others(house in household(), at in any::<proptest::sample::Index>()) {
        let at = at.index(house.len());
        let mut dead = house.clone();
        dead[at].1.clear();
        let (alive, sums) = (sums_between(&house, 0, END_MS), sums_between(&dead, 0, END_MS));
        let is_counted = house[at].0.has_uploaded;
        let is_main = house[at].0.role != Role::SubMeter;
        prop_assert_eq!(sums.used.missing_ms == END_MS, is_counted && is_main || alive.used.missing_ms == END_MS);
        if sums.imported.energy().is_some() {
            prop_assert!(sums.used.energy().is_some());
        }
        let minus = |sum: HouseSum, other: HouseSum| sum.energy().unwrap_or_default() - other.energy().unwrap_or_default();
        let own = slot(&house[at].1, 0, END_MS).flow.unwrap_or_default();
        let lost = match house[at].0.role {
            _ if !is_counted => MicroWh::ZERO,
            Role::Grid => own.imported,
            Role::GridImport => own.net(),
            _ => MicroWh::ZERO,
        };
        prop_assert_eq!(minus(alive.imported, sums.imported), lost);
    }

    /// Each sensor counts once: by its part, or inside its parent.
    #[test]
    fn sums_match_a_plain_model(house in household()) {
        let sums = sums_between(&house, 0, END_MS);
        let flows: Vec<_> = house.iter().map(|(sensor, stretches)| {
            let flow = slot(stretches, 0, END_MS).flow.filter(|_| sensor.has_uploaded);
            (sensor.role, flow.unwrap_or_default())
        }).collect();
        let net = |wanted: Role| flows.iter().filter(|(part, _)| *part == wanted).map(|(_, flow)| flow.net()).sum::<MicroWh>();
        let used = net(Role::Grid) + net(Role::GridImport) - net(Role::GridExport) + net(Role::Solar)
            - net(Role::Battery) - net(Role::BatteryCharge) + net(Role::BatteryDischarge);
        let is_known = house.iter().any(|(sensor, stretches)| {
            let imports = matches!(sensor.role, Role::Grid | Role::GridImport);
            imports && sensor.has_uploaded && slot(stretches, 0, END_MS).flow.is_some()
        });
        prop_assert_eq!(sums.used.energy(), is_known.then_some(used));
        // The parent of a sub-meter: the first one that uploaded; the grid means the house.
        let around = |mut at: usize| loop {
            let inside = house[at].0.inside?;
            match house[inside].0.role {
                Role::Grid | Role::GridImport | Role::GridExport => return None,
                Role::SubMeter if !house[inside].0.has_uploaded => at = inside,
                _ => return Some(inside),
            }
        };
        for whole in (0..house.len()).map(Some).chain([None]) {
            let counts = |&at: &usize| house[at].0.role == Role::SubMeter && house[at].0.has_uploaded && around(at) == whole;
            let children: Vec<_> = (0..house.len()).filter(counts).collect();
            let (other, of) = match whole {
                Some(at) => (sums.others[at], sums.sensors[at]),
                None => (sums.other, sums.used),
            };
            prop_assert_eq!(other.is_some(), !children.is_empty());
            if let Some(other) = other {
                let parts = children.iter().map(|&at| flows[at].1.net()).sum::<MicroWh>();
                prop_assert_eq!(other.energy(), of.energy().map(|energy| energy - parts));
            }
        }
    }
}
