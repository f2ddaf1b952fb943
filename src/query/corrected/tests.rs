//! The corrected results of the API, against the ledger's walk and the readings one by one.

use proptest::prelude::*;

use super::super::ledger::tests::{
    calibrated, factors, facts, history, meter, moves, reading, replaced, walked,
};
use super::super::series::Query;
use super::super::tests::{any_zone, at, house, open, put};
use super::*;
use crate::domain::{Between, MeterKind, MicroWh, PowerLimit, Reading};

const MINUTE: i64 = 60_000;

fn asked(query: Query, store: &Store, meter: (Meter, Facts)) -> Vec<(i64, f64)> {
    let mut series = query.run_corrected(store, &house(), meter).unwrap();
    let mut points = Vec::new();
    while series.next_run(&mut points).unwrap() {}
    let points = points.into_iter();
    points.map(|it| (it.time.millis(), it.value)).collect()
}

/// The accepted power readings, or else the mean power of each stretch.
fn power(
    meter: Meter,
    facts: &Facts,
    readings: &[Reading],
    stretches: &[Stretch],
) -> Vec<(Timestamp, f64)> {
    let all: Vec<_> = readings
        .iter()
        .filter(|it| it.measures.watts().is_some())
        .collect();
    if all.is_empty() {
        let stretches = stretches.iter();
        return stretches.map(|it| (it.to, mean_power(it))).collect();
    }
    believed_power(meter, facts, readings)
}

fn believed_power(meter: Meter, facts: &Facts, readings: &[Reading]) -> Vec<(Timestamp, f64)> {
    let limit = f64::from(meter.limit.watts());
    let watts = readings
        .iter()
        .filter_map(|it| Some((it.time, it.measures.watts()?)));
    let is_wrong = |time: Timestamp| facts.wrong.iter().any(|wrong| wrong.contains(&time));
    let believed = watts.filter(|(time, watts)| watts.abs() <= limit && !is_wrong(*time));
    believed
        .map(|(time, watts)| (time, meter.power_sign.of(watts)))
        .collect()
}

/// The mean by buckets of power that stays until the next reading, and the largest error from
/// rounding each stretch to a millionth of a watt-hour.
fn held_means(
    power: &[(Timestamp, f64)],
    range: TimeRange,
    by: (Zone, Interval),
) -> Vec<(i64, f64, f64)> {
    let mut calendar = Calendar::new(by.0, by.1);
    let mut buckets: Vec<(i64, f64, f64, f64)> = Vec::new();
    for pair in power.windows(2) {
        let ((from, watts), (until, _)) = (pair[0], pair[1]);
        if until.millis() - from.millis() > 24 * 60 * MINUTE {
            continue;
        }
        let mut from = from.max(range.start());
        let until = until.min(range.end());
        while from < until {
            let bucket = calendar.bucket(from);
            let to = until.min(bucket.end().saturating_add_millis(1));
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let ms = (to.millis() - from.millis()) as f64;
            let start = bucket.start().millis();
            match buckets.last_mut() {
                Some((last, sum, all_ms, parts)) if *last == start => {
                    *sum += watts * ms;
                    *all_ms += ms;
                    *parts += 1.0;
                }
                _ => buckets.push((start, watts * ms, ms, 1.0)),
            }
            from = to;
        }
    }
    let mean = |(start, sum, ms, parts)| (start, sum / ms, 1e-6 + 3.6 * parts / ms);
    buckets.into_iter().map(mean).collect()
}

