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
        let found = power(&store, &house(), range, columns).unwrap();
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
        let power = power(&store, &house(), TimeRange::ALL, columns)
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
