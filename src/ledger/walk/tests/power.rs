//! The walk over power.

use proptest::prelude::*;

use super::super::{PowerAt, PowerRun, PowerWalk};
use super::random::sign;
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
    // 0.5 kW, rising to 1.5 kW: 1 kW in the mean over 6 min is 100 Wh; then -0.5 kW in the mean.
    let shown = [(0, 500.0), (6 * MINUTE, 1_500.0), (12 * MINUTE, -2_500.0)];
    let entries = of(Meter::default(), &shown);
    let flow = total(&stretches(&entries));
    assert_eq!((flow.imported, flow.exported), (wh(100.0), wh(50.0)));
    assert_eq!(events(&entries), []);
    let inverted = Meter {
        power_sign: Sign::Inverted,
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

fn held() -> Meter {
    Meter {
        between: Between::Hold,
        ..Meter::default()
    }
}

#[test]
fn held_power_counts_until_the_next_one() {
    // A kettle.
    let shown = [
        (0, 0.0),
        (4 * MINUTE, 2_000.0),
        (6 * MINUTE, 0.0),
        (10 * MINUTE, 0.0),
    ];
    let counted = |meter, shown: &[(i64, f64)]| total(&stretches(&of(meter, shown)));
    assert_eq!(counted(held(), &shown).imported, wh(2_000.0 / 30.0));
    assert_eq!(counted(Meter::default(), &shown).imported, wh(100.0));
    // A fridge: 80 W for 12 of each 40 min, otherwise 1 W.
    let cycle = |nth: i64| [(nth * 40 * MINUTE, 80.0), ((nth * 40 + 12) * MINUTE, 1.0)];
    let day: Vec<_> = (0..37).flat_map(cycle).take(73).collect();
    let entries = of(held(), &day);
    assert_eq!(events(&entries), []);
    let flow = total(&stretches(&entries));
    assert!((flow.imported.watthours() - 592.8).abs() < 1e-3, "{flow:?}");
    // Fed back, and turned.
    let fed = [(0, -600.0), (HOUR, 0.0)];
    assert_eq!(counted(held(), &fed).exported, wh(600.0));
    let inverted = Meter {
        power_sign: Sign::Inverted,
        ..held()
    };
    assert_eq!(counted(inverted, &fed).imported, wh(600.0));
}

#[test]
fn held_power_counts_for_a_day_at_most() {
    let day = 24 * HOUR;
    let entries = of(held(), &[(0, 10.0), (day, 20.0), (2 * day + 1, 30.0)]);
    assert_eq!(total(&stretches(&entries)).imported, wh(240.0));
    let [gap] = events(&entries)[..] else {
        panic!("{entries:?}")
    };
    let expected = (EventKind::Gap, at(day), at(2 * day + 1));
    assert_eq!((gap.kind, gap.since, gap.time), expected);
    // Totals of readings are those of their means.
    let run = PowerRun::of(readings(&[(0, 10.0), (SECOND, 20.0)])).unwrap();
    let walk = |meter| PowerWalk::new(meter, Facts::default());
    assert!(walk(Meter::default()).accepts(&run));
    assert!(!walk(held()).accepts(&run));
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

/// The energy of held power without rounding: each reading times its length.
fn held_energy(meter: Meter, facts: &Facts, readings: &[PowerAt]) -> (f64, f64, i64) {
    let limit = f64::from(meter.limit.watts());
    let is_good = |it: &&PowerAt| it.watts.abs() <= limit && !facts.is_wrong(it.time);
    let good: Vec<&PowerAt> = readings.iter().filter(is_good).collect();
    let (mut imported, mut exported, mut known_ms) = (0.0, 0.0, 0);
    for pair in good.windows(2) {
        let ms = pair[1].time.millis() - pair[0].time.millis();
        if ms > 24 * HOUR {
            continue;
        }
        let sign = if meter.power_sign == Sign::Inverted {
            -1.0
        } else {
            1.0
        };
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let energy = sign * pair[0].watts * ms as f64 / HOUR as f64;
        imported += energy.max(0.0);
        exported += (-energy).max(0.0);
        known_ms += ms;
    }
    (imported, exported, known_ms)
}

proptest! {
    #[test]
    fn held_power_is_that_of_a_plain_model(
        steps in proptest::collection::vec((
            prop_oneof![3 => 1_i64..10 * SECOND, 3 => 1_i64..HOUR, 1 => Just(24 * HOUR), 1 => Just(24 * HOUR + 1), 1 => Just(90 * HOUR)],
            prop_oneof![9 => -20_000_f64..20_000.0, 1 => Just(0.0), 1 => Just(1e6)]), 1..100),
        lengths in proptest::collection::vec(1_usize..20, 0..30), power_sign in sign(), wrong in 0_usize..100,
    ) {
        let mut ms = 0;
        let readings = readings(&steps.iter().map(|&(spacing, watts)| { ms += spacing; (ms, watts) }).collect::<Vec<_>>());
        let start = readings[wrong % readings.len()].time;
        let facts = Facts { wrong: vec![start..start.saturating_add_millis(HOUR)], ..Facts::default() };
        let meter = Meter { power_sign, ..held() };
        let single = walked_power(meter, &facts, &readings, None).0;
        // Runs are taken apart.
        prop_assert_eq!(&walked_power(meter, &facts, &readings, Some(&lengths)).0, &single);
        let stretches = stretches(&single);
        let (imported, exported, known_ms) = held_energy(meter, &facts, &readings);
        let flow = total(&stretches);
        prop_assert!((flow.imported.watthours() - imported).abs() < 1e-3, "{flow:?} {imported}");
        prop_assert!((flow.exported.watthours() - exported).abs() < 1e-3, "{flow:?} {exported}");
        prop_assert_eq!(stretches.iter().map(Stretch::length_ms).sum::<i64>(), known_ms);
        prop_assert!(stretches.iter().all(|it| !it.is_estimated));
    }

    #[test]
    fn runs_say_what_their_readings_say(
        steps in proptest::collection::vec((prop_oneof![6 => Just(10 * SECOND), 1 => Just(MINUTE), 1 => Just(HOUR)],
            prop_oneof![9 => -20_000_f64..20_000.0, 1 => Just(1e6)]), 1..100),
        lengths in proptest::collection::vec(1_usize..20, 0..30), power_sign in sign(),
    ) {
        let mut ms = 0;
        let readings = readings(&steps.iter().map(|&(spacing, watts)| { ms += spacing; (ms, watts) }).collect::<Vec<_>>());
        let meter = Meter { power_sign, ..Meter::default() };
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

/// The energy of power each ten minutes, and its events.
fn each_ten_minutes(between: Between, watts: &[f64]) -> (Flow, Vec<EventKind>) {
    let meter = Meter {
        between,
        ..Meter::default()
    };
    let entries = of(meter, &every(10 * MINUTE, watts));
    let kinds = events(&entries).iter().map(|event| event.kind).collect();
    (total(&stretches(&entries)), kinds)
}

#[test]
fn a_limit_of_an_integer_alone_is_no_power() {
    let off = [EventKind::ImplausiblePower];
    let limits = [
        -32_768.0, 32_767.0, 65_535.0, -3_276.8, 6_553.5, 16_777.215, 3_276.7,
    ];
    for between in [Between::Line, Between::Hold] {
        let calm = each_ten_minutes(between, &[600.0; 5]);
        for limit in limits {
            for shown in [
                vec![600.0, limit, 600.0, 600.0, 600.0],
                vec![600.0, limit, limit, 600.0, 600.0],
                vec![600.0, 600.0, -600.0, limit, 600.0],
            ] {
                let (flow, kinds) = each_ten_minutes(between, &shown);
                assert_eq!(kinds, off, "{between:?} {shown:?}");
                assert!(flow.imported <= calm.0.imported, "{between:?} {shown:?}");
            }
            let (flow, _) = each_ten_minutes(between, &[600.0, limit, 600.0, 600.0, 600.0]);
            assert_eq!(flow, calm.0, "{between:?} {limit}");
        }
        // Among values like it, or next to one, it is real.
        for real in [
            [600.0, 20_000.0, 32_767.0, 30_000.0, 600.0],
            [600.0, 32_767.0, 9_000.0, 600.0, 600.0],
            [9_000.0, 32_767.0, 600.0, 600.0, 600.0],
            [600.0, 32_766.0, 600.0, 600.0, 600.0],
            [0.0, 255.0, 0.0, 0.0, 0.0],
        ] {
            let (flow, kinds) = each_ten_minutes(between, &real);
            assert_eq!(kinds, [], "{between:?} {real:?}");
            let sum: f64 = match between {
                Between::Line => real.windows(2).map(|pair| pair[0].midpoint(pair[1])).sum(),
                Between::Hold => real[..4].iter().sum(),
            };
            // Each pair is rounded to a millionth.
            let off = (flow.imported - wh(sum / 6.0)).max(wh(sum / 6.0) - flow.imported);
            assert!(off <= wh(0.000_01), "{between:?} {real:?}");
        }
    }
    // The first reading, and the newest one until another follows.
    let (flow, kinds) = each_ten_minutes(Between::Line, &[65_535.0, 600.0, 600.0, -32_768.0]);
    assert_eq!((flow.imported, flow.exported), (wh(100.0), MicroWh::ZERO));
    assert_eq!(kinds, [EventKind::ImplausiblePower; 2]);
}

#[test]
fn a_person_can_say_that_odd_power_is_real() {
    let watts = [600.0, 32_767.0, 600.0, 150_000.0, 150_000.0, 600.0, 600.0];
    let shown = readings(&every(10 * MINUTE, &watts));
    let meter = Meter::default();
    let counted = |real: &[i64]| {
        let decisions = real.iter().map(|nth| (at(nth * 10 * MINUTE), true));
        let facts = Facts {
            decisions: decisions.collect(),
            ..Facts::default()
        };
        let entries = walked_power(meter, &facts, &shown, None).0;
        let (by_runs, _) = walked_power(meter, &facts, &shown, Some(&[2, 2, 3]));
        assert_eq!(events(&by_runs), events(&entries), "{real:?}");
        let told = events(&entries).into_iter().map(|it| {
            assert_eq!(it.kind, EventKind::ImplausiblePower);
            (it.is_decided, it.until.millis() / MINUTE, it.counted)
        });
        let told: Vec<_> = told.collect();
        (total(&stretches(&entries)).imported, told)
    };
    let none = MicroWh::ZERO;
    let limit = (false, 10, none);
    let steep = (false, 40, none);
    assert_eq!(counted(&[]), (wh(600.0), vec![limit, steep]));
    // 16,683.5 W on average for 20 min; 150,600 W for 20 min, and 150,000 W between.
    let (limit, steep) = ((true, 10, wh(5_561.166_666)), (true, 40, wh(50_100.0)));
    let (sum, told) = counted(&[1]);
    assert_eq!(told, [limit, (false, 40, none)]);
    assert_eq!(sum, wh(400.0 + 5_561.166_666));
    let (sum, told) = counted(&[3]);
    assert_eq!(told, [(false, 10, none), steep]);
    assert_eq!(sum, wh(300.0 + 50_100.0));
}

/// The power that counts, by looking at all of it: what is beyond the limit, or a limit of an
/// integer alone, is left out.
fn good_power(meter: &Meter, readings: &[PowerAt]) -> Vec<PowerAt> {
    let is_plausible = |it: &PowerAt| it.watts.abs() <= f64::from(meter.limit.watts());
    let is_limit = |watts: f64| [3_276.7, 32_767.0, -32_768.0, 65_535.0].contains(&watts);
    let is_far = |one: f64, other: f64| other.abs() * 4.0 <= one.abs();
    let mut good = Vec::<PowerAt>::new();
    let mut rest = readings;
    while let Some((&first, _)) = rest.split_first() {
        let same = rest.iter().take_while(|it| it.watts == first.watts).count();
        let (run, later) = rest.split_at(same);
        let is_after = good
            .last()
            .is_none_or(|before| is_far(first.watts, before.watts));
        let is_before = later
            .first()
            .is_none_or(|next| is_far(first.watts, next.watts));
        let is_out = is_limit(first.watts) && is_after && is_before && same <= 100;
        good.extend(run.iter().filter(|it| !is_out && is_plausible(it)));
        rest = later;
    }
    good
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn limits_of_integers_are_left_out_in_any_grouping(
        picks in proptest::collection::vec(0_usize..11, 1..60),
        lengths in proptest::collection::vec(1_usize..12, 0..30),
        is_hold in any::<bool>(),
    ) {
        let values = [0.0, 40.0, 255.0, 600.0, 3_276.7, -600.0, 9_000.0, 32_767.0, -32_768.0, 65_535.0, 200_000.0];
        let watts: Vec<f64> = picks.iter().map(|pick| values[*pick]).collect();
        let meter = Meter { between: if is_hold { Between::Hold } else { Between::Line }, ..Meter::default() };
        let readings = readings(&every(10 * SECOND, &watts));
        let single = walked_power(meter, &Facts::default(), &readings, None).0;
        let good = good_power(&meter, &readings);
        let expected: Vec<_> = good.windows(2).map(|pair| (pair[0].time, pair[1].time)).collect();
        let found: Vec<_> = stretches(&single).iter().map(|it| (it.from, it.to)).collect();
        prop_assert_eq!(found, expected);
        let (by_runs, _) = walked_power(meter, &Facts::default(), &readings, Some(&lengths));
        prop_assert_eq!(events(&by_runs), events(&single));
        prop_assert_eq!(total(&stretches(&by_runs)), total(&stretches(&single)));
    }
}
