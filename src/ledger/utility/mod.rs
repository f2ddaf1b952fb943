//! The utility's data, compared with the ledger: readings of its meter that people typed in, and
//! its bills (docs/HOUSE.md).
//!
//! - `meter`: readings of the utility's meter, and the periods between them
//! - `drift`: how far the ledger is off, and the factor that would correct it
//! - `billed`: its bills beside statements

mod billed;
mod drift;
mod meter;

pub use self::billed::{ComparedAmount, ComparedBill, EnteredBill, EnteredLine, LineWords};
pub use self::drift::{Calibration, ComparedPeriod, Drift};
pub use self::meter::{KnownUse, ReadingDoubt, UtilityMeter, UtilityPeriod, UtilityReading};

#[cfg(test)]
mod tests;
