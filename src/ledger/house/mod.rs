//! The house: what its sensors say together, slot by slot (docs/HOUSE.md). It knows neither
//! readings nor the store: the caller says what each sensor measured in a slot.
//!
//! - `plan`: the part of the house that each sensor measures, and its position inside others
//! - `sums`: what the house drew, fed back, produced, stored and used

mod plan;
mod sums;

pub use self::plan::{HousePlan, PlacedSensor};
pub use self::sums::{HouseSum, HouseSums, MeasuredSlot};

#[cfg(test)]
mod tests;
