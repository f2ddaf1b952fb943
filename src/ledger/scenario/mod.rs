//! A house as it would have been, quarter of an hour by quarter of an hour (docs/DECIDE.md). It knows
//! neither the store nor prices: the caller passes the energy of each quarter.
//!
//! - `quarter`: the energy of a house in a quarter of an hour, and the same without its panels or its
//!   battery

mod quarter;

pub use self::quarter::HouseQuarter;

#[cfg(test)]
mod tests;
