//! The walk over registers. docs/ENERGY.md has its rules as a table.
//!
//! A register that does not fit the last good one is *held* with those after it, until one shows
//! whether it was a bad reading or the register stays there. Then the held ones are left out, or
//! walked again from the first of them.

use std::collections::VecDeque;
use std::ops::Bound;

use super::anchor::{Anchor, Shown};
use super::coarse::{is_one_step, may_be_coarse, spread_from};
use super::event::{Entry, Event, EventKind};
use super::facts::Facts;
use super::held_zeros::HeldZeros;
use super::register_run::{RegisterRun, energy_of_step, is_clean, shown};
use super::verdict::{Return, Verdict, fits, is_late};
use crate::domain::{Meter, MeterKind, MicroWh, Register, Timestamp};
use crate::ledger::stretch::{Flow, Stretch};

/// The most registers that are held: a bad reading is over before that. Zeros count as one.
pub(super) const MOST_HELD: usize = 100;

/// A walk over a sensor's registers in time order.
pub struct RegisterWalk {
    pub(super) meter: Meter,
    pub(super) facts: Facts,
    /// `None` before the first register.
    pub(super) anchor: Option<Anchor>,
    /// When the anchor's history begins; `None` before the first register.
    pub(super) begun: Option<Timestamp>,
    /// Registers that are not decided yet: the first one does not fit the anchor.
    pub(super) held: Vec<Shown>,
    pub(super) zeros: HeldZeros,
    /// The time since which a possibly coarse register is unchanged: the stretch without energy
    /// from then on is not given out yet.
    pub(super) still_since: Option<Timestamp>,
}

impl RegisterWalk {
    /// A walk over the registers of `meter`; `facts` are those in effect.
    #[must_use]
    pub fn new(meter: Meter, facts: Facts) -> Self {
        Self {
            meter,
            facts,
            anchor: None,
            begun: None,
            held: Vec::new(),
            zeros: HeldZeros::default(),
            still_since: None,
        }
    }

    /// Adds the next register. One that is not later than those before it is passed over.
    pub fn add(&mut self, register: Register, sink: &mut impl FnMut(Entry)) {
        let mut shown = shown(register);
        shown.value = self.meter.signed(shown.value);
        let begins = self.meter.kind == MeterKind::Interval && register.begins();
        if begins || self.facts.is_wrong(shown.time) {
            self.leave_out_limit(sink);
            // Of intervals, the next value counts from here, though the energy until here is
            // unknown.
            if self.meter.kind == MeterKind::Interval && self.is_newest(shown.time) {
                self.move_to(shown);
            }
            return;
        }
        self.change_meters(shown.time, sink);
        if !self.is_newest(shown.time) {
            return;
        }
        match self.anchor {
            // Most registers, which need no list of registers to walk.
            Some(anchor) if self.held.is_empty() => {
                let again = self.step(&anchor, shown, sink);
                if !again.is_empty() {
                    self.walk(again, sink);
                }
            }
            _ => self.walk(vec![shown], sink),
        }
    }

    /// The last good register's time. Later readings change nothing before it; `None` before the
    /// first register.
    #[must_use]
    pub fn decided_until(&self) -> Option<Timestamp> {
        let anchor = self.anchor?.shown.time;
        Some(self.still_since.unwrap_or(anchor))
    }

    /// The last good register, as the meter shows it; `None` before the first one.
    #[must_use]
    pub fn good_register(&self) -> Option<(Timestamp, MicroWh)> {
        let anchor = self.anchor?.shown;
        // Applying the sign twice restores the value.
        Some((anchor.time, self.meter.signed(anchor.value)))
    }

    /// Whether the totals of a run can replace its registers, at any place of the walk.
    /// [`Self::accepts`] also checks the present place.
    #[must_use]
    pub fn is_plain(&self, run: &RegisterRun) -> bool {
        let first = Bound::Included(run.first.time);
        run.is_regular()
            && is_clean(&self.meter, run)
            && !self.may_have_far_limit(run)
            && !self.facts.concern(first, run.last.time)
    }

    /// Whether the totals of a run can replace its registers, if it comes next.
    #[must_use]
    pub fn accepts(&self, run: &RegisterRun) -> bool {
        if !self.held.is_empty() {
            return self.goes_on_with_zeros(run) && self.is_plain(run);
        }
        let follows = self.anchor.is_none_or(|anchor| {
            let first = self.signed(run).first;
            let since = Bound::Excluded(anchor.shown.time);
            let ms = anchor.spacing_to(first.time);
            let stands =
                anchor.shown.value == shown(first).value && may_be_coarse(anchor.shown.value);
            anchor.spacings.go_on(ms, run.longest_ms)
                // The energy of its first rise may be spread over the time before it, and the
                // totals do not have the time of that rise.
                && (run.is_unchanged() || !stands)
                && fits(&self.meter, &anchor, shown(first))
                && !self.facts.concern(since, first.time)
        });
        follows && !self.may_hide_limit(run) && self.is_plain(run)
    }

