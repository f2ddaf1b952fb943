//! Ledger energy against a plain model: all readings walked one by one from the first, and cut into slots one by one.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::tests::{any_zone, at, house, open, put};
use super::*;
use crate::domain::{Calendar, Measures, MeterKind, MicroWh, PowerLimit, Reading, Register};
use crate::ledger::{Flow, MeterChange, PowerAt, PowerWalk, RegisterWalk, Stretch};
use crate::store::Measure;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

fn reading(ms: i64, watts: Option<f64>, watthours: Option<f64>) -> Reading {
    Reading {
        time: at(ms),
        measures: Measures::new(watts, watthours).unwrap(),
    }
}

/// All readings one by one, from the first to the last.
fn walked(meter: Meter, facts: &Facts, readings: &[Reading]) -> (Vec<Stretch>, Vec<Event>) {
    let (mut stretches, mut events) = (Vec::new(), Vec::new());
    let mut sink = |entry| match entry {
        Entry::Stretch(stretch) => stretches.push(stretch),
        Entry::Event(event) => events.push(event),
    };
    let mut registers = RegisterWalk::new(meter, facts.clone());
    let mut power = PowerWalk::new(meter, facts.clone());
    let has_register = readings
        .iter()
        .any(|reading| reading.measures.watthours().is_some());
    for &Reading { time, measures } in readings {
        match (measures.watts(), measures.watthours()) {
            (_, Some(watthours)) => registers.add(Register { time, watthours }, &mut sink),
            (Some(watts), None) if !has_register => power.add(PowerAt { time, watts }, &mut sink),
            _ => {}
        }
    }
    registers.finish(&mut sink);
    power.finish(&mut sink);
    (stretches, events)
}

/// The slot from `start` until `end`; `None` if nothing is known of it.
fn slot(stretches: &[Stretch], start: Timestamp, end: Timestamp) -> Option<SlotEnergy> {
    let ms_of = |is_estimated| {
        let of_kind = stretches
            .iter()
            .filter(|stretch| stretch.is_estimated == is_estimated);
        let parts =
            of_kind.map(|stretch| stretch.to.min(end).millis() - stretch.from.max(start).millis());
        parts.map(|ms| ms.max(0)).sum()
    };
    let slot = SlotEnergy {
        start,
        end,
        flow: stretches
            .iter()
            .map(|stretch| stretch.flow_between(start, end))
            .sum(),
        measured_ms: ms_of(false),
        estimated_ms: ms_of(true),
    };
    (slot.measured_ms + slot.estimated_ms > 0).then_some(slot)
}

/// A step of a random history: what happens, how much, how often, and how far apart. Mostly nothing is odd, and for long.
type Move = (u8, i64, i64, i64);

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let spacings = prop_oneof![
        5 => Just(10_000), 3 => Just(MINUTE), 1 => Just(1_300), 1 => Just(15 * MINUTE), 1 => Just(7 * 60 * MINUTE), 1 => Just(30 * 60 * MINUTE),
    ];
    let repeats = prop_oneof![3 => 1_i64..4, 3 => 3_i64..130, 2 => 100_i64..400];
    let what = prop_oneof![3 => 0_u8..4, 1 => 4_u8..10];
    proptest::collection::vec((what, 1_i64..4, repeats, spacings), 1..14)
}

fn history(moves: &[Move], (has_power, has_register): (bool, bool)) -> Vec<Reading> {
    let (mut ms, mut value) = (0, 5_000_000_i64);
    let mut all = Vec::new();
    for &(what, amount, times, spacing) in moves {
        for nth in 0..times {
            ms += spacing;
            // Bad ones are short; a quiet time follows.
            value = match if nth < 3 { what } else { what % 4 } {
                0..=2 => value + amount * 7,
                3 => value,
                4 => value - amount * 300_000,
                5 => amount * 100,
                6 => value + amount * 400_000_000,
                7 => 6_000_000 + amount,
                8 => -amount * 1_000,
                _ => value - amount * 20,
            };
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            let [watthours, watts] = [value as f64 / 1_000.0, (value % 977) as f64];
            let watts = watts * if what == 6 && nth < 3 { 5_000.0 } else { 3.0 };
            // Now and then, one of both is missing.
            let is_both = ms % 7 > 0 || !has_register;
            all.push(reading(
                ms,
                (has_power && is_both).then_some(watts),
                has_register.then_some(watthours),
            ));
        }
    }
    all
}

