//! Tests of encoding and decoding blocks, damaged and forged ones included.

use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::*;
use crate::domain::Measures;
use crate::ledger::{PowerRun, RegisterRun};
use crate::store::blocks::block::format::CHECKED_FROM;
use crate::store::blocks::measure::Totals;
use crate::store::blocks::summary::{power_of, registers_of};
use crate::store::tests::noise;

fn any_readings() -> impl Strategy<Value = Vec<Reading>> {
    let tenths = (-100_000_i32..100_000).prop_map(|tenths| f64::from(tenths) / 10.0);
    let any_number = any::<f64>().prop_filter("finite", |number| number.is_finite());
    prop_oneof![
        readings_of(tenths.clone()),
        readings_of(prop_oneof![tenths, any_number]),
    ]
}

fn readings_of(
    number: impl Strategy<Value = f64> + Clone + 'static,
) -> impl Strategy<Value = Vec<Reading>> {
    let measures = (
        proptest::option::of(number.clone()),
        proptest::option::of(number),
    )
        .prop_filter_map("never neither", |(watts, watthours)| {
            Measures::new(watts, watthours).ok()
        });
    let steps = proptest::collection::vec((1_i64..100_000, measures), 1..300);
    (-1_000_000_000_000_i64..2_000_000_000_000, steps).prop_map(|(mut ms, steps)| {
        let mut reading = |(step, measures)| {
            ms += step;
            Reading {
                time: Timestamp::from_millis(ms).unwrap(),
                measures,
            }
        };
        steps.into_iter().map(&mut reading).collect()
    })
}

fn bits(readings: &[Reading]) -> Vec<(i64, Option<u64>, Option<u64>)> {
    let bits = |number: Option<f64>| number.map(f64::to_bits);
    let one = |r: &Reading| {
        (
            r.time.millis(),
            bits(r.measures.watts()),
            bits(r.measures.watthours()),
        )
    };
    readings.iter().map(one).collect()
}

fn minutes(count: i64, watts: impl Fn(i64) -> f64) -> Vec<Reading> {
    let reading = |n| Reading {
        time: Timestamp::from_millis(1_700_000_000_000 + 60_000 * n).unwrap(),
        measures: Measures::new(Some(watts(n)), None).unwrap(),
    };
    (0..count).map(reading).collect()
}

fn bytes_of(digits: &str) -> Vec<u8> {
    (0..digits.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap())
        .collect()
}

fn reading(ms: i64, watts: Option<f64>, watthours: Option<f64>) -> Reading {
    Reading {
        time: Timestamp::from_millis(ms).unwrap(),
        measures: Measures::new(watts, watthours).unwrap(),
    }
}

#[test]
fn a_block_never_exceeds_its_length() {
    let readings = minutes(1_000, noise);
    assert!(matches!(encode(&readings), Err(EncodeError::TooLong(length)) if length > MAX_BYTES));
    assert!(encode(&readings[..240]).is_ok());
    assert!(
        encode(&minutes(4_096, |n| f64::from(u8::try_from(n % 7).unwrap())))
            .unwrap()
            .len()
            <= MAX_BYTES
    );
}

#[test]
fn no_readings_and_too_many_are_refused() {
    assert!(matches!(encode(&[]), Err(EncodeError::Refused(_))));
    let too_many = minutes(16_385, |_| 1.0);
    assert!(matches!(encode(&too_many), Err(EncodeError::Refused(_))));
    assert!(encode(&too_many[..MAX_READINGS]).is_ok());
}

/// Pins the format. If only `encode` fails here, the compressor has changed: its earlier output
/// must still be readable.
#[test]
fn blocks_are_these_bytes() {
    // All predicted exactly, except for the power.
    let minute = 60_000;
    let predicted = [
        reading(1_700_000_000_000, Some(4216.0), Some(70.3)),
        reading(1_700_000_000_000 + minute, Some(5360.0), Some(159.6)),
        reading(1_700_000_000_000 + 2 * minute, Some(5374.0), Some(249.2)),
    ];
    // Unequal intervals, numbers stored unchanged, a measure missing once.
    let unchanged = [
        reading(-5, Some(0.1 + 0.2), Some(70.3)),
        reading(1_000, Some(5360.0), None),
        reading(3_001, Some(-0.0), Some(69.0)),
        reading(3_002, Some(1e300), Some(69.5)),
    ];
    for (readings, bytes) in [(&predicted[..], PREDICTED), (&unchanged[..], UNCHANGED)] {
        let block = bytes_of(bytes);
        assert_eq!(bits(&decode(&block).unwrap()), bits(readings));
        assert_eq!(encode(readings).unwrap(), block);
    }
}

