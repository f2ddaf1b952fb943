//! The lowest and highest integers of registers with 16 to 48 bits, as they are and in the units by
//! which protocols scale them. Devices send them where they have no value. One can be a true value,
//! too: so it is left out only if it is alone, and far beyond those before and after it.

use std::sync::LazyLock;

use super::anchor::{Anchor, Shown};
use super::event::{Entry, Event, EventKind};
use super::register_run::{RegisterRun, shown};
use super::registers::RegisterWalk;
use super::verdict::{fits, is_sudden_zero};
use crate::domain::{MeterKind, MicroWh};

/// A little less than the smallest of these limits, without its sign: 16 bits in tenths. Usual powers and energies are
/// below it.
pub const LOWEST_LIMIT: f64 = 3_276.699;
/// The most readings with the same limit, one after the other, that are left out.
pub(super) const MOST: usize = 100;
/// The widths of integers, in bits.
const BITS: [i32; 4] = [16, 24, 32, 48];
/// The units of protocols: thousandths, hundredths, tenths, and as many times a unit.
const SCALES: [f64; 7] = [1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3];

/// All these limits, ascending. Each register and power of a history is looked up here.
static LIMITS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let integers = BITS.into_iter().flat_map(|bits| {
        let (all, half) = (2_f64.powi(bits), 2_f64.powi(bits - 1));
        [all - 1.0, half - 1.0, -half]
    });
    let scaled = integers.flat_map(|integer| SCALES.map(|scale| integer * scale));
    let mut limits: Vec<f64> = scaled.filter(|limit| limit.abs() >= LOWEST_LIMIT).collect();
    limits.sort_by(f64::total_cmp);
    limits
});

/// Whether a number is one of these limits.
pub(super) fn is_limit(number: f64) -> bool {
    /// A product differs in its last bits from the number as it was sent.
    const NEAR: f64 = 1e-14;
    // Most numbers are smaller.
    if number.abs() < LOWEST_LIMIT {
        return false;
    }
    // A little further than the limits that are near, so that rounding leaves none out.
    let below = number - number.abs() * (NEAR * 2.0);
    let first = LIMITS.partition_point(|limit| *limit < below);
    let near = LIMITS.iter().skip(first).take(2);
    near.copied()
        .any(|limit| (limit - number).abs() <= limit.abs() * NEAR)
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

    /// Decides the energies that are held.
    pub(super) fn judge_limit(&mut self, held: Shown, next: Shown, sink: &mut impl FnMut(Entry)) {
        let is_real = !is_beyond(watthours(held.value), watthours(next.value));
        self.go_over_held(is_real, sink);
    }

    fn go_over_held(&mut self, is_real: bool, sink: &mut impl FnMut(Entry)) {
        for held in std::mem::take(&mut self.held) {
            if let Some(anchor) = self.anchor {
                self.go_to(&anchor, held, is_real, sink);
            }
        }
    }

    /// Leaves out the energies that are held, as no other follows.
    pub(super) fn leave_out_limit(&mut self, sink: &mut impl FnMut(Entry)) {
        if self.meter.kind == MeterKind::Interval {
            self.go_over_held(false, sink);
        }
    }

    /// Whether one more register at the limit that is held says nothing new.
    pub(super) fn repeats_limit(&self, first: Shown, next: Shown) -> bool {
        let is_same = next.value == first.value && self.held.len() < MOST;
        is_same && self.is_limit(first)
    }
}

/// Registers that fit those before them: the next one tells whether they are real.
impl RegisterWalk {
    /// Whether a register is such a limit, after a step of more than a hundredth of it: registers pass
    /// by such numbers in smaller steps.
    pub(super) fn is_far_limit(&self, anchor: &Anchor, next: Shown) -> bool {
        let limit = watthours(next.value);
        let step = watthours(next.value - anchor.shown.value);
        self.meter.kind != MeterKind::Interval
            && step.abs() > limit.abs() / 100.0
            && self.is_limit(next)
            && fits(&self.meter, anchor, next)
    }

