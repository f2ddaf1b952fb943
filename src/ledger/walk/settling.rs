//! Registers that are held: which one ends the hold, and how the walk goes on.

use super::anchor::{Anchor, Shown};
use super::event::{Entry, EventKind};
use super::registers::RegisterWalk;
use super::verdict::{
    Return, are_zeros, is_late, is_old_register, restarts_with, returns, verdict,
};
use crate::domain::{MeterKind, Timestamp};

impl RegisterWalk {
    /// Takes over the meters that were installed after the last register, and decides held
    /// registers as far as possible.
    pub fn finish(&mut self, sink: &mut impl FnMut(Entry)) {
        self.change_meters(Timestamp::MAX, sink);
        self.settle_last(sink);
        if let Some(anchor) = self.anchor {
            self.give_out_still(&anchor, sink);
        }
    }

    /// How `next` ends the hold, if it does so in time.
    pub(super) fn back(&self, anchor: &Anchor, next: Shown) -> Option<Return> {
        let first = self.held.first()?;
        if self.is_below_limit(anchor, *first, next) {
            return Some(Return::ToAnchor);
        }
        let is_in_time = !is_late(*first, next)
            || is_old_register(&self.meter, anchor, &self.held, next)
            || self.is_limit(*first);
        let meter = (&self.meter, &self.facts.restart);
        let returns = || returns(meter, anchor, &self.held, next);
        is_in_time.then(returns).flatten()
    }

    /// Goes on from the first register that is held. Returns the others, to be walked again.
    pub(super) fn settle(&mut self, sink: &mut impl FnMut(Entry)) -> Vec<Shown> {
        self.settle_as(true, sink)
    }

    pub(super) fn settle_all(&mut self, sink: &mut impl FnMut(Entry)) {
        self.leave_out_limit(sink);
        while !self.held.is_empty() {
            let again = self.settle(sink);
            self.walk(again, sink);
        }
    }

    /// Decides the registers that are held at the end. What zeros are where none is expected is left
    /// to the next registers, or to a person.
    pub(super) fn settle_last(&mut self, sink: &mut impl FnMut(Entry)) {
        self.leave_out_limit(sink);
        while !self.held.is_empty() {
            let is_decided = !self.holds_odd_zeros();
            let again = self.settle_as(is_decided, sink);
            self.walk(again, sink);
        }
    }

    /// Whether a register shows 0 at the end, and is not known to begin again there.
    fn holds_odd_zeros(&self) -> bool {
        let Some((anchor, &first)) = self.anchor.zip(self.held.first()) else {
            return false;
        };
        let is_fall = self.meter.kind == MeterKind::Counter && first.value < anchor.shown.value;
        self.is_doubtful(&anchor, first)
            || is_fall
                && are_zeros(&self.held)
                && !restarts_with(&self.facts.restart, &anchor, first)
    }

    /// As [`Self::settle`]; open unless it `is_decided`.
    fn settle_as(&mut self, is_decided: bool, sink: &mut impl FnMut(Entry)) -> Vec<Shown> {
        let mut held = self.take_held().into_iter();
        if let Some((anchor, first)) = self.anchor.zip(held.next()) {
            if is_decided && self.is_doubtful(&anchor, first) {
                // It was real.
                self.go_to(&anchor, first, true, sink);
                return held.collect();
            }
            let decision = self.decision(first.time);
            let mut verdict = verdict(&self.meter, &anchor, first, decision);
            let is_no_value = match verdict.kind {
                EventKind::Rollover => false,
                EventKind::Reset => self.is_no_old_meter(&anchor, first),
                _ => self.is_no_value(&anchor, first),
            };
            if is_no_value {
                self.begin_again(&anchor, first, sink);
                return held.collect();
            }
            verdict.counts = verdict.counts.filter(|_| is_decided);
            let mut stretch = anchor.stretch_to(first.time, verdict.counted(decision));
            stretch.is_estimated |= verdict.is_open(decision);
            sink(Entry::Stretch(stretch));
            sink(self.event(&anchor, first, first.time, &verdict));
            self.move_to(first);
        }
        held.collect()
    }
}
