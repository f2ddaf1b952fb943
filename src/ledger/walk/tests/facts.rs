//! Corrections of readings.

use std::collections::BTreeMap;

use super::super::MeterChange;
use super::*;

/// The energy in watt-hours, and each event with its energy, whether it is open and whether it is
/// decided.
type Outcome = (f64, Vec<(EventKind, f64, bool, bool)>);

fn outcome(kind: MeterKind, facts: &Facts, shown: &[(i64, f64)]) -> Outcome {
    let entries = walked(Meter::new(kind), facts, &registers(shown));
    let events = events(&entries);
    let told = events.iter().map(|event| {
        (
            event.kind,
            event.counted.watthours(),
            event.is_open,
            event.is_decided,
        )
    });
    (
        total(&stretches(&entries)).net().watthours(),
        told.collect(),
    )
}

/// A decision about the second register, 10 s after the first.
fn decided(shown: &[f64], counts: bool) -> Outcome {
    let facts = Facts {
        decisions: BTreeMap::from([(at(10 * SECOND), counts)]),
        ..Facts::default()
    };
    outcome(MeterKind::Counter, &facts, &every(10 * SECOND, shown))
}

#[test]
fn decisions_overrule() {
    use EventKind::{Dip, Jump, Reset, Spike};
    let jump = [1_000.0, 9_000.0, 9_001.0];
    assert_eq!(
        decided(&jump, true),
        (8_001.0, vec![(Jump, 8_000.0, false, true)])
    );
    assert_eq!(decided(&jump, false), (1.0, vec![(Jump, 0.0, false, true)]));
    let open_reset = [90_000.0, 9_000.0, 9_001.0];
    assert_eq!(
        decided(&open_reset, true),
        (9_001.0, vec![(Reset, 9_000.0, false, true)])
    );
    assert_eq!(
        decided(&open_reset, false),
        (1.0, vec![(Reset, 0.0, false, true)])
    );
    let reset = [90_000.0, 10.0, 11.0];
    assert_eq!(
        decided(&reset, true),
        (11.0, vec![(Reset, 10.0, false, true)])
    );
    assert_eq!(
        decided(&reset, false),
        (1.0, vec![(Reset, 0.0, false, true)])
    );
    let slip = [1_000.0, 999.0, 999.5];
    assert_eq!(
        decided(&slip, true),
        (999.5, vec![(Reset, 999.0, false, true)])
    );
    assert_eq!(decided(&slip, false), (0.5, vec![(Dip, 0.0, false, true)]));
    // Of what came back, the registers are real if it counts; then the way back is the next
    // question.
    let dip = [1_000.0, 0.0, 1_001.0];
    assert_eq!(decided(&dip, false), (1.0, vec![(Dip, 0.0, false, true)]));
    assert_eq!(
        decided(&dip, true),
        (
            0.0,
            vec![(Reset, 0.0, false, true), (Jump, 0.0, true, false)]
        )
    );
    let spike = [1_000.0, 9_000.0, 1_001.0];
    assert_eq!(
        decided(&spike, false),
        (1.0, vec![(Spike, 0.0, false, true)])
    );
    assert_eq!(
        decided(&spike, true),
        (
            8_000.0,
            vec![(Jump, 8_000.0, false, true), (Reset, 0.0, true, false)]
        )
    );
    // There is no event at this time.
    assert_eq!(decided(&[1_000.0, 1_001.0], false), (1.0, vec![]));
}

#[test]
fn a_gap_may_count_nothing() {
    let facts = Facts {
        decisions: BTreeMap::from([(at(HOUR), false)]),
        ..Facts::default()
    };
    let shown = [(0, 0.0), (MINUTE, 1.0), (HOUR, 40.0)];
    let gap = (EventKind::Gap, 0.0, false, true);
    assert_eq!(
        outcome(MeterKind::Counter, &facts, &shown),
        (1.0, vec![gap])
    );
}

#[test]
fn another_meter_joins_without_a_gap() {
    let change = |old_end, new_start| Facts {
        changes: BTreeMap::from([(
            at(15 * SECOND),
            MeterChange {
                old_end: wh(old_end),
                new_start: wh(new_start),
            },
        )]),
        ..Facts::default()
    };
    let shown = every(10 * SECOND, &[5_000.0, 5_001.0, 103.0, 104.0]);
    // 1 until the second register, 2 until the old one's end, 3 from the new one's start, and 1.
    let both = [MeterKind::Counter, MeterKind::Net]
        .map(|kind| outcome(kind, &change(5_003.0, 100.0), &shown));
    assert_eq!(both, [(7.0, vec![]), (7.0, vec![])]);
    // An end below the last register adds nothing.
    assert_eq!(
        outcome(MeterKind::Counter, &change(4_000.0, 100.0), &shown).0,
        5.0
    );
    // The held register is decided by the old meter's end: 9e9 was bad.
    let shown = every(10 * SECOND, &[5_000.0, 9e9, 103.0]);
    let spike = (EventKind::Spike, 0.0, false, false);
    assert_eq!(
        outcome(MeterKind::Counter, &change(5_003.0, 100.0), &shown),
        (6.0, vec![spike])
    );
    // The energy until the end counts without a register of the new meter.
    let shown = every(10 * SECOND, &[5_000.0, 5_001.0]);
    assert_eq!(
        outcome(MeterKind::Counter, &change(5_003.0, 100.0), &shown),
        (3.0, vec![])
    );
    // Before the first register, there was no other meter.
    let shown = [(20 * SECOND, 103.0), (30 * SECOND, 104.0)];
    assert_eq!(
        outcome(MeterKind::Counter, &change(5_003.0, 100.0), &shown),
        (1.0, vec![])
    );
}

