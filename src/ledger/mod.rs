//! The ledger: what registers and power say about energy, and what contracts say about its price (docs/ENERGY.md).
//!
//! Pure: readings, facts and contracts come in, energy, events and amounts go out. It knows neither the store nor the web, and it
//! reads no clock.
//!
//! - `stretch`: energy between two times

mod stretch;

pub use self::stretch::{Flow, Stretch};
