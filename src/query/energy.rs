//! Energy of a sensor by the kind of its register: of a counter, a fall is a reset.
//!
//! Of a net register energy is the difference of two registers. Of a counter, what it showed before a fall is kept, and
//! what it shows afterwards counts from zero. Both are answered from what is kept of blocks and of their pages; of a counter,
//! only those that the register falls in are unpacked.
//!
//! As for `consumption`, a difference counts where the later register lies, the start of a range left out and its end
//! included; and before a sensor's first register there is nothing to differ from.

use super::{Point, after_start};
use crate::domain::calendar::Zone;
use crate::domain::interval::{Calendar, Interval};
use crate::domain::reading::register_difference;
use crate::domain::role::RegisterKind;
use crate::domain::sensor::SensorId;
use crate::domain::summary::Falls;
use crate::domain::time::{TimeRange, Timestamp};
use crate::store::{Measure, Piece, Run, Store, StoreError, Totals, Values};

/// What a sensor's register had counted by some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// What it showed last, in watt-hours; where that is later, what it showed first.
    watthours: f64,
    /// What it showed before each of its falls since the walk began, added up; zero of a net register.
    before_falls: f64,
    /// See [`Self::seen`].
    seen: Timestamp,
}

/// A counter's fall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reset {
    /// The time of the first register after it.
    pub time: Timestamp,
    /// What it showed last before, in watt-hours.
    pub before: f64,
    /// What it showed first after, in watt-hours.
    pub after: f64,
}

/// What the register had counted at each of `times`, which are ascending: where the sensor has no register by then, at its
/// first one; `None` where that comes after all of them. A bounded number of pages is unpacked for each time, and those
/// that a counter falls in. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] where something could not be read.
pub fn counted_at(
    store: &Store,
    sensor: &SensorId,
    kind: RegisterKind,
    times: &[Timestamp],
) -> Result<Vec<Option<Counted>>, StoreError> {
    let ends = times.first().zip(times.last());
    let Some(range) = ends.and_then(|(first, last)| TimeRange::new(*first, *last)) else {
        return Ok(vec![None; times.len()]);
    };
    let passed = Passed::new(store, sensor, kind, range, |time| {
        let next = times.partition_point(|cut| *cut < time);
        times.get(next).copied().unwrap_or(range.end())
    })?;
    let at = |time: &Timestamp| {
        let ended = passed.slots.partition_point(|slot| slot.last <= *time);
        let slot = ended.checked_sub(1).and_then(|nth| passed.slots.get(nth));
        slot.map(|slot| slot.end).or(passed.start)
    };
    Ok(times.iter().map(at).collect())
}

/// Watt-hours of a sensor in `range`; `None` where it has no register by its end.
///
/// # Errors
/// [`StoreError`] where something could not be read.
pub fn energy(
    store: &Store,
    sensor: &SensorId,
    kind: RegisterKind,
    range: TimeRange,
) -> Result<Option<f64>, StoreError> {
    let counted = counted_at(store, sensor, kind, &[range.start(), range.end()])?;
    Ok(match *counted {
        [Some(start), Some(end)] => Some(end.since(start)),
        _ => None,
    })
}

/// Watt-hours of a sensor by `interval`: a point for each bucket with some, at its start, as of
/// [`Query::ConsumptionByInterval`](super::Query::ConsumptionByInterval). That they are not too many is up to the caller.
///
/// # Errors
/// [`StoreError`] where something could not be read.
pub fn energy_by_interval(
    store: &Store,
    sensor: &SensorId,
    kind: RegisterKind,
    range: TimeRange,
    (zone, interval): (Zone, Interval),
) -> Result<Vec<Point>, StoreError> {
    let mut calendar = Calendar::new(zone, interval);
    let mut bucket_of = |time: Timestamp| calendar.bucket(time.saturating_add_millis(-1));
    let slot_end = |time| bucket_of(time).end().saturating_add_millis(1);
    let slots = Passed::new(store, sensor, kind, range, slot_end)?.slots;
    let with_difference = slots.iter().filter(|slot| slot.start.seen < slot.end.seen);
    let points = with_difference.map(|slot| Point {
        time: bucket_of(slot.end.seen).start(),
        value: slot.end.since(slot.start),
    });
    Ok(points.collect())
}

/// The first `most` resets of a counter in `range`, its start left out.
///
/// # Errors
/// [`StoreError`] where something could not be read.
pub fn resets(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
    most: usize,
) -> Result<Vec<Reset>, StoreError> {
    let mut resets = Vec::new();
    let Some(within) = after_start(range) else {
        return Ok(resets);
    };
    let at_start = store.register_at(sensor, range.start())?;
    let mut last = at_start.map(|register| register.watthours);
    let mut digest = store.digest(sensor, Measure::Watthours, within);
    let has_none = |run: &Run| {
        let registers = Registers::of(RegisterKind::Counter, run);
        registers.is_some_and(|registers| registers.falls.count == 0)
    };
    while let Some(piece) = digest.next_piece(has_none)? {
        let (times, registers) = match piece {
            Piece::Values(values) => (values.times, values.numbers),
            Piece::Run(run) => {
                let Some(registers) = Registers::of(RegisterKind::Counter, &run) else {
                    continue;
                };
                let is_fall = last.is_some_and(|before| registers.first < before);
                let Some(reach) = TimeRange::new(run.first, run.last).filter(|_| is_fall) else {
                    last = Some(registers.newest());
                    continue;
                };
                // It fell at the first of them, and a run does not tell when that was.
                let values = registers_in(store, sensor, reach)?;
                (values.times, values.numbers)
            }
        };
        for (time, after) in times.into_iter().zip(registers) {
            let before = last.replace(after).filter(|before| after < *before);
            resets.extend(before.map(|before| Reset {
                time,
                before,
                after,
            }));
        }
        if resets.len() >= most {
            resets.truncate(most);
            break;
        }
    }
    Ok(resets)
}

