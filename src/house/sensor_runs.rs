//! The energy of several sensors, read at the same pace, in bounded memory.

use std::collections::VecDeque;
use std::ops::Range;
use std::task::Poll;

use super::sensors::{HouseSensor, overlap_ms};
use crate::domain::Timestamp;
use crate::ledger::Event;
use crate::ledger::house::MeasuredSlot;
use crate::query::{LedgerEnergy, SlotEnergy};
use crate::store::StoreError;

/// The reader of several sensors' energy, by the same slots.
pub(super) struct SensorRuns(Vec<SensorRun>);

/// A sensor's energy, read at the pace of the others.
struct SensorRun {
    /// `None` after its last slot.
    energy: Option<LedgerEnergy>,
    ahead: VecDeque<SlotEnergy>,
    expected: Range<Timestamp>,
}

impl SensorRuns {
    pub(super) fn new(
        sensors: &[HouseSensor],
        energy: impl Fn(&HouseSensor) -> Result<LedgerEnergy, StoreError>,
    ) -> Result<Self, StoreError> {
        let runs = sensors.iter().map(|it| {
            Ok(SensorRun {
                energy: Some(energy(it)?),
                ahead: VecDeque::new(),
                expected: it.expected.clone(),
            })
        });
        Ok(Self(runs.collect::<Result<_, StoreError>>()?))
    }

    /// Reads a piece of each sensor with nothing ahead, and passes on the events in the range.
    /// Blocks on the disk.
    pub(super) fn read_on(&mut self, mut sink: impl FnMut(Event)) -> Result<(), StoreError> {
        let mut runs = self.0.iter_mut();
        runs.try_for_each(|run| run.read_on(&mut sink))
    }

    /// The next slot with known energy; `None` after the last one. Pending until more is read.
    pub(super) fn next_slot(&self) -> Poll<Option<Range<Timestamp>>> {
        // A sensor without a slot ahead may still get one, unless it has ended.
        let is_ready = |run: &SensorRun| run.energy.is_none() || !run.ahead.is_empty();
        if !self.0.iter().all(is_ready) {
            return Poll::Pending;
        }
        let first = self.0.iter().filter_map(|run| run.ahead.front());
        let first = first.min_by_key(|slot| slot.start);
        Poll::Ready(first.map(|slot| slot.start..slot.end))
    }

    /// The energy of each sensor in the next slot, in their order.
    pub(super) fn take(&mut self, slot: &Range<Timestamp>) -> impl Iterator<Item = MeasuredSlot> {
        self.0.iter_mut().map(|run| run.take(slot))
    }
}

impl SensorRun {
    /// Reads a piece if no slot is ahead.
    fn read_on(&mut self, sink: impl FnMut(Event)) -> Result<(), StoreError> {
        let Some(energy) = self.energy.as_mut().filter(|_| self.ahead.is_empty()) else {
            return Ok(());
        };
        let (mut slots, mut events) = (Vec::new(), Vec::new());
        let is_more = energy.next_run(&mut slots, &mut events)?;
        self.ahead.extend(slots);
        events.into_iter().for_each(sink);
        if !is_more {
            self.energy = None;
        }
        Ok(())
    }

    /// The energy in a slot: the next one ahead, or an earlier one without energy.
    fn take(&mut self, times: &Range<Timestamp>) -> MeasuredSlot {
        let is_next = (self.ahead.front()).is_some_and(|slot| slot.start == times.start);
        let slot = if is_next {
            self.ahead.pop_front()
        } else {
            None
        };
        let known_ms = slot.map_or(0, |slot| slot.measured_ms + slot.estimated_ms);
        let missing_ms = overlap_ms(&self.expected, times) - known_ms;
        MeasuredSlot {
            flow: slot.map(|slot| slot.flow),
            known_ms,
            estimated_ms: slot.map_or(0, |slot| slot.estimated_ms),
            coarse_ms: slot.map_or(0, |slot| slot.coarse_ms),
            missing_ms: missing_ms.max(0),
        }
    }
}
