//! Random histories: the walk equals the model, by single registers and in runs.

use std::time::Instant;

use proptest::prelude::*;

use super::super::MeterChange;
use super::model;
use super::*;
use crate::domain::{PowerLimit, Rollover, Zone};

/// A step of a random history: its kind, size, count and spacing.
pub(super) type Move = (u8, i64, usize, i64);

/// Few values, so that histories fall, come back and meet limits often.
pub(super) fn moves() -> impl Strategy<Value = Vec<Move>> {
    let spacings = prop_oneof![
        4 => Just(10 * SECOND), 2 => Just(MINUTE), 1 => Just(SECOND), 1 => Just(15 * MINUTE), 1 => Just(40 * MINUTE),
        1 => Just(7 * HOUR), 1 => Just(30 * HOUR),
    ];
    let repeats = prop_oneof![6 => 1_usize..4, 2 => 3_usize..30, 1 => 90_usize..120];
    // Most of the time nothing is odd.
    let what = prop_oneof![4 => 0_u8..4, 3 => 4_u8..11, 2 => 11_u8..13];
    let step = (what, 1_i64..4, repeats, spacings);
    let steps = |most| proptest::collection::vec(step.clone(), 1..most);
    let with_outage = (steps(6), outage(), steps(6));
    prop_oneof![
        3 => steps(12),
        1 => with_outage.prop_map(|(before, outage, after)| [before, outage, after].concat()),
    ]
}

/// A silence, and then zeros for minutes or days, with silences among them.
fn outage() -> impl Strategy<Value = Vec<Move>> {
    let spacing = prop_oneof![
        Just(10 * SECOND),
        Just(MINUTE),
        Just(15 * MINUTE),
        Just(HOUR)
    ];
    let zeros = (1_usize..220, spacing).prop_map(|(times, spacing)| (6, 3, times, spacing));
    let before = prop_oneof![Just(MINUTE), Just(7 * HOUR)];
    (before, proptest::collection::vec(zeros, 1..4))
        .prop_map(|(before, zeros)| [vec![(6, 3, 1, before)], zeros].concat())
}

pub(super) fn history(moves: &[Move]) -> Vec<Register> {
    let (mut ms, mut value, mut highest) = (0, 5_000_000_i64, 5_000_000_i64);
    let mut shown = vec![(0, 5_000.0)];
    for &(what, amount, times, spacing) in moves {
        for _ in 0..times {
            ms += spacing;
            value = match what {
                0..=2 => value + amount * 10_000,
                3 => value,
                4 => value + amount * 1_000_000,
                5 => value - amount * 30_000,
                6 if amount > 2 => 0,
                6 => amount * 100,
                7 => value + amount * 500_000_000,
                8 => highest + amount * 1_000,
                9 => -amount * 1_000,
                10 => value - amount * 2_000_000,
                11 => value / 100_000 * 100_000 + if ms % 7 == 0 { 100_000 } else { 0 },
                _ => value / 1_000_000 * 1_000_000 + if ms % 3 == 0 { 1_000_000 } else { 0 },
            };
            // Bad readings are no mark to come back to.
            if (0..=6).contains(&what) {
                highest = highest.max(value);
            }
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            shown.push((ms, value as f64 / 1_000.0));
        }
    }
    registers(&shown)
}

pub(super) fn sign() -> impl Strategy<Value = Sign> {
    proptest::sample::select(Sign::ALL.to_vec())
}

pub(super) fn meter() -> impl Strategy<Value = Meter> {
    let kind = prop_oneof![3 => Just(MeterKind::Counter), 1 => Just(MeterKind::Net)];
    let rollover = prop_oneof![2 => Just(None), 1 => Just(Some(5_010.0)), 1 => Just(Some(6_000.0))];
    let limit = prop_oneof![Just(5_000), Just(100_000)];
    (kind, rollover, limit, sign()).prop_map(|(kind, rollover, limit, register_sign)| {
        let meter = Meter {
            limit: PowerLimit::new(limit).unwrap(),
            register_sign,
            ..Meter::new(kind)
        };
        Meter {
            rollover: rollover.map(|rollover| Rollover::at(wh(rollover)).unwrap()),
            ..meter
        }
    })
}

/// Facts about a history: each is placed by a share of its registers.
pub(super) fn facts(
    registers: &[Register],
    (decisions, changes, wrong, restart): &Places,
) -> Facts {
    let time = |index: usize| registers[index % registers.len()].time;
    Facts {
        decisions: decisions
            .iter()
            .map(|&(index, counts)| (time(index), counts))
            .collect(),
        changes: changes
            .iter()
            .map(|&(index, after_ms, end)| {
                let change = MeterChange {
                    old_end: wh(end),
                    new_start: wh(100.0),
                };
                (time(index).saturating_add_millis(after_ms), change)
            })
            .collect(),
        wrong: wrong
            .iter()
            .map(|&(index, length)| time(index)..time(index).saturating_add_millis(length))
            .collect(),
        restart: match restart {
            0 => DailyRestart::Never,
            1 => DailyRestart::AtMidnight(Zone::UTC),
            _ => DailyRestart::AfterDarkness,
        },
        ..Facts::default()
    }
}

pub(super) type Places = (
    Vec<(usize, bool)>,
    Vec<(usize, i64, f64)>,
    Vec<(usize, i64)>,
    u8,
);