const PREDICTED: &str = "027f5a39ac03000501001380a0abfef962c0a907f04104fe0a020a000100008609fe1100fa1b5500802a000401001000e0110000000000001c0038";
const UNCHANGED: &str = "02edf9a87704000902ff110d0902fe0a024f00000f000db401d4030000bf17be17bd1700040100100080c1ffffffffffff6300004200e0ffffffffffffff0f00cdccccccccccf42f000000000000785a60009c7500883ce437fe0000100098ffffffffffffff2b00bd4bbb00004b004002";

/// Pages with and without packed numbers, of each kind of column.
fn readings_of_all_kinds() -> Vec<Reading> {
    let mut ms = 1_700_000_000_000;
    let reading = |n: u16| {
        let is_even = !(256..700).contains(&n);
        ms += if is_even {
            60_000
        } else {
            59_000 + i64::from(n % 7) * 500
        };
        let watts = if n < 512 {
            230.0
        } else {
            f64::from(n * 37 % 1_000)
        };
        let register = f64::from(n / 300) + if n < 800 { 0.5 } else { f64::from(n) };
        reading(
            ms,
            Some(watts),
            (n < 300 || !n.is_multiple_of(5)).then_some(register),
        )
    };
    (0..1_000).map(reading).collect()
}

#[test]
fn pages_of_all_kinds_round_trip() {
    let readings = readings_of_all_kinds();
    let block = encode(&readings).unwrap();
    assert_eq!(bits(&decode(&block).unwrap()), bits(&readings));
    for (from, to) in [(0, 999), (0, 0), (255, 256), (300, 720), (999, 999)] {
        let range = TimeRange::new(readings[from].time, readings[to].time).unwrap();
        for measure in [Measure::Watts, Measure::Watthours] {
            let values = decode_measure(&block, measure, range).unwrap();
            assert_eq!(values, Values::of(&readings[from..=to], measure));
        }
    }
}

/// The same on every machine, so that a store can move with its card. If this fails on one machine
/// only, some calculation depends on the machine: the width of `usize`, or functions of the C
/// library. If it fails on all, the compressor has changed.
#[test]
fn blocks_are_the_same_bytes_on_every_machine() {
    let mut hash = Sha256::new();
    let mut add = |readings: &[Reading]| {
        let block = encode(readings).unwrap();
        assert_eq!(bits(&decode(&block).unwrap()), bits(readings));
        hash.update(block);
    };
    add(&readings_of_all_kinds());
    // Values as devices send them: tenths, single precision, means, and others.
    let shapes: [fn(i64) -> f64; 4] = [
        |n| f64::from(i32::try_from(n * n % 7_919).unwrap()) / 10.0,
        |n| f64::from(f32::from(i16::try_from(n * n % 7_919).unwrap()) * 0.1_f32),
        |n| f64::from(i32::try_from(n * 977 % 40_961).unwrap()) / 3.0,
        noise,
    ];
    for shape in shapes {
        for length in [1, 2, 255, 256, 257, 600] {
            add(&minutes(length, shape));
        }
    }
    assert_eq!(hash.finalize()[..], bytes_of(BLOCKS));
}

const BLOCKS: &str = "c29d96f76958b498a45b77eb95e18c66d46a80e9296289c2207fe3af6b26b902";

#[test]
fn constant_power_is_not_packed() {
    let length = |watts: fn(i64) -> f64| encode(&minutes(512, watts)).unwrap().len();
    assert!(length(|_| 230.0) < 70);
    assert!(length(noise) > 500);
}

