//! Meter changes: the walk goes on from the old meter's end with the new meter's start.

use std::ops::Bound;

use super::anchor::Shown;
use super::event::Entry;
use super::facts::MeterChange;
use super::registers::RegisterWalk;
use super::verdict::Return;
use crate::domain::{MeterKind, Timestamp};

impl RegisterWalk {
    /// Takes over the meters that were installed until `until`.
    pub(super) fn change_meters(&mut self, until: Timestamp, sink: &mut impl FnMut(Entry)) {
        if self.facts.changes.is_empty() || self.meter.kind == MeterKind::Interval {
            return;
        }
        while let Some(anchor) = self.anchor.filter(|anchor| anchor.shown.time < until) {
            let range = (Bound::Excluded(anchor.shown.time), Bound::Included(until));
            let Some((&at, &change)) = self.facts.changes.range(range).next() else {
                return;
            };
            self.change_meter(at, change, sink);
        }
    }

    fn change_meter(&mut self, at: Timestamp, change: MeterChange, sink: &mut impl FnMut(Entry)) {
        let [old_end, new_start] =
            [change.old_end, change.new_start].map(|value| self.meter.signed(value));
        // The old meter's end is a register like any other: it decides held registers, and can be
        // implausible itself.
        while let Some(anchor) = self.anchor {
            let value = match self.meter.kind {
                MeterKind::Counter => old_end.max(anchor.shown.value),
                MeterKind::Net | MeterKind::Interval => old_end,
            };
            let end = Shown { time: at, value };
            if self.held.is_empty() || self.back(&anchor, end) == Some(Return::ToAnchor) {
                self.walk(vec![end], sink);
                break;
            }
            let again = self.settle(sink);
            self.walk(again, sink);
        }
        self.settle_all(sink);
        if let Some(anchor) = self.anchor {
            self.give_out_still(&anchor, sink);
        }
        if let Some(anchor) = &mut self.anchor {
            anchor.shown.value = new_start;
            anchor.unchanged_since = at;
        }
    }
}
