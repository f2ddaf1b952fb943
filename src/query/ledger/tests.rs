//! Ledger energy against a plain model: all readings walked one by one from the first, and cut into
//! slots one by one.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::tests::{any_zone, at, house, open, put};
use super::beginning::beginning;
use super::meter_walk::MeterWalk;
use super::*;
use crate::domain::{
    Account, Between, Calendar, Decimal, LocalDate, Measures, MeterKind, MicroWh, PowerLimit,
    Reading, Register, Sign, TimeRange,
};
use crate::ledger::{
    Author, CalibrationFactor, Correction, Fact, FactRange, Flow, KnownEnergy, Made, MeterChange,
    PowerAt, PowerWalk, RegisterWalk, Replacement, ReplacementWalk, Spread, Stretch,
};
use crate::store::Measure;

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

pub(in crate::query) fn reading(ms: i64, watts: Option<f64>, watthours: Option<f64>) -> Reading {
    Reading {
        time: at(ms),
        measures: Measures::new(watts, watthours).unwrap(),
    }
}

/// All readings one by one, from the first to the last.
pub(in crate::query) fn walked(
    meter: Meter,
    facts: &Facts,
    readings: &[Reading],
) -> (Vec<Stretch>, Vec<Event>) {
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

/// The model's answer with known energies of ranges, by a zone's clocks.
pub(in crate::query) fn replaced(
    readings: &[Stretch],
    energies: &[KnownEnergy],
    zone: &Zone,
) -> Vec<Stretch> {
    let pieces = |known: &KnownEnergy| match known.spread {
        Spread::Even => vec![(known.range.clone(), known.energy)],
        Spread::LikeWeekday => like_weekday(readings, known, zone),
    };
    let replacement = |known: &KnownEnergy| {
        let stretches = pieces(known).into_iter().map(|(range, energy)| Stretch {
            from: range.start,
            to: range.end,
            flow: Flow {
                imported: energy.max(MicroWh::ZERO),
                exported: (-energy).max(MicroWh::ZERO),
            },
            is_estimated: true,
        });
        Replacement::new(known.range.clone(), stretches.collect()).unwrap()
    };
    let mut all = Vec::new();
    let mut walk = ReplacementWalk::new(energies.iter().map(replacement));
    for stretch in readings {
        walk.add(stretch, &mut |stretch| all.push(stretch));
    }
    walk.finish(&mut |stretch| all.push(stretch));
    all
}

/// The stretches of readings, each scaled. The sum since the start of 30 days, or since the factor
/// applies, is rounded.
pub(in crate::query) fn calibrated(readings: &[Stretch], factors: &[Calibrated]) -> Vec<Stretch> {
    let mut ends: Vec<Timestamp> = factors
        .iter()
        .flat_map(|it| [it.0.start, it.0.end])
        .collect();
    ends.sort_unstable();
    // Where a factor is the same, by the number of the last one that holds.
    let mut ranges: Vec<(Range<Timestamp>, usize)> = Vec::new();
    for pair in ends.windows(2) {
        let holds = |it: &Calibrated| it.0.contains(&pair[0]);
        let Some(number) = factors.iter().rposition(holds) else {
            continue;
        };
        match ranges.last_mut() {
            Some((range, last)) if *last == number && range.end == pair[0] => range.end = pair[1],
            _ => ranges.push((pair[0]..pair[1], number)),
        }
    }
    let mut all = Vec::new();
    let mut sums: BTreeMap<(usize, i64), [i128; 2]> = BTreeMap::new();
    for stretch in readings {
        let mut from = stretch.from;
        while from < stretch.to {
            let held = ranges.iter().position(|(range, _)| range.contains(&from));
            let next = ranges.iter().map(|(range, _)| range.start);
            let next = next.filter(|start| *start > from).min();
            let end = held.map_or(next.unwrap_or(Timestamp::MAX), |it| ranges[it].0.end);
            let to = stretch.to.min(end);
            let mut part = Stretch {
                from,
                to,
                flow: stretch.flow_between(from, to),
                ..*stretch
            };
            if let Some(nth) = held {
                let factor = i128::from(factors[ranges[nth].1].1.decimal().millionths());
                let rounded = |sum: i128| (sum * factor + 500_000).div_euclid(1_000_000);
                let days = from.millis().div_euclid(30 * DAY);
                let is_within = to.millis() <= (days + 1) * 30 * DAY;
                let sum = sums.entry((nth, days)).or_default();
                let mut scaled = |energy: &mut MicroWh, place: usize| {
                    let (more, before) = (i128::from(energy.millionths()), sum[place]);
                    if is_within {
                        sum[place] += more;
                        let scaled = rounded(sum[place]) - rounded(before);
                        *energy = MicroWh::new(i64::try_from(scaled).unwrap());
                    } else {
                        *energy = MicroWh::new(i64::try_from(rounded(more)).unwrap());
                    }
                };
                scaled(&mut part.flow.imported, 0);
                scaled(&mut part.flow.exported, 1);
            }
            all.push(part);
            from = to;
        }
    }
    all
}

/// A range's hours, each with its share of the known energy.
fn like_weekday(
    readings: &[Stretch],
    known: &KnownEnergy,
    zone: &Zone,
) -> Vec<(Range<Timestamp>, MicroWh)> {
    let hours_of = |range: &Range<Timestamp>| {
        let (mut calendar, mut start) = (Calendar::new(zone.clone(), Interval::Hour), range.start);
        let (mut hours, end) = (Vec::new(), range.end);
        while start < end {
            let next = calendar
                .bucket(start)
                .end()
                .saturating_add_millis(1)
                .min(end);
            hours.push(start..next);
            start = next;
        }
        hours
    };
    let clock = |time: Timestamp| {
        let shown = zone.shown_at(time);
        let weekday = LocalDate::of_shown(shown).weekday();
        (weekday.days_after_monday(), shown.millis_of_day() / HOUR)
    };
    let Range { start, end } = known.range;
    let near = [
        start.saturating_add_millis(-28 * DAY)..start,
        end..end.saturating_add_millis(28 * DAY),
    ];
    // The sum and the number of the hours that are measured, of each hour of the week and of all.
    let mut measured: BTreeMap<(u8, i64), (i128, i128)> = BTreeMap::new();
    let mut all = (0, 0);
    for hour in near.iter().flat_map(hours_of) {
        let Some(found) = slot(readings, hour.start, hour.end) else {
            continue;
        };
        let of = if known.energy < MicroWh::ZERO {
            found.flow.exported
        } else {
            found.flow.imported
        };
        if found.measured_ms == HOUR && found.estimated_ms == 0 {
            for sum in [measured.entry(clock(hour.start)).or_default(), &mut all] {
                *sum = (sum.0 + i128::from(of.millionths()), sum.1 + 1);
            }
        }
    }
    let hours = hours_of(&known.range);
    let mut until = vec![0];
    for hour in &hours {
        let (sum, count) = measured.get(&clock(hour.start)).unwrap_or(&all);
        let usual = sum / count.max(&1);
        let ms = i128::from(hour.end.millis() - hour.start.millis());
        until.push(until[until.len() - 1] + usual * ms.min(i128::from(HOUR)) / i128::from(HOUR));
    }
    let whole = until[until.len() - 1];
    if whole == 0 {
        return vec![(known.range.clone(), known.energy)];
    }
    let energy = i128::from(known.energy.millionths());
    let share = |until: i128| i64::try_from((energy * until).div_euclid(whole)).unwrap();
    let parts = until.windows(2).map(|pair| share(pair[1]) - share(pair[0]));
    hours.into_iter().zip(parts.map(MicroWh::new)).collect()
}

/// The slot from `start` until `end`; `None` if nothing is known of it.
fn slot(stretches: &[Stretch], start: Timestamp, end: Timestamp) -> Option<SlotEnergy> {
    // The others have nothing to do with it.
    let first = stretches.partition_point(|it| it.to <= start);
    let last = stretches.partition_point(|it| it.from < end);
    let stretches = &stretches[first..last.max(first)];
    let ms_of = |is_it: &dyn Fn(&Stretch) -> bool| {
        let of_kind = stretches.iter().filter(|stretch| is_it(stretch));
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
        measured_ms: ms_of(&|it| !it.is_estimated),
        estimated_ms: ms_of(&|it| it.is_estimated),
        coarse_ms: ms_of(&|it| {
            let is_short = end.millis() - start.millis() <= 15 * MINUTE;
            is_short && !it.is_estimated && it.is_coarse()
        }),
    };
    (slot.measured_ms + slot.estimated_ms > 0).then_some(slot)
}

/// A step of a random history: its kind, size, count and spacing. Mostly nothing is odd, and for
/// long.
pub(in crate::query) type Move = (u8, i64, i64, i64);

pub(in crate::query) fn moves() -> impl Strategy<Value = Vec<Move>> {
    let spacings = prop_oneof![
        5 => Just(10_000), 3 => Just(MINUTE), 1 => Just(1_300), 1 => Just(15 * MINUTE), 1 => Just(7 * 60 * MINUTE), 1 => Just(30 * 60 * MINUTE),
    ];
    let repeats = prop_oneof![3 => 1_i64..4, 3 => 3_i64..130, 2 => 100_i64..400];
    let what = prop_oneof![3 => 0_u8..4, 1 => 4_u8..10];
    proptest::collection::vec((what, 1_i64..4, repeats, spacings), 1..14)
}

pub(in crate::query) fn history(
    moves: &[Move],
    (has_power, has_register): (bool, bool),
) -> Vec<Reading> {
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

pub(in crate::query) fn meter() -> impl Strategy<Value = Meter> {
    let kind = proptest::sample::select(vec![
        MeterKind::Counter,
        MeterKind::Counter,
        MeterKind::Net,
        MeterKind::Interval,
    ]);
    let limit = proptest::sample::select(vec![5_000, 100_000]);
    let sign = || proptest::sample::select(Sign::ALL.to_vec());
    let between = proptest::sample::select(Between::ALL.to_vec());
    (kind, limit, sign(), sign(), between).prop_map(
        |(kind, limit, power_sign, register_sign, between)| Meter {
            limit: PowerLimit::new(limit).unwrap(),
            power_sign,
            register_sign,
            between,
            ..Meter::new(kind)
        },
    )
}

/// Some energy of some hours or days from a time on.
fn known(time: Timestamp, place: usize) -> KnownEnergy {
    let length = [40 * MINUTE, 3 * HOUR + 1, 5 * DAY, 1_234_567][place % 4];
    let start = time.saturating_add_millis([0, -7_000, 2_500, 1][place / 4 % 4]);
    KnownEnergy {
        range: start..start.saturating_add_millis(length),
        energy: MicroWh::new([5_000_003, -700_001, 0, 123_456_789_012][place / 16 % 4]),
        spread: [Spread::Even, Spread::LikeWeekday][place / 64 % 2],
    }
}

/// A factor and its range.
pub(in crate::query) type Calibrated = (Range<Timestamp>, CalibrationFactor);

/// Factors from readings on, some with an end.
pub(in crate::query) fn factors(readings: &[Reading], places: &[(i64, usize)]) -> Vec<Calibrated> {
    let factor = |&(millionths, place): &(i64, usize)| {
        let start = readings[place % readings.len()].time;
        let start = start.saturating_add_millis([0, 1, -3_333][place % 3]);
        let length = [i64::MAX, 2 * DAY, 70 * DAY, 55 * MINUTE][place / 3 % 4];
        let factor = CalibrationFactor::new(Decimal::from_millionths(millionths)).unwrap();
        (start..start.saturating_add_millis(length), factor)
    };
    places.iter().map(factor).collect()
}

/// A few facts, each at a reading.
pub(in crate::query) fn facts(readings: &[Reading], places: &[(u8, usize)]) -> Facts {
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
            2 | 3 => drop(facts.decisions.insert(time, what == 2)),
            _ => facts.energies.push(known(time, place)),
        }
    }
    facts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn slots_and_events_are_those_of_all_readings(
        moves in moves(), meter in meter(), has in proptest::sample::select(vec![(true, true), (false, true), (true, false)]),
        places in proptest::collection::vec((0_u8..8, any::<usize>()), 0..5), has_facts in any::<bool>(),
        block_readings in proptest::sample::select(vec![64, 64, 700]), hot_from in 0.0..1.5_f64, late in proptest::option::of(any::<usize>()),
        cuts in proptest::collection::vec((any::<usize>(), 0_i64..3), 2..9), zone in any_zone(),
        interval in proptest::sample::select(vec![Interval::QuarterHour, Interval::Hour, Interval::Day]),
        factor_places in proptest::collection::vec((500_000_i64..2_000_001, any::<usize>()), 0..4),
    ) {
        let readings = history(&moves, has);
        let mut facts = if has_facts { facts(&readings, &places) } else { Facts::default() };
        let factors = factors(&readings, &factor_places);
        for (range, factor) in &factors {
            facts.calibrations.put(range.clone(), *factor);
        }
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
        let stretches = calibrated(&stretches, &factors);
        let stretches = replaced(&stretches, &facts.energies, &Zone::UTC);
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

        let by = LedgerEnergy::by_interval(&store, &house(), (meter, facts.clone()), range.clone(), (zone.clone(), interval)).unwrap();
        let (slots, events) = by.all().unwrap();
        let total = slots.iter().map(|slot| slot.flow).sum::<Flow>();
        for other in [Interval::Month, Interval::HalfDay] {
            let by = (zone.clone(), other);
            let by = LedgerEnergy::by_interval(&store, &house(), (meter, facts.clone()), range.clone(), by);
            let (slots, _) = by.unwrap().all().unwrap();
            prop_assert_eq!(slots.iter().map(|slot| slot.flow).sum::<Flow>(), total);
        }
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

/// Registers of a broken meter, one each minute of so many days: none fits another.
fn broken(dir: &std::path::Path, days: i64) -> (Store, i64) {
    let store = open(dir, 512);
    let count = days * 24 * 60;
    let mut shown = 1_u64;
    let mut minute = |minute| {
        shown = shown.wrapping_mul(6_364_136_223_846_793_005) % 1_000_000_007;
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let watthours = shown as f64 * 1_000.0;
        reading(minute * MINUTE, None, Some(watthours))
    };
    put(
        &store,
        &(0..count).map(&mut minute).collect::<Vec<_>>(),
        true,
    );
    (store, count)
}

#[test]
fn of_registers_that_fit_nothing_only_so_many_are_searched() {
    let dir = tempfile::tempdir().unwrap();
    let (store, count) = broken(dir.path(), 20);
    for end in [count, count / 2 + 7_777] {
        let from = begin(&store, Facts::default(), end * MINUTE);
        let searched = end - from / MINUTE;
        assert!((2_000..=8_192).contains(&searched), "{searched}");
    }
    // Wrong readings count for nothing, and the ones before them are found.
    let facts = Facts {
        wrong: vec![at(5 * DAY)..at(19 * DAY)],
        ..Facts::default()
    };
    let from = begin(&store, facts, 19 * DAY);
    assert!(from < 5 * DAY, "{from}");
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

/// The worked case of docs/ENERGY.md.
#[test]
fn a_factor_scales_a_reset_but_not_what_its_event_says() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 64);
    let shown = [5_000.0, 30.0, 40.0].into_iter().zip(0_i64..);
    let readings = shown.map(|(shown, minute)| reading(minute * MINUTE, None, Some(shown)));
    put(&store, &readings.collect::<Vec<_>>(), true);
    let counted = |factor: Option<&str>| {
        let mut facts = Facts::default();
        if let Some(factor) = factor.map(|factor| Decimal::parse(factor).unwrap()) {
            let factor = CalibrationFactor::new(factor).unwrap();
            facts.calibrations.put(at(-DAY)..at(DAY), factor);
        }
        let times = [at(0), at(HOUR)];
        let energy = LedgerEnergy::between(&store, &house(), (counter(), facts), &times);
        let (slots, events) = energy.unwrap().all().unwrap();
        let [event] = &events[..] else {
            panic!("{events:?}")
        };
        (slots[0].flow.imported, event.counted)
    };
    let wh = MicroWh::from_watthours;
    assert_eq!(counted(None), (wh(40.0), wh(30.0)));
    assert_eq!(counted(Some("2")), (wh(80.0), wh(30.0)));
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

/// Three weeks with 100 Wh in each hour between 6 and 18 o'clock, ten hours behind UTC. The sensor
/// was dead on a Thursday, and its register lacks that day.
fn three_weeks() -> Vec<Reading> {
    let mut shown = 0.0;
    let mut readings = Vec::new();
    for nth in 0..22 * 24 * 12 {
        let since = nth * 5 * MINUTE;
        if (14 * DAY..15 * DAY).contains(&since) {
            continue;
        }
        readings.push(reading(midnight(0) + since, None, Some(shown)));
        if (6..18).contains(&(since / HOUR % 24)) {
            shown += 100.0 / 12.0;
        }
    }
    readings
}

/// Where the day with this number begins in Honolulu.
fn midnight(day: i64) -> i64 {
    day * DAY + 10 * HOUR
}

#[test]
fn a_dead_day_is_filled_like_its_weekday_until_that_is_taken_back() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 64);
    let home = store.registry().accounts().next().cloned().unwrap();
    let zone = Zone::parse("Pacific/Honolulu").unwrap();
    let here = Account {
        zone: zone.clone(),
        ..home.clone()
    };
    store.edit(move |edit| edit.put_account(here)).unwrap();
    put(&store, &three_weeks(), true);
    let set = |counts: bool| {
        let registry = store.registry();
        let sensor = registry.sensor(&house()).unwrap();
        let meter = registry.metered(sensor);
        assert_eq!(meter.1.energies.len(), usize::from(counts));
        let range = at(midnight(13))..at(midnight(16));
        let by = |interval| {
            let by = (zone.clone(), interval);
            let by = LedgerEnergy::by_interval(&store, &house(), meter.clone(), range.clone(), by);
            let (slots, _) = by.unwrap().all().unwrap();
            slots
                .iter()
                .map(|slot| slot.flow.imported.watthours())
                .collect::<Vec<_>>()
        };
        (by(Interval::Day), by(Interval::Hour))
    };
    let plain = set(false);
    // The gap after midnight is 5 min longer than the day.
    assert_eq!(
        plain.0.iter().map(|day| day.round()).collect::<Vec<_>>(),
        [1200.0, 0.0, 1200.0]
    );

    let made = || Made::new(at(midnight(40)), Author::CommandLine, "").unwrap();
    let dead = FactRange::new(at(midnight(14)), at(midnight(15))).unwrap();
    let fact = Fact::Energy(dead, MicroWh::from_watthours(600.0), Spread::LikeWeekday);
    let correction = Correction::new(1, house(), made(), fact).unwrap();
    store
        .edit({
            let name = home.name.clone();
            move |edit| edit.add_correction(&name, correction)
        })
        .unwrap();
    let (days, hours) = set(true);
    assert_eq!(
        days.iter().map(|day| day.round()).collect::<Vec<_>>(),
        [1200.0, 600.0, 1200.0]
    );
    // Half of a usual Thursday.
    let mut expected = vec![0.0; 6];
    expected.extend([50.0; 12]);
    expected.extend([0.0; 6]);
    let thursday: Vec<f64> = hours[24..48].iter().map(|hour| hour.round()).collect();
    assert_eq!(thursday, expected);
    assert_eq!(days[1], 600.0);

    store
        .edit(move |edit| edit.revoke_correction(&home.name, 1, made()))
        .unwrap();
    assert_eq!(set(false), plain);
}

