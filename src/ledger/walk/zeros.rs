//! Zeros of a counter that are held. After an outage a device may show 0 for days, until its old
//! register is back: so zeros are held without a limit, and those that follow each other without a
//! silence are kept as the first one and the anchor after the last one.

use std::ops::Bound;

use super::anchor::{Anchor, Shown};
use super::coarse::spread_from;
use super::event::Entry;
use super::held_zeros::HeldZeros;
use super::register_run::{RegisterRun, shown};
use super::registers::{MOST_HELD, RegisterWalk, give_nothing};
use super::verdict::are_zeros;
use crate::domain::{MeterKind, MicroWh, Timestamp};

impl RegisterWalk {
    /// Holds the first register that does not fit the anchor.
    pub(super) fn hold_first(&mut self, anchor: &Anchor, next: Shown) {
        let is_zero = self.meter.kind == MeterKind::Counter
            && next.value == MicroWh::ZERO
            && anchor.shown.value > MicroWh::ZERO;
        self.zeros.end = is_zero.then(|| anchor.then(next));
        self.held.push(next);
    }

    /// The anchor after the zeros that are held, if nothing else is.
    fn zeros_end(&self) -> Option<Anchor> {
        self.zeros.end.filter(|_| are_zeros(&self.held))
    }

    /// Holds a further zero; false if it is none, or if others than zeros are held.
    pub(super) fn hold_zero(&mut self, next: Shown) -> bool {
        let Some(end) = self.zeros_end().filter(|_| next.value == MicroWh::ZERO) else {
            return false;
        };
        // A silence between zeros is an event of its own, if they are real. So many are enough.
        let is_odd = end.is_gap(next.time) || self.decision(next.time).is_some();
        let is_alone = self.held.len() < 2 || is_odd && self.held.len() < MOST_HELD;
        self.pass_zeros(is_alone.then_some(next), end.then(next));
        true
    }

    /// Holds the zero that is to be kept by itself, or passes over zeros until the anchor `end`.
    fn pass_zeros(&mut self, kept: Option<Shown>, end: Anchor) {
        self.zeros.end = Some(end);
        if let Some(kept) = kept {
            self.held.push(kept);
        } else if let Some(before) = self.held.last() {
            match self.zeros.rows.last_mut() {
                Some((since, row)) if *since == before.time => *row = end,
                _ => self.zeros.rows.push((before.time, end)),
            }
        }
    }

    /// Whether a run has only zeros that go on after those that are held.
    pub(super) fn goes_on_with_zeros(&self, run: &RegisterRun) -> bool {
        let is_zero = run.is_unchanged() && shown(run.first).value == MicroWh::ZERO;
        is_zero
            && self.zeros_end().is_some_and(|end| {
                let ms = end.spacing_to(run.first.time);
                let since = Bound::Excluded(end.shown.time);
                end.spacings.go_on(ms, run.longest_ms) && !self.facts.concern(since, run.first.time)
            })
    }

    /// Holds the zeros of a run that go on after those that are held.
    pub(super) fn hold_zeros(&mut self, run: &RegisterRun) {
        self.hold_zero(shown(run.first));
        if let Some(end) = self.zeros.end.filter(|_| run.count > 1) {
            let last = shown(run.last);
            // Each is kept by itself until there are two.
            let kept = (self.held.len() < 2).then_some(last);
            let end = Anchor {
                shown: last,
                spacings: end.spacings.then_all(run.spacings),
                ..end
            };
            self.pass_zeros(kept, end);
        }
    }

    /// How many registers are held: zeros count as one.
    pub(super) fn count_held(&self) -> usize {
        let is_zero = |held: &&Shown| self.zeros.end.is_some() && held.value == MicroWh::ZERO;
        let zeros = self.held.iter().take_while(is_zero).count();
        self.held.len() - zeros.saturating_sub(1)
    }

    /// The held registers turned out to be bad.
    pub(super) fn drop_held(&mut self) {
        self.held.clear();
        self.zeros = HeldZeros::default();
    }

    /// Takes out the held registers, which are to be walked again.
    pub(super) fn take_held(&mut self) -> Vec<Shown> {
        self.zeros.end = None;
        std::mem::take(&mut self.held)
    }

    /// Goes on over the zeros that follow the anchor.
    pub(super) fn go_over_zeros(&mut self, sink: &mut impl FnMut(Entry)) {
        let Some(anchor) = self.anchor else { return };
        let is_here = |(since, _): &(Timestamp, Anchor)| *since == anchor.shown.time;
        let Some(index) = self.zeros.rows.iter().position(is_here) else {
            return;
        };
        let (_, end) = self.zeros.rows.remove(index);
        let since = self.still_since.unwrap_or(anchor.shown.time);
        let still = spread_from(since, end.shown.time);
        give_nothing(since, still, sink);
        self.still_since = Some(still);
        self.anchor = Some(end);
    }
}
