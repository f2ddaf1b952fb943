//! Energy of a sensor as the ledger counts it, and the events on the way (docs/ENERGY.md).
//!
//! The answer equals that of a walk over all readings from the first to the last, but only the
//! readings that matter are read. Totals of blocks and pages replace their readings wherever
//! nothing is unusual.
//!
//! - `beginning`: where the walk begins
//! - `meter_walk`: the walk over registers or power, in totals and one by one
//! - `entries`: stretches and events of that walk, with people's corrections in their place
//! - `replaced`: known energies, as stretches
//! - `slot_flows`: stretches cut into slots
//! - `stretches`, `events`: stretches from reading to reading, and events alone
//! - `good_register`: the register that the next one is measured against

mod beginning;
mod entries;
mod events;
mod good_register;
mod meter_walk;
mod replaced;
mod slot_flows;
mod stretches;

use std::ops::Range;

use self::entries::Entries;
pub use self::events::ledger_events;
pub use self::good_register::good_register;
pub use self::slot_flows::SlotEnergy;
use self::slot_flows::{RangeSlots, SlotFlows};
pub(super) use self::stretches::LedgerStretches;
use super::slots::Slots;
use crate::domain::{Interval, Meter, SensorId, Timestamp, Zone};
use crate::ledger::{Entry, Event, Facts, Stretch};
use crate::store::{Store, StoreError};

/// The most slots that one call returns: a silence may be long, and slots short.
const MOST_SLOTS: usize = 4_096;

/// Energy of a sensor by slots of time, and the events: a result under way, read a block at a time
/// in bounded memory.
///
/// By its registers; a sensor that never had one is measured by its power.
pub struct LedgerEnergy {
    /// `None` once the last one was read.
    entries: Option<Entries>,
    slots: RangeSlots,
    flows: SlotFlows,
}

impl LedgerEnergy {
    /// Energy by an interval of the calendar, from the start of `range` until before its end: the
    /// slots at its ends are cut there. `facts` are those in effect. Blocks on the disk.
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

    /// Energy by power alone, as [`Self::by_interval`], even if the sensor has a register. Blocks
    /// on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn of_power(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: Range<Timestamp>,
        (zone, interval): (Zone, Interval),
    ) -> Result<Self, StoreError> {
        Self::of_power_by(store, sensor, meter, range, Slots::flows(zone, interval))
    }

    /// The same by slots.
    pub(in crate::query) fn of_power_by(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: Range<Timestamp>,
        slots: Slots,
    ) -> Result<Self, StoreError> {
        Self::walked(store, sensor, meter, range, (slots, false))
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

    /// Energy by an interval of the calendar, as [`Self::by_interval`], of stretches in time order
    /// that no readings say.
    #[must_use]
    pub fn of_stretches(
        stretches: impl Iterator<Item = Stretch>,
        range: Range<Timestamp>,
        (zone, interval): (Zone, Interval),
    ) -> Self {
        Self::known(stretches, range, Slots::flows(zone, interval))
    }

    /// Energy between each two neighbours of these ascending times, of stretches in time order that
    /// no readings say.
    #[must_use]
    pub fn of_stretches_between(
        stretches: impl Iterator<Item = Stretch>,
        times: &[Timestamp],
    ) -> Self {
        let ends = times.first().copied().zip(times.last().copied());
        let (start, end) = ends.unwrap_or((Timestamp::MIN, Timestamp::MIN));
        Self::known(stretches, start..end, Slots::from_each(times))
    }

    fn known(
        stretches: impl Iterator<Item = Stretch>,
        range: Range<Timestamp>,
        slots: Slots,
    ) -> Self {
        let slots = RangeSlots::new(slots, range);
        let mut flows = SlotFlows::new(slots.clone());
        stretches.for_each(|stretch| flows.add(stretch));
        Self {
            entries: None,
            flows,
            slots,
        }
    }

    fn new(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: Range<Timestamp>,
        slots: Slots,
    ) -> Result<Self, StoreError> {
        let has_register = store.first_register(sensor)?.is_some();
        Self::walked(store, sensor, meter, range, (slots, has_register))
    }

    /// By registers, if the sensor has them and they are to count; else by power.
    fn walked(
        store: &Store,
        sensor: &SensorId,
        meter: (Meter, Facts),
        range: Range<Timestamp>,
        (slots, by_register): (Slots, bool),
    ) -> Result<Self, StoreError> {
        let slots = RangeSlots::new(slots, range.clone());
        Ok(Self {
            entries: Some(Entries::new(store, sensor, meter, (range, by_register))?),
            flows: SlotFlows::new(slots.clone()),
            slots,
        })
    }

    /// Appends the next slots with known energy, and the next events in the range. Returns false
    /// after the last ones. Blocks on the disk.
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
            let Some(entries) = &self.entries else {
                slots.extend(self.flows.take_open());
                return Ok(false);
            };
            let was_in_block = entries.is_in_block();
            if !self.next_piece(events)? {
                self.entries = None;
            } else if !was_in_block {
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

    /// All slots at once, without the events: there may be one for each reading. The caller makes
    /// sure that the slots are not too many. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn all_slots(mut self) -> Result<Vec<SlotEnergy>, StoreError> {
        let (mut slots, mut events) = (Vec::new(), Vec::new());
        while self.next_run(&mut slots, &mut events)? {
            events.clear();
        }
        Ok(slots)
    }

    fn next_piece(&mut self, events: &mut Vec<Event>) -> Result<bool, StoreError> {
        let (slots, flows) = (&mut self.slots, &mut self.flows);
        let mut sink = |entry| match entry {
            Entry::Stretch(stretch) => flows.add(stretch),
            Entry::Event(event) => events.push(event),
        };
        let Some(entries) = &mut self.entries else {
            return Ok(false);
        };
        // Readings of a slot may be put together.
        entries.next_piece(|time| slots.slot(time).times.end(), &mut sink)
    }
}

#[cfg(test)]
pub(super) mod tests;
