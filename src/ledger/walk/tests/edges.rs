//! Cases at the edges of the rules: dark days, rollovers, holes of intervals, coarse registers.

use super::*;

/// A daily counter on the day after a day of snow, and after a day of clouds.
#[test]
fn a_counter_of_the_day_begins_anew_after_a_dark_day() {
    let day = |shown: &[f64], spacing_ms: i64, from: i64| -> Vec<(i64, f64)> {
        every(spacing_ms, shown)
            .into_iter()
            .map(|(ms, shown)| (from + ms, shown))
            .collect()
    };
    let quarter = 15 * MINUTE;
    let rising = |step: f64, count: u32| {
        (0..count)
            .map(|nth| step * f64::from(nth))
            .collect::<Vec<_>>()
    };
    let clouds = [
        0.0, 200.0, 500.0, 900.0, 1_300.0, 1_600.0, 1_800.0, 1_950.0, 2_000.0, 2_000.0,
    ];
    let sun = [0.0, 300.0, 900.0, 2_100.0, 3_700.0, 5_500.0, 12_000.0];
    for (yesterday, today, expected) in [
        (
            day(&rising(15.0, 21), quarter, 8 * HOUR),
            day(&rising(400.0, 40), quarter, 31 * HOUR),
            300.0 + 15_600.0,
        ),
        (
            day(&rising(15.0, 21), quarter, 8 * HOUR),
            day(&[3.0, 20.0, 400.0, 800.0], quarter, 31 * HOUR),
            300.0 + 800.0,
        ),
        (
            day(&clouds, HOUR, 8 * HOUR),
            day(&sun, HOUR, 31 * HOUR),
            2_000.0 + 12_000.0,
        ),
        // It uploads all night, 0 from midnight on.
        (
            day(&[0.0, 100.0, 300.0, 300.0, 300.0, 300.0], HOUR, 18 * HOUR),
            day(&[0.0, 0.0, 0.0, 400.0, 900.0], HOUR, 24 * HOUR),
            300.0 + 900.0,
        ),
    ] {
        let shown = [yesterday, today].concat();
        let entries = walked(
            Meter::new(MeterKind::Counter),
            &restarting(DailyRestart::AfterDarkness),
            &registers(&shown),
        );
        assert_eq!(total(&stretches(&entries)).net(), wh(expected), "{shown:?}");
        let odd = events(&entries)
            .into_iter()
            .filter(|event| event.kind != EventKind::Gap);
        assert_eq!(
            odd.map(|event| event.kind).collect::<Vec<_>>(),
            [EventKind::Reset]
        );
    }
    // A stray 0 while energy flows is no restart, nor is a 0 before the same register again.
    for shown in [
        [4_000.0, 4_010.0, 0.0, 4_020.0],
        [4_020.0, 4_020.0, 0.0, 4_020.0],
    ] {
        let entries = walked(
            Meter::new(MeterKind::Counter),
            &Facts::default(),
            &registers(&every(quarter, &shown)),
        );
        assert_eq!(events(&entries)[0].kind, EventKind::Dip);
    }
}

/// A plug that was offline says 0, and then what it showed before. So does a meter of the grid, of
/// imports alone or of both directions.
#[test]
fn a_0_after_an_outage_is_a_bad_reading() {
    let shown = |zeros: &[i64], back: i64| {
        let mut shown = every(MINUTE, &[5_000.0, 5_004.0, 5_011.0]);
        let zeros = zeros.iter().map(|minute| (minute * MINUTE, 0.0));
        shown.extend(zeros);
        shown.extend([(back * MINUTE, 5_074.0), ((back + 1) * MINUTE, 5_075.0)]);
        shown
    };
    let midnight = DailyRestart::AtMidnight(crate::domain::Zone::UTC);
    for (zeros, back) in [
        (&[300][..], 301),
        (&[300], 315),
        (&[300, 301, 302], 303),
        // It goes offline again, for more than a day.
        (&[300, 301], 2_000),
        // Over midnight.
        (&[1_500], 1_501),
    ] {
        for (kind, restart) in [
            (MeterKind::Counter, DailyRestart::Never),
            (MeterKind::Counter, midnight.clone()),
            (MeterKind::Net, midnight.clone()),
        ] {
            if kind == MeterKind::Net && zeros.len() > 1 {
                continue;
            }
            let registers = registers(&shown(zeros, back));
            let entries = walked(Meter::new(kind), &restarting(restart), &registers);
            let total = total(&stretches(&entries));
            assert_eq!(
                (total.imported, total.exported),
                (wh(75.0), wh(0.0)),
                "{zeros:?} {kind:?}"
            );
            let odd = events(&entries)
                .into_iter()
                .find(|event| event.kind != EventKind::Gap);
            assert_eq!(odd.map(|event| event.kind), Some(EventKind::Dip));
        }
    }
    // Until the next register comes, nobody knows what it is.
    for kind in [MeterKind::Counter, MeterKind::Net] {
        let mut registers = registers(&shown(&[300], 301));
        registers.truncate(4);
        let entries = walked(Meter::new(kind), &restarting(midnight.clone()), &registers);
        let total = total(&stretches(&entries));
        assert_eq!((total.imported, total.exported), (wh(11.0), wh(0.0)));
        assert!(events(&entries).last().unwrap().is_open);
        assert!(stretches(&entries).last().unwrap().is_estimated);
    }
    // A register of both directions may pass 0.
    let shown = [(0, 200.0), (1, 190.0), (2, 180.0), (300, 0.0), (301, -50.0)];
    let shown = shown.map(|(minute, shown)| (minute * MINUTE, shown));
    let entries = walked(
        Meter::new(MeterKind::Net),
        &Facts::default(),
        &registers(&shown),
    );
    assert_eq!(total(&stretches(&entries)).exported, wh(250.0));
    assert!(events(&entries).iter().all(|event| !event.is_open));
}

