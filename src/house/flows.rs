//! The energy of several sensors side by side, slot by slot, in bounded memory.

use std::collections::VecDeque;
use std::ops::Range;

use super::sensors::{HouseSensor, overlap_ms};
use crate::domain::{Interval, Timestamp, Zone};
use crate::ledger::Event;
use crate::ledger::house::MeasuredSlot;
use crate::query::{LedgerEnergy, SlotEnergy};
use crate::store::{Store, StoreError};

/// The energy of each sensor in a slot of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSlot {
    /// Its beginning.
    pub start: Timestamp,
    /// Its end, where the next slot begins.
    pub end: Timestamp,
    /// The energy of each sensor, in their order.
    pub measured: Vec<MeasuredSlot>,
}

/// Energy of several sensors by the same slots: a result under way.
pub struct SensorFlows(Vec<SensorRun>);

/// A sensor's energy, read as far as the others' are.
struct SensorRun {
    /// `None` after its last slot.
    energy: Option<LedgerEnergy>,
    ahead: VecDeque<SlotEnergy>,
    expected: Range<Timestamp>,
}

impl FlowSlot {
    /// Its length in milliseconds.
    #[must_use]
    pub const fn length_ms(&self) -> i64 {
        self.end.millis() - self.start.millis()
    }

    /// Whether all of it lies in a range.
    pub(super) fn is_within(&self, range: &Range<Timestamp>) -> bool {
        range.start <= self.start && self.end <= range.end
    }

    /// This slot and a later one together.
    pub(super) fn and_then(mut self, later: &Self) -> Self {
        self.end = later.end;
        for (sum, measured) in self.measured.iter_mut().zip(&later.measured) {
            *sum = *sum + *measured;
        }
        self
    }
}

impl SensorFlows {
    /// Energy by an interval of the calendar, from the start of `range` until before its end: the
    /// slots at its ends are cut there. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn by_interval(
        store: &Store,
        sensors: &[HouseSensor],
        range: Range<Timestamp>,
        by: (&Zone, Interval),
    ) -> Result<Self, StoreError> {
        Self::new(sensors, |it| it.by_interval(store, range.clone(), by))
    }

    /// Energy between each two neighbours of these ascending times. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn between(
        store: &Store,
        sensors: &[HouseSensor],
        times: &[Timestamp],
    ) -> Result<Self, StoreError> {
        Self::new(sensors, |it| it.between(store, times))
    }

    fn new(
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

    /// Appends the next slots with known energy, some hundreds at most, and passes on the events in
    /// the range: sensor by sensor for some time. Returns false after the last ones. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn next_run(
        &mut self,
        slots: &mut Vec<FlowSlot>,
        mut sink: impl FnMut(Event),
    ) -> Result<bool, StoreError> {
        /// Each has an entry for each sensor.
        const MOST_SLOTS: usize = 512;
        for run in &mut self.0 {
            run.read_on(&mut sink)?;
        }
        for _ in 0..MOST_SLOTS {
            // A sensor without a slot ahead can have the next one, unless it is at its end.
            let is_ready = |run: &SensorRun| run.energy.is_none() || !run.ahead.is_empty();
            if !self.0.iter().all(is_ready) {
                break;
            }
            let first = self.0.iter().filter_map(|run| run.ahead.front());
            let Some(&SlotEnergy { start, end, .. }) = first.min_by_key(|slot| slot.start) else {
                return Ok(false);
            };
            let measured = self.0.iter_mut().map(|run| run.take(start, end)).collect();
            slots.push(FlowSlot {
                start,
                end,
                measured,
            });
        }
        Ok(true)
    }

    /// Everything at once. The caller makes sure that it is not too much. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn all(mut self, mut sink: impl FnMut(Event)) -> Result<Vec<FlowSlot>, StoreError> {
        let mut slots = Vec::new();
        while self.next_run(&mut slots, &mut sink)? {}
        Ok(slots)
    }
}

impl SensorRun {
    /// Reads a piece if nothing is ahead.
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

    /// The energy from `start` until `end`, which is the beginning of the next slot ahead or of a
    /// later one.
    fn take(&mut self, start: Timestamp, end: Timestamp) -> MeasuredSlot {
        let is_next = self.ahead.front().is_some_and(|slot| slot.start == start);
        let slot = if is_next {
            self.ahead.pop_front()
        } else {
            None
        };
        let known_ms = slot.map_or(0, |slot| slot.measured_ms + slot.estimated_ms);
        let missing_ms = overlap_ms(&self.expected, &(start..end)) - known_ms;
        MeasuredSlot {
            flow: slot.map(|slot| slot.flow),
            known_ms,
            estimated_ms: slot.map_or(0, |slot| slot.estimated_ms),
            missing_ms: missing_ms.max(0),
        }
    }
}
