//! Which pass of a repeated hour each row is of.

use crate::domain::Timestamp;
use crate::ingest::table::{FileValue, When, WhenDoubt};

/// A row that waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitingRow {
    /// Without values, if the row has none.
    pub(super) value: FileValue,
    pub(super) place: u64,
    /// The run that it is in.
    pub(super) run: usize,
}

/// The order of the rows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowOrder {
    OldestFirst,
    NewestFirst,
}

/// The facts about consecutive rows of a repeated hour.
pub(super) struct RepeatedRun {
    /// The times of the sure rows before and after it.
    pub(super) around: [Option<Timestamp>; 2],
    /// The order of all sure rows.
    pub(super) order: Option<RowOrder>,
    /// The usual distance between rows; 0 if it is unknown.
    pub(super) usual_ms: i64,
}

/// A row of a repeated hour.
#[derive(Clone, Copy)]
pub(super) struct RunRow {
    /// The time in the first pass, and in the second one.
    passes: [When; 2],
    /// Whether it ends the hour: then it is literally the end of the second pass.
    is_end: bool,
    /// Whether it is of the second pass, if the row itself tells.
    is_second: Option<bool>,
    label: Timestamp,
    value: [Option<u64>; 2],
}

/// The times of rows.
pub(super) struct Decided {
    pub(super) times: Vec<When>,
    /// The first time of an hour that is there once, though it came twice.
    pub(super) once: Option<Timestamp>,
}

impl RunRow {
    pub(super) fn of(value: &FileValue) -> Self {
        let (passes, is_end) = match value.doubt {
            Some(WhenDoubt::Second(second)) => ([value.when, second], false),
            Some(WhenDoubt::FirstEnd(first)) => ([first, value.when], true),
            _ => ([value.when; 2], false),
        };
        let [first, _] = passes;
        let (label, is_second) = match value.doubt {
            Some(WhenDoubt::Sure { label, is_second }) => (label, Some(is_second)),
            _ => (first.first(), None),
        };
        let bits = |number: Option<f64>| number.map(f64::to_bits);
        Self {
            passes,
            is_end,
            is_second,
            label,
            value: [bits(value.watts), bits(value.watthours)],
        }
    }

    const fn when(&self, is_second: bool) -> When {
        let [first, second] = self.passes;
        if is_second { second } else { first }
    }
}

/// Whether each row is of the second pass.
type Seconds = Vec<bool>;

/// The times of consecutive rows of a repeated hour; `None` if nothing decides.
pub(super) fn passes_of(rows: &[RunRow], run: &RepeatedRun) -> Option<Decided> {
    // `03:00` ends both passes only if it is there twice.
    let ends = rows.iter().filter(|row| row.is_end).count();
    let is_inside = |row: &&RunRow| ends > 1 || !row.is_end;
    let inside: Vec<RunRow> = rows.iter().filter(is_inside).copied().collect();
    let labels: Vec<i64> = inside.iter().map(|row| row.label.millis()).collect();
    let orders = match direction(&labels, run) {
        Some(order) => vec![order],
        None => vec![RowOrder::OldestFirst, RowOrder::NewestFirst],
    };
    let mut found: Vec<Seconds> = Vec::new();
    for order in orders {
        let (time, clock) = (by_time(&labels, order), by_clock(&labels, order));
        // Newest first, a pair can be in either order: that of time is the usual one.
        let is_same = time.as_ref().is_some_and(|time| clock.contains(time));
        found.extend(time);
        found.extend(clock.into_iter().filter(|_| !is_same));
    }
    if inside.iter().any(|row| row.is_second == Some(true)) {
        found.push(vec![true; inside.len()]);
    }
    found.retain(|seconds| {
        let mut rows = inside.iter().zip(seconds);
        rows.all(|(row, is_second)| row.is_second.is_none_or(|sure| sure == *is_second))
    });
    // Interpretations that store the same are one.
    let mut found = found.into_iter();
    let mut seconds = found.next()?;
    let one = stored(&inside, &seconds);
    if found.any(|other| stored(&inside, &other) != one) {
        return None;
    }
    // The label at the start is there once where ends are written alike in both passes.
    let start = labels.iter().min().filter(|_| ends > 1);
    let others: Vec<_> = labels.iter().filter(|it| Some(*it) != start).collect();
    let mut is_once = is_there_once(&others, &seconds);
    // Only one of the passes may continue the rows around them without a hole.
    let is_only = |rows: &[RunRow], is_second: bool| {
        is_even(rows, is_second, run) && !is_even(rows, !is_second, run)
    };
    let is_sure = inside.iter().any(|row| row.is_second.is_some());
    let is_first = seconds.iter().all(|is_second| !is_second) && !seconds.is_empty();
    if is_first && !is_sure && is_only(&inside, true) {
        seconds.fill(true);
        is_once = false;
    }
    // Of an hour that is there once, its end is of the same pass as its other rows.
    let is_once_and_first = is_once && seconds.iter().all(|is_second| !is_second);
    let is_end_of_first = is_once_and_first || inside.is_empty() && is_only(rows, false);
    let mut inside = seconds.into_iter();
    let times = rows.iter().map(|row| {
        let is_second = if ends > 1 || !row.is_end {
            inside.next().unwrap_or_default()
        } else {
            !is_end_of_first
        };
        row.when(is_second)
    });
    Some(Decided {
        times: times.collect(),
        once: rows.iter().map(|row| row.label).min().filter(|_| is_once),
    })
}