/// By buckets: the start of each, and an aggregate of its power.
fn by_buckets(
    power: &[(Timestamp, f64)],
    by: (Zone, Interval),
    aggregate: Aggregate,
) -> Vec<(i64, f64)> {
    let mut calendar = Calendar::new(by.0, by.1);
    let mut buckets: Vec<(i64, Vec<f64>)> = Vec::new();
    for &(time, watts) in power {
        let start = calendar.bucket(time).start().millis();
        match buckets.last_mut() {
            Some((last, all)) if *last == start => all.push(watts),
            _ => buckets.push((start, vec![watts])),
        }
    }
    let value = |all: Vec<f64>| match aggregate {
        #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
        Aggregate::Mean => all.iter().sum::<f64>() / all.len() as f64,
        Aggregate::Min => all.into_iter().reduce(f64::min).unwrap(),
        Aggregate::Max => all.into_iter().reduce(f64::max).unwrap(),
    };
    buckets
        .into_iter()
        .map(|(start, all)| (start, value(all)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn answers_are_those_of_the_walk(
        moves in moves(), meter in meter(), has in proptest::sample::select(vec![(true, true), (false, true), (true, false)]),
        places in proptest::collection::vec((0_u8..8, any::<usize>()), 0..4), ends in any::<[usize; 2]>(), zone in any_zone(),
        interval in proptest::sample::select(vec![Interval::QuarterHour, Interval::Hour, Interval::Day]),
        aggregate in proptest::sample::select(vec![Aggregate::Mean, Aggregate::Min, Aggregate::Max]),
        factor_places in proptest::collection::vec((500_000_i64..2_000_001, any::<usize>()), 0..2),
    ) {
        let readings = history(&moves, has);
        let mut facts = facts(&readings, &places);
        let factors = factors(&readings, &factor_places);
        for (range, factor) in &factors {
            facts.calibrations.put(range.clone(), *factor);
        }
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), 64);
        let (sealed, hot) = readings.split_at(readings.len() / 4 * 3);
        put(&store, sealed, true);
        put(&store, hot, false);
        let (stretches, _) = walked(meter, &facts, &readings);
        // Power has no factor.
        let plain = replaced(&stretches, &facts.energies, &Zone::UTC);
        let stretches = replaced(&calibrated(&stretches, &factors), &facts.energies, &Zone::UTC);
        let ends = ends.map(|end| readings[end % readings.len()].time);
        let range = TimeRange::new(ends[0].min(ends[1]), ends[0].max(ends[1])).unwrap();
        let (start, end) = (range.start(), range.end());
        let metered = || (meter, facts.clone());
        let within: Vec<&Stretch> = stretches.iter().filter(|it| it.from.max(start) < it.to.min(end)).collect();

        let consumption = asked(Query::Consumption(range), &store, metered());
        let expected: Vec<(i64, f64)> = within.iter().map(|it| {
            (it.to.min(end).millis(), it.flow_between(start, end).imported.watthours())
        }).collect();
        prop_assert_eq!(&consumption, &expected);

        let buckets = asked(Query::ConsumptionByInterval(range, zone.clone(), interval), &store, metered());
        let exact = |points: &[(i64, f64)]| points.iter().map(|it| MicroWh::from_watthours(it.1)).sum::<MicroWh>();
        prop_assert_eq!(exact(&buckets), exact(&consumption));
        let net = asked(Query::NetConsumption(range), &store, metered());
        let flow = within.iter().map(|it| it.flow_between(start, end)).sum::<Flow>().net().watthours();
        prop_assert_eq!(net, if within.is_empty() { vec![] } else { vec![(end.millis(), flow)] });

        let mut power = power(meter, &facts, &readings, &plain);
        power.retain(|(time, _)| range.contains(*time));
        let rate = asked(Query::Rate(range), &store, metered());
        prop_assert_eq!(rate, power.iter().map(|it| (it.0.millis(), it.1)).collect::<Vec<_>>());
        let by = (zone.clone(), interval);
        let found = asked(Query::RateByInterval(range, zone, interval, aggregate), &store, metered());
        if has.0 && meter.between == Between::Hold && aggregate == Aggregate::Mean {
            let expected = held_means(&believed_power(meter, &facts, &readings), range, by);
            prop_assert_eq!(found.len(), expected.len());
            for (found, (start, mean, slack)) in found.iter().zip(expected) {
                prop_assert_eq!(found.0, start);
                prop_assert!((found.1 - mean).abs() <= slack, "{:?} {:?}", found, mean);
            }
            return Ok(());
        }
        let expected = by_buckets(&power, by, aggregate);
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found.0, expected.0);
            prop_assert!((found.1 - expected.1).abs() <= 1e-9 * (1.0 + expected.1.abs()), "{:?} {:?}", found, expected);
        }
    }
}

#[test]
fn nothing_flows_in_a_moment() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 64);
    let shown = [(0, 0.0), (30, 500.0)];
    put(
        &store,
        &shown.map(|(minute, wh)| reading(minute * MINUTE, None, Some(wh))),
        true,
    );
    let moment = TimeRange::at(at(15 * MINUTE));
    let meter = || (Meter::new(MeterKind::Counter), Facts::default());
    for query in [
        Query::Consumption(moment),
        Query::ConsumptionByInterval(moment, Zone::UTC, Interval::Hour),
        Query::NetConsumption(moment),
    ] {
        assert_eq!(asked(query, &store, meter()), []);
    }
}

#[test]
fn a_sensor_with_registers_alone_has_the_mean_power_between_them() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 64);
    let shown = [(0, 0.0), (15, 250.0), (30, 100_250.0), (45, 300.0)];
    let readings = shown.map(|(minute, wh)| reading(minute * MINUTE, None, Some(wh)));
    put(&store, &readings, true);
    let meter = Meter {
        limit: PowerLimit::new(5_000).unwrap(),
        ..Meter::new(MeterKind::Counter)
    };
    let range = TimeRange::new(at(0), at(60 * MINUTE)).unwrap();
    let rate = asked(Query::Rate(range), &store, (meter, Facts::default()));
    // 250 Wh in 15 min, and then 50 Wh in 30 min, over a spike.
    assert_eq!(rate, [(15 * MINUTE, 1_000.0), (45 * MINUTE, 100.0)]);
}
