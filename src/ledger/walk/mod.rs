//! From readings to energy: a sensor's registers, or its power, become stretches of energy and
//! events (docs/ENERGY.md). A walk takes readings in time order, and totals of runs of them where
//! these say as much.
//!
//! - `facts`: people's corrections of a sensor's readings, and when it may begin again at 0
//! - `event`: events, and the output of a walk
//! - `spacing`: how far readings lie apart, and when that is a gap
//! - `anchor`: the last good register
//! - `coarse`: registers that rise by much at once
//! - `limits`: numbers that devices send where they have no value
//! - `verdict`: the decision about registers that do not fit it
//! - `register_run`, `registers`: totals of registers, and the walk over registers; `meter_change`:
//!   its meter changes; `settling`: registers that are held; `zeros`, `held_zeros`: zeros among them
//! - `power`: power, its totals, and the walk over it
//! - `beginning`: where a walk may begin

mod anchor;
mod beginning;
mod coarse;
mod event;
mod facts;
mod held_zeros;
mod limits;
mod meter_change;
mod power;
mod register_run;
mod registers;
mod settling;
mod spacing;
mod verdict;
mod zeros;

pub use self::beginning::Beginning;
pub use self::event::{Entry, Event, EventKind};
pub use self::facts::{DailyRestart, Facts, MeterChange};
pub use self::limits::LOWEST_LIMIT;
pub use self::power::{PowerAt, PowerRun, PowerWalk};
pub use self::register_run::RegisterRun;
pub use self::registers::RegisterWalk;
pub use self::spacing::Spacings;

#[cfg(test)]
mod tests;