/// The values to store.
fn stored(rows: &[RunRow], seconds: &Seconds) -> Vec<(i64, bool, [Option<u64>; 2])> {
    let rows = rows.iter().zip(seconds);
    let mut all: Vec<_> = rows
        .map(|(row, is_second)| (row.label.millis(), *is_second, row.value))
        .collect();
    all.sort_unstable();
    all
}

/// The order that the rows around these show, or else all rows.
fn direction(labels: &[i64], run: &RepeatedRun) -> Option<RowOrder> {
    let [before, after] = run.around.map(|time| time.map(Timestamp::millis));
    let (first, last) = (*labels.first()?, *labels.last()?);
    let rises = [
        before.map(|before| before < first),
        after.map(|after| after > last),
    ];
    match rises {
        [Some(true), Some(true) | None] | [None, Some(true)] => Some(RowOrder::OldestFirst),
        [Some(false), Some(false) | None] | [None, Some(false)] => Some(RowOrder::NewestFirst),
        _ => run.order,
    }
}

/// Rows in order of time: all of one pass, then all of the other one.
fn by_time(labels: &[i64], order: RowOrder) -> Option<Seconds> {
    let is_next = |one: &i64, other: &i64| match order {
        RowOrder::OldestFirst => one < other,
        RowOrder::NewestFirst => one > other,
    };
    let parts: Vec<&[i64]> = labels.chunk_by(is_next).collect();
    let seconds = |part: &[i64], is_second| std::iter::repeat_n(is_second, part.len());
    match (parts.as_slice(), order) {
        ([], _) => Some(Vec::new()),
        ([only], _) => Some(seconds(only, false).collect()),
        ([one, other], RowOrder::OldestFirst) => {
            Some(seconds(one, false).chain(seconds(other, true)).collect())
        }
        ([one, other], RowOrder::NewestFirst) => {
            Some(seconds(one, true).chain(seconds(other, false)).collect())
        }
        _ => None,
    }
}

/// Rows in order of the clock: both passes of a label beside each other. Oldest first, the first of
/// each pair is of the first pass. Newest first, it can be either.
fn by_clock(labels: &[i64], order: RowOrder) -> Vec<Seconds> {
    let parts: Vec<&[i64]> = labels.chunk_by(|one, other| one == other).collect();
    let is_sorted = match order {
        RowOrder::OldestFirst => labels.is_sorted(),
        RowOrder::NewestFirst => labels.iter().rev().is_sorted(),
    };
    let is_paired = parts.iter().all(|part| part.len() <= 2);
    let has_pairs = parts.iter().any(|part| part.len() == 2);
    if !is_sorted || !is_paired || !has_pairs || parts.len() < 2 {
        return Vec::new();
    }
    let seconds = |is_reversed: bool| {
        let of = |part: &&[i64]| match part.len() {
            2 => vec![is_reversed, !is_reversed],
            _ => vec![false],
        };
        parts.iter().flat_map(of).collect::<Seconds>()
    };
    match order {
        RowOrder::OldestFirst => vec![seconds(false)],
        RowOrder::NewestFirst => vec![seconds(false), seconds(true)],
    }
}

