//! SunSpec: inverters and meters of many makers, by Modbus TCP.
//!
//! - `model`: what registers of a model mean
//! - `chain`: which models a device has, and where
//! - `station`: a connection to an address, kept from poll to poll

mod chain;
mod model;
mod station;

pub(super) use self::model::SunspecPart;
#[cfg(any(test, fuzzing))]
pub(super) use self::model::fuzz_registers;
pub(super) use self::station::SunspecStation;
