//! The walk over registers or power as the store has them, in totals and one by one.

use crate::domain::{Meter, Register, TimeRange, Timestamp};
use crate::ledger::{Entry, Facts, PowerAt, PowerRun, PowerWalk, RegisterRun, RegisterWalk};
use crate::store::{Measure, Run, Totals};

/// A walk over a sensor's registers, or over its power.
pub(super) enum MeterWalk {
    Registers(RegisterWalk),
    Power(PowerWalk),
}

impl MeterWalk {
    /// Over registers if there are some.
    pub(super) fn new(meter: Meter, facts: Facts, has_register: bool) -> Self {
        if has_register {
            Self::Registers(RegisterWalk::new(meter, facts))
        } else {
            Self::Power(PowerWalk::new(meter, facts))
        }
    }

    pub(super) const fn measure(&self) -> Measure {
        match self {
            Self::Registers(_) => Measure::Watthours,
            Self::Power(_) => Measure::Watts,
        }
    }

    /// From the first to the last reading of a run; `None` if its totals are of another measure.
    pub(super) fn range_of(&self, run: &Run) -> Option<TimeRange> {
        match self {
            Self::Registers(_) => {
                let run = registers(run)?;
                TimeRange::new(run.first.time, run.last.time)
            }
            Self::Power(_) => {
                let run = power(run)?;
                TimeRange::new(run.first.time, run.last.time)
            }
        }
    }

    /// Whether totals say as much as their readings, unless something before them concerns them.
    pub(super) fn is_plain(&self, run: &Run) -> bool {
        match self {
            Self::Registers(walk) => registers(run).is_some_and(|run| walk.is_plain(run)),
            Self::Power(walk) => power(run).is_some_and(|run| walk.is_plain(run)),
        }
    }

    /// Adds a run by its totals; false if its readings are needed.
    pub(super) fn add_run(&mut self, run: &Run, sink: &mut impl FnMut(Entry)) -> bool {
        match self {
            Self::Registers(walk) => {
                let run = registers(run).filter(|run| walk.accepts(run));
                run.map(|run| walk.add_run(run, sink)).is_some()
            }
            Self::Power(walk) => {
                let run = power(run).filter(|run| walk.accepts(run));
                run.map(|run| walk.add_run(run, sink)).is_some()
            }
        }
    }

    /// Adds readings of one slot: two slices of the same length. `page` are the totals of the page that they are a part of, if known.
    pub(super) fn add_values(
        &mut self,
        (times, numbers): (&[Timestamp], &[f64]),
        page: Option<&Run>,
        sink: &mut impl FnMut(Entry),
    ) {
        let values = times.iter().copied().zip(numbers.iter().copied());
        match self {
            Self::Registers(walk) => {
                let registers = values.map(|(time, watthours)| Register { time, watthours });
                let part = page
                    .and_then(self::registers)
                    .filter(|page| walk.is_plain(page))
                    .and_then(|page| page.part(&registers));
                let run = part.or_else(|| RegisterRun::of(registers.clone()));
                // Together they take a fraction of the time.
                match run.filter(|run| walk.accepts(run)) {
                    Some(run) => walk.add_run(&run, sink),
                    None => registers.for_each(|register| walk.add(register, sink)),
                }
            }
            Self::Power(walk) => {
                let power = values.map(|(time, watts)| PowerAt { time, watts });
                match PowerRun::of(power.clone()).filter(|run| walk.accepts(run)) {
                    Some(run) => walk.add_run(&run, sink),
                    None => power.for_each(|power| walk.add(power, sink)),
                }
            }
        }
    }

    pub(super) fn finish(&mut self, sink: &mut impl FnMut(Entry)) {
        match self {
            Self::Registers(walk) => walk.finish(sink),
            Self::Power(walk) => walk.finish(sink),
        }
    }

    pub(super) fn decided_until(&self) -> Option<Timestamp> {
        match self {
            Self::Registers(walk) => walk.decided_until(),
            Self::Power(walk) => walk.decided_until(),
        }
    }
}

/// The totals of registers.
pub(super) const fn registers(run: &Run) -> Option<&RegisterRun> {
    match &run.totals {
        Totals::Registers(run) => Some(run),
        Totals::Power { .. } => None,
    }
}

/// The totals of power.
pub(super) const fn power(run: &Run) -> Option<&PowerRun> {
    match &run.totals {
        Totals::Power { run, .. } => run.as_ref(),
        Totals::Registers { .. } => None,
    }
}
