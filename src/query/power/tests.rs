//! Columns against a plain model.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::tests::{any_begin, any_readings, at, house, open, put};
use super::*;
use crate::domain::{Measures, Reading};

/// Whether two means are equal except for the order of additions; the values are below 10,000.
fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn columns_match_a_plain_model(
        block_readings in proptest::sample::select(vec![16, 300, 2_000]),
        begin in any_begin(),
        batches in proptest::collection::vec((any_readings(), any::<bool>()), 1..4),
        columns in 1_u32..80,
        ends in (-1_000_i64..7_000, 0_i64..8_000),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), block_readings);
        let mut watts = BTreeMap::new();
        for (batch, sealed) in batches {
            let batch: BTreeMap<i64, Measures> = batch.into_iter().collect();
            let batch: Vec<Reading> = batch
                .into_iter()
                .map(|(ms, measures)| Reading { time: at(begin + ms), measures })
                .collect();
            put(&store, &batch, sealed);
            for Reading { time, measures } in batch {
                watts.extend(measures.watts().map(|watts| (time, watts)));
            }
        }
        let range = TimeRange::new(
            at(begin + ends.0 * 60_000),
            at(begin + (ends.0 + ends.1) * 60_000),
        ).unwrap();
        let within: Vec<Point> = watts
            .range(range.start()..=range.end())
            .map(|(&time, &value)| Point { time, value })
            .collect();
        let found = power(&store, &house(), <(Meter, Facts)>::default(), range, columns).unwrap();
        prop_assert_eq!(found.is_some(), !within.is_empty());
        let Some(found) = found else {
            return Ok(());
        };
        let of = |with: fn(f64, f64) -> f64| within.iter().map(|point| point.value).reduce(with);
        let first = |value| *within.iter().find(|point| Some(point.value) == value).unwrap();
        prop_assert_eq!(found.peak, first(of(f64::max)));
        prop_assert_eq!(found.least, first(of(f64::min)));
        #[expect(clippy::cast_precision_loss, reason = "few")]
        let mean = |points: &[&Point]| {
            points.iter().map(|point| point.value).sum::<f64>() / points.len() as f64
        };
        prop_assert!(is_near(found.mean, mean(&within.iter().collect::<Vec<_>>())));
        let columns = match found.course {
            Course::Readings(readings) => {
                prop_assert!(within.len() <= 2 * columns as usize);
                prop_assert_eq!(readings, within);
                return Ok(());
            }
            Course::Columns(found) => {
                prop_assert!(within.len() > 2 * columns as usize);
                prop_assert!(found.len() <= columns as usize);
                found
            }
        };
        let mut left = &within[..];
        for column in columns {
            let count = left.iter().take_while(|point| point.time <= column.last).count();
            let (here, later) = left.split_at(count);
            prop_assert_eq!((here[0].time >= column.first, count), (true, column.count as usize));
            let of = |with: fn(f64, f64) -> f64| here.iter().map(|point| point.value).reduce(with);
            prop_assert_eq!(of(f64::min), Some(column.min));
            prop_assert_eq!(of(f64::max), Some(column.max));
            prop_assert!(is_near(column.mean, mean(&here.iter().collect::<Vec<_>>())));
            left = later;
        }
        prop_assert!(left.is_empty());
    }
}

#[test]
fn means_of_the_largest_numbers_are_finite() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 16);
    let reading = |nth: i64| Reading {
        time: at(nth * 60_000),
        measures: Measures::new(Some(if nth % 3 == 0 { f64::MIN } else { f64::MAX }), None)
            .unwrap(),
    };
    put(&store, &(0..90).map(reading).collect::<Vec<_>>(), true);
    for columns in [1, 7, 100] {
        let power = power(
            &store,
            &house(),
            <(Meter, Facts)>::default(),
            TimeRange::ALL,
            columns,
        )
        .unwrap()
        .unwrap();
        assert!(power.mean.is_finite());
        assert!(
            (power.mean / (f64::MAX / 3.0) - 1.0).abs() < 1e-9,
            "{}",
            power.mean
        );
        assert_eq!((power.peak.value, power.least.value), (f64::MAX, f64::MIN));
    }
}

#[test]
fn a_bucket_has_no_negative_zero() {
    for watts in [
        vec![-0.0],
        vec![0.0, -0.0],
        vec![-0.0, 0.0],
        vec![-1e-30, 1e-30],
    ] {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), 16);
        let readings = (0..).zip(&watts).map(|(nth, &watts)| Reading {
            time: at(nth * 1_000),
            measures: Measures::new(Some(watts), None).unwrap(),
        });
        put(&store, &readings.collect::<Vec<_>>(), true);
        for aggregate in [Aggregate::Mean, Aggregate::Min, Aggregate::Max] {
            let by = (Zone::UTC, Interval::Day);
            let mut buckets = PowerBuckets::new(&store, &house(), TimeRange::ALL, by, aggregate);
            let mut points = Vec::new();
            while buckets.next_run(&mut points).unwrap() {}
            let value = points[0].value;
            assert!(
                value != 0.0 || value.is_sign_positive(),
                "{watts:?} {aggregate:?}"
            );
        }
    }
}

