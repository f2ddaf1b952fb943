//! Values that are none: limits of integers, and zeros after an outage.

use super::*;

#[test]
fn an_interval_with_the_limit_of_an_integer_alone_is_unknown() {
    let hours = |shown: &[f64]| {
        let meter = Meter::new(MeterKind::Interval);
        let entries = walked(meter, &Facts::default(), &registers(&every(HOUR, shown)));
        let kinds: Vec<_> = events(&entries).iter().map(|event| event.kind).collect();
        (
            total(&stretches(&entries)),
            stretches(&entries).len(),
            kinds,
        )
    };
    let of = |imported: f64, exported: f64| Flow {
        imported: wh(imported),
        exported: wh(exported),
    };
    let spike = || vec![EventKind::Spike];
    for limit in [65_535.0, 32_767.0, 281_474_976_710_655.0] {
        let shown = [500.0, 600.0, limit, 700.0, 800.0];
        assert_eq!(hours(&shown), (of(2_100.0, 0.0), 3, spike()), "{limit}");
        // Nothing follows yet.
        assert_eq!(hours(&shown[..3]), (of(600.0, 0.0), 1, spike()), "{limit}");
    }
    let real = [500.0, 40_000.0, 65_535.0, 30_000.0];
    assert_eq!(hours(&real), (of(135_535.0, 0.0), 3, vec![]));
    // Several times the same.
    let twice = [500.0, 600.0, 65_535.0, 65_535.0, 700.0];
    let spikes = vec![EventKind::Spike; 2];
    assert_eq!(hours(&twice), (of(1_300.0, 0.0), 2, spikes));
    let after = [500.0, 32_767.0, 20_000.0];
    assert_eq!(hours(&after), (of(52_767.0, 0.0), 2, vec![]));
}

#[test]
fn a_counter_with_the_limit_of_an_integer_has_a_spike_or_a_dip() {
    for limit in [-32_768.0, 4_294_967_295.0, 281_474_976_710_655.0] {
        let shown = [1e6, 1e6 + 10.0, limit, 1e6 + 20.0, 1e6 + 30.0];
        let entries = walked(
            Meter::new(MeterKind::Counter),
            &Facts::default(),
            &registers(&every(MINUTE, &shown)),
        );
        assert_eq!(total(&stretches(&entries)).imported, wh(30.0), "{limit}");
        assert_eq!(events(&entries).len(), 1, "{limit}");
    }
}

/// However many zeros come, and for however long.
#[test]
fn zeros_after_an_outage_are_no_reset() {
    let walked_with = |kind: MeterKind, zeros: i64, spacing: i64, restart: DailyRestart| {
        let mut shown = every(MINUTE, &[5_000.0, 5_004.0, 5_011.0]);
        let zero = |nth: i64| (302 * MINUTE + nth * spacing, 0.0);
        shown.extend((0..zeros).map(zero));
        let back = zero(zeros).0;
        shown.extend([(back, 5_074.0), (back + MINUTE, 5_075.0)]);
        let registers = registers(&shown);
        let meter = Meter::new(kind);
        let facts = restarting(restart);
        let entries = walked(meter, &facts, &registers);
        let (by_runs, _) = walked_in_runs(meter, &facts, &registers, &[3, 40, 40, 40, 40, 40]);
        assert_eq!(events(&entries), events(&by_runs));
        assert_eq!(total(&stretches(&entries)), total(&stretches(&by_runs)));
        entries
    };
    for (zeros, spacing) in [
        (99, MINUTE),
        (100, MINUTE),
        (101, MINUTE),
        (150, MINUTE),
        (105, 10 * SECOND),
        (30, HOUR),
        (180, 10 * MINUTE),
        (20_000, 10 * SECOND),
    ] {
        let midnight = DailyRestart::AtMidnight(crate::domain::Zone::UTC);
        for restart in [DailyRestart::Never, midnight] {
            let entries = walked_with(MeterKind::Counter, zeros, spacing, restart);
            assert_eq!(total(&stretches(&entries)).net(), wh(75.0), "{zeros}");
            let odd = events(&entries).into_iter().map(|event| event.kind);
            assert_eq!(odd.collect::<Vec<_>>(), [EventKind::Dip], "{zeros}");
        }
    }
}

