//! What can be asked of the readings: series for the API, and power and energy for charts and the dashboard. What the answers
//! look like, as text or as pictures, is the job of the rooms above.
//!
//! - `point`: one value of a result, and its unit
//! - `slots`: how time is cut: buckets of the calendar, columns, stretches
//! - `walk`: the one walk that puts readings together slot by slot
//! - `column`: power readings of a slot put together
//! - `power`: power by intervals, and for a picture
//! - `energy`: registers become energy, by the kind of the register
//! - `ledger`: energy as the ledger counts it, and the events on the way
//! - `resets`: when a counter was reset
//! - `ends`: the first and the newest readings
//! - `series`: [`Query`] and [`Series`], the results of the API
//! - `group`: several sensors added up

mod column;
mod ends;
mod energy;
mod group;
mod ledger;
mod point;
mod power;
mod resets;
mod series;
mod slots;
mod walk;

pub use self::column::{Aggregate, Column};
pub use self::ends::{first_reading, newest};
pub use self::energy::{Counted, counted_at, energy};
pub use self::group::SensorGroup;
pub use self::ledger::{LedgerEnergy, SlotEnergy};
pub use self::point::{Point, Units};
pub use self::power::{Course, PowerProfile, power};
pub use self::resets::{Reset, Resets, resets};
pub use self::series::{Query, QueryError, Series};

#[cfg(test)]
mod tests;
