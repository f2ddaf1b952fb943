//! The worked cases of docs/ENERGY.md, each by single registers and in runs.

use super::EventKind::{Dip, Gap, Jump, Reset, Spike};
use super::*;
use crate::domain::{PowerLimit, Rollover};

/// A kind, the unusual register, the energy that counts, and whether it is open.
type Odd = (EventKind, f64, f64, bool);

fn odd(event: &Event) -> Odd {
    let after = event.after.unwrap().watthours();
    (event.kind, after, event.counted.watthours(), event.is_open)
}

/// Checks imported and exported watt-hours and the events of a history, by single registers and in
/// runs of any length.
fn assert_walk(
    meter: Meter,
    shown: &[(i64, f64)],
    imported: f64,
    exported: f64,
    expected: &[Odd],
) -> Vec<Entry> {
    let registers = registers(shown);
    let entries = walked(meter, &Facts::default(), &registers);
    let sum = total(&stretches(&entries));
    assert_eq!(
        (sum.imported.watthours(), sum.exported.watthours()),
        (imported, exported)
    );
    let found: Vec<Odd> = events(&entries).iter().map(odd).collect();
    assert_eq!(found, expected);
    for length in 1..registers.len() {
        let lengths = vec![length; registers.len()];
        let (by_runs, _) = walked_in_runs(meter, &Facts::default(), &registers, &lengths);
        assert_eq!(total(&stretches(&by_runs)), sum, "runs of {length}");
        assert_eq!(events(&by_runs), events(&entries), "runs of {length}");
    }
    entries
}

fn counter() -> Meter {
    Meter::new(MeterKind::Counter)
}

fn net() -> Meter {
    Meter::new(MeterKind::Net)
}

#[test]
fn a_rise_is_consumption() {
    let shown = every(10 * SECOND, &[1_000.0, 1_010.5, 1_010.5, 1_030.0]);
    let entries = assert_walk(counter(), &shown, 30.0, 0.0, &[]);
    assert_eq!(stretches(&entries).len(), 3);
    // One run is one stretch.
    let (entries, taken) = walked_in_runs(counter(), &Facts::default(), &registers(&shown), &[]);
    assert_eq!((stretches(&entries).len(), taken), (1, 1));
}

#[test]
fn a_counter_may_count_down() {
    let meter = Meter {
        register_sign: Sign::Inverted,
        ..counter()
    };
    let shown = every(10 * SECOND, &[1_000.0, 990.0, 985.0]);
    assert_walk(meter, &shown, 15.0, 0.0, &[]);
    assert_eq!(
        walked_in_runs(meter, &Facts::default(), &registers(&shown), &[]).1,
        1
    );
}

#[test]
fn a_fall_of_a_net_register_is_fed_back() {
    let shown = every(10 * SECOND, &[1_000.0, 1_010.0, 1_003.0, 1_004.0]);
    assert_walk(net(), &shown, 11.0, 7.0, &[]);
    let inverted = Meter {
        register_sign: Sign::Inverted,
        ..net()
    };
    assert_walk(inverted, &shown, 7.0, 11.0, &[]);
}

#[test]
fn a_dip_counts_nothing() {
    // A stray 0; the last digit of a float on a counter of 2748 kWh; a 0 that is there for a while.
    for bad in [0.0, 2_747_999.9] {
        let shown = every(10 * SECOND, &[2_748_000.0, bad, 2_748_001.0, 2_748_002.0]);
        let entries = assert_walk(counter(), &shown, 2.0, 0.0, &[(Dip, bad, 0.0, false)]);
        let dip = events(&entries)[0];
        assert_eq!(
            (dip.since, dip.time, dip.until),
            (at(0), at(10 * SECOND), at(20 * SECOND))
        );
        assert_eq!(stretches(&entries)[0].to, at(20 * SECOND));
    }
    let mut shown = vec![1_000.0];
    shown.extend([0.0; 98]);
    shown.push(1_001.0);
    assert_walk(
        counter(),
        &every(10 * SECOND, &shown),
        1.0,
        0.0,
        &[(Dip, 0.0, 0.0, false)],
    );
    // Any number of zeros.
    shown.splice(1..1, [0.0; 2]);
    assert_walk(
        counter(),
        &every(10 * SECOND, &shown),
        1.0,
        0.0,
        &[(Dip, 0.0, 0.0, false)],
    );
    // After a hundred other registers it is no dip any more, but a counter that restarted.
    shown[1..101].fill(5.0);
    assert_walk(
        counter(),
        &every(10 * SECOND, &shown),
        1_001.0,
        0.0,
        &[(Reset, 5.0, 5.0, false)],
    );
}

