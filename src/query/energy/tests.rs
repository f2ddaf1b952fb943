//! Energy against a plain model, on registers that fall at random, in any mixture of sealed, young, late and corrected readings.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::tests::{
    any_begin, any_readings, any_zone, at, house, is_near, open, points, put,
};
use super::super::{Query, Reset, resets};
use super::*;
use crate::domain::{Calendar, Measures, Reading};

/// Registers one by one: the time of each, its difference from the one before it, and that one.
struct Model(Vec<(Timestamp, f64, f64)>);

/// The kinds of which differences are energy.
const KINDS: [MeterKind; 2] = [MeterKind::Net, MeterKind::Counter];

impl Model {
    fn new(readings: &BTreeMap<Timestamp, Measures>) -> Self {
        let registers = readings.iter();
        let registers: Vec<(Timestamp, f64)> = registers
            .filter_map(|(time, measures)| Some((*time, measures.watthours()?)))
            .collect();
        let pairs = registers.windows(2);
        Self(
            pairs
                .map(|pair| (pair[1].0, pair[1].1, pair[0].1))
                .collect(),
        )
    }

    /// The differences in a range, each with its time.
    fn differences(&self, kind: MeterKind, range: TimeRange) -> Vec<(Timestamp, f64)> {
        let within = self.0.iter();
        let within = within.filter(|it| range.start() < it.0 && it.0 <= range.end());
        within
            .map(|&(time, watthours, before)| match kind {
                MeterKind::Counter if watthours < before => (time, watthours),
                _ => (time, watthours - before),
            })
            .collect()
    }

    fn resets(&self, range: TimeRange) -> Vec<Reset> {
        let within = self.0.iter();
        let within = within.filter(|it| range.start() < it.0 && it.0 <= range.end());
        within
            .filter(|(_, after, before)| after < before)
            .map(|&(time, after, before)| Reset {
                time,
                before,
                after,
            })
            .collect()
    }
}

fn total(differences: &[(Timestamp, f64)]) -> f64 {
    differences.iter().map(|(_, watthours)| watthours).sum()
}

/// Replaces registers that jump up and down by ones that rise and rarely fall.
fn mostly_rising(batch: Vec<(i64, Measures)>, falls_at: u32) -> Vec<(i64, Measures)> {
    batch
        .into_iter()
        .map(|(minute, measures)| {
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let counted = (minute % i64::from(falls_at)) as f64 * 1.5;
            let watthours = measures.watthours().map(|_| counted);
            (minute, Measures::new(measures.watts(), watthours).unwrap())
        })
        .collect()
}

fn put_both(
    stores: &[Store; 2],
    batch: BTreeMap<Timestamp, Measures>,
    sealed: bool,
    readings: &mut BTreeMap<Timestamp, Measures>,
) {
    let batch: Vec<Reading> = batch
        .into_iter()
        .map(|(time, measures)| Reading { time, measures })
        .collect();
    put(&stores[0], &batch, sealed);
    put(&stores[1], &batch, false);
    for Reading { time, measures } in batch {
        let known = readings.entry(time).or_insert(measures);
        *known = known.overlaid_by(measures);
    }
}