pub(super) fn places() -> impl Strategy<Value = Places> {
    use proptest::collection::vec;
    let some = (
        vec((any::<usize>(), any::<bool>()), 0..6),
        vec(
            (
                any::<usize>(),
                prop_oneof![Just(0), Just(1), Just(5 * SECOND)],
                prop_oneof![Just(0.0), Just(5_100.0)],
            ),
            0..2,
        ),
        vec((any::<usize>(), prop_oneof![Just(1), Just(HOUR)]), 0..2),
        0_u8..3,
    );
    prop_oneof![1 => (0_u8..3).prop_map(|restart| (Vec::new(), Vec::new(), Vec::new(), restart)), 1 => some]
}

/// Adjacent stretches without energy, merged.
fn joined(entries: &[Entry]) -> Vec<Entry> {
    let mut joined: Vec<Entry> = Vec::new();
    for entry in entries {
        let is_nothing = |it: &Stretch| it.flow == Flow::default() && !it.is_estimated;
        match (joined.last_mut(), entry) {
            (Some(Entry::Stretch(last)), Entry::Stretch(next))
                if is_nothing(last) && is_nothing(next) && last.to == next.from =>
            {
                last.to = next.to;
            }
            _ => joined.push(*entry),
        }
    }
    joined
}

fn are_in_order(entries: &[Entry]) -> bool {
    let (stretches, events) = (stretches(entries), events(entries));
    stretches.iter().all(|stretch| stretch.from < stretch.to)
        && stretches.windows(2).all(|pair| pair[0].to <= pair[1].from)
        && events.windows(2).all(|pair| pair[0].time < pair[1].time)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_walk_says_what_the_model_says(moves in moves(), meter in meter(), places in places()) {
        let registers = history(&moves);
        let facts = facts(&registers, &places);
        let entries = walked(meter, &facts, &registers);
        prop_assert_eq!(joined(&entries), joined(&model::entries(meter, &facts, &registers)));
        prop_assert!(are_in_order(&entries));
    }

    #[test]
    fn runs_say_what_their_registers_say(
        moves in moves(), meter in meter(), places in places(), is_interval in any::<bool>(),
        lengths in proptest::collection::vec(1_usize..20, 0..200),
    ) {
        let registers = history(&moves);
        let meter = Meter { kind: if is_interval { MeterKind::Interval } else { meter.kind }, ..meter };
        let facts = facts(&registers, &places);
        let single = walked(meter, &facts, &registers);
        let (by_runs, _) = walked_in_runs(meter, &facts, &registers, &lengths);
        prop_assert!(are_in_order(&by_runs));
        prop_assert_eq!(events(&by_runs), events(&single));
        let mut ends: Vec<_> = parts(&registers, &lengths).iter().map(|part| part[part.len() - 1].time).collect();
        ends.insert(0, registers[0].time);
        for pair in ends.windows(2) {
            let [by_runs, single] = [&by_runs, &single].map(|entries| flow_between(&stretches(entries), pair[0], pair[1]));
            prop_assert_eq!(by_runs, single);
        }
        prop_assert_eq!(total(&stretches(&by_runs)), total(&stretches(&single)));
    }

    #[test]
    fn totals_do_not_depend_on_how_registers_are_grouped(
        moves in moves(), lengths in proptest::collection::vec(1_usize..20, 0..200),
    ) {
        let registers = history(&moves);
        let runs = parts(&registers, &lengths).into_iter().map(|part| RegisterRun::of(part.iter().copied()).unwrap());
        let merged = runs.reduce(RegisterRun::merge);
        prop_assert_eq!(merged, RegisterRun::of(registers.iter().copied()));
    }

    #[test]
    fn a_day_is_the_sum_of_any_parts(moves in moves(), meter in meter(), mut cuts in proptest::collection::vec(0_i64..40 * HOUR, 0..20)) {
        let stretches = stretches(&walked(meter, &Facts::default(), &history(&moves)));
        cuts.extend([0, 1_000 * 24 * HOUR]);
        cuts.sort_unstable();
        let parts = cuts.windows(2).map(|pair| flow_between(&stretches, at(pair[0]), at(pair[1])));
        prop_assert_eq!(parts.sum::<Flow>(), total(&stretches));
    }
}

#[test]
fn a_long_silence_does_not_hide_a_steep_rise() {
    // 1.5 MWh in 10 s, and a little in 30 h: too large to compare without dividing.
    let registers = registers(&[
        (0, 0.0),
        (10 * SECOND, 1_500_000.0),
        (30 * HOUR, 1_500_010.0),
    ]);
    assert_eq!(
        RegisterRun::of(registers).unwrap().steepest_rise,
        540_000_000
    );
}

#[test]
fn walking_anew_is_bounded() {
    let fall: Vec<f64> = (0..10_000)
        .map(|index| 1e6 - 20.0 * f64::from(index))
        .collect();
    // Each second register is an open question, and each hold is full.
    let zigzag = (0..10_000_u32).map(|index| f64::from(1 + index % 2) * 1e9 - f64::from(index));
    for shown in [fall, zigzag.collect()] {
        let registers = registers(&every(10 * SECOND, &shown));
        let begin = Instant::now();
        let entries = walked(
            Meter::new(MeterKind::Counter),
            &Facts::default(),
            &registers,
        );
        assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
        assert_eq!(
            stretches(&entries).last().unwrap().to,
            registers[9_999].time
        );
    }
}