#[test]
fn what_is_known_better_cuts_what_is_put_together() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 4_096);
    // 1 Wh a minute, and 10 Wh a minute in the afternoon.
    let shown = |minute: i32| f64::from(minute + 9 * (minute - 720).max(0));
    let readings: Vec<Reading> = (0..1_440)
        .map(|minute| reading(i64::from(minute) * MINUTE, None, Some(shown(minute))))
        .collect();
    put(&store, &readings, true);
    let energy = |known: Vec<KnownEnergy>| {
        let facts = Facts {
            energies: known,
            ..Facts::default()
        };
        let times = [at(0), at(2 * DAY)];
        let between = LedgerEnergy::between(&store, &house(), (counter(), facts), &times);
        let (slots, _) = between.unwrap().all().unwrap();
        slots[0].flow.imported.watthours()
    };
    let known = |from: i64, to: i64| KnownEnergy {
        range: at(from * HOUR)..at(to * HOUR),
        energy: MicroWh::from_watthours(5.0),
        spread: Spread::Even,
    };
    assert_eq!(energy(vec![]), 719.0 + 1.0 + 7_190.0);
    // Six hours of the morning, 360 Wh, become 5 Wh.
    assert_eq!(energy(vec![known(3, 9)]), 7_910.0 - 355.0);
    assert_eq!(
        energy(vec![known(3, 9), known(23, 24)]),
        7_910.0 - 355.0 - 585.0
    );
    // After the last reading.
    assert_eq!(energy(vec![known(30, 31)]), 7_915.0);
}

/// Asking for several ranges together changes nothing, also where one range of known energy hides a
/// part of another.
#[test]
fn days_asked_for_hour_by_hour_are_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let store = open(dir.path(), 4_096);
    put(&store, &[reading(0, None, Some(0.0))], true);
    let known = |from: i64, to: i64, millionths| KnownEnergy {
        range: at(from * HOUR)..at(to * HOUR),
        energy: MicroWh::new(millionths),
        spread: Spread::Even,
    };
    let facts = Facts {
        energies: vec![known(0, 23, 1_000_003), known(7, 9, 5)],
        ..Facts::default()
    };
    let energy = |from: i64, to: i64| {
        let times = [at(from * HOUR), at(to * HOUR)];
        let meter = (counter(), facts.clone());
        let between = LedgerEnergy::between(&store, &house(), meter, &times).unwrap();
        let (slots, _) = between.all().unwrap();
        slots.iter().map(|slot| slot.flow).sum::<Flow>()
    };
    let by_hour: Flow = (0..24).map(|hour| energy(hour, hour + 1)).sum();
    assert_eq!(by_hour, energy(0, 24));
}
