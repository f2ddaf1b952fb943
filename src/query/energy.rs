//! Differences of registers, as the API defines consumption: each counts at the time of the later
//! register. A range excludes its start and includes its end. A sensor's first register has no
//! difference. The ledger, not this room, computes energy.

use super::point::Point;
use super::slots::Slots;
use super::walk::{Fold, SlotWalk};
use crate::domain::reading::register_difference;
use crate::domain::{Interval, Register, SensorId, TimeRange, Timestamp, Zone};
use crate::store::{Measure, Run, Store, StoreError, Totals};

/// A register, in watt-hours, and when it was seen.
#[derive(Clone, Copy)]
pub(super) struct SeenRegister {
    pub(super) watthours: f64,
    /// Its time, or a little later; later for a later register.
    pub(super) seen: Timestamp,
}

/// The registers so far.
pub(super) struct RegisterFold {
    /// The newest register so far; `None` before the sensor's first one.
    newest: Option<SeenRegister>,
    /// The register before the open slot, or its first one if that is the sensor's first.
    slot_start: Option<SeenRegister>,
}

impl Fold for RegisterFold {
    /// The registers at the start and at the end of a slot.
    type Value = (SeenRegister, SeenRegister);

    fn accepts(&self, run: &Run) -> bool {
        matches!(run.totals, Totals::Registers(_))
    }

    fn add_run(&mut self, run: &Run) {
        if let Totals::Registers(registers) = run.totals {
            let last = (registers.count > 1).then_some(registers.last.watthours);
            self.add((registers.first.watthours, last), (run.first, run.last));
        }
    }

    fn add_values(&mut self, times: &[Timestamp], numbers: &[f64]) {
        if let (Some((&from, &to)), [first, later @ ..]) =
            (times.first().zip(times.last()), numbers)
        {
            self.add((*first, later.last().copied()), (from, to));
        }
    }

    fn take(&mut self) -> Option<(SeenRegister, SeenRegister)> {
        self.slot_start.take().zip(self.newest)
    }
}

/// A fold that begins with the register before its range, if there is one.
impl From<Option<Register>> for RegisterFold {
    fn from(before: Option<Register>) -> Self {
        let newest = before.map(|register| SeenRegister {
            watthours: register.watthours,
            seen: register.time,
        });
        Self {
            newest,
            slot_start: None,
        }
    }
}

impl RegisterFold {
    /// Adds the first and the last register from one time to another; there is no last one if there
    /// is only one.
    fn add(&mut self, (first, last): (f64, Option<f64>), (from, to): (Timestamp, Timestamp)) {
        // No register came before, and there is no second one yet: start and end must have the same
        // time.
        let is_first = self.newest.is_none() && last.is_none();
        let start = self.newest.unwrap_or(SeenRegister {
            watthours: first,
            seen: from,
        });
        // Set by the first call in a slot only: `take` clears it.
        self.slot_start.get_or_insert(start);
        self.newest = Some(SeenRegister {
            watthours: last.unwrap_or(first),
            seen: if is_first { from } else { to },
        });
    }
}

/// Differences of registers by an interval of the calendar: a result under way.
pub(super) struct EnergyBuckets(SlotWalk<RegisterFold>);

impl EnergyBuckets {
    pub(super) fn new(
        store: &Store,
        sensor: &SensorId,
        range: TimeRange,
        (zone, interval): (Zone, Interval),
    ) -> Result<Self, StoreError> {
        let slots = Slots::calendar(zone, interval, Measure::Watthours);
        let fold = RegisterFold::from(store.register_at(sensor, range.start())?);
        let registers = (sensor, Measure::Watthours);
        // The register at the start belongs to the time before it: the fold begins with it instead.
        Ok(Self(SlotWalk::new(
            store,
            registers,
            range.after_start(),
            slots,
            fold,
        )))
    }

    /// Appends the points of the next buckets; false after the last one. Blocks on the disk.
    pub(super) fn next_run(&mut self, points: &mut Vec<Point>) -> Result<bool, StoreError> {
        self.0.next_run(|slot, (start, end)| {
            // A sensor's first register alone is no energy, not even zero.
            if start.seen < end.seen {
                points.push(Point {
                    time: slot.start,
                    value: register_difference(start.watthours, end.watthours),
                });
            }
        })
    }
}

/// The difference of two registers over `range`, at the time of the later one: see
/// [`Query::NetConsumption`](super::Query::NetConsumption). A handful of keys, however long the
/// range. Blocks on the disk.
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
