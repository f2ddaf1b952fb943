//! A house as it would have been, quarter of an hour by quarter of an hour (docs/DECIDE.md). It knows
//! neither the store nor prices: the caller passes the energy of each quarter.
//!
//! - `quarter`: the energy of a house in a quarter of an hour, and the same without its panels or its
//!   battery, with more use or more panels
//! - `battery`: a battery that a house does not have; `buying`: what it buys for dear quarters, by
//!   the prices of `published`
//! - `load`: a load in the cheapest quarters of an hour; `profile`: what panels give in each hour of
//!   a year

mod battery;
mod buying;
mod load;
mod profile;
mod published;
mod quarter;

pub use self::battery::{BatteryTerms, Efficiency, NotEfficiency, SimulatedBattery};
pub use self::buying::BuyingBattery;
pub use self::load::in_cheapest;
pub use self::profile::{ProfileError, SolarProfile};
pub use self::published::PublishedPrices;
pub use self::quarter::HouseQuarter;

#[cfg(test)]
mod tests;