    /// Whether `next` fits the anchor, and only the next register says whether it is real.
    pub(super) fn is_doubtful(&self, anchor: &Anchor, next: Shown) -> bool {
        is_sudden_zero(&self.meter, anchor, next) || self.is_far_limit(anchor, next)
    }

    /// Whether a register is such a limit.
    pub(super) fn is_limit(&self, register: Shown) -> bool {
        may_be_limit(self.meter.signed(register.value))
    }

    /// Whether a counter's register after such a limit shows that the limit was none: it is lower.
    pub(super) fn is_below_limit(&self, anchor: &Anchor, first: Shown, next: Shown) -> bool {
        self.meter.kind == MeterKind::Counter
            && next.value < first.value
            && fits(&self.meter, anchor, next)
            && self.is_far_limit(anchor, first)
    }

    /// Whether the totals of a run may hide such a limit that is not real: of a counter only the last
    /// register can be one.
    pub(super) fn may_have_far_limit(&self, run: &RegisterRun) -> bool {
        let is_far = |limit: f64| {
            let flow = run.flow.imported.max(run.flow.exported);
            watthours(flow) > limit.abs() / 100.0
        };
        let last = run.last.watthours;
        if run.count > 1 && is_limit(last) && is_far(last) {
            return true;
        }
        let first = shown(run.first).value;
        let range = watthours(first - run.flow.exported)..=watthours(first + run.flow.imported);
        self.meter.kind == MeterKind::Net
            && LIMITS
                .iter()
                .any(|limit| range.contains(limit) && is_far(*limit))
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
            Some(anchor) => {
                let first = shown(run.signed(&self.meter).first);
                self.is_at_limit(&anchor) || self.is_far_limit(&anchor, first)
            }
            None => run.count > 1 && may_be_limit(shown(run.first).value),
        }
    }

    /// Whether the first register, which is the anchor, is no value, as `next` stays.
    pub(super) fn is_no_value(&self, anchor: &Anchor, next: Shown) -> bool {
        let limit = anchor.shown.value;
        // No counter shows less than 0.
        let is_negative = limit < MicroWh::ZERO && next.value >= MicroWh::ZERO;
        self.is_at_limit(anchor)
            && (is_negative || is_beyond(watthours(limit), watthours(next.value)))
            && self.decision(next.time).is_none()
    }

    /// The same if a counter would begin again with `next`, far below the limit or not.
    pub(super) fn is_no_old_meter(&self, anchor: &Anchor, next: Shown) -> bool {
        self.is_at_limit(anchor) && self.decision(next.time).is_none()
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// One limit after the other.
    fn is_any(number: f64) -> bool {
        let is_near = |limit: &&f64| (**limit - number).abs() <= limit.abs() * 1e-14;
        number.abs() >= LOWEST_LIMIT && LIMITS.iter().find(is_near).is_some()
    }

    #[test]
    fn the_limits_are_these() {
        for limit in [
            3_276.7,
            -3_276.8,
            6_553.5,
            65_535.0,
            -32_768.0,
            16_777_215.0,
            4_294_967_295.0,
        ] {
            assert!(is_limit(limit), "{limit}");
            assert!(is_limit(limit * 0.001) == (limit.abs() > 4e6), "{limit}");
        }
        for other in [0.0, 327.67, 3_276.6, 65_534.0, 65_536.0, f64::MAX, f64::NAN] {
            assert!(!is_limit(other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn a_search_finds_what_each_limit_says(
            place in 0_usize..60,
            off in prop_oneof![Just(0.0), -3e-14..3e-14, -1e-9..1e-9],
        ) {
            let number = LIMITS[place % LIMITS.len()] * (1.0 + off);
            prop_assert_eq!(is_limit(number), is_any(number));
        }
    }
}