/// A replaced meter goes on from 0, however long it shows 0 first.
#[test]
fn zeros_before_small_values_are_a_reset() {
    for zeros in [1, 99, 100, 150, 3_000] {
        let mut shown = vec![5_000.0, 5_004.0, 5_011.0];
        shown.extend(vec![0.0; zeros]);
        let meter = Meter::new(MeterKind::Counter);
        let walked = |shown: &[f64]| {
            let registers = registers(&every(MINUTE, shown));
            walked(meter, &Facts::default(), &registers)
        };
        // Nobody knows yet.
        let waiting = walked(&shown);
        assert!(events(&waiting)[0].is_open, "{zeros}");
        assert_eq!(total(&stretches(&waiting)).net(), wh(11.0), "{zeros}");
        shown.extend((1_u32..200).map(|nth| 10.0 * f64::from(nth)));
        let entries = walked(&shown);
        assert_eq!(total(&stretches(&entries)).net(), wh(2_001.0), "{zeros}");
        let odd = events(&entries);
        assert_eq!(
            (odd.len(), odd[0].kind, odd[0].is_open),
            (1, EventKind::Reset, false)
        );
    }
}

#[test]
fn held_zeros_take_little_memory() {
    let mut walk =
        super::super::RegisterWalk::new(Meter::new(MeterKind::Counter), Facts::default());
    // A silence after each fourth zero.
    let mut ms = 0;
    for nth in 0..40_000 {
        ms += if nth % 4 == 0 { HOUR } else { MINUTE };
        let watthours = if nth == 0 { 5_000.0 } else { 0.0 };
        walk.add(
            Register {
                time: at(ms),
                watthours,
            },
            &mut |_| {},
        );
    }
    assert!(walk.held.len() <= 101, "{}", walk.held.len());
    assert!(walk.zeros.count_rows() <= 101);
}

#[test]
fn a_first_register_at_the_limit_of_an_integer_is_no_value() {
    let told = |shown: &[(i64, f64)], lengths: &[usize]| {
        let meter = Meter::new(MeterKind::Counter);
        let (entries, _) = walked_in_runs(meter, &Facts::default(), &registers(shown), lengths);
        let odd = events(&entries)
            .into_iter()
            .map(|event| (event.kind, event.is_open));
        (
            total(&stretches(&entries)).net().watthours(),
            odd.collect::<Vec<_>>(),
        )
    };
    for (limit, next, spacing) in [
        (4_294_967_295.0, 50_000.0, HOUR),
        (281_474_976_710_655.0, 1_000.0, MINUTE),
        (65_535.0, 1_000.0, MINUTE),
        (-32_768.0, 1_000.0, HOUR),
        (65_535.0, 0.0, MINUTE),
    ] {
        let shown = [
            (0, limit),
            (spacing, next),
            (2 * spacing, next + 10.0),
            (3 * spacing, next + 10.0),
        ];
        // Several times the same, too.
        let again = [&[(-spacing, limit)][..], &shown].concat();
        for shown in [&shown[..], &again] {
            for lengths in [&[1; 5][..], &[1, 3], &[2], &[2, 3], &[3], &[]] {
                let expected = (10.0, vec![(EventKind::Spike, false)]);
                assert_eq!(told(shown, lengths), expected, "{shown:?} {lengths:?}");
            }
        }
    }
    // A true value: it goes on from there.
    let real = every(MINUTE, &[65_535.0, 0.0, 65_540.0, 65_541.0]);
    assert_eq!(told(&real, &[1; 4]), (6.0, vec![(EventKind::Dip, false)]));
    // A person knows better, and a meter with as many digits goes round.
    let registers = registers(&every(MINUTE, &[65_535.0, 5.0, 15.0]));
    let facts = Facts {
        decisions: [(at(0), true)].into(),
        ..Facts::default()
    };
    let entries = walked(Meter::new(MeterKind::Counter), &facts, &registers);
    assert_eq!(total(&stretches(&entries)).net(), wh(15.0));
    let meter = Meter {
        rollover: crate::domain::Rollover::at(wh(65_536.0)),
        ..Meter::new(MeterKind::Counter)
    };
    let entries = walked(meter, &Facts::default(), &registers);
    assert_eq!(total(&stretches(&entries)).net(), wh(16.0));
}

