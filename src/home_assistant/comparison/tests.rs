//! Faults whose truth is known, in a Home Assistant that counts as its recorder does: each is found, with
//! its reason, and the ledger has the truth.

use std::collections::BTreeSet;
use std::ops::Range;

use super::counts::{CountedRow, MonthCounts, floor_hour};
use super::reader::measured_hours;
use super::*;
use crate::domain::time::{MS_PER_HOUR, at};
use crate::domain::{MeterKind, Role, Timestamp};
use crate::home_assistant::reading::registers_of;
use crate::home_assistant::values::StatisticRow;
use crate::house::HouseSensors;
use crate::house::tests::{id, import, open};
use crate::store::Store;

/// Each hour has so many states.
const STATES: usize = 12;
/// The hours of a course, with the end of a month in their middle.
const HOURS: usize = 9 * 24;
const MIDDLE: usize = HOURS / 2;

/// A fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// A value of 0, or a low one, within an hour or at the end of one.
    Dip { is_long: bool },
    /// Another meter, whose register is lower and not 0.
    OtherMeter,
    /// A value that is far too high, within an hour or for some hours.
    Spike { is_long: bool },
    /// No values over the end of the month: a lost link, a restart, an older backup.
    Gap,
    /// Values stop, and come later.
    Late,
    /// No statistic from then on, or none until then.
    Renamed { is_old: bool },
    /// The same entity, with a new sum.
    AddedAgain,
    /// Other units for some hours, or always.
    Unit { is_always: bool },
    /// The sum is adjusted.
    Edited,
    /// The clock there is wrong for some hours.
    Clock,
    /// A restart within an hour, which harms nothing.
    Restart,
}

const FAULTS: [(Fault, usize); 14] = [
    (Fault::Dip { is_long: false }, 20),
    (Fault::Dip { is_long: true }, 20),
    (Fault::OtherMeter, 15),
    (Fault::Spike { is_long: false }, 20),
    (Fault::Spike { is_long: true }, 20),
    (Fault::Gap, 20),
    (Fault::Late, 20),
    (Fault::Renamed { is_old: true }, 10),
    (Fault::Renamed { is_old: false }, 10),
    (Fault::AddedAgain, 15),
    (Fault::Unit { is_always: false }, 15),
    (Fault::Unit { is_always: true }, 10),
    (Fault::Edited, 25),
    (Fault::Clock, 10),
];

/// Numbers that look random, and are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, range: Range<usize>) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let length = u64::try_from(range.len()).unwrap();
        range.start + usize::try_from(self.0 % length).unwrap()
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        let part = f64::from(u32::try_from(self.roll(0..1_000_000)).unwrap()) / 1e6;
        low + part * (high - low)
    }
}

/// A course: the true register, and the states there, each five minutes.
struct Course {
    begin: Timestamp,
    truth: Vec<f64>,
    states: Vec<Option<f64>>,
    /// Added to the sum from an hour on.
    edit: Option<(usize, f64)>,
    /// The sum begins again in this hour.
    again: Option<usize>,
}

impl Course {
    fn new(middle: Timestamp, dice: &mut Dice) -> Self {
        let hours = i64::try_from(MIDDLE).unwrap() * MS_PER_HOUR;
        let mut register = dice.between(2e5, 9e6).round();
        let mut truth = vec![register];
        for _ in 0..HOURS * STATES {
            register += dice.between(1.0, 120.0).round();
            truth.push(register);
        }
        Self {
            begin: middle.saturating_add_millis(-hours),
            states: truth.iter().copied().map(Some).collect(),
            truth,
            edit: None,
            again: None,
        }
    }

    fn time(&self, hour: usize) -> Timestamp {
        let hours = i64::try_from(hour).unwrap() * MS_PER_HOUR;
        self.begin.saturating_add_millis(hours)
    }

    /// The rows as Home Assistant compiles them: `homeassistant/components/sensor/recorder.py`, for
    /// `total_increasing`.
    fn rows(&self) -> Vec<StatisticRow> {
        let (mut old, mut sum) = (self.states[0].unwrap(), 0.0);
        let mut last = old;
        let mut rows = Vec::new();
        for hour in 0..HOURS {
            if self.again == Some(hour) {
                sum = 0.0;
            }
            let states = &self.states[hour * STATES + 1..=(hour + 1) * STATES];
            let known: Vec<f64> = states.iter().copied().flatten().collect();
            if known.is_empty() {
                continue;
            }
            for state in known {
                if state < 0.9 * last {
                    sum += last - old;
                    old = 0.0;
                }
                last = state;
            }
            sum += last - old;
            old = last;
            sum += self
                .edit
                .filter(|(at, _)| *at == hour)
                .map_or(0.0, |it| it.1);
            rows.push(StatisticRow {
                start: self.time(hour),
                state: Some(last),
                sum: Some(sum),
                mean: None,
            });
        }
        rows
    }