    /// Adds a run that [`Self::accepts`] accepted: one stretch to its first register, and one from
    /// there to its last.
    pub fn add_run(&mut self, run: &RegisterRun, sink: &mut impl FnMut(Entry)) {
        if !self.held.is_empty() {
            self.hold_zeros(run);
            return;
        }
        let run = self.signed(run);
        let (first, last) = (shown(run.first), shown(run.last));
        if let Some(before) = self.move_to(first) {
            let energy = energy_of_step(self.meter.kind, before.shown, first);
            self.give_out(&before, first, energy, sink);
        }
        let at_first = Anchor::at(first);
        if run.is_unchanged() && first.time < last.time {
            self.give_out(&at_first, last, MicroWh::ZERO, sink);
        } else if first.time < last.time {
            self.give_out_still(&at_first, sink);
            let may_rise = may_be_coarse(last.value) && run.unchanged_since < last.time;
            let still = may_rise.then(|| spread_from(run.unchanged_since, last.time));
            sink(Entry::Stretch(Stretch {
                from: first.time,
                to: still.unwrap_or(last.time),
                flow: run.flow,
                is_estimated: false,
            }));
            self.still_since = still;
        }
        self.anchor = self.anchor.map(|at_first| Anchor {
            shown: last,
            unchanged_since: if run.is_unchanged() {
                at_first.unchanged_since
            } else {
                run.unchanged_since
            },
            spacings: at_first.spacings.then_all(run.spacings),
        });
    }

    /// Gives out the energy from the anchor to `next`, which fits it. The energy of a coarse
    /// register's step starts at its last change.
    fn give_out(
        &mut self,
        anchor: &Anchor,
        next: Shown,
        energy: MicroWh,
        sink: &mut impl FnMut(Entry),
    ) {
        let mut stretch = anchor.stretch_to(next.time, energy);
        let may_be_step = self.meter.kind != MeterKind::Interval && !stretch.is_estimated;
        if may_be_step && energy == MicroWh::ZERO && may_be_coarse(next.value) {
            let since = self.still_since.unwrap_or(anchor.shown.time);
            let still = spread_from(since, next.time);
            give_nothing(since, still, sink);
            self.still_since = Some(still);
            return;
        }
        if may_be_step && is_one_step(anchor.shown.value, next.value) {
            stretch.from = self.still_since.take().unwrap_or(stretch.from);
        }
        self.give_out_still(anchor, sink);
        sink(Entry::Stretch(stretch));
    }

    /// Gives out the stretch without energy until the anchor.
    pub(super) fn give_out_still(&mut self, anchor: &Anchor, sink: &mut impl FnMut(Entry)) {
        if let Some(since) = self.still_since.take() {
            give_nothing(since, anchor.shown.time, sink);
        }
    }

    fn signed(&self, run: &RegisterRun) -> RegisterRun {
        run.signed(&self.meter)
    }

    /// Whether `time` is later than all registers so far.
    fn is_newest(&self, time: Timestamp) -> bool {
        let held = self.held.last().map(|held| held.time);
        let held = held.max(self.zeros.newest());
        let newest = held.or_else(|| self.anchor.map(|anchor| anchor.shown.time));
        newest.is_none_or(|newest| newest < time)
    }

    /// Makes `next` the anchor and returns the anchor before it.
    pub(super) fn move_to(&mut self, next: Shown) -> Option<Anchor> {
        let moved = self
            .anchor
            .map_or_else(|| Anchor::at(next), |anchor| anchor.then(next));
        if self.anchor.is_none() {
            self.begun = Some(next.time);
        }
        self.anchor.replace(moved)
    }

    pub(super) fn decision(&self, time: Timestamp) -> Option<bool> {
        self.facts.decisions.get(&time).copied()
    }

    /// Walks over registers, again over those that were held for nothing.
    pub(super) fn walk(&mut self, registers: Vec<Shown>, sink: &mut impl FnMut(Entry)) {
        let mut ahead = VecDeque::from(registers);
        while let Some(next) = ahead.pop_front() {
            let again = match self.anchor {
                None => {
                    self.move_to(next);
                    Vec::new()
                }
                Some(anchor) if self.held.is_empty() => self.step(&anchor, next, sink),
                Some(anchor) => self.hold(&anchor, next, sink),
            };
            self.go_over_zeros(sink);
            for register in again.into_iter().rev() {
                ahead.push_front(register);
            }
        }
    }