/// Such a register fits the one before it, if these are far apart.
#[test]
fn a_plausible_register_at_the_limit_of_an_integer_waits_for_the_next_one() {
    let told = |kind: MeterKind, shown: &[f64]| {
        let registers = registers(&every(HOUR, shown));
        let meter = Meter::new(kind);
        let entries = walked(meter, &Facts::default(), &registers);
        for lengths in [&[1, 2, 1, 2][..], &[2, 1, 3], &[3, 3], &[]] {
            let (by_runs, _) = walked_in_runs(meter, &Facts::default(), &registers, lengths);
            assert_eq!(events(&by_runs), events(&entries), "{shown:?} {lengths:?}");
            let flows = [&by_runs, &entries].map(|it| total(&stretches(it)));
            assert_eq!(flows[0], flows[1], "{shown:?} {lengths:?}");
        }
        let odd = events(&entries).into_iter();
        let odd: Vec<_> = odd.map(|event| (event.kind, event.is_open)).collect();
        (total(&stretches(&entries)).net(), odd)
    };
    let spike = || vec![(EventKind::Spike, false)];
    for kind in [MeterKind::Counter, MeterKind::Net] {
        for limit in [65_535.0, 65_535.0 + 1e-11] {
            let shown = [60_000.0, 60_010.0, limit, 60_020.0, 60_030.0];
            assert_eq!(told(kind, &shown), (wh(30.0), spike()), "{kind:?}");
        }
        let twice = [60_000.0, 60_010.0, 65_535.0, 65_535.0, 60_020.0];
        assert_eq!(told(kind, &twice), (wh(20.0), spike()), "{kind:?}");
        // Nobody knows yet.
        let newest = [60_000.0, 60_010.0, 65_535.0];
        let open = vec![(EventKind::Jump, true)];
        assert_eq!(told(kind, &newest), (wh(10.0), open), "{kind:?}");
        // Registers pass by the number, in small steps or in large ones.
        let by = [65_000.0, 65_535.0, 65_600.0, 65_600.0];
        assert_eq!(told(kind, &by), (wh(600.0), vec![]), "{kind:?}");
        let far = [60_000.0, 65_535.0, 70_000.0, 75_000.0];
        assert_eq!(told(kind, &far), (wh(15_000.0), vec![]), "{kind:?}");
    }
    // A counter cannot fall: any lower register shows it.
    let near = [60_000.0, 65_535.0, 64_000.0, 64_010.0];
    assert_eq!(told(MeterKind::Counter, &near), (wh(4_010.0), spike()));
    // In tenths of a kilowatt-hour.
    let tenths = [3_200_000.0, 3_276_700.0, 3_200_500.0, 3_201_000.0];
    assert_eq!(told(MeterKind::Counter, &tenths), (wh(1_000.0), spike()));
    // The first register of all.
    for (limit, next) in [
        (65_535.0, 60_000.0),
        (-32_768.0, 50_000.0),
        (655_350.0, 7.0),
    ] {
        let shown = [limit, next, next + 10.0, next + 30.0];
        assert_eq!(
            told(MeterKind::Counter, &shown),
            (wh(30.0), spike()),
            "{limit}"
        );
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]

    /// Wherever a limit is among the registers of a counter, it changes nothing but an event.
    #[test]
    fn limits_among_registers_change_nothing(
        rises in proptest::collection::vec(0_u32..300, 4..60),
        limits in proptest::collection::vec((1_usize..60, 0_usize..5, 1_usize..4), 0..6),
        spacing in proptest::sample::select(vec![10 * SECOND, MINUTE, HOUR, 24 * HOUR, 30 * 24 * HOUR]),
        lengths in proptest::collection::vec(1_usize..12, 0..30),
        is_net in proptest::prelude::any::<bool>(),
    ) {
        const LIMITS: [f64; 5] = [65_535.0, 32_767.0, -32_768.0, 281_474_976_710_655.0, 4_294_967_295.0];
        let mut shown = vec![50_000.0];
        for rise in &rises {
            shown.push(shown[shown.len() - 1] + f64::from(*rise) / 100.0);
        }
        let whole = wh(shown[shown.len() - 1]) - wh(shown[0]);
        // Two good ones before each, and one after.
        let mut places: Vec<_> = limits.into_iter().filter(|it| it.0 > 1 && it.0 + 1 < shown.len() - 1).collect();
        places.sort_unstable();
        places.dedup_by_key(|it| it.0 / 2);
        for (place, limit, times) in places.into_iter().rev() {
            for _ in 0..times {
                shown.insert(place, LIMITS[limit]);
            }
        }
        let registers = registers(&every(spacing, &shown));
        let meter = Meter::new(if is_net { MeterKind::Net } else { MeterKind::Counter });
        let entries = walked(meter, &Facts::default(), &registers);
        proptest::prop_assert_eq!(total(&stretches(&entries)).net(), whole);
        let (by_runs, _) = walked_in_runs(meter, &Facts::default(), &registers, &lengths);
        proptest::prop_assert_eq!(events(&by_runs), events(&entries));
        proptest::prop_assert_eq!(total(&stretches(&by_runs)), total(&stretches(&entries)));
    }
}
