//! Energy of one sensor, by the kind of its register: the one place where registers become energy.
//!
//! For a net register, energy is the difference of two registers. For a counter, a fall is a reset: what it showed before the
//! fall is kept, and what it shows afterwards counts from zero. Only blocks and pages in which a counter falls are unpacked.
//!
//! A difference counts where the later register lies, without the start of a range but with its end. Before a sensor's first
//! register there is nothing to differ from.

use super::point::Point;
use super::slots::Slots;
use super::walk::{Fold, SlotWalk};
use crate::domain::number::finite;
use crate::domain::reading::register_difference;
use crate::domain::{Interval, MeterKind, SensorId, TimeRange, Timestamp, Zone};
use crate::store::{Falls, Measure, Run, Store, StoreError, Totals};

/// What a sensor's register had counted by some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// The register in watt-hours: the newest one by that time, or else the sensor's first one.
    watthours: f64,
    /// The sum of the registers before each fall since the walk began, in watt-hours; zero for a net register.
    before_falls: f64,
    /// See [`Self::seen`].
    seen: Timestamp,
}

impl Counted {
    const fn at_first(watthours: f64, seen: Timestamp) -> Self {
        Self {
            watthours,
            before_falls: 0.0,
            seen,
        }
    }

    /// The time of the register, or a little later; later for a later register.
    #[must_use]
    pub const fn seen(self) -> Timestamp {
        self.seen
    }

    /// Watt-hours from `start` until this, if one call returned both; finite.
    #[must_use]
    pub fn since(self, start: Self) -> f64 {
        // No fall in between, so the sums of earlier falls would only cost digits.
        if self.before_falls == start.before_falls {
            return register_difference(start.watthours, self.watthours);
        }
        // By halves, so that no intermediate result exceeds what a f64 can hold.
        let half = self.watthours / 2.0 - start.watthours / 2.0;
        let half = half + (self.before_falls / 2.0 - start.before_falls / 2.0);
        register_difference(0.0, finite(2.0 * half))
    }
}

/// The registers of a slot, one after the other, in watt-hours.
struct Registers {
    first: f64,
    /// `None` if there is only one.
    last: Option<f64>,
    falls: Falls,
}

/// The registers so far.
struct RegisterFold {
    kind: MeterKind,
    /// By the newest register so far; `None` before the sensor's first one.
    newest: Option<Counted>,
    /// Before the first register of the open slot, or by it if it is the sensor's first one.
    slot_start: Option<Counted>,
}

impl Fold for RegisterFold {
    /// What was counted at the start and at the end of a slot.
    type Value = (Counted, Counted);

    fn accepts(&self, run: &Run) -> bool {
        self.registers_of(run).is_some()
    }

    fn add_run(&mut self, run: &Run) {
        if let Some(registers) = self.registers_of(run) {
            self.add(&registers, (run.first, run.last));
        }
    }

    fn add_values(&mut self, times: &[Timestamp], numbers: &[f64]) {
        let (Some((&from, &to)), [first, later @ ..]) = (times.first().zip(times.last()), numbers)
        else {
            return;
        };
        let falls = match self.kind {
            MeterKind::Net | MeterKind::Interval => Falls::default(),
            MeterKind::Counter => {
                let pairs = numbers.iter().zip(later);
                let each = pairs.map(|(before, after)| Falls::between(*before, *after));
                each.fold(Falls::default(), Falls::and)
            }
        };
        let (first, last) = (*first, later.last().copied());
        self.add(&Registers { first, last, falls }, (from, to));
    }

    fn take(&mut self) -> Option<(Counted, Counted)> {
        self.slot_start.take().zip(self.newest)
    }
}

impl RegisterFold {
    /// The registers of a run, if enough is known of them for this kind of register.
    fn registers_of(&self, run: &Run) -> Option<Registers> {
        let Totals::Registers { run, falls } = run.totals else {
            return None;
        };
        let first = run.first.watthours;
        let last = (run.count > 1).then_some(run.last.watthours);
        let falls = match self.kind {
            MeterKind::Net | MeterKind::Interval => Falls::default(),
            // The sum may be infinite for registers near the limits of `f64`: those are unpacked, as if the run were unknown.
            MeterKind::Counter => falls.filter(|falls| falls.watthours_before.is_finite())?,
        };
        Some(Registers { first, last, falls })
    }

    /// Adds registers from one time to another.
    fn add(&mut self, later: &Registers, (from, to): (Timestamp, Timestamp)) {
        // No register came before, and there is no second one yet.
        let is_first = self.newest.is_none() && later.last.is_none();
        let start = self.newest.unwrap_or(Counted::at_first(later.first, from));
        // Set by the first call in a slot only: `take` clears it.
        self.slot_start.get_or_insert(start);
        // The fall down to the first of these registers is not among their own falls.
        let between = match self.kind {
            MeterKind::Net | MeterKind::Interval => Falls::default(),
            MeterKind::Counter => Falls::between(start.watthours, later.first),
        };
        let falls = between.and(later.falls);
        self.newest = Some(Counted {
            watthours: later.last.unwrap_or(later.first),
            before_falls: finite(start.before_falls + falls.watthours_before),
            // The first register alone is no difference: start and end must have the same time.
            seen: if is_first { from } else { to },
        });
    }
}

