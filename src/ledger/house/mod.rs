//! The house: the sums of its sensors, slot by slot (docs/HOUSE.md). It knows neither readings nor
//! the store: the caller passes the energy of each sensor in a slot.
//!
//! - `plan`: the part of the house that each sensor measures, and its position inside others
//! - `sums`: imported, exported, produced, stored and used energy
//! - `sources`: where the used energy came from; `stock`: with batteries, which give
//!   later; `mix`: where the energy of a sub-meter came from; `valued`: its worth

mod mix;
mod plan;
mod sources;
mod stock;
mod sums;
mod valued;

pub use self::mix::{SourceMix, UsedSources};
pub use self::plan::{HousePlan, PlacedSensor};
pub use self::sources::HouseBalance;
pub use self::stock::BatteryStocks;
pub use self::sums::{HouseSum, HouseSums, MeasuredSlot};
pub use self::valued::{SlotWorth, ValuedEnergy};

#[cfg(test)]
mod tests;
