//! The energy of several sensors side by side, slot by slot, in bounded memory.

use std::ops::Range;
use std::task::Poll;

use super::netting::PhaseNetting;
use super::sensor_runs::SensorRuns;
use super::sensors::{HouseSensor, HouseSensors, overlap_ms};
use crate::domain::{Interval, MicroWh, Timestamp, Zone};
use crate::ledger::Event;
use crate::ledger::house::{HouseSums, MeasuredSlot};
use crate::query::LedgerEnergy;
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
    /// The part that the phases of one meter net: the house neither imports nor exports it.
    pub netted: MicroWh,
}

/// Energy of several sensors by the same slots: a result under way.
pub struct SensorFlows {
    runs: SensorRuns,
    /// `None` if nothing is netted.
    netting: Option<PhaseNetting>,
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
        self.netted = self.netted + later.netted;
        for (sum, measured) in self.measured.iter_mut().zip(&later.measured) {
            *sum = *sum + *measured;
        }
        self
    }
}

/// The energy of all its sensors.
impl HouseSensors {
    /// Reads the energy by calendar interval within `range`. The first and last slots are cut at
    /// its ends. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn by_interval(
        &self,
        store: &Store,
        range: Range<Timestamp>,
        by: (&Zone, Interval),
    ) -> Result<SensorFlows, StoreError> {
        let each = |it: &HouseSensor| it.by_interval(store, range.clone(), by);
        let flows = SensorFlows::new(&self.sensors, each)?;
        let netting = PhaseNetting::of(store, self, range.clone())?;
        Ok(SensorFlows { netting, ..flows })
    }

    /// Reads the energy between each two neighbours of these ascending times. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub fn between(&self, store: &Store, times: &[Timestamp]) -> Result<SensorFlows, StoreError> {
        let flows = SensorFlows::new(&self.sensors, |it| it.between(store, times))?;
        let ends = times.first().zip(times.last());
        let range = ends.map_or(Timestamp::MIN..Timestamp::MIN, |(from, to)| *from..*to);
        let netting = PhaseNetting::of(store, self, range)?;
        Ok(SensorFlows { netting, ..flows })
    }

    /// The sums of the house in a slot.
    #[must_use]
    pub fn sums(&self, slot: &FlowSlot) -> HouseSums {
        self.plan
            .sums(slot.length_ms(), &slot.measured, slot.netted)
    }

    /// A slot without known energy.
    pub(super) fn nothing(&self, start: Timestamp, end: Timestamp) -> FlowSlot {
        let missing =
            |it: &HouseSensor| MeasuredSlot::unknown(overlap_ms(&it.expected, &(start..end)));
        let sensors = self.sensors.iter();
        FlowSlot {
            start,
            end,
            measured: sensors.map(missing).collect(),
            netted: MicroWh::ZERO,
        }
    }
}

impl SensorFlows {
    /// The energy of these sensors, each by itself.
    ///
    /// # Errors
    /// [`StoreError`] if the store could not be read.
    pub(super) fn new(
        sensors: &[HouseSensor],
        energy: impl Fn(&HouseSensor) -> Result<LedgerEnergy, StoreError>,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            runs: SensorRuns::new(sensors, energy)?,
            netting: None,
        })
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
        self.runs.read_on(&mut sink)?;
        for _ in 0..MOST_SLOTS {
            let slot = match self.runs.next_slot() {
                Poll::Ready(Some(slot)) => slot,
                Poll::Ready(None) => return Ok(false),
                Poll::Pending => break,
            };
            let netted = match &mut self.netting {
                Some(netting) => netting.netted_in(&slot)?,
                None => Poll::Ready(MicroWh::ZERO),
            };
            let Poll::Ready(netted) = netted else {
                break;
            };
            let measured = self.runs.take(&slot).collect();
            let Range { start, end } = slot;
            slots.push(FlowSlot {
                start,
                end,
                measured,
                netted,
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