#[test]
fn buckets_of_the_least_integer() {
    let least = -9_223_372_036_854_775_808.0;
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 16);
    let reading = |nth: i64| Reading {
        time: at(nth * 1_000),
        measures: Measures::new(Some(least), Some(least)).unwrap(),
    };
    put(&store, &(0..40).map(reading).collect::<Vec<_>>(), true);
    for aggregate in [Aggregate::Mean, Aggregate::Min, Aggregate::Max] {
        let by = (Zone::UTC, Interval::Day);
        let mut buckets = PowerBuckets::new(&store, &house(), TimeRange::ALL, by, aggregate);
        let mut points = Vec::new();
        while buckets.next_run(&mut points).unwrap() {}
        assert!((points[0].value / least - 1.0).abs() < 1e-11, "{points:?}");
    }
}

/// Power of a fridge: 80 W for 12 of each 40 min, otherwise 2 W; and one reading that is three days late.
fn fridge(store: &Store) {
    let shown = (0..72).flat_map(|nth| [(nth * 40, 80.0), (nth * 40 + 12, 2.0)]);
    let shown = shown.chain([(72 * 40, 80.0), (7_500, 5.0)]);
    let reading = |(minute, watts)| Reading {
        time: at(minute * MINUTE),
        measures: Measures::new(Some(watts), None).unwrap(),
    };
    put(store, &shown.map(reading).collect::<Vec<_>>(), true);
}

const MINUTE: i64 = 60_000;

fn held(power_sign: Sign) -> (Meter, Facts) {
    let meter = Meter {
        between: Between::Hold,
        power_sign,
        ..Meter::default()
    };
    (meter, Facts::default())
}

/// Power from one minute until before another one.
fn held_profile(store: &Store, minutes: (i64, i64), columns: u32, sign: Sign) -> PowerProfile {
    let ends = (minutes.0 * MINUTE, minutes.1 * MINUTE - 1);
    let range = TimeRange::new(at(ends.0), at(ends.1)).unwrap();
    let found = power(store, &house(), held(sign), range, columns);
    found.unwrap().unwrap()
}

#[test]
fn held_power_has_its_mean_by_time() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 16);
    fridge(&store);
    // (80 W * 12 min + 2 W * 28 min) / 40 min
    let is_cycle = |mean: f64| (mean - 25.4).abs() < 1e-4;
    let two_days = (0, 72 * 40);
    for columns in [2, 24, 1_000] {
        let found = held_profile(&store, two_days, columns, Sign::AsIs);
        assert!(is_cycle(found.mean), "{columns}: {}", found.mean);
        assert_eq!(found.between, Between::Hold);
        let turned = held_profile(&store, two_days, columns, Sign::Inverted);
        assert!(is_cycle(-turned.mean));
        assert_eq!((turned.peak.value, turned.least.value), (-2.0, -80.0));
        if let Course::Columns(columns) = found.course {
            // Each is some whole cycles long.
            assert!(columns.iter().all(|it| is_cycle(it.mean)), "{columns:?}");
            assert!(columns.iter().all(|it| (it.min, it.max) == (2.0, 80.0)));
        }
    }
    // Nothing is known between the last two.
    let all = held_profile(&store, (0, 9_000), 1_000, Sign::AsIs);
    assert!(is_cycle(all.mean), "{}", all.mean);
    // By quarters of an hour, also those without readings.
    let by = (Zone::UTC, Interval::QuarterHour);
    let range = TimeRange::new(at(0), at(60 * MINUTE)).unwrap();
    let means = mean_by_interval(&store, &house(), held(Sign::Inverted), range, by).unwrap();
    let means: Vec<f64> = means.iter().map(|it| it.value).collect();
    // The first has 12 min of 80 W, the third one 5 min, the fourth one 7 min.
    let expected = [-64.4, -2.0, -28.0, -38.4];
    assert_eq!(means.len(), 4);
    for (found, expected) in means.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-4, "{means:?}");
    }
}

#[test]
fn held_power_is_known_at_the_ends_of_a_range() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 16);
    fridge(&store);
    let course = |minutes| {
        let found = held_profile(&store, minutes, 1_000, Sign::AsIs);
        let Course::Readings(readings) = found.course else {
            panic!("they are few");
        };
        let readings = readings.iter();
        readings
            .map(|it| (it.time.millis(), it.value))
            .collect::<Vec<_>>()
    };
    let end = |minute: i64| minute * MINUTE - 1;
    let expected = [(30 * MINUTE, 2.0), (40 * MINUTE, 80.0), (end(45), 80.0)];
    assert_eq!(course((30, 45)), expected);
    // Between two readings.
    assert_eq!(course((20, 30)), [(20 * MINUTE, 2.0), (end(30), 2.0)]);
    // At the first reading, and at the last ones, which are three days apart.
    assert_eq!(course((-50, 5)), [(0, 80.0), (end(5), 80.0)]);
    assert_eq!(course((2_880, 3_000)), [(2_880 * MINUTE, 80.0)]);
    assert_eq!(course((7_000, 8_000)), [(7_500 * MINUTE, 5.0)]);
    let range = TimeRange::new(at(3_000 * MINUTE), at(7_000 * MINUTE)).unwrap();
    let nothing = power(&store, &house(), held(Sign::AsIs), range, 100);
    assert_eq!(nothing.unwrap(), None);
}
