//! Questions about the readings: series for the API, power and energy for charts and the dashboard.
//! The rooms above turn the answers into text and pictures.
//!
//! - `point`: one value of a result, and its unit
//! - `slots`: how time is cut: buckets of the calendar, columns, stretches
//! - `walk`: the one walk that puts readings together slot by slot
//! - `column`: power readings of a slot put together
//! - `power`: power by intervals, and for a picture
//! - `energy`: differences of registers
//! - `ledger`: energy as the ledger counts it, and the events on the way
//! - `samples`: values at given times
//! - `ends`: the first and the newest readings
//! - `series`: [`Query`] and [`Series`], the results of the API
//! - `corrected`: the same results as the ledger has them

mod column;
mod corrected;
mod ends;
mod energy;
mod ledger;
mod point;
mod power;
mod samples;
mod series;
mod slots;
mod walk;

pub use self::column::{Aggregate, Column};
pub use self::ends::{first_counted, first_points, first_reading, newest};
pub use self::ledger::{LedgerEnergy, SlotEnergy, good_register, ledger_events};
pub use self::point::{Point, Units};
pub use self::power::{Course, MAX_COLUMNS, PowerProfile, mean_by_interval, power};
pub use self::samples::{Samples, Sampling};
pub use self::series::{Query, QueryError, Series};

#[cfg(test)]
mod tests;
