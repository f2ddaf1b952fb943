//! Stretches cut into slots.

use std::collections::VecDeque;
use std::ops::Range;

use super::super::slots::{Slot, Slots};
use crate::domain::time::MS_PER_MINUTE;
use crate::domain::{TimeRange, Timestamp};
use crate::ledger::{Flow, Stretch};

/// The energy of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotEnergy {
    /// Its beginning.
    pub start: Timestamp,
    /// Its end, where the next slot begins.
    pub end: Timestamp,
    /// Its energy, as far as it is known.
    pub flow: Flow,
    /// The measured part of it, in milliseconds.
    pub measured_ms: i64,
    /// The estimated part of it, in milliseconds: only the sum of a longer time is measured. The
    /// rest is unknown.
    pub estimated_ms: i64,
    /// In a slot of at most a quarter of an hour: the part of the measured one whose energy was read
    /// less often, in milliseconds. Within that time it is spread evenly. 0 in longer slots, where
    /// readings are put together.
    pub coarse_ms: i64,
}

impl SlotEnergy {
    /// Whether it is so short that no readings within are put together with ones outside.
    const fn is_short(&self) -> bool {
        self.end.millis() - self.start.millis() <= 15 * MS_PER_MINUTE
    }
}

/// Slots that are cut at the ends of a range.
#[derive(Clone)]
pub(super) struct RangeSlots {
    slots: Slots,
    range: Range<Timestamp>,
}

/// Puts stretches together slot by slot.
pub(super) struct SlotFlows {
    slots: RangeSlots,
    /// In time order.
    ahead: VecDeque<Stretch>,
    /// All before this time was put into slots.
    done_until: Timestamp,
    /// The slot that the next stretch may lie in.
    open: Option<SlotEnergy>,
}

impl RangeSlots {
    pub(super) const fn new(slots: Slots, range: Range<Timestamp>) -> Self {
        Self { slots, range }
    }

    /// The slot of a time. All that lies before the range is one, and so is all after it.
    pub(super) fn slot(&mut self, time: Timestamp) -> Slot {
        let Range { start, end } = self.range;
        let before = |time: Timestamp| time.saturating_add_millis(-1);
        let (first, last) = if time < start {
            (Timestamp::MIN, before(start))
        } else if time >= end {
            (end, Timestamp::MAX)
        } else {
            let whole = self.slots.slot(time).times;
            (whole.start().max(start), whole.end().min(before(end)))
        };
        Slot {
            start: first,
            times: TimeRange::new(first, last).unwrap_or(TimeRange::at(time)),
        }
    }
}

impl SlotFlows {
    pub(super) fn new(slots: RangeSlots) -> Self {
        Self {
            done_until: slots.range.start,
            slots,
            ahead: VecDeque::new(),
            open: None,
        }
    }

    /// Adds the next stretch.
    pub(super) fn add(&mut self, stretch: Stretch) {
        if stretch.to > self.done_until && stretch.from < self.slots.range.end {
            self.ahead.push_back(stretch);
        }
    }

    /// Appends at most so many complete slots. Returns whether all of them are out.
    pub(super) fn give_out(&mut self, most: usize, slots: &mut Vec<SlotEnergy>) -> bool {
        let full = slots.len().saturating_add(most);
        while let Some(&stretch) = self.ahead.front() {
            let end = stretch.to.min(self.slots.range.end);
            let mut from = stretch.from.max(self.done_until);
            while from < end {
                if slots.len() >= full {
                    return false;
                }
                let open = self.enter(from, slots);
                let to = open.end.min(end);
                // Most are not cut, and cutting takes divisions.
                let is_whole = from == stretch.from && to == stretch.to;
                open.flow = open.flow
                    + if is_whole {
                        stretch.flow
                    } else {
                        stretch.flow_between(from, to)
                    };
                let ms = to.millis() - from.millis();
                if stretch.is_estimated {
                    open.estimated_ms += ms;
                } else {
                    open.measured_ms += ms;
                    open.coarse_ms += if open.is_short() && stretch.is_coarse() {
                        ms
                    } else {
                        0
                    };
                }
                from = to;
                self.done_until = to;
            }
            self.ahead.pop_front();
        }
        true
    }

    /// The last slot, after the last stretch.
    pub(super) fn take_open(&mut self) -> Option<SlotEnergy> {
        self.open.take()
    }

    /// Goes on to the slot of a time in the range.
    fn enter(&mut self, time: Timestamp, slots: &mut Vec<SlotEnergy>) -> &mut SlotEnergy {
        let is_over = |open: &mut SlotEnergy| open.end <= time;
        slots.extend(self.open.take_if(is_over));
        self.open.get_or_insert_with(|| {
            let times = self.slots.slot(time).times;
            SlotEnergy {
                start: times.start(),
                end: times.end().saturating_add_millis(1),
                flow: Flow::default(),
                measured_ms: 0,
                estimated_ms: 0,
                coarse_ms: 0,
            }
        })
    }
}
