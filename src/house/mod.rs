//! The dashboard's numbers for one house, as plain values: its power now, and its energy against the time before. How they are
//! worded and laid out is the pages' job.
//!
//! - `parts`: [`House`]: the parts of a house, added up
//! - `power`: power now, from memory
//! - `energy`: energy of periods, and its cost
//! - `periods`: today, yesterday, this week, month and year, each with the time before it
//!
//! What is not known is `None`, never zero.

mod energy;
mod parts;
mod periods;
mod power;

pub use self::energy::{Comparison, Energies, Energy};
pub use self::parts::{House, sensors_of};
pub use self::power::{PowerNow, Presence};

#[cfg(test)]
mod tests;