/// Whether a label is there once, and counts for the first pass, where no row is of the second one
/// or both passes are beside each other.
fn is_there_once(labels: &[&i64], seconds: &Seconds) -> bool {
    let has_second = seconds.iter().any(|is_second| *is_second);
    let is_sorted = labels.is_sorted() || labels.iter().rev().is_sorted();
    let mut parts = labels.chunk_by(|one, other| one == other);
    let mut has_single = || labels.len() > 2 && parts.any(|part| part.len() == 1);
    !labels.is_empty() && (!has_second || (is_sorted && has_single()))
}

/// Whether rows of one pass, and the rows around them, follow each other at the usual distance.
fn is_even(rows: &[RunRow], is_second: bool, run: &RepeatedRun) -> bool {
    let [Some(before), Some(after)] = run.around else {
        return false;
    };
    let times = rows.iter().map(|row| row.when(is_second).first());
    let mut times: Vec<i64> = [before, after]
        .into_iter()
        .chain(times)
        .map(Timestamp::millis)
        .collect();
    times.sort_unstable();
    let mut pairs = times.iter().zip(times.iter().skip(1));
    pairs.all(|(one, other)| other - one == run.usual_ms)
}

pub(super) const fn has_value(row: &WaitingRow) -> bool {
    row.value.watts.is_some() || row.value.watthours.is_some()
}

/// The times of numbered hours of a day of another length. Numbers count the hours that passed, or
/// follow the clock: then one is missing in spring, and one comes twice in autumn.
pub(super) fn hour_numbers(rows: &[&WaitingRow], order: Option<RowOrder>) -> Option<Decided> {
    let hours: Vec<_> = rows
        .iter()
        .map(|row| match row.value.doubt {
            Some(WhenDoubt::Hour(hour)) => Some(hour),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let first = hours.first()?;
    let mut counts = [0_u32; 26];
    for hour in &hours {
        let count = usize::try_from(hour.number).ok();
        *counts.get_mut(count?)? += 1;
    }
    let count = |number: i64| {
        let number = usize::try_from(number).unwrap_or_default();
        counts.get(number).copied().unwrap_or_default()
    };
    let is_short = first.hours < 24;
    let repeated = first.before;
    // The whole day may be in the file more than once.
    let is_once_else = (1..26).all(|number| number == repeated || count(number) < 2);
    let is_by_clock = if is_short {
        count(24) > 0
    } else {
        count(25) == 0 && (count(24) > 0 || (count(repeated) == 2 && is_once_else))
    };
    if !is_by_clock {
        let times = hours.iter().map(|hour| hour.passed(hour.number));
        return Some(Decided {
            times: times.collect(),
            once: None,
        });
    }
    if count(repeated) > 2 {
        return None;
    }
    let is_newest_first = match order {
        Some(order) => order == RowOrder::NewestFirst,
        None => hours.first()?.number > hours.last()?.number,
    };
    let mut seen = false;
    let times = rows.iter().zip(&hours).map(|(row, hour)| {
        let passed = match (is_short, hour.number - repeated) {
            (true, ..=0) | (false, ..0) => hour.number,
            // The hour that was skipped has no time, and needs none without a value.
            (true, 1) if has_value(row) => return None,
            (true, _) => hour.number - 1,
            (false, 0) => {
                let is_later = std::mem::replace(&mut seen, true) != is_newest_first;
                let is_later = is_later && count(repeated) == 2;
                hour.number + i64::from(is_later)
            }
            (false, _) => hour.number + 1,
        };
        Some(hour.passed(passed))
    });
    let is_once = !is_short && count(repeated) == 1;
    Some(Decided {
        times: times.collect::<Option<_>>()?,
        once: is_once.then(|| first.passed(repeated).first()),
    })
}