#[test]
fn an_unknown_version_is_not_damage() {
    let mut block = encode(&minutes(3, |_| 1.0)).unwrap();
    block[0] = 3;
    assert_eq!(decode(&block), Err(DecodeError::Version(3)));
}

/// Checks the totals of registers and power in pages: of readings one minute apart, at unequal
/// times, with and without registers.
#[test]
fn totals_of_pages_are_those_of_their_readings() {
    let with_registers = readings_of_all_kinds();
    let without = with_registers.iter().map(|reading| Reading {
        measures: Measures::new(reading.measures.watts(), None).unwrap(),
        ..*reading
    });
    let without: Vec<Reading> = without.collect();
    for (readings, measure) in [
        (&with_registers, Measure::Watthours),
        (&without, Measure::Watts),
    ] {
        let pages = Pages::open(encode(readings).unwrap(), None).unwrap();
        for (page, readings) in readings.chunks(format::PAGE).enumerate() {
            let reach = pages.reach(page, Timestamp::MAX).unwrap();
            match pages.run(page, measure, reach).unwrap().totals {
                Totals::Power { run, .. } => {
                    assert_eq!(run, PowerRun::of(power_of(readings)));
                }
                Totals::Registers(run) => {
                    assert_eq!(Some(run), RegisterRun::of(registers_of(readings)));
                }
            }
        }
    }
    // Registers say more than power.
    let pages = Pages::open(encode(&with_registers).unwrap(), None).unwrap();
    let reach = pages.reach(0, Timestamp::MAX).unwrap();
    let power = pages.run(0, Measure::Watts, reach).unwrap().totals;
    assert!(matches!(power, Totals::Power { run: None, .. }));
}

#[test]
fn totals_of_registers_beyond_a_household_are_left_out() {
    let page = |highest: f64| {
        let readings = [(1, 1.0), (2, highest), (3, 2.0)];
        let readings = readings.map(|(ms, register)| reading(ms, None, Some(register)));
        let pages = Pages::open(encode(&readings).unwrap(), None).unwrap();
        pages.run(0, Measure::Watthours, TimeRange::ALL)
    };
    assert!(page(1e9).is_some());
    assert_eq!(page(1e10), None);
}

proptest! {
    #[test]
    fn readings_round_trip(readings in any_readings()) {
        let block = encode(&readings).unwrap();
        prop_assert_eq!(bits(&decode(&block).unwrap()), bits(&readings));
        for measure in [Measure::Watts, Measure::Watthours] {
            let values = decode_measure(&block, measure, TimeRange::ALL).unwrap();
            let found: Vec<(i64, u64)> = values
                .times
                .iter()
                .zip(&values.numbers)
                .map(|(time, number)| (time.millis(), number.to_bits()))
                .collect();
            let expected: Vec<(i64, u64)> = readings
                .iter()
                .filter_map(|reading| measure.of(reading))
                .map(|value| (value.time.millis(), value.number.to_bits()))
                .collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_changed_byte_or_a_cut_is_noticed(readings in any_readings(), at in any::<prop::sample::Index>(), flip in 1_u8..) {
        let mut block = encode(&readings).unwrap();
        let at = at.index(block.len());
        prop_assert!(decode(&block[..at]).is_err());
        block[at] ^= flip;
        prop_assert!(decode(&block).is_err());
    }

    #[test]
    fn no_bytes_panic(readings in any_readings(), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), cut in 0_usize..40) {
        let mut block = encode(&readings).unwrap();
        block.truncate(block.len().saturating_sub(cut).max(CHECKED_FROM + 1));
        for (at, byte) in changes {
            let at = at.index(block.len());
            block[at] = byte;
        }
        block[0] = 2;
        // With a valid checksum, so that decoding gets past it.
        let checksum = crc32fast::hash(&block[CHECKED_FROM..]);
        block[1..CHECKED_FROM].copy_from_slice(&checksum.to_le_bytes());
        let _ = decode(&block);
        let _ = decode_measure(&block, Measure::Watts, TimeRange::ALL);
        let _ = decode_measure(&block, Measure::Watthours, TimeRange::ALL);
    }
}
