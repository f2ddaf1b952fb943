//! A house with another battery, other panels or another load.

use std::sync::Arc;

use super::load::ChangedLoad;
use super::question::AskedPanels;
use crate::domain::time::MS_PER_HOUR;
use crate::domain::{Decimal, MicroWh, SensorId, Timestamp};
use crate::house::scenario::Scenario;
use crate::ledger::Flow;
use crate::ledger::house::MeasuredSlot;
use crate::ledger::scenario::{BuyingBattery, HouseQuarter, PublishedPrices, SimulatedBattery};

/// What is different in all houses of a question, whatever the size of the battery.
#[derive(Debug)]
pub(super) struct HouseChanges {
    /// Before that, all is as it was.
    pub(super) from: Timestamp,
    pub(super) panels: AskedPanels,
    pub(super) load: Option<ChangedLoad>,
    pub(super) prices: PublishedPrices,
}

/// A battery in the place of the one that the house had.
#[derive(Debug)]
pub(super) enum NewBattery {
    /// It keeps what it had.
    Kept,
    Greedy(Box<SimulatedBattery>),
    Buying(Box<BuyingBattery>),
}

/// The house as it would have been.
#[derive(Debug)]
pub(super) struct ChangedHouse {
    pub(super) changes: Arc<HouseChanges>,
    pub(super) battery: NewBattery,
    /// What the new battery draws itself in an hour.
    pub(super) standby: MicroWh,
    /// Whether the new battery rests where energy was read less often than each quarter of an hour.
    pub(super) rests: bool,
}

impl Scenario for ChangedHouse {
    fn change(&mut self, quarter: HouseQuarter) -> HouseQuarter {
        // Where the energy at the grid is not known, nobody knows what would change it.
        if quarter.start < self.changes.from || quarter.at_grid().is_none() {
            return quarter;
        }
        let is_kept = matches!(self.battery, NewBattery::Kept);
        let quarter = if is_kept {
            quarter
        } else {
            quarter.without_battery()
        };
        let length_ms = quarter.end.millis() - quarter.start.millis();
        let standby = self.standby.part(length_ms, MS_PER_HOUR);
        let quarter = self.changes.panels.of(quarter.using(Some(standby)));
        let quarter = match &self.changes.load {
            Some(load) => quarter.using(load.more(&quarter)),
            None => quarter,
        };
        match quarter.at_grid() {
            Some(_) if is_kept || self.rests && quarter.is_coarse => quarter,
            Some(grid) => self.serve(quarter, grid),
            _ => quarter,
        }
    }

    fn change_sensor(
        &self,
        id: &SensorId,
        quarter: &HouseQuarter,
        measured: MeasuredSlot,
    ) -> MeasuredSlot {
        let load = self.changes.load.as_ref();
        let load = load.filter(|load| load.sensors.contains(id));
        let Some((load, flow)) = load.zip(measured.flow) else {
            return measured;
        };
        let more = load
            .more(quarter)
            .filter(|_| quarter.start >= self.changes.from && quarter.at_grid().is_some());
        let imported = flow.imported + more.unwrap_or_default();
        let imported = imported.max(MicroWh::ZERO);
        MeasuredSlot {
            flow: Some(Flow { imported, ..flow }),
            ..measured
        }
    }
}

impl ChangedHouse {
    /// A quarter with the battery.
    fn serve(&mut self, quarter: HouseQuarter, grid: Flow) -> HouseQuarter {
        let before = self.taken_and_given();
        let length_ms = quarter.end.millis() - quarter.start.millis();
        let served = match &mut self.battery {
            NewBattery::Kept => grid,
            NewBattery::Greedy(battery) => battery.serve(grid, length_ms),
            NewBattery::Buying(battery) => battery.serve(&quarter, grid, &self.changes.prices),
        };
        let after = self.taken_and_given();
        HouseQuarter {
            charged: Some(after.0 - before.0),
            discharged: Some(after.1 - before.1),
            ..quarter.with(Some(served))
        }
    }

    /// All that its battery took and gave so far.
    fn taken_and_given(&self) -> (MicroWh, MicroWh) {
        let battery = match &self.battery {
            NewBattery::Kept => return (MicroWh::ZERO, MicroWh::ZERO),
            NewBattery::Greedy(battery) => battery.as_ref(),
            NewBattery::Buying(battery) => battery.battery(),
        };
        (battery.charged(), battery.discharged())
    }
}

impl AskedPanels {
    /// A quarter with these panels. Production that is not known cannot be multiplied.
    fn of(&self, quarter: HouseQuarter) -> HouseQuarter {
        let factor = self.factor.filter(|factor| *factor != Decimal::ONE);
        let multiplied = match factor {
            Some(factor) => {
                let more = quarter.produced.map(|own| times(own, factor) - own);
                quarter.producing(more)
            }
            None => quarter,
        };
        match &self.added {
            Some((profile, kilowatts)) => {
                multiplied.producing(Some(profile.energy(&quarter, *kilowatts)))
            }
            None => multiplied,
        }
    }
}

/// An energy times a factor, rounded down.
fn times(energy: MicroWh, factor: Decimal) -> MicroWh {
    let product = i128::from(energy.millionths()) * i128::from(factor.millionths());
    let whole = product.div_euclid(i128::from(Decimal::ONE.millionths()));
    MicroWh::new(i64::try_from(whole).unwrap_or(i64::MAX))
}
