//! Houses as they would have been, to be priced beside the house as it was (`house/side_by_side.rs`).
//!
//! - `without`: without panels, without the battery
//!
//! A scenario sees each quarter of an hour once, in order, from the first energy that counts for its
//! contracts on: that may be months before the range.

mod without;

use super::sensors::HouseSensor;
use crate::domain::{Role, SensorId};
use crate::ledger::house::{HouseSums, MeasuredSlot};
use crate::ledger::scenario::HouseQuarter;

pub use self::without::HouseWithout;

/// A house as it would have been.
pub(super) trait Scenario {
    /// The quarter as it would have been. Energy that it does not know is `None`.
    fn change(&mut self, quarter: HouseQuarter) -> HouseQuarter;

    /// The energy of a sensor with a price of its own, as it would have been in a quarter that was
    /// like this.
    fn change_sensor(
        &self,
        _id: &SensorId,
        _quarter: &HouseQuarter,
        measured: MeasuredSlot,
    ) -> MeasuredSlot {
        measured
    }
}

/// Whether a scenario needs the energy of a sensor: those that make up the use of the house.
pub(super) fn is_needed(it: &HouseSensor) -> bool {
    it.sensor.role != Role::SubMeter
}

/// The energy at the grid in a changed quarter, and whether it is complete. Where it is not known,
/// the house as it was counts in its place, and the time is missing: so both houses are priced for
/// the same time.
pub(super) fn at_grid(
    changed: &HouseQuarter,
    was: MeasuredSlot,
    sums: &HouseSums,
) -> (MeasuredSlot, bool) {
    let length_ms = changed.end.millis() - changed.start.millis();
    // Its parts are those of the use.
    let missing_ms = sums.used.missing_ms.max(was.missing_ms);
    let measured = MeasuredSlot {
        flow: changed.at_grid().or(was.flow),
        known_ms: length_ms.saturating_sub(missing_ms),
        estimated_ms: sums.used.estimated_ms.max(was.estimated_ms),
        coarse_ms: sums.used.coarse_ms.max(was.coarse_ms),
        missing_ms,
    };
    (measured, missing_ms == 0)
}
