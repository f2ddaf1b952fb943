//! Energy of a sensor as the ledger counts it, and the events on the way (docs/ENERGY.md).
//!
//! The answer is that of a walk over all readings from the first to the last, but only some of them are read: from where nothing
//! before matters until nothing later does. Totals of blocks and pages stand for their readings wherever nothing is odd.
//!
//! - `beginning`: where the walk begins
//! - `meter_walk`: the walk over registers or power, in totals and one by one
//! - `slot_flows`: stretches cut into slots

mod beginning;
mod meter_walk;
mod slot_flows;

use std::ops::Range;

use self::beginning::beginning;
use self::meter_walk::MeterWalk;
pub use self::slot_flows::SlotEnergy;
use self::slot_flows::{RangeSlots, SlotFlows};
use super::slots::Slots;
use super::walk::ValueSlices;
use crate::domain::{Interval, Meter, SensorId, TimeRange, Timestamp, Zone};
use crate::ledger::{Entry, Event, Facts};
use crate::store::{Digest, Piece, Run, Store, StoreError};

/// The most slots that one call returns: a silence may be long, and slots short.
const MOST_SLOTS: usize = 4_096;

/// Energy of a sensor by slots of time, and the events: a result under way, read a block at a time in bounded memory.
///
/// By its registers; a sensor that never had one is measured by its power.
pub struct LedgerEnergy {
    /// `None` without readings, or when all is said about the range.
    digest: Option<Digest>,
    walk: MeterWalk,
    slots: RangeSlots,
    flows: SlotFlows,
    range: Range<Timestamp>,
}

impl LedgerEnergy {
    /// Energy by an interval of the calendar, from the start of `range` until before its end: the slots at its ends are cut there.
    /// `facts` are those in effect. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn by_interval(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: Range<Timestamp>,
        (zone, interval): (Zone, Interval),
    ) -> Result<Self, StoreError> {
        Self::new(store, sensor, meter, range, Slots::flows(zone, interval))
    }

    /// Energy between each two neighbours of these ascending times. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn between(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        times: &[Timestamp],
    ) -> Result<Self, StoreError> {
        let ends = times.first().copied().zip(times.last().copied());
        let (start, end) = ends.unwrap_or((Timestamp::MIN, Timestamp::MIN));
        Self::new(store, sensor, meter, start..end, Slots::from_each(times))
    }

    fn new(
        store: &Store,
        sensor: &SensorId,
        (meter, facts): (Meter, Facts),
        range: Range<Timestamp>,
        slots: Slots,
    ) -> Result<Self, StoreError> {
        let has_register = store.first_register(sensor)?.is_some();
        let walk = MeterWalk::new(meter, facts.clone(), has_register);
        let all = store.digest(sensor, walk.measure(), TimeRange::ALL);
        let begin = if range.is_empty() {
            None
        } else {
            beginning(&all, &walk, (meter, facts), range.start)?
        };
        let digest = begin
            .and_then(|begin| TimeRange::new(begin, Timestamp::MAX))
            .map(|rest| all.within(rest));
        let slots = RangeSlots::new(slots, range.clone());
        Ok(Self {
            digest,
            walk,
            flows: SlotFlows::new(slots.clone()),
            slots,
            range,
        })
    }

    /// Appends the next slots of which something is known, and the next events that lie in the range. Returns false after the last
    /// ones. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn next_run(
        &mut self,
        slots: &mut Vec<SlotEnergy>,
        events: &mut Vec<Event>,
    ) -> Result<bool, StoreError> {
        loop {
            let room = self.flows.give_out(MOST_SLOTS, slots);
            if !room {
                return Ok(true);
            }
            let Some(digest) = &self.digest else {
                slots.extend(self.flows.take_open());
                return Ok(false);
            };
            let is_in_block = digest.is_in_block();
            self.read_piece(events)?;
            if !is_in_block && self.digest.is_some() {
                return Ok(true);
            }
        }
    }

    /// Everything at once. The caller makes sure that it is not too much. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn all(mut self) -> Result<(Vec<SlotEnergy>, Vec<Event>), StoreError> {
        let (mut slots, mut events) = (Vec::new(), Vec::new());
        while self.next_run(&mut slots, &mut events)? {}
        Ok((slots, events))
    }

    fn read_piece(&mut self, events: &mut Vec<Event>) -> Result<(), StoreError> {
        let Self {
            digest: Some(digest),
            walk,
            slots,
            flows,
            range,
        } = self
        else {
            return Ok(());
        };
        let mut sink = |entry| match entry {
            Entry::Stretch(stretch) => flows.add(stretch),
            Entry::Event(event) if range.contains(&event.time) => events.push(event),
            Entry::Event(_) => {}
        };
        let is_enough = |run: &Run| {
            let within = walk.range_of(run);
            within.is_some_and(|within| slots.slot(within.start()).times.contains(within.end()))
                && walk.is_plain(run)
        };
        match digest.next_piece(is_enough)? {
            Some(Piece::Run(run)) => {
                if !walk.add_run(&run, &mut sink) {
                    // Only here it shows that something before the run concerns it.
                    let within = walk.range_of(&run).map(|within| digest.within(within));
                    if let Some(mut readings) = within {
                        while let Some(Piece::Values(values)) = readings.next_piece(|_| false)? {
                            walk.add_values(&values.times, &values.numbers, &mut sink);
                        }
                    }
                }
            }
            Some(Piece::Values(values)) => {
                let mut rest = ValueSlices::of(&values);
                while let Some(first) = rest.first() {
                    let (times, numbers) = rest.take_until(slots.slot(first).times.end());
                    walk.add_values(times, numbers, &mut sink);
                }
            }
            None => {
                walk.finish(&mut sink);
                self.digest = None;
                return Ok(());
            }
        }
        if walk.decided_until() >= Some(range.end) {
            self.digest = None;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