#[test]
fn a_dip_is_over_within_a_day() {
    let shown = |hours: i64| [(0, 1e6), (HOUR, 0.0), ((1 + hours) * HOUR, 1_000_100.0)];
    assert_walk(counter(), &shown(24), 100.0, 0.0, &[(Dip, 0.0, 0.0, false)]);
    // Unless it is the old register after zeros alone.
    assert_walk(counter(), &shown(25), 100.0, 0.0, &[(Dip, 0.0, 0.0, false)]);
    let shown = [(0, 1e6), (HOUR, 5.0), (26 * HOUR, 1_000_100.0)];
    assert_walk(
        counter(),
        &shown,
        1_000_100.0,
        0.0,
        &[
            (Reset, 5.0, 5.0, false),
            (Gap, 1_000_100.0, 1_000_095.0, false),
        ],
    );
}

#[test]
fn a_fall_that_stays() {
    // The last digit of a float, and a plug that restores an older value after a power cut.
    let shown = every(MINUTE, &[2_748_000.0, 2_747_999.9, 2_747_999.9]);
    assert_walk(
        counter(),
        &shown,
        0.0,
        0.0,
        &[(Dip, 2_747_999.9, 0.0, false)],
    );
    let shown = every(MINUTE, &[5_000.0, 4_960.0, 4_970.0, 4_980.0]);
    assert_walk(counter(), &shown, 20.0, 0.0, &[(Dip, 4_960.0, 0.0, false)]);
    // From 0 again; and another device, whose first register is unknown.
    let shown = every(MINUTE, &[5_000.0, 30.0, 40.0]);
    assert_walk(counter(), &shown, 40.0, 0.0, &[(Reset, 30.0, 30.0, false)]);
    let shown = every(MINUTE, &[50_000.0, 20_000.0, 20_010.0]);
    let entries = assert_walk(
        counter(),
        &shown,
        10.0,
        0.0,
        &[(Reset, 20_000.0, 0.0, true)],
    );
    assert!(stretches(&entries)[0].is_estimated);
}

#[test]
fn an_inverter_starts_at_0_each_midnight() {
    // Every 15 min: dark until 8:00, 2 kW until 12:00, 8 kWh; the next day 2.5 kW, and 10 kWh.
    let day = |kilowatts: f64| {
        (0..96).map(move |quarter| 250.0 * kilowatts * f64::from((quarter - 32).clamp(0, 16)))
    };
    let shown: Vec<f64> = day(2.0).chain(day(2.5)).chain(day(1.0)).collect();
    let resets = [(Reset, 0.0, 0.0, false); 2];
    assert_walk(
        counter(),
        &every(15 * MINUTE, &shown),
        8_000.0 + 10_000.0 + 4_000.0,
        0.0,
        &resets,
    );
}

#[test]
fn a_rollover_goes_on_from_0() {
    let meter = Meter {
        rollover: Rollover::at(wh(10_000.0)),
        ..counter()
    };
    let shown = every(MINUTE, &[9_990.0, 9_995.0, 5.0, 10.0]);
    assert_walk(
        meter,
        &shown,
        20.0,
        0.0,
        &[(EventKind::Rollover, 5.0, 10.0, false)],
    );
    // From less than half of the way, it is a reset.
    let shown = every(MINUTE, &[4_800.0, 5.0, 10.0]);
    assert_walk(meter, &shown, 10.0, 0.0, &[(Reset, 5.0, 5.0, false)]);
    assert_eq!(Rollover::at(wh(0.0)), None);
}