#[test]
fn an_implausible_end_of_a_meter_is_an_open_question() {
    let facts = |decisions: &[(i64, bool)]| Facts {
        changes: BTreeMap::from([(
            at(6 * MINUTE),
            MeterChange {
                old_end: wh(12_345_905.0),
                new_start: wh(0.0),
            },
        )]),
        decisions: decisions
            .iter()
            .map(|(ms, counts)| (at(*ms), *counts))
            .collect(),
        ..Facts::default()
    };
    let (reset, jump) = (EventKind::Reset, EventKind::Jump);
    // The change is said to be so late that nobody waits for the old meter any more.
    let mut shown = every(SECOND, &[12_345_890.0, 12_345_900.0]);
    shown.extend((0..200).map(|nth| {
        (
            MINUTE + nth * SECOND,
            f64::from(i32::try_from(nth).unwrap()),
        )
    }));
    let open = (
        209.0,
        vec![(reset, 0.0, false, false), (jump, 0.0, true, false)],
    );
    assert_eq!(outcome(MeterKind::Counter, &facts(&[]), &shown), open);
    let ignored = (
        209.0,
        vec![(reset, 0.0, false, false), (jump, 0.0, false, true)],
    );
    assert_eq!(
        outcome(MeterKind::Counter, &facts(&[(6 * MINUTE, false)]), &shown),
        ignored
    );
    let (counted, _) = outcome(MeterKind::Counter, &facts(&[(6 * MINUTE, true)]), &shown);
    assert!((counted - 209.0 - 12_345_706.0).abs() < 1e-3, "{counted}");
}

#[test]
fn another_meter_has_not_stood_still() {
    let facts = Facts {
        changes: BTreeMap::from([(
            at(HOUR),
            MeterChange {
                old_end: wh(5_000.0),
                new_start: wh(5_000.0),
            },
        )]),
        ..Facts::default()
    };
    // 1 kWh is plausible over the hour that the old meter stood still, but not over 10 s of the new
    // one.
    let shown = [
        (0, 5_000.0),
        (HOUR - MINUTE, 5_000.0),
        (HOUR + 10 * SECOND, 6_000.0),
    ];
    let jump = (EventKind::Jump, 0.0, true, false);
    assert_eq!(
        outcome(MeterKind::Counter, &facts, &shown),
        (0.0, vec![jump])
    );
}

#[test]
fn a_meter_that_changes_with_a_register() {
    let facts = Facts {
        changes: BTreeMap::from([(
            at(10 * SECOND),
            MeterChange {
                old_end: wh(1_002.0),
                new_start: wh(0.0),
            },
        )]),
        ..Facts::default()
    };
    // The register at the same time adds to the next one: 2 and 8.
    let shown = every(10 * SECOND, &[1_000.0, 5.0, 8.0]);
    assert_eq!(outcome(MeterKind::Counter, &facts, &shown), (10.0, vec![]));
}

#[test]
fn wrong_readings_are_left_out() {
    let facts = Facts {
        wrong: vec![at(10 * SECOND)..at(30 * SECOND)],
        ..Facts::default()
    };
    let shown = every(10 * SECOND, &[1.0, 50.0, 60.0, 4.0, 5.0]);
    assert_eq!(outcome(MeterKind::Counter, &facts, &shown), (4.0, vec![]));
    // Of intervals, the energy of the time that is left out is not known: 4 and 5 remain.
    assert_eq!(outcome(MeterKind::Interval, &facts, &shown), (9.0, vec![]));
}

#[test]
fn runs_that_a_fact_concerns_are_unpacked() {
    let registers = registers(&every(10 * SECOND, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]));
    let taken =
        |facts: &Facts| walked_in_runs(Meter::new(MeterKind::Counter), facts, &registers, &[3]).1;
    assert_eq!(taken(&Facts::default()), 2);
    let decisions = |second: i64| Facts {
        decisions: BTreeMap::from([(at(second * SECOND), true)]),
        ..Facts::default()
    };
    assert_eq!(
        [-1, 0, 20, 21, 50, 51].map(|second| taken(&decisions(second))),
        [2, 1, 1, 1, 1, 2]
    );
    let wrong = |from: i64, to: i64| Facts {
        wrong: vec![at(from * SECOND)..at(to * SECOND)],
        ..Facts::default()
    };
    assert_eq!(taken(&wrong(50, 60)), 1);
    assert_eq!(taken(&wrong(51, 60)), 2);
    assert_eq!(taken(&wrong(-9, 0)), 2);
    assert_eq!(taken(&wrong(-9, 1)), 1);
}
