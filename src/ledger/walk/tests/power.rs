//! The walk over power.

use proptest::prelude::*;

use super::super::{PowerAt, PowerRun, PowerWalk};
use super::*;

fn readings(shown: &[(i64, f64)]) -> Vec<PowerAt> {
    let reading = |&(ms, watts)| PowerAt {
        time: at(ms),
        watts,
    };
    shown.iter().map(reading).collect()
}

fn walked_power(
    meter: Meter,
    facts: &Facts,
    readings: &[PowerAt],
    lengths: Option<&[usize]>,
) -> (Vec<Entry>, usize) {
    let (mut walk, mut all, mut taken) = (PowerWalk::new(meter, facts.clone()), Vec::new(), 0);
    for part in parts(readings, lengths.unwrap_or_default()) {
        let run = PowerRun::of(part.iter().copied()).unwrap();
        if lengths.is_some() && walk.accepts(&run) {
            walk.add_run(&run, &mut |entry| all.push(entry));
            taken += 1;
        } else {
            for &reading in part {
                walk.add(reading, &mut |entry| all.push(entry));
            }
        }
    }
    walk.finish(&mut |entry| all.push(entry));
    (all, taken)
}

fn of(meter: Meter, shown: &[(i64, f64)]) -> Vec<Entry> {
    walked_power(meter, &Facts::default(), &readings(shown), None).0
}

#[test]
fn energy_is_the_integral() {
    // 1 kW, rising to 3 kW: 2 kW in the mean over 3 min are 100 Wh; then -1 kW in the mean.
    let shown = [(0, 1_000.0), (3 * MINUTE, 3_000.0), (6 * MINUTE, -5_000.0)];
    let entries = of(Meter::default(), &shown);
    let flow = total(&stretches(&entries));
    assert_eq!((flow.imported, flow.exported), (wh(100.0), wh(50.0)));
    assert_eq!(events(&entries), []);
    let inverted = Meter {
        is_inverted: true,
        ..Meter::default()
    };
    let flow = total(&stretches(&of(inverted, &shown)));
    assert_eq!((flow.imported, flow.exported), (wh(50.0), wh(100.0)));
    let (entries, taken) = walked_power(inverted, &Facts::default(), &readings(&shown), Some(&[]));
    assert_eq!((total(&stretches(&entries)), taken), (flow, 1));
}

#[test]
fn nothing_is_known_of_a_gap() {
    let entries = of(
        Meter::default(),
        &[
            (0, 60.0),
            (MINUTE, 60.0),
            (HOUR, 60.0),
            (HOUR + MINUTE, 60.0),
        ],
    );
    assert_eq!(total(&stretches(&entries)).imported, wh(2.0));
    let [gap] = events(&entries)[..] else {
        panic!("{entries:?}")
    };
    assert_eq!(
        (gap.kind, gap.since, gap.time),
        (EventKind::Gap, at(MINUTE), at(HOUR))
    );
}

#[test]
fn implausible_power_is_left_out() {
    let shown = [
        (0, 60.0),
        (MINUTE, 1e6),
        (2 * MINUTE, -1e6),
        (3 * MINUTE, 60.0),
        (4 * MINUTE, 100_000.1),
    ];
    let entries = of(Meter::default(), &shown);
    assert_eq!(total(&stretches(&entries)).imported, wh(3.0));
    let told: Vec<_> = events(&entries)
        .iter()
        .map(|event| (event.kind, event.since, event.time, event.until))
        .collect();
    let kind = EventKind::ImplausiblePower;
    assert_eq!(
        told,
        [
            (kind, at(0), at(MINUTE), at(2 * MINUTE)),
            (kind, at(3 * MINUTE), at(4 * MINUTE), at(4 * MINUTE)),
        ]
    );
}

#[test]
fn wrong_power_is_left_out() {
    let facts = Facts {
        wrong: vec![at(MINUTE)..at(2 * MINUTE)],
        ..Facts::default()
    };
    let shown = readings(&[(0, 60.0), (MINUTE, 9_000.0), (2 * MINUTE, 60.0)]);
    for lengths in [None, Some(&[][..])] {
        let entries = walked_power(Meter::default(), &facts, &shown, lengths).0;
        assert_eq!(total(&stretches(&entries)).imported, wh(2.0));
    }
}

proptest! {
    #[test]
    fn runs_say_what_their_readings_say(
        steps in proptest::collection::vec((prop_oneof![6 => Just(10 * SECOND), 1 => Just(MINUTE), 1 => Just(HOUR)],
            prop_oneof![9 => -20_000_f64..20_000.0, 1 => Just(1e6)]), 1..100),
        lengths in proptest::collection::vec(1_usize..20, 0..30), is_inverted in any::<bool>(),
    ) {
        let mut ms = 0;
        let readings = readings(&steps.iter().map(|&(spacing, watts)| { ms += spacing; (ms, watts) }).collect::<Vec<_>>());
        let meter = Meter { is_inverted, ..Meter::default() };
        let single = walked_power(meter, &Facts::default(), &readings, None).0;
        let by_runs = walked_power(meter, &Facts::default(), &readings, Some(&lengths)).0;
        prop_assert_eq!(events(&by_runs), events(&single));
        let ends: Vec<_> = parts(&readings, &lengths).iter().map(|part| part[part.len() - 1].time).collect();
        for pair in ends.windows(2) {
            let [by_runs, single] = [&by_runs, &single].map(|entries| flow_between(&stretches(entries), pair[0], pair[1]));
            prop_assert_eq!(by_runs, single);
        }
        prop_assert_eq!(total(&stretches(&by_runs)), total(&stretches(&single)));
        let merged = parts(&readings, &lengths).into_iter().map(|part| PowerRun::of(part.iter().copied()).unwrap()).reduce(PowerRun::merge);
        prop_assert_eq!(merged, PowerRun::of(readings));
    }
}