fn meter() -> impl Strategy<Value = Meter> {
    let kind = proptest::sample::select(vec![
        MeterKind::Counter,
        MeterKind::Counter,
        MeterKind::Net,
        MeterKind::Interval,
    ]);
    let limit = proptest::sample::select(vec![5_000, 100_000]);
    (kind, limit, any::<bool>()).prop_map(|(kind, limit, is_inverted)| Meter {
        limit: PowerLimit::new(limit).unwrap(),
        is_inverted,
        ..Meter::new(kind)
    })
}

/// A few facts, each at a reading.
fn facts(readings: &[Reading], places: &[(u8, usize)]) -> Facts {
    let mut facts = Facts::default();
    for &(what, place) in places {
        let time = readings[place % readings.len()].time;
        match what {
            0 => facts
                .wrong
                .push(time..time.saturating_add_millis(10 * MINUTE)),
            1 => {
                let change = MeterChange {
                    old_end: MicroWh::from_watthours(5_001.0),
                    new_start: MicroWh::ZERO,
                };
                facts
                    .changes
                    .insert(time.saturating_add_millis(-500), change);
            }
            _ => drop(facts.decisions.insert(time, what == 2)),
        }
    }
    facts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn slots_and_events_are_those_of_all_readings(
        moves in moves(), meter in meter(), has in proptest::sample::select(vec![(true, true), (false, true), (true, false)]),
        places in proptest::collection::vec((0_u8..4, any::<usize>()), 0..4), has_facts in any::<bool>(),
        block_readings in proptest::sample::select(vec![64, 64, 700]), hot_from in 0.0..1.5_f64, late in proptest::option::of(any::<usize>()),
        cuts in proptest::collection::vec((any::<usize>(), 0_i64..3), 2..9), zone in any_zone(),
        interval in proptest::sample::select(vec![Interval::QuarterHour, Interval::Hour, Interval::Day]),
    ) {
        let readings = history(&moves, has);
        let facts = if has_facts { facts(&readings, &places) } else { Facts::default() };
        let dir = tempfile::tempdir().unwrap();
        let store = open(dir.path(), block_readings);
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, clippy::cast_sign_loss, reason = "a share of some hundreds")]
        let sealed = ((readings.len() as f64 * hot_from) as usize).min(readings.len());
        let (sealed, hot) = readings.split_at(sealed);
        // One comes late, into a block.
        let (late, sealed): (Vec<Reading>, Vec<Reading>) = sealed.iter().partition(|reading| {
            late.is_some_and(|late| reading.time == readings[late % readings.len()].time)
        });
        put(&store, &sealed, true);
        put(&store, &late, false);
        put(&store, hot, false);

        let (stretches, events) = walked(meter, &facts, &readings);
        let times: std::collections::BTreeSet<Timestamp> = cuts
            .iter()
            .map(|&(place, after)| readings[place % readings.len()].time.saturating_add_millis(after * 4_000))
            .collect();
        let times: Vec<Timestamp> = times.into_iter().collect();
        let range = times[0]..times[times.len() - 1];
        let expected_events: Vec<Event> = events.into_iter().filter(|event| range.contains(&event.time)).collect();

        let between = LedgerEnergy::between(&store, &house(), (meter, facts.clone()), &times).unwrap();
        let (slots, events) = between.all().unwrap();
        let expected = times.windows(2).filter_map(|pair| slot(&stretches, pair[0], pair[1]));
        prop_assert_eq!(slots, expected.collect::<Vec<_>>());
        prop_assert_eq!(&events, &expected_events);

        let by = LedgerEnergy::by_interval(&store, &house(), (meter, facts), range.clone(), (zone.clone(), interval)).unwrap();
        let (slots, events) = by.all().unwrap();
        let (mut calendar, mut start, mut expected) = (Calendar::new(zone, interval), range.start, Vec::new());
        while start < range.end {
            let end = calendar.bucket(start).end().saturating_add_millis(1).min(range.end);
            expected.extend(slot(&stretches, start, end));
            start = end;
        }
        prop_assert_eq!(slots, expected);
        prop_assert_eq!(events, expected_events);
    }
}

/// A counter that rises by 1 Wh each minute of so many days, in blocks.
fn days(dir: &std::path::Path, count: i32) -> Store {
    let store = open(dir, 4_096);
    let minute = |minute| reading(i64::from(minute) * MINUTE, None, Some(f64::from(minute)));
    put(
        &store,
        &(0..count * 24 * 60).map(minute).collect::<Vec<_>>(),
        true,
    );
    store
}