    /// The registers of another way to the ledger.
    fn registers(&self) -> Vec<(Timestamp, f64)> {
        let hours = (0..=HOURS).map(|hour| (self.time(hour), self.truth[hour * STATES]));
        hours.collect()
    }

    fn energy(&self) -> f64 {
        self.truth[HOURS * STATES] - self.truth[0]
    }
}

/// A fault at work: rows, the registers of the ledger, and the reasons that are right.
struct Injected {
    course: Course,
    rows: Vec<StatisticRow>,
    registers: Vec<(Timestamp, f64)>,
    reasons: &'static [CountReason],
}

impl Fault {
    /// The reasons that are right.
    const fn reasons(self) -> &'static [CountReason] {
        match self {
            Self::Dip { .. } | Self::OtherMeter => &[CountReason::Reset],
            Self::Spike { .. } => &[CountReason::Spike],
            Self::Gap => &[CountReason::Gap],
            Self::Late => &[CountReason::Late],
            Self::Renamed { .. } | Self::AddedAgain => &[CountReason::Renamed],
            Self::Unit { .. } => &[CountReason::Unit],
            Self::Edited => &[CountReason::Edited],
            Self::Clock => &[CountReason::Late, CountReason::Gap],
            Self::Restart => &[],
        }
    }

    /// Whether the ledger has readings by another way, not those of Home Assistant.
    const fn is_measured_elsewhere(self) -> bool {
        matches!(
            self,
            Self::Late | Self::Renamed { .. } | Self::Unit { .. } | Self::Clock
        )
    }

    /// Changes states, or the sum.
    fn put_into(self, course: &mut Course, hour: usize, dice: &mut Dice) {
        let state = hour * STATES + dice.roll(2..9);
        let register = course.truth[state];
        let over_the_end = MIDDLE - dice.roll(2..12)..MIDDLE + dice.roll(2..12);
        let silent = over_the_end.start * STATES + 1..over_the_end.end * STATES;
        match self {
            Self::Dip { is_long } => {
                let low = [0.0, register * dice.between(0.05, 0.6)][dice.roll(0..2)];
                let length = if is_long { STATES } else { 1 };
                course.states[state..state + length].fill(Some(low));
            }
            Self::OtherMeter => {
                let less = register * dice.between(0.25, 0.75);
                for state in course.states.iter_mut().skip(state).flatten() {
                    *state -= less;
                }
            }
            Self::Spike { is_long } => {
                let high = register * dice.between(1.5, 40.0);
                let length = if is_long { STATES * dice.roll(1..4) } else { 1 };
                course.states[state..state + length].fill(Some(high));
            }
            Self::Gap => course.states[silent].fill(None),
            Self::Late => {
                let last = course.states[silent.start - 1];
                course.states[silent].fill(last);
            }
            Self::AddedAgain => course.again = Some(hour),
            Self::Unit { is_always } => {
                let some = state..state + STATES * dice.roll(2..24);
                let places = if is_always { 0..usize::MAX } else { some };
                let factor = [1e3, 1e-3][dice.roll(0..2)];
                let states = course.states.iter_mut().enumerate();
                let states = states.filter(|(place, _)| places.contains(place));
                states
                    .filter_map(|(_, state)| state.as_mut())
                    .for_each(|state| *state *= factor);
            }
            Self::Edited => {
                let part = [dice.between(-3.0, -0.0001), dice.between(0.0001, 0.9)];
                course.edit = Some((hour, part[dice.roll(0..2)] * register));
            }
            Self::Restart => course.states[state..state + 3].fill(None),
            Self::Renamed { .. } | Self::Clock => {}
        }
    }

    /// Changes the rows.
    fn change_rows(
        self,
        course: &Course,
        hour: usize,
        rows: &mut Vec<StatisticRow>,
        dice: &mut Dice,
    ) {
        match self {
            Self::Renamed { is_old: true } => rows.retain(|row| row.start <= course.time(hour)),
            Self::Renamed { is_old: false } => {
                // Those of a new entity begin at 0.
                let first = rows.partition_point(|row| row.start < course.time(hour));
                let before = rows.drain(..first).next_back().and_then(|row| row.sum);
                for sum in rows.iter_mut().filter_map(|row| row.sum.as_mut()) {
                    *sum -= before.unwrap_or(0.0);
                }
            }
            Self::Clock => {
                let wrong =
                    course.time(MIDDLE - dice.roll(2..12))..course.time(MIDDLE + dice.roll(2..12));
                let ms = i64::try_from(dice.roll(1..4)).unwrap() * MS_PER_HOUR;
                for row in rows.iter_mut().filter(|row| wrong.contains(&row.start)) {
                    row.start = row.start.saturating_add_millis(ms);
                }
                // It has each hour once, the one that came first.
                let mut known = BTreeSet::new();
                rows.retain(|row| known.insert(row.start));
                rows.sort_by_key(|row| row.start);
            }
            _ => {}
        }
    }

    fn inject(self, middle: Timestamp, dice: &mut Dice) -> Injected {
        let mut course = Course::new(middle, dice);
        // Far enough from the end of the month for its days around.
        let hour = dice.roll(12..MIDDLE - 12) + [0, MIDDLE][dice.roll(0..2)];
        self.put_into(&mut course, hour, dice);
        let mut rows = course.rows();
        self.change_rows(&course, hour, &mut rows, dice);
        Injected {
            registers: if self.is_measured_elsewhere() {
                course.registers()
            } else {
                registers_of(&rows)
            },
            course,
            rows,
            reasons: self.reasons(),
        }
    }
}