#[test]
fn a_spike_counts_nothing() {
    let shown = every(10 * SECOND, &[1_000.0, 9e9, 1_001.0, 1_002.0]);
    assert_walk(counter(), &shown, 2.0, 0.0, &[(Spike, 9e9, 0.0, false)]);
    assert_walk(net(), &shown, 2.0, 0.0, &[(Spike, 9e9, 0.0, false)]);
    let shown = every(10 * SECOND, &[1_000.0, -9e9, -9e9, 999.0, 1_002.0]);
    assert_walk(net(), &shown, 3.0, 1.0, &[(Dip, -9e9, 0.0, false)]);
}

#[test]
fn a_reset_right_after_a_spike() {
    let shown = every(10 * SECOND, &[1_000.0, 9e9, 5.0, 7.0]);
    let entries = assert_walk(
        counter(),
        &shown,
        7.0,
        0.0,
        &[(Spike, 9e9, 0.0, false), (Reset, 5.0, 5.0, false)],
    );
    assert_eq!(stretches(&entries)[0].from, at(0));
    assert_eq!(stretches(&entries)[0].to, at(20 * SECOND));
}

#[test]
fn a_jump_stays_a_jump_after_hours() {
    // After 5 h, 500 kWh would be plausible: 100 kW.
    let mut shown = vec![1_000.0];
    shown.extend((0..60).map(|index| 501_000.0 + f64::from(index)));
    let entries = assert_walk(
        counter(),
        &every(10 * MINUTE, &shown),
        59.0,
        0.0,
        &[(Jump, 501_000.0, 0.0, true)],
    );
    assert!(stretches(&entries)[0].is_estimated);
    // A net register wobbles, and still does not come back.
    shown.extend([501_050.0, 501_060.0]);
    assert_walk(
        net(),
        &every(10 * MINUTE, &shown),
        69.0,
        9.0,
        &[(Jump, 501_000.0, 0.0, true)],
    );
    // A stray 0 as the first register of all.
    let shown = every(10 * SECOND, &[0.0, 2_748_000.0, 2_748_001.0]);
    assert_walk(
        counter(),
        &shown,
        1.0,
        0.0,
        &[(Jump, 2_748_000.0, 0.0, true)],
    );
}

#[test]
fn what_is_held_is_decided_at_the_end() {
    let end = |last| every(10 * SECOND, &[100_000.0, 100_001.0, last]);
    assert_walk(counter(), &end(9e9), 1.0, 0.0, &[(Jump, 9e9, 0.0, true)]);
    assert_walk(counter(), &end(3.0), 4.0, 0.0, &[(Reset, 3.0, 3.0, false)]);
    assert_walk(
        counter(),
        &end(40_000.0),
        1.0,
        0.0,
        &[(Reset, 40_000.0, 0.0, true)],
    );
}

#[test]
fn a_coarse_register_is_plausible_over_the_time_it_stood_still() {
    // 1 kWh within 10 s would be 360 kW.
    let mut shown = vec![5_000.0; 360];
    shown.extend([6_000.0; 360]);
    shown.push(7_000.0);
    assert_walk(counter(), &every(10 * SECOND, &shown), 2_000.0, 0.0, &[]);
    // 10 s after it rose, 1 kWh is too much, however long it stood still before that.
    let shown = every(
        10 * SECOND,
        &[5_000.0, 5_000.0, 5_000.0, 5_000.0, 5_001.0, 6_001.0],
    );
    assert_walk(counter(), &shown, 1.0, 0.0, &[(Jump, 6_001.0, 0.0, true)]);
    let shown = every(10 * SECOND, &[5_000.0, 5_000.0, 6_000.0, 6_000.0]);
    assert_walk(counter(), &shown, 0.0, 0.0, &[(Jump, 6_000.0, 0.0, true)]);
}

