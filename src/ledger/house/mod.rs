//! The house: the sums of its sensors, slot by slot (docs/HOUSE.md). It knows neither readings nor
//! the store: the caller passes the energy of each sensor in a slot.
//!
//! - `plan`: the part of the house that each sensor measures, and its position inside others
//! - `sums`: imported, exported, produced, stored and used energy

mod plan;
mod sums;

pub use self::plan::{HousePlan, PlacedSensor};
pub use self::sums::{HouseSum, HouseSums, MeasuredSlot};

#[cfg(test)]
mod tests;
