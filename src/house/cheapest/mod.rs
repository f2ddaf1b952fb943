//! When a kilowatt-hour is cheapest (docs/DECIDE.md), by all components of the contracts and by prices that are
//! stored already. The dashboard, `/costs/cheapest`, the API, the command and Home Assistant share it.
//!
//! - `stretch`: prices without a gap, and the cost of a steady load
//! - `search`: the cheapest time in a window
//! - `question`: the window, as typed
//! - `answer`: the answer of an account
//! - `present`: whether it is cheap now

mod answer;
mod present;
mod question;
mod search;
mod stretch;

pub use self::answer::{CheapestAnswer, CheapestView};
pub(super) use self::question::clock;
pub use self::question::{CheapestError, CheapestField, CheapestForm, CheapestQuestion};