#[test]
fn uploads_may_arrive_back_to_back() {
    // 100 kW for 10 s are 277.7 Wh, however short the time is.
    assert_walk(counter(), &[(0, 0.0), (100, 277.0)], 277.0, 0.0, &[]);
    assert_walk(
        counter(),
        &[(0, 0.0), (100, 278.0)],
        0.0,
        0.0,
        &[(Jump, 278.0, 0.0, true)],
    );
    let weak = Meter {
        limit: PowerLimit::new(360).unwrap(),
        ..counter()
    };
    assert_walk(weak, &[(0, 0.0), (10 * SECOND, 1.0)], 1.0, 0.0, &[]);
    assert_walk(
        weak,
        &[(0, 0.0), (10 * SECOND, 1.000_001)],
        0.0,
        0.0,
        &[(Jump, 1.000_001, 0.0, true)],
    );
}

#[test]
fn a_silence_is_a_gap_and_its_energy_even() {
    let days = 6 * 24 * HOUR;
    let shown = [
        (0, 1_000.0),
        (MINUTE, 1_001.0),
        (MINUTE + days, 7_001.0),
        (2 * MINUTE + days, 7_002.0),
    ];
    let entries = assert_walk(
        counter(),
        &shown,
        6_002.0,
        0.0,
        &[(Gap, 7_001.0, 6_000.0, false)],
    );
    let stretches = stretches(&entries);
    assert_eq!(
        stretches
            .iter()
            .map(|stretch| stretch.is_estimated)
            .collect::<Vec<_>>(),
        [false, true, false]
    );
    let day = flow_between(&stretches, at(MINUTE), at(MINUTE + 24 * HOUR));
    assert_eq!(day.imported, wh(1_000.0));
    let gap = events(&entries)[0];
    assert_eq!((gap.since, gap.time), (at(MINUTE), at(MINUTE + days)));
    // Three times the longer of two spacings, and 5 min, are no gap; nor is the time after the
    // first register.
    assert_walk(
        counter(),
        &[(0, 0.0), (MINUTE, 1.0), (6 * MINUTE, 2.0)],
        2.0,
        0.0,
        &[],
    );
    let shown = |ms| {
        [
            (0, 0.0),
            (2 * MINUTE, 1.0),
            (3 * MINUTE, 2.0),
            (3 * MINUTE + ms, 3.0),
        ]
    };
    assert_walk(counter(), &shown(6 * MINUTE), 3.0, 0.0, &[]);
    assert_walk(
        counter(),
        &shown(6 * MINUTE + 1),
        3.0,
        0.0,
        &[(Gap, 3.0, 1.0, false)],
    );
    assert_walk(counter(), &[(0, 0.0), (days, 1.0)], 1.0, 0.0, &[]);
}

#[test]
fn intervals_are_energy_themselves() {
    let meter = Meter::new(MeterKind::Interval);
    let shown = every(10 * SECOND, &[500.0, 5.0, 0.0, -2.0, 4.0]);
    let entries = assert_walk(meter, &shown, 9.0, 2.0, &[]);
    assert_eq!(stretches(&entries).len(), 4);
    let shown = every(10 * SECOND, &[0.0, 5.0, 9e9, 4.0]);
    let entries = assert_walk(meter, &shown, 9.0, 0.0, &[(Spike, 9e9, 0.0, false)]);
    // The energy of 10 s is unknown.
    assert_eq!(stretches(&entries)[1].from, at(20 * SECOND));
    let shown = [(0, 1.0), (MINUTE, 1.0), (HOUR, 40.0)];
    assert_walk(meter, &shown, 41.0, 0.0, &[(Gap, 40.0, 40.0, false)]);
}