/// Elsewhere than at panels, a counter that restarts each day does so at midnight.
#[test]
fn a_counter_of_the_day_begins_anew_at_midnight() {
    let shown = |hour: i64| {
        let mut shown: Vec<(i64, f64)> = Vec::new();
        for (nth, value) in (18..hour).zip([0.0, 100.0, 300.0].into_iter().chain([300.0; 9])) {
            shown.push((nth * HOUR, value));
        }
        shown.extend([
            (hour * HOUR, 0.0),
            ((hour + 1) * HOUR, 400.0),
            ((hour + 2) * HOUR, 900.0),
        ]);
        registers(&shown)
    };
    let facts = restarting(DailyRestart::AtMidnight(crate::domain::Zone::UTC));
    let meter = Meter::new(MeterKind::Counter);
    for (hour, expected) in [(24, 1_200.0), (23, 900.0)] {
        let entries = walked(meter, &facts, &shown(hour));
        assert_eq!(total(&stretches(&entries)).net(), wh(expected), "{hour}");
    }
    // The 0 of midnight is expected, so it is no question.
    let mut until_midnight = shown(24);
    until_midnight.truncate(7);
    assert!(!events(&walked(meter, &facts, &until_midnight))[0].is_open);
}

/// The distance of a rollover from the register's end only depends on the spacing of readings.
#[test]
fn a_rollover_is_as_long_as_readings_are_apart() {
    let month = 30 * 24 * HOUR;
    for (rollover, spacing_ms, shown, expected, kind) in [
        (
            10_000_000.0,
            month,
            [9_550e3, 9_850e3, 150e3, 450e3],
            900e3,
            EventKind::Rollover,
        ),
        (
            65_536.0,
            10 * MINUTE,
            [64_000.0, 64_700.0, 97.0, 930.0],
            2_466.0,
            EventKind::Rollover,
        ),
        // Another meter, more than half of the way around; and more energy than a line carries in a
        // minute.
        (
            10_000_000.0,
            month,
            [1_550e3, 1_850e3, 150e3, 450e3],
            750e3,
            EventKind::Reset,
        ),
        (
            10_000_000.0,
            MINUTE,
            [9_500e3, 9_500e3, 0.0, 100.0],
            100.0,
            EventKind::Reset,
        ),
    ] {
        let meter = Meter {
            rollover: crate::domain::Rollover::at(wh(rollover)),
            ..Meter::new(MeterKind::Counter)
        };
        let entries = walked(
            meter,
            &Facts::default(),
            &registers(&every(spacing_ms, &shown)),
        );
        assert_eq!(total(&stretches(&entries)).net(), wh(expected), "{shown:?}");
        assert_eq!(events(&entries)[0].kind, kind, "{shown:?}");
    }
}

#[test]
fn what_flowed_before_an_interval_that_begins_is_not_known() {
    // Half-hours; two are missing, then one.
    let begins = Register::BEGINS;
    let shown = [
        (0, begins),
        (1, 500.0),
        (2, 0.0),
        (4, begins),
        (5, 300.0),
        (6, begins),
        (7, 100.0),
    ];
    let shown = shown.map(|(half, shown)| (half * 30 * MINUTE, shown));
    let entries = walked(
        Meter::new(MeterKind::Interval),
        &Facts::default(),
        &registers(&shown),
    );
    let known = stretches(&entries);
    let told = known.iter().map(|it| {
        (
            it.from.millis() / MINUTE,
            it.length_ms() / MINUTE,
            it.flow.net().watthours(),
        )
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            (0, 30, 500.0),
            (30, 30, 0.0),
            (120, 30, 300.0),
            (180, 30, 100.0)
        ]
    );
    assert_eq!(events(&entries), []);
    // For other kinds of registers it is an ordinary 0.
    let entries = walked(
        Meter::new(MeterKind::Net),
        &Facts::default(),
        &registers(&[(0, 5.0), (MINUTE, begins)]),
    );
    assert_eq!(total(&stretches(&entries)).net(), wh(-5.0));
}

/// Whole kilowatt-hours, at half a kilowatt; tenths of one that are unchanged for days; and a step
/// of a finer register.
#[test]
fn a_step_of_a_coarse_register_flowed_since_it_stands_still() {
    let told = |shown: &[(i64, f64)]| {
        let entries = walked(
            Meter::new(MeterKind::Counter),
            &Facts::default(),
            &registers(shown),
        );
        let flowed = stretches(&entries)
            .into_iter()
            .filter(|it| it.flow != Flow::default());
        flowed
            .map(|it| {
                (
                    it.from.millis() / MINUTE,
                    it.to.millis() / MINUTE,
                    it.flow.imported.watthours(),
                )
            })
            .collect::<Vec<_>>()
    };
    let halves = (0..=360_i32).map(|minute| {
        (
            i64::from(minute) * MINUTE,
            f64::from(minute / 120) * 1_000.0,
        )
    });
    assert_eq!(
        told(&halves.collect::<Vec<_>>()),
        [(0, 120, 1_000.0), (120, 240, 1_000.0), (240, 360, 1_000.0)]
    );
    let days = (0..=50_i32).map(|hour| {
        (
            i64::from(hour) * HOUR,
            if hour < 50 { 700.0 } else { 800.0 },
        )
    });
    assert_eq!(told(&days.collect::<Vec<_>>()), [(25 * 60, 50 * 60, 100.0)]);
    let fine = every(MINUTE, &[700.0, 700.0, 700.0, 750.0, 750.0, 950.0]);
    assert_eq!(told(&fine), [(2, 3, 50.0), (4, 5, 200.0)]);
}