/// Walks over the registers of a sensor in `range`, without its start; also returns what was counted at the start.
fn walk(
    store: &Store,
    (sensor, kind): (&SensorId, MeterKind),
    range: TimeRange,
    slots: Slots,
) -> Result<(Option<Counted>, SlotWalk<RegisterFold>), StoreError> {
    let at_start = store.register_at(sensor, range.start())?;
    let at_start = at_start.map(|register| Counted::at_first(register.watthours, register.time));
    let fold = RegisterFold {
        kind,
        newest: at_start,
        slot_start: None,
    };
    let registers = (sensor, Measure::Watthours);
    // The register at the start belongs to the time before it: the fold begins with it instead.
    let walk = SlotWalk::new(store, registers, range.after_start(), slots, fold);
    Ok((at_start, walk))
}

/// What the register had counted at each of `times`, which are ascending. Times before the sensor's first register have the value
/// of that register; all are `None` if it comes after the last of `times`. Unpacks a bounded number of pages for each time, and
/// those in which a counter falls. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn counted_at(
    store: &Store,
    sensor: &SensorId,
    kind: MeterKind,
    times: &[Timestamp],
) -> Result<Vec<Option<Counted>>, StoreError> {
    // Each value of such a register is an energy: what had been counted by a time is not known.
    if kind == MeterKind::Interval {
        return Ok(vec![None; times.len()]);
    }
    let ends = times.first().zip(times.last());
    let Some(range) = ends.and_then(|(first, last)| TimeRange::new(*first, *last)) else {
        return Ok(vec![None; times.len()]);
    };
    let slots = Slots::Until(times.into());
    let (at_start, walk) = walk(store, (sensor, kind), range, slots)?;
    let slots = walk.all()?;
    // Without a register by the start, the first slot starts with the sensor's first register.
    let at_start = at_start.or(slots.first().map(|(_, (start, _))| *start));
    let at = |time: &Timestamp| {
        // A time may lie in a slot without readings: what was counted by the slot before is still true.
        let ended = slots.partition_point(|(slot, _)| slot.times.end() <= *time);
        let last = ended.checked_sub(1).and_then(|nth| slots.get(nth));
        last.map(|(_, (_, end))| *end).or(at_start)
    };
    Ok(times.iter().map(at).collect())
}

/// Watt-hours of a sensor in `range`; `None` if it has no register by its end. Blocks on the disk.
///
/// # Errors
/// [`StoreError`] if the store could not be read.
pub fn energy(
    store: &Store,
    sensor: &SensorId,
    kind: MeterKind,
    range: TimeRange,
) -> Result<Option<f64>, StoreError> {
    let counted = counted_at(store, sensor, kind, &[range.start(), range.end()])?;
    Ok(match *counted {
        [Some(start), Some(end)] => Some(end.since(start)),
        _ => None,
    })
}

/// Energy by an interval of the calendar: a result under way.
pub(super) struct EnergyBuckets(SlotWalk<RegisterFold>);

impl EnergyBuckets {
    pub(super) fn new(
        store: &Store,
        (sensor, kind): (&SensorId, MeterKind),
        range: TimeRange,
        (zone, interval): (Zone, Interval),
    ) -> Result<Self, StoreError> {
        let slots = Slots::calendar(zone, interval, Measure::Watthours);
        let (_, walk) = walk(store, (sensor, kind), range, slots)?;
        Ok(Self(walk))
    }

    /// Appends the points of the next buckets; false after the last one. Blocks on the disk.
    pub(super) fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        self.0.next_run(|slot, (start, end)| {
            // A sensor's first register alone is no energy, not even zero.
            if start.seen < end.seen {
                points.push(Point {
                    time: slot.start,
                    value: end.since(start),
                });
            }
        })
    }
}

/// All points of [`EnergyBuckets`]. The caller makes sure that they are not too many. Blocks on the disk.
pub(super) fn energy_by_interval(
    store: &Store,
    sensor: (&SensorId, MeterKind),
    range: TimeRange,
    by: (Zone, Interval),
) -> Result<Vec<Point>, StoreError> {
    // As in `counted_at`.
    if sensor.1 == MeterKind::Interval {
        return Ok(Vec::new());
    }
    let mut buckets = EnergyBuckets::new(store, sensor, range, by)?;
    let mut points = Vec::new();
    while buckets.next_run(&mut points)? {}
    Ok(points)
}

/// The difference of two registers over `range`, at the time of the later one: see
/// [`Query::NetConsumption`](super::Query::NetConsumption). A handful of keys, however long the range. Blocks on the disk.
pub(super) fn net_consumption(
    store: &Store,
    sensor: &SensorId,
    range: TimeRange,
) -> Result<Option<Point>, StoreError> {
    let Some(at_end) = store.register_at(sensor, range.end())? else {
        return Ok(None);
    };
    let at_start = match store.register_at(sensor, range.start())? {
        Some(register) => register,
        // A deletion in between may have left none: then the difference is 0.
        None => store.first_register(sensor)?.unwrap_or(at_end),
    };
    Ok(Some(Point {
        time: at_end.time,
        value: register_difference(at_start.watthours, at_end.watthours),
    }))
}

#[cfg(test)]
mod tests;
