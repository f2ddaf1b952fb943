//! SunSpec: inverters and meters of many makers, by Modbus TCP.
//!
//! - `model`: the meaning of a model's registers
//! - `chain`: the models of a device, and their addresses
//! - `station`: a connection to an address, kept from poll to poll

mod chain;
mod model;
mod station;

pub(super) use self::model::SunspecPart;
#[cfg(any(test, fuzzing))]
pub(super) use self::model::fuzz_registers;
pub(super) use self::station::SunspecStation;
