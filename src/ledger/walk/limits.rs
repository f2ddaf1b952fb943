//! The lowest and highest integers of registers with 16 to 48 bits. Devices send them where they have
//! no value. One can be a true value, too: so it is left out only if it is alone, and far beyond
//! those before and after it.

use super::anchor::{Anchor, Shown};
use super::event::{Entry, Event, EventKind};
use super::register_run::{RegisterRun, shown};
use super::registers::RegisterWalk;
use crate::domain::{MeterKind, MicroWh};

/// The smallest of these limits, without its sign.
pub(super) const LOWEST: f64 = 32_767.0;
/// The most readings with the same limit, one after the other, that are left out.
pub(super) const MOST: usize = 100;

/// Whether a number is one of these limits.
pub(super) fn is_limit(number: f64) -> bool {
    const BITS: [i32; 4] = [16, 24, 32, 48];
    BITS.into_iter().any(|bits| {
        let (all, half) = (2_f64.powi(bits), 2_f64.powi(bits - 1));
        [all - 1.0, half - 1.0, -half].contains(&number)
    })
}

/// Whether a limit is far beyond another value.
pub(super) fn is_beyond(limit: f64, other: f64) -> bool {
    other.abs() <= limit.abs() / 4.0
}

/// Intervals: one such energy is held until the next value tells whether it is real.
impl RegisterWalk {
    /// Whether an energy is the limit of an integer, and far beyond the one before it.
    pub(super) fn may_be_no_value(&self, anchor: &Anchor, next: Shown) -> bool {
        let energy = watthours(self.meter.signed(next.value));
        self.meter.kind == MeterKind::Interval
            && is_limit(energy)
            && is_beyond(energy, watthours(anchor.shown.value))
    }

    /// Decides the energy that is held.
    pub(super) fn judge_limit(&mut self, held: Shown, next: Shown, sink: &mut impl FnMut(Entry)) {
        self.held.clear();
        if let Some(anchor) = self.anchor {
            let is_real = !is_beyond(watthours(held.value), watthours(next.value));
            self.go_to(&anchor, held, is_real, sink);
        }
    }

    /// Leaves out the energy that is held, as no other follows.
    pub(super) fn leave_out_limit(&mut self, sink: &mut impl FnMut(Entry)) {
        if self.meter.kind == MeterKind::Interval
            && let Some((anchor, held)) = self.anchor.zip(self.held.pop())
        {
            self.go_to(&anchor, held, false, sink);
        }
    }
}

/// Counters: such a first register has none before it that shows it is a spike, and would be the end
/// of an old meter. It is no value if the register that stays is far from it.
impl RegisterWalk {
    /// Whether a counter has shown nothing but the limit of an integer so far.
    fn is_at_limit(&self, anchor: &Anchor) -> bool {
        self.meter.kind == MeterKind::Counter
            && self.begun == Some(anchor.unchanged_since)
            && may_be_limit(self.meter.signed(anchor.shown.value))
            // A person can say that it is real.
            && self.decision(anchor.unchanged_since) != Some(true)
    }

    /// Whether the totals of a run may hide such a first register, or come after it.
    pub(super) fn may_hide_limit(&self, run: &RegisterRun) -> bool {
        match self.anchor {
            Some(anchor) => self.is_at_limit(&anchor),
            None => run.count > 1 && may_be_limit(shown(run.first).value),
        }
    }

    /// Whether the first register, which is the anchor, is no value, as `next` stays.
    pub(super) fn is_no_value(&self, anchor: &Anchor, next: Shown) -> bool {
        self.is_at_limit(anchor)
            && is_beyond(watthours(anchor.shown.value), watthours(next.value))
            && self.decision(next.time).is_none()
    }

    /// Begins with `next`, as the first register is no value.
    pub(super) fn begin_again(
        &mut self,
        anchor: &Anchor,
        next: Shown,
        sink: &mut impl FnMut(Entry),
    ) {
        let time = anchor.unchanged_since;
        sink(Entry::Event(Event {
            kind: EventKind::Spike,
            since: time,
            time,
            until: next.time,
            before: None,
            after: anchor.shown.value.told(),
            counted: MicroWh::ZERO,
            is_open: false,
            is_decided: self.decision(time).is_some(),
        }));
        (self.anchor, self.still_since) = (None, None);
        self.move_to(next);
    }
}

/// Whether a register may be such a limit. That of 48 bits is more than an energy can be.
fn may_be_limit(value: MicroWh) -> bool {
    value.told().is_none() || is_limit(watthours(value))
}

#[expect(clippy::cast_precision_loss, reason = "exact for limits of integers")]
fn watthours(energy: MicroWh) -> f64 {
    energy.millionths() as f64 / 1e6
}