/// All registers in a range that is no longer than a block.
fn registers_in(store: &Store, sensor: &SensorId, range: TimeRange) -> Result<Values, StoreError> {
    let mut all = Values::default();
    let mut digest = store.digest(sensor, Measure::Watthours, range);
    while let Some(piece) = digest.next_piece(|_| false)? {
        if let Piece::Values(values) = piece {
            all.times.extend(values.times);
            all.numbers.extend(values.numbers);
        }
    }
    Ok(all)
}

/// Registers of a range without its start, put together by stretches of time.
struct Passed {
    kind: RegisterKind,
    /// What was counted at the range's start; where there is no register by then, at the first one.
    start: Option<Counted>,
    /// Those with a register, ascending.
    slots: Vec<Slot>,
}

/// A stretch of time with at least one register in it.
struct Slot {
    /// Its last millisecond.
    last: Timestamp,
    /// What was counted before it; where there is no register before, at its first one.
    start: Counted,
    /// What was counted at its end.
    end: Counted,
}

/// Some registers one after the other, in watt-hours.
struct Registers {
    first: f64,
    /// If there are several.
    last: Option<f64>,
    falls: Falls,
}

impl Passed {
    /// `slot_end` says when the slot ends that a time lies in.
    fn new(
        store: &Store,
        sensor: &SensorId,
        kind: RegisterKind,
        range: TimeRange,
        mut slot_end: impl FnMut(Timestamp) -> Timestamp,
    ) -> Result<Self, StoreError> {
        let at_start = store.register_at(sensor, range.start())?;
        let mut passed = Self {
            kind,
            start: at_start.map(|register| Counted::first(register.watthours, register.time)),
            slots: Vec::new(),
        };
        let Some(within) = after_start(range) else {
            return Ok(passed);
        };
        let mut digest = store.digest(sensor, Measure::Watthours, within);
        while let Some(piece) = digest.next_piece(|run| {
            Registers::of(kind, run).is_some() && run.last <= slot_end(run.first)
        })? {
            match piece {
                Piece::Run(run) => {
                    if let Some(registers) = Registers::of(kind, &run) {
                        passed.add(&registers, (run.first, run.last), &mut slot_end);
                    }
                }
                Piece::Values(values) => {
                    for (time, watthours) in values.times.into_iter().zip(values.numbers) {
                        passed.add(&Registers::one(watthours), (time, time), &mut slot_end);
                    }
                }
            }
        }
        Ok(passed)
    }

    /// Adds registers from one time to another, both in the same slot.
    fn add(
        &mut self,
        registers: &Registers,
        (from, to): (Timestamp, Timestamp),
        slot_end: impl FnOnce(Timestamp) -> Timestamp,
    ) {
        let before = self.slots.last().map(|slot| slot.end).or(self.start);
        let start = before.unwrap_or(Counted::first(registers.first, from));
        self.start.get_or_insert(start);
        let is_first = before.is_none() && registers.last.is_none();
        let to = if is_first { from } else { to };
        let end = start.and(registers, to, self.kind);
        match self.slots.last_mut().filter(|slot| from <= slot.last) {
            Some(slot) => slot.end = end,
            None => self.slots.push(Slot {
                last: slot_end(from),
                start,
                end,
            }),
        }
    }
}

impl Registers {
    const fn one(watthours: f64) -> Self {
        Self {
            first: watthours,
            last: None,
            falls: Falls {
                count: 0,
                watthours_before: 0.0,
            },
        }
    }

    fn newest(&self) -> f64 {
        self.last.unwrap_or(self.first)
    }

    /// Those of a run, where enough is known of them for a register of that kind.
    fn of(kind: RegisterKind, run: &Run) -> Option<Self> {
        let Totals::Registers { first, last, falls } = run.totals else {
            return None;
        };
        let falls = match kind {
            RegisterKind::Net => Falls::default(),
            RegisterKind::Counter => falls.filter(|falls| falls.watthours_before.is_finite())?,
        };
        Some(Self { first, last, falls })
    }
}

impl Counted {
    const fn first(watthours: f64, seen: Timestamp) -> Self {
        Self {
            watthours,
            before_falls: 0.0,
            seen,
        }
    }

    /// When the register was seen that this is of, or a little later; later for a later register.
    #[must_use]
    pub const fn seen(self) -> Timestamp {
        self.seen
    }

    /// Watt-hours from `start` until this, both being of the same call; finite.
    #[must_use]
    pub fn since(self, start: Self) -> f64 {
        if self.before_falls == start.before_falls {
            return register_difference(start.watthours, self.watthours);
        }
        // By halves, so that nothing on the way is more than a f64 can be.
        let half = self.watthours / 2.0 - start.watthours / 2.0;
        let half = half + (self.before_falls / 2.0 - start.before_falls / 2.0);
        register_difference(0.0, finite(2.0 * half))
    }

    /// This, and the registers after it.
    fn and(self, later: &Registers, seen: Timestamp, kind: RegisterKind) -> Self {
        let between = match kind {
            RegisterKind::Net => Falls::default(),
            RegisterKind::Counter => Falls::between(self.watthours, later.first),
        };
        let falls = between.and(later.falls);
        Self {
            watthours: later.newest(),
            before_falls: finite(self.before_falls + falls.watthours_before),
            seen,
        }
    }
}

fn finite(number: f64) -> f64 {
    number.clamp(f64::MIN, f64::MAX)
}

#[cfg(test)]
mod tests;
