//! The ledger: energy from registers and power, and its price from contracts (docs/ENERGY.md).
//!
//! Pure: readings, facts and contracts come in, energy, events and amounts go out. It knows neither
//! the store nor the web, and it reads no clock.
//!
//! - `stretch`: energy between two times
//! - `walk`: registers and power become stretches and events
//! - `correction`: people's statements about readings, numbered and dated, and those in effect
//! - `replacement`: stretches that are partly replaced by a person's correction
//! - `known_energy`, `week_profile`: the energy that a range is known to have, and how it is spread
//!   over it
//! - `calibration`: energy scaled by factors that people accepted
//! - `contract`: contracts, and the amounts that they make of energy
//! - `forecast`: the energy of days to come, from that of days before
//! - `guess`: a sensor's settings, guessed from its first readings
//! - `house`: the sums of a house's sensors
//! - `notice`: notices to people, and their ends
//! - `purchase`: what a household bought, and is to pay for itself
//! - `scenario`: a house as it would have been: without its panels or its battery, or with others
//! - `statement`: the costs of a range, and its known part
//! - `utility`: the utility's data, compared with the ledger

mod calibration;
pub mod contract;
mod correction;
pub mod forecast;
mod guess;
pub mod house;
mod known_energy;
pub mod notice;
mod purchase;
mod replacement;
pub mod scenario;
mod statement;
mod stretch;
pub mod utility;
mod walk;
mod week_profile;

pub use self::calibration::{CalibrationFactor, CalibrationWalk, Calibrations};
pub use self::correction::{
    Author, CalibratedRange, Correction, Corrections, Fact, FactError, FactKind, FactRange, Made,
    NoteError,
};
pub use self::guess::{MeterGuess, guess_meter};
pub use self::known_energy::{KnownEnergy, Spread};
#[cfg(test)]
pub(crate) use self::purchase::tests::bought;
pub use self::purchase::{Purchase, PurchaseError, PurchaseKind, PurchaseTerms};
pub use self::replacement::{Replacement, ReplacementWalk};
pub use self::statement::{
    AmountGap, ConvertedSeries, CostStatement, STATEMENT_COLUMNS, StatementRow, TimeShares,
    TouchCount, bill_row, kilowatthours, statement_row,
};
pub use self::stretch::{Flow, Stretch};
pub use self::walk::{
    Beginning, DailyRestart, Entry, Event, EventKind, Facts, LOWEST_LIMIT, MeterChange, PowerAt,
    PowerRun, PowerWalk, RegisterRun, RegisterWalk, Spacings,
};
pub use self::week_profile::WeekProfile;
