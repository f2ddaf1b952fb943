//! Totals of registers that follow each other.

use super::anchor::{Shown, flow};
use super::spacing::{Spacings, are_regular};
use crate::domain::meter::{implied_watts, is_within_watts};
use crate::domain::{Meter, MeterKind, MicroWh, Register, Timestamp};
use crate::ledger::stretch::Flow;

/// Totals of one or more consecutive registers. Where nothing among them is unusual, they replace
/// the registers themselves.
///
/// Not for registers of intervals: their energy is in their sum, and the sensor's kind can be set
/// after the totals were made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegisterRun {
    /// The first register.
    pub first: Register,
    /// The last register.
    pub last: Register,
    /// How many registers; at least one.
    pub count: u64,
    /// Sums of the rises and of the falls.
    pub flow: Flow,
    /// The largest mean power of a rise, in watts, if it took at least 10 s; rounded up.
    pub steepest_rise: u64,
    /// The same of falls.
    pub steepest_fall: u64,
    /// The longest spacing in milliseconds; 0 of one register.
    pub longest_ms: i64,
    /// The last spacings.
    pub spacings: Spacings,
    /// The first time after which all registers of the run equal the last one.
    pub unchanged_since: Timestamp,
}

impl RegisterRun {
    /// The totals of registers in time order; `None` without any.
    #[must_use]
    pub fn of(registers: impl IntoIterator<Item = Register>) -> Option<Self> {
        let mut registers = registers.into_iter();
        let first = registers.next()?;
        let (mut run, mut before) = (Self::at(first), shown(first));
        // Not by `merge`, which takes several times as long.
        for register in registers {
            let after = shown(register);
            run.add_step(before, after);
            (run.last, before) = (register, after);
            run.count += 1;
        }
        Some(run)
    }

    fn add_step(&mut self, before: Shown, after: Shown) {
        let ms = after.time.millis() - before.time.millis();
        let step = flow(after.value - before.value);
        self.flow = self.flow + step;
        for (energy, steepest) in [
            (step.imported, &mut self.steepest_rise),
            (step.exported, &mut self.steepest_fall),
        ] {
            // Comparing takes no division, and says no of numbers too large for it.
            if energy > MicroWh::ZERO && !is_within_watts(*steepest, energy, ms) {
                *steepest = implied_watts(energy, ms).max(*steepest);
            }
        }
        self.longest_ms = self.longest_ms.max(ms);
        self.spacings = self.spacings.then(ms);
        if after.value != before.value {
            self.unchanged_since = after.time;
        }
    }

    /// The totals of some registers of this run that follow each other, with the steepest and the
    /// longest step of the run; `None` without any, or if each would have to be looked at, as the
    /// run goes up and down.
    #[must_use]
    pub fn part(
        &self,
        registers: &(impl DoubleEndedIterator<Item = Register> + ExactSizeIterator + Clone),
    ) -> Option<Self> {
        if self.flow.imported > MicroWh::ZERO && self.flow.exported > MicroWh::ZERO {
            return None;
        }
        let count = u64::try_from(registers.len()).ok()?;
        let newest_first = || registers.clone().rev().map(shown);
        let newest: Vec<Shown> = newest_first().take(3).collect();
        let end = *newest.first()?;
        let mut apart_ms = newest
            .windows(2)
            .filter_map(|pair| Some(pair.first()?.time.millis() - pair.last()?.time.millis()));
        let is_unchanged = |register: &Shown| register.value == end.value;
        let first = registers.clone().next()?;
        Some(Self {
            first,
            last: registers.clone().next_back()?,
            count,
            flow: flow(end.value - shown(first).value),
            spacings: Spacings {
                last_ms: apart_ms.next(),
                before_ms: apart_ms.next(),
            },
            unchanged_since: newest_first().take_while(is_unchanged).last()?.time,
            ..*self
        })
    }

    /// The totals of one register.
    #[must_use]
    pub fn at(register: Register) -> Self {
        Self {
            first: register,
            last: register,
            count: 1,
            flow: Flow::default(),
            steepest_rise: 0,
            steepest_fall: 0,
            longest_ms: 0,
            spacings: Spacings::default(),
            unchanged_since: register.time,
        }
    }

    /// The totals of these registers and of those that follow them.
    #[must_use]
    pub fn merge(self, later: Self) -> Self {
        let [before, after] = [self.last, later.first].map(shown);
        let ms = after.time.millis() - before.time.millis();
        let step = flow(after.value - before.value);
        let is_unchanged = later.is_unchanged() && before.value == after.value;
        Self {
            first: self.first,
            last: later.last,
            count: self.count + later.count,
            flow: self.flow + step + later.flow,
            steepest_rise: implied_watts(step.imported, ms)
                .max(self.steepest_rise)
                .max(later.steepest_rise),
            steepest_fall: implied_watts(step.exported, ms)
                .max(self.steepest_fall)
                .max(later.steepest_fall),
            longest_ms: ms.max(self.longest_ms).max(later.longest_ms),
            spacings: self.spacings.then(ms).then_all(later.spacings),
            unchanged_since: if is_unchanged {
                self.unchanged_since
            } else {
                later.unchanged_since
            },
        }
    }

    /// Whether none of its spacings but the first can be a gap.
    pub(super) fn is_regular(&self) -> bool {
        let sum_ms = self.last.time.millis() - self.first.time.millis();
        are_regular(self.count.saturating_sub(1), sum_ms, self.longest_ms)
    }

    /// Whether all registers show the same.
    pub(super) fn is_unchanged(&self) -> bool {
        self.unchanged_since == self.first.time
    }

    /// The totals with the sign of the flow that `meter` measures.
    pub(super) fn signed(self, meter: &Meter) -> Self {
        if !meter.register_sign.is_inverted() {
            return self;
        }
        let negated = |register: Register| Register {
            watthours: -register.watthours,
            ..register
        };
        Self {
            first: negated(self.first),
            last: negated(self.last),
            flow: Flow {
                imported: self.flow.exported,
                exported: self.flow.imported,
            },
            steepest_rise: self.steepest_fall,
            steepest_fall: self.steepest_rise,
            ..self
        }
    }
}

/// Whether each register fits the one before it, so that a walk that has come to one of them holds
/// none after it.
pub(super) fn is_clean(meter: &Meter, run: &RegisterRun) -> bool {
    let signed = run.signed(meter);
    let steepest = signed.steepest_rise.max(signed.steepest_fall);
    let has_falls = signed.steepest_fall > 0;
    let is_allowed = steepest <= u64::from(meter.limit.watts());
    match meter.kind {
        MeterKind::Net => is_allowed,
        MeterKind::Counter => is_allowed && !has_falls,
        // The energy is the sum of the values, which the totals lack.
        MeterKind::Interval => false,
    }
}

/// A register as exact energy.
pub(super) fn shown(register: Register) -> Shown {
    Shown {
        time: register.time,
        value: MicroWh::from_watthours(register.watthours),
    }
}

/// The energy from one register to the next, if nothing is unusual.
pub(super) fn energy_of_step(kind: MeterKind, before: Shown, after: Shown) -> MicroWh {
    match kind {
        MeterKind::Net | MeterKind::Counter => after.value - before.value,
        MeterKind::Interval => after.value,
    }
}