/// The ends of months by a clock in Berlin, two of them near a change of the clocks.
const MIDDLES: [&str; 3] = [
    "2026-01-31T23:00:00",
    "2026-03-31T22:00:00",
    "2025-10-31T23:00:00",
];

/// The months before and after the middle, as they are explained: the energy that was counted and measured in
/// each, and the reasons.
fn told(
    one: &Injected,
    store: &Store,
    house: &HouseSensors,
) -> [(f64, f64, Vec<CountedDifference>); 2] {
    let rows = one.rows.iter().map(|row| CountedRow {
        end: row.start.saturating_add_millis(MS_PER_HOUR),
        state: row.state,
        sum: row.sum.unwrap(),
    });
    let rows: Vec<CountedRow> = rows.collect();
    let [begin, middle, end] = [0, MIDDLE, HOURS].map(|hour| one.course.time(hour));
    assert_eq!(floor_hour(middle), middle);
    [begin..middle, middle..end].map(|range| {
        let newest = rows.last().map_or(begin, |row| row.end);
        let counts = MonthCounts {
            range: range.clone(),
            rows: &rows,
            is_beginning: true,
            goes_on: newest > range.end || newest >= end,
        };
        let hours = measured_hours(store, house, &range, now()).unwrap();
        let measured = hours.hours.range(range).map(|(_, energy)| energy).sum();
        (
            counts.counted().unwrap_or(0.0),
            measured,
            counts.explain(&hours),
        )
    })
}

fn now() -> Timestamp {
    at("2026-06-01T00:00:00")
}

/// The mistakes in the explanation of a fault.
fn mistakes(one: &Injected, store: &Store, house: &HouseSensors, is_knowable: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let months = told(one, store, house);
    for (counted, measured, reasons) in &months {
        let told: f64 = reasons.iter().map(|it| it.energy).sum();
        let difference = counted - measured;
        let main = reasons.first().map(|it| it.reason);
        let is_right = main.is_none_or(|main| one.reasons.contains(&main));
        if (told - difference).abs() >= 1.0 || !is_right {
            wrong.push(format!("{difference} Wh by {reasons:?}"));
        }
    }
    let found = months.iter().any(|(_, _, reasons)| !reasons.is_empty());
    if found == one.reasons.is_empty() {
        wrong.push(format!("expected {:?}, got {months:?}", one.reasons));
    }
    let (truth, measured) = (one.course.energy(), months[0].1 + months[1].1);
    if is_knowable && (measured - truth).abs() >= 0.01 {
        wrong.push(format!("{measured} Wh instead of {truth}"));
    }
    wrong
}

/// Injects faults; returns their number, and all mistakes.
fn check(seed: u64, faults: &[(Fault, usize)]) -> (usize, Vec<String>) {
    let mut dice = Dice(seed);
    let dir = tempfile::tempdir().unwrap();
    let all = faults
        .iter()
        .flat_map(|(fault, count)| vec![*fault; *count]);
    let all: Vec<(String, Fault)> = all
        .enumerate()
        .map(|(nth, it)| (format!("s{nth}"), it))
        .collect();
    let sensors = all
        .iter()
        .map(|(id, _)| (id.as_str(), Role::SubMeter, MeterKind::Counter));
    let (store, account) = open(dir.path(), &sensors.collect::<Vec<_>>());
    let mut injected = Vec::new();
    for (sensor, fault) in &all {
        let middle = at(MIDDLES[dice.roll(0..MIDDLES.len())]);
        let one = fault.inject(middle, &mut dice);
        import(&store, sensor, &one.registers);
        injected.push(one);
    }
    let house = HouseSensors::of(&store, &account.name, now()).unwrap();
    let mut problems = Vec::new();
    for ((sensor, fault), one) in all.iter().zip(&injected) {
        let own = house.only(|it| it.sensor.id == id(sensor));
        let is_knowable = *fault != Fault::OtherMeter;
        let wrong = mistakes(one, &store, &own, is_knowable);
        problems.extend(wrong.iter().map(|it| format!("{fault:?} {sensor}: {it}")));
    }
    (injected.len(), problems)
}

#[test]
fn each_of_200_faults_is_found_with_its_reason() {
    let (count, problems) = check(0x5eed_cafe, &FAULTS);
    assert!(
        count >= 200 && problems.is_empty(),
        "{} of {count} faults:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn a_restart_within_an_hour_is_no_difference() {
    assert_eq!(check(7, &[(Fault::Restart, 10)]), (10, Vec::new()));
}
