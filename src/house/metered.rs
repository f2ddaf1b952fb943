//! The energy of slots as contracts count it: of the house, and of the sensors that they name.

use super::flows::FlowSlot;
use super::sensors::{HouseSensor, HouseSensors};
use crate::domain::MicroWh;
use crate::ledger::Flow;
use crate::ledger::contract::MeteredEnergy;
use crate::ledger::house::{HouseSum, HouseSums, MeasuredSlot};

/// The energy of slots that follow each other.
#[derive(Clone, Debug)]
pub(super) struct MeteredSum {
    grid: MeasuredSlot,
    /// Whether all energy at the grid is known.
    is_whole: bool,
    /// Of the sensors that contracts name; `None` for one that is not known.
    named: Vec<Option<MeasuredSlot>>,
    length_ms: i64,
}

impl MeteredSum {
    /// The energy of one slot: at the grid, and of named sensors.
    pub(super) const fn new(
        (grid, is_whole): (MeasuredSlot, bool),
        named: Vec<Option<MeasuredSlot>>,
        length_ms: i64,
    ) -> Self {
        Self {
            grid,
            is_whole,
            named,
            length_ms,
        }
    }

    /// With a later slot of the same sensors.
    pub(super) fn and_then(mut self, later: &Self) -> Self {
        for (sum, later) in self.named.iter_mut().zip(&later.named) {
            *sum = sum.zip(*later).map(|(sum, later)| sum + later);
        }
        Self {
            grid: self.grid + later.grid,
            is_whole: self.is_whole && later.is_whole,
            length_ms: self.length_ms.saturating_add(later.length_ms),
            named: self.named,
        }
    }

    /// The measured energy, and its form for a pricer.
    pub(super) fn energy(&self) -> (MeasuredSlot, MeteredEnergy) {
        let mut measured = self.grid;
        let drawn = |slot: &Option<MeasuredSlot>| {
            let flow = slot.and_then(|slot| slot.flow);
            flow.unwrap_or_default().imported
        };
        // Contracts need this energy wherever the house's is known, even before the sensor's first
        // reading.
        let missing = self.named.iter().map(|slot| match slot {
            Some(slot) if measured.flow.is_none() => slot.missing_ms,
            Some(slot) => self.length_ms.saturating_sub(slot.known_ms),
            None => self.length_ms,
        });
        let missing_ms = missing.max().unwrap_or(0);
        if measured.missing_ms < missing_ms {
            measured.known_ms = self.length_ms.saturating_sub(missing_ms);
            measured.missing_ms = missing_ms;
        }
        let named: Vec<MicroWh> = self.named.iter().map(drawn).collect();
        let energy = MeteredEnergy {
            flow: measured.flow,
            is_whole: self.is_whole,
            named,
            are_named_whole: missing_ms == 0,
        };
        (measured, energy)
    }
}

impl HouseSensors {
    /// The energy of all sensors at the grid, and whether it is complete.
    pub(super) fn measured_at_grid(&self, slot: &FlowSlot) -> (MeasuredSlot, bool) {
        self.grid_of(&self.sums(slot), slot.length_ms())
    }

    /// The same of these sums of a slot.
    pub(super) fn grid_of(&self, sums: &HouseSums, length_ms: i64) -> (MeasuredSlot, bool) {
        let parts = [sums.imported, sums.exported];
        let [imported, exported] = parts.map(HouseSum::energy);
        let of_parts = |ms: fn(&HouseSum) -> i64| parts.iter().map(ms).max().unwrap_or(0);
        let flow = Flow {
            imported: imported.unwrap_or_default(),
            exported: exported.unwrap_or_default(),
        };
        let with_data = || self.sensors.iter().filter(|it| it.has_data());
        if !with_data().any(|it| it.sensor.role.is_at_grid()) {
            return (MeasuredSlot::unknown(length_ms), false);
        }
        // Energy that nobody ever measured is missing, too.
        let has_import = with_data().any(HouseSensor::is_import);
        let missing_ms = if has_import {
            of_parts(|part| part.missing_ms)
        } else {
            length_ms
        };
        let measured = MeasuredSlot {
            flow: imported.or(exported).map(|_| flow),
            known_ms: length_ms.saturating_sub(missing_ms),
            estimated_ms: of_parts(|part| part.estimated_ms),
            coarse_ms: of_parts(|part| part.coarse_ms),
            missing_ms,
        };
        (measured, has_import && sums.imported.missing_ms == 0)
    }
}