    /// A step from a good register. Returns the registers to walk over next.
    fn step(&mut self, anchor: &Anchor, next: Shown, sink: &mut impl FnMut(Entry)) -> Vec<Shown> {
        let is_sudden = self.is_doubtful(anchor, next);
        let is_plain = fits(&self.meter, anchor, next) && !is_sudden;
        if is_plain && self.is_no_value(anchor, next) {
            self.begin_again(anchor, next, sink);
            return Vec::new();
        }
        let is_open = is_plain && self.decision(next.time).is_none();
        if is_open && self.may_be_no_value(anchor, next) {
            self.held.push(next);
            return Vec::new();
        }
        if !is_plain && self.meter.kind != MeterKind::Interval {
            self.give_out_still(anchor, sink);
            self.hold_first(anchor, next);
            // A register that counts is real, even if the next ones do not fit it.
            let is_real = self.decision(next.time) == Some(true);
            return if is_real {
                self.settle(sink)
            } else {
                Vec::new()
            };
        }
        self.go_to(anchor, next, is_plain, sink);
        Vec::new()
    }

    /// Goes on from `next`, which is plain or an interval whose energy is unknown.
    pub(super) fn go_to(
        &mut self,
        anchor: &Anchor,
        next: Shown,
        is_plain: bool,
        sink: &mut impl FnMut(Entry),
    ) {
        let decision = self.decision(next.time);
        let energy = energy_of_step(self.meter.kind, anchor.shown, next);
        self.move_to(next);
        let verdict = Verdict {
            kind: if is_plain {
                EventKind::Gap
            } else {
                EventKind::Spike
            },
            energy,
            counts: Some(is_plain),
        };
        let is_odd = !is_plain || anchor.is_gap(next.time);
        let counted = if is_odd {
            verdict.counted(decision)
        } else {
            energy
        };
        // The energy of an implausible interval is unknown.
        if is_plain || decision == Some(true) {
            self.give_out(anchor, next, counted, sink);
        }
        if is_odd {
            sink(self.event(anchor, next, next.time, &verdict));
        }
    }

    /// A further register while some are held. Returns the registers to walk over next.
    fn hold(&mut self, anchor: &Anchor, next: Shown, sink: &mut impl FnMut(Entry)) -> Vec<Shown> {
        let Some(&first) = self.held.first() else {
            return vec![next];
        };
        if self.repeats_limit(first, next) {
            self.held.push(next);
            return Vec::new();
        }
        if self.meter.kind == MeterKind::Interval {
            self.judge_limit(first, next, sink);
            return vec![next];
        }
        let back = self.back(anchor, next);
        if back.is_none() && self.hold_zero(next) {
            return Vec::new();
        }
        match back {
            None if !is_late(first, next) && !self.is_doubtful(anchor, first) => {
                self.held.push(next);
                let is_full = self.count_held() >= MOST_HELD;
                return if is_full {
                    self.settle(sink)
                } else {
                    Vec::new()
                };
            }
            None | Some(Return::Restart) => {
                let mut again = self.settle(sink);
                again.push(next);
                return again;
            }
            Some(Return::ToAnchor | Return::Below) => self.drop_held(),
        }
        let is_below = back == Some(Return::Below);
        if !is_below {
            self.move_to(next);
            let energy = energy_of_step(self.meter.kind, anchor.shown, next);
            sink(Entry::Stretch(anchor.stretch_to(next.time, energy)));
        }
        let is_fall = first.value < anchor.shown.value;
        let verdict = Verdict {
            kind: if is_fall {
                EventKind::Dip
            } else {
                EventKind::Spike
            },
            energy: MicroWh::ZERO,
            counts: Some(false),
        };
        sink(self.event(anchor, first, next.time, &verdict));
        if is_below { vec![next] } else { Vec::new() }
    }

    /// The event of `first`, which is odd, seen from the anchor.
    pub(super) fn event(
        &self,
        anchor: &Anchor,
        first: Shown,
        until: Timestamp,
        verdict: &Verdict,
    ) -> Entry {
        let decision = self.decision(first.time);
        let is_interval = self.meter.kind == MeterKind::Interval;
        Entry::Event(Event {
            kind: verdict.kind,
            since: anchor.shown.time,
            time: first.time,
            until,
            before: anchor.shown.value.told().filter(|_| !is_interval),
            after: first.value.told(),
            counted: verdict.counted(decision),
            is_open: verdict.is_open(decision),
            is_decided: decision.is_some(),
        })
    }
}

pub(super) fn give_nothing(from: Timestamp, to: Timestamp, sink: &mut impl FnMut(Entry)) {
    if from < to {
        sink(Entry::Stretch(Stretch {
            from,
            to,
            flow: Flow::default(),
            is_estimated: false,
        }));
    }
}