fn check_resets(store: &Store, range: TimeRange, max: usize, expected: &[Reset]) {
    let found = resets(store, &house(), range, max).unwrap();
    assert_eq!(found.first, expected[..expected.len().min(max)]);
    assert_eq!(found.count, expected.len() as u64);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn energy_matches_a_plain_model(
        zone in any_zone(),
        interval in proptest::sample::select(Interval::ALL.to_vec()),
        block_readings in proptest::sample::select(vec![16, 300, 2_000]),
        begin in any_begin(),
        step in 1_i64..20,
        falls_at in proptest::sample::select(vec![1, 7, 500, 2_000, 10_000]),
        batches in proptest::collection::vec((any_readings(), any::<bool>()), 1..4),
        ends in (-1_000_i64..7_000, 0_i64..8_000),
        cuts in proptest::collection::btree_set(-1_000_i64..8_000, 0..12),
    ) {
        let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        // The first one seals what is imported, the second one nothing.
        let stores = [open(dirs[0].path(), block_readings), open(dirs[1].path(), 4_096)];
        let mut readings = BTreeMap::new();
        for (batch, sealed) in batches {
            let batch = if falls_at == 1 { batch } else { mostly_rising(batch, falls_at) };
            let times = batch.into_iter().map(|(ms, measures)| (at(begin + ms * step), measures));
            put_both(&stores, times.collect(), sealed, &mut readings);
        }
        let model = Model::new(&readings);
        let first = readings.iter().find(|(_, measures)| measures.watthours().is_some());
        let minute = |minute: i64| at(begin + minute * 60_000 * step);
        let range = TimeRange::new(minute(ends.0), minute(ends.0 + ends.1)).unwrap();
        let cuts: Vec<Timestamp> = cuts.into_iter().map(minute).collect();

        for (store, kind) in stores.iter().flat_map(|store| KINDS.map(|kind| (store, kind))) {
            let differences = model.differences(kind, range);
            let found = energy(store, &house(), kind, range).unwrap();
            let is_known = first.is_some_and(|(time, _)| *time <= range.end());
            prop_assert_eq!(found.is_some(), is_known);
            let sum = total(&differences);
            prop_assert!(is_near(found.unwrap_or_default(), sum), "{:?} and {}", found, sum);

            let counted = counted_at(store, &house(), kind, &cuts).unwrap();
            prop_assert_eq!(counted.len(), cuts.len());
            for (from, cut) in cuts.iter().enumerate() {
                let is_known = first.is_some_and(|first| cuts.last().is_some_and(|last| first.0 <= last));
                prop_assert_eq!(counted[from].is_some(), is_known);
                for to in from..cuts.len() {
                    let part = TimeRange::new(*cut, cuts[to]).unwrap();
                    let sum = total(&model.differences(kind, part));
                    let found = counted[from].zip(counted[to]);
                    let found = found.map_or(0.0, |(start, end)| end.since(start));
                    prop_assert!(is_near(found, sum), "{} and {} in {:?}", found, sum, part);
                }
            }

            let by = energy_by_interval(store, (&house(), kind), range, (zone.clone(), interval)).unwrap();
            let mut calendar = Calendar::new(zone.clone(), interval);
            let mut buckets: BTreeMap<Timestamp, f64> = BTreeMap::new();
            for (time, watthours) in &differences {
                let start = calendar.bucket(time.saturating_add_millis(-1)).start();
                *buckets.entry(start).or_default() += watthours;
            }
            prop_assert!(by.iter().map(|point| point.time).eq(buckets.keys().copied()), "{by:?} {buckets:?}");
            for (point, sum) in by.iter().zip(buckets.values()) {
                prop_assert!(is_near(point.value, *sum), "{} and {}", point.value, sum);
            }
            if kind == MeterKind::Net {
                let query = Query::ConsumptionByInterval(range, zone.clone(), interval);
                prop_assert_eq!(by, points(store, query));
            }

            let expected = model.resets(range);
            for max in [usize::MAX, 3, 0] {
                check_resets(store, range, max, &expected);
            }
        }
    }

    #[test]
    fn energy_is_finite(numbers in proptest::collection::vec(
        prop_oneof![
            Just(f64::MAX), Just(f64::MIN), Just(0.0), Just(-0.0), Just(f64::MIN_POSITIVE), -1e9..1e9_f64,
        ], 1..60), sealed in any::<bool>()) {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), 16);
        let reading = |(minute, number)| Reading {
            time: at(60_000 * minute),
            measures: Measures::new(None, Some(number)).unwrap(),
        };
        put(&store, &(0_i64..).zip(numbers).map(reading).collect::<Vec<_>>(), sealed);
        for kind in KINDS {
            let all = energy(&store, &house(), kind, TimeRange::ALL).unwrap().unwrap();
            prop_assert!(all.is_finite());
            let by = (Zone::UTC, Interval::QuarterHour);
            let by = energy_by_interval(&store, (&house(), kind), TimeRange::ALL, by).unwrap();
            prop_assert!(by.iter().all(|point| point.value.is_finite()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A block of several pages, with falls that show at the ends of its pages and falls within a page.
    #[test]
    fn no_fall_of_a_counter_is_overlooked(
        falls in proptest::collection::btree_map(1_i64..1_500, 0.0..0.95, 0..4),
        ends in (0_i64..1_500, 0_i64..1_500),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), 1_500);
        let mut shown = 5_000.0_f64;
        let mut readings = BTreeMap::new();
        for minute in 0..1_500 {
            shown = match falls.get(&minute) {
                Some(share) => (shown * share).round(),
                None => shown + 10.0,
            };
            readings.insert(at(60_000 * minute), Measures::new(None, Some(shown)).unwrap());
        }
        let list = readings.iter().map(|(&time, &measures)| Reading { time, measures });
        put(&store, &list.collect::<Vec<_>>(), true);
        let model = Model::new(&readings);
        let (start, end) = (ends.0.min(ends.1), ends.0.max(ends.1));
        let range = TimeRange::new(at(60_000 * start), at(60_000 * end)).unwrap();
        let sum = total(&model.differences(MeterKind::Counter, range));
        let found = energy(&store, &house(), MeterKind::Counter, range).unwrap();
        prop_assert!(found.is_some_and(|found| is_near(found, sum)), "{:?} and {}", found, sum);
        let found = resets(&store, &house(), TimeRange::ALL, usize::MAX).unwrap();
        prop_assert_eq!(found.first, model.resets(TimeRange::ALL));
    }
}

#[test]
fn a_fall_of_a_counter_is_a_reset() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 16);
    let registers = [80_000.0, 80_000.5, 0.25, 1.0, 1.0, 0.0, 2.0];
    let reading = |(minute, number)| Reading {
        time: at(60_000 * minute),
        measures: Measures::new(None, Some(number)).unwrap(),
    };
    put(
        &store,
        &(0_i64..).zip(registers).map(reading).collect::<Vec<_>>(),
        false,
    );
    let of = |kind| energy(&store, &house(), kind, TimeRange::ALL).unwrap();
    assert_eq!(of(MeterKind::Net), Some(-79_998.0));
    assert_eq!(of(MeterKind::Counter), Some(3.5));
    let first = Reset {
        time: at(120_000),
        before: 80_000.5,
        after: 0.25,
    };
    let found = resets(&store, &house(), TimeRange::ALL, 1).unwrap();
    assert_eq!((found.first, found.count), (vec![first], 2));
}