fn counter() -> Meter {
    Meter::new(MeterKind::Counter)
}

fn begin(store: &Store, facts: Facts, start: i64) -> i64 {
    let walk = MeterWalk::new(counter(), facts.clone(), true);
    let all = store.digest(&house(), Measure::Watthours, TimeRange::ALL);
    beginning(&all, &walk, (counter(), facts), at(start))
        .unwrap()
        .unwrap()
        .millis()
}

#[test]
fn a_walk_begins_near_its_range() {
    let dir = tempfile::tempdir().unwrap();
    let store = days(dir.path(), 30);
    let from = begin(&store, Facts::default(), 20 * DAY);
    assert_eq!(from, 19 * DAY);
    // Not where something is known that may be held over.
    let facts = Facts {
        wrong: vec![at(17 * DAY)..at(20 * DAY - MINUTE)],
        ..Facts::default()
    };
    let from = begin(&store, facts, 20 * DAY);
    assert!((13 * DAY..17 * DAY).contains(&from), "{from}");
    assert_eq!(begin(&store, Facts::default(), 30 * MINUTE), 0);
    assert_eq!(begin(&store, Facts::default(), -DAY), 0);
}

#[test]
fn days_are_their_hours() {
    let dir = tempfile::tempdir().unwrap();
    let store = days(dir.path(), 4);
    let range = at(DAY + 90_000)..at(3 * DAY);
    let by = |interval| {
        let meter = (counter(), Facts::default());
        let by = (Zone::UTC, interval);
        let (slots, events) = LedgerEnergy::by_interval(&store, &house(), meter, range.clone(), by)
            .unwrap()
            .all()
            .unwrap();
        assert_eq!(events, []);
        slots
    };
    let [days, hours] = [by(Interval::Day), by(Interval::Hour)];
    assert_eq!((days.len(), hours.len()), (2, 48));
    assert_eq!(days[0].start, range.start);
    assert_eq!(days[0].flow.imported, MicroWh::from_watthours(1_438.5));
    assert_eq!(
        (days[0].measured_ms, days[0].estimated_ms),
        (DAY - 90_000, 0)
    );
    assert_eq!(days[1].flow.imported, MicroWh::from_watthours(1_440.0));
    let total = |slots: &[SlotEnergy]| slots.iter().map(|slot| slot.flow).sum::<Flow>();
    assert_eq!(total(&days), total(&hours));
}

#[test]
fn a_long_silence_comes_in_pieces() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 64);
    let shown = [
        (0, 0.0),
        (MINUTE, 1.0),
        (2 * MINUTE, 2.0),
        (200 * DAY, 300.0),
    ];
    let readings = shown.map(|(ms, watthours)| reading(ms, None, Some(watthours)));
    put(&store, &readings, true);
    let range = at(DAY)..at(199 * DAY);
    let by = (Zone::UTC, Interval::QuarterHour);
    let meter = (counter(), Facts::default());
    let mut energy = LedgerEnergy::by_interval(&store, &house(), meter, range, by).unwrap();
    let (mut slots, mut events) = (Vec::new(), Vec::new());
    let mut all: BTreeMap<Timestamp, SlotEnergy> = BTreeMap::new();
    while energy.next_run(&mut slots, &mut events).unwrap() {
        assert!(slots.len() <= MOST_SLOTS);
        all.extend(slots.drain(..).map(|slot| (slot.start, slot)));
    }
    all.extend(slots.drain(..).map(|slot| (slot.start, slot)));
    assert_eq!(all.len(), 198 * 96);
    assert!(
        all.values()
            .all(|slot| slot.estimated_ms == 15 * MINUTE && slot.measured_ms == 0)
    );
    // The gap's event lies at its end.
    assert_eq!(events, []);
}

#[test]
fn no_readings_are_no_energy() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 64);
    let all = |times: &[Timestamp]| {
        let meter = (counter(), Facts::default());
        LedgerEnergy::between(&store, &house(), meter, times)
            .unwrap()
            .all()
            .unwrap()
    };
    let nothing = (Vec::new(), Vec::new());
    assert_eq!(all(&[at(0), at(DAY)]), nothing);
    put(&store, &[reading(MINUTE, Some(5.0), None)], true);
    assert_eq!(all(&[at(0), at(DAY)]), nothing);
    assert_eq!(all(&[at(0)]), nothing);
    assert_eq!(all(&[]), nothing);
}
